/**
 * The restrictions of the contract, listed a second time, without any code of src/: what all models of the proofs
 * know of them. `test/lists/restriction-models.test.ts` compares the names with the service's.
 */

/**
 * `at`: the days whose values apply. A switch forbids; a limit bounds what it names in `of`. 0 clears it, unless
 * `zeroBounds`.
 */
export const naiveRestrictions = {
  closed: { kind: 'switch', at: 'nights', of: undefined, title: 'closed' },
  closedToArrival: { kind: 'switch', at: 'arrival', of: undefined, title: 'closed to arrival' },
  closedToDeparture: { kind: 'switch', at: 'departure', of: undefined, title: 'closed to departure' },
  minLengthStay: { kind: 'min', at: 'nights', of: 'length', title: 'minimum stay-through' },
  maxLengthStay: { kind: 'max', at: 'nights', of: 'length', title: 'maximum stay-through' },
  minStayArrival: { kind: 'min', at: 'arrival', of: 'length', title: 'minimum stay on arrival' },
  maxStayArrival: { kind: 'max', at: 'arrival', of: 'length', title: 'maximum stay on arrival' },
  minAdvanceDays: { kind: 'min', at: 'arrival', of: 'advance', title: 'minimum days ahead' },
  maxAdvanceDays: {
    kind: 'max',
    at: 'arrival',
    of: 'advance',
    zeroBounds: true,
    title: 'maximum days ahead',
  },
} as const

type Table = typeof naiveRestrictions
export type NaiveRestriction = keyof Table
type Of<Kind> = {
  [Name in NaiveRestriction]: Table[Name] extends { kind: Kind } ? Name : never
}[NaiveRestriction]
type NaiveSwitch = Of<'switch'>
type NaiveLimit = Of<'min' | 'max'>
export type Restrictions = { [Name in NaiveSwitch]?: boolean } & { [Name in NaiveLimit]?: number }

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
export const naiveNames = Object.keys(naiveRestrictions) as NaiveRestriction[]

export const switchNames = naiveNames.filter(
  (name): name is NaiveSwitch => naiveRestrictions[name].kind === 'switch',
)
export const limitNames = naiveNames.filter(
  (name): name is NaiveLimit => naiveRestrictions[name].kind !== 'switch',
)

/** What a limit that was sent leaves stored; undefined for nothing. */
export function limitKept(name: NaiveLimit, sent: number | string | null): string | undefined {
  if (sent === null || (Number(sent) === 0 && !('zeroBounds' in naiveRestrictions[name]))) return undefined
  return String(sent)
}

export const minimumNames = limitNames.filter((name) => naiveRestrictions[name].kind === 'min')
export const maximumNames = limitNames.filter((name) => naiveRestrictions[name].kind === 'max')
