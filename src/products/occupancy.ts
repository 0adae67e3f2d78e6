/** How many guests a product accepts; an unset limit defaults to `maxOccupancy`. */
export type Occupancy = {
  maxOccupancy: number
  maxAdult?: number | null | undefined
  maxChild?: number | null | undefined
}

export type GuestsMax = Readonly<Record<'adult' | 'child' | 'infant', number>>

/** The most guests of each age category that a party of the product can have. */
export function guestsMaxOf({ maxOccupancy, maxAdult, maxChild }: Occupancy): GuestsMax {
  return {
    adult: Math.min(maxAdult ?? maxOccupancy, maxOccupancy),
    child: Math.min(maxChild ?? maxOccupancy, maxOccupancy),
    infant: maxOccupancy,
  }
}
