/**
 * The restrictions of the contract, one entry each. All code about restrictions reads this table: shapes,
 * blocks, the evaluation of offers and its explanation, the nearest stay, the calendar and the console. To
 * add a restriction, add its entry here and its column to the view `ari_night` in a migration. Restrictions
 * are independent of each other; an unset restriction restricts nothing.
 */

/** The properties of a stay that restrictions test: its nights, and the days from booking to arrival. */
export type RestrictedStay = { length: number; advanceDays: number }

export type Restriction = {
  /** Its number in blocks and in the view; never reused. */
  number: number
  /** The days whose values apply: the day of arrival, the day of departure, or every night of the stay. */
  tests: 'arrival' | 'departure' | 'nights'
  /** Title in the console. */
  label: string
  /** Text in a cell of the calendar; `{}` stands for the value. */
  marker: { look: string; text: string }
} & (
  | { kind: 'switch' }
  /** A limit on the property that `compares` names. */
  | {
      kind: 'min' | 'max'
      compares: keyof RestrictedStay
      /** 0 is a limit like any other, which null alone clears; of the others, 0 clears too. */
      zeroLimits?: true
    }
) &
  (
    | {
        /** The description in the contract. */
        description: string
        /** Other names in the trade. One without a scope (`minStay`) is ambiguous: no restriction has it. */
        alsoCalled: readonly string[]
        /** Whether a room can have it too, for all its rates. */
        isRoomsToo?: true
      }
    /** Only operators set it: no push sets, clears or reads it back. */
    | { isOperators: true; isRoomsToo: true }
  )

/** In the order in which rules are listed. */
export const restrictions = {
  closed: {
    number: 1,
    kind: 'switch',
    tests: 'nights',
    isRoomsToo: true,
    label: 'Closed',
    marker: { look: 'closed', text: '✕' },
    description: 'true stops the sale; false and null open it',
    alsoCalled: ['stopSell', 'stopSale', 'isClosed'],
  },
  stopSell: {
    number: 12,
    kind: 'switch',
    tests: 'nights',
    isRoomsToo: true,
    isOperators: true,
    label: 'Stop-sell',
    marker: { look: 'stop', text: 'S' },
  },
  closedToArrival: {
    number: 2,
    kind: 'switch',
    tests: 'arrival',
    label: 'Closed to arrival',
    marker: { look: 'arrival', text: 'A' },
    description: 'No stay may arrive on the date',
    alsoCalled: ['cta', 'noArrival'],
  },
  closedToDeparture: {
    number: 3,
    kind: 'switch',
    tests: 'departure',
    label: 'Closed to departure',
    marker: { look: 'departure', text: 'D' },
    description: 'No stay may depart on the date',
    alsoCalled: ['ctd', 'noDeparture'],
  },
  minStayArrival: {
    number: 6,
    kind: 'min',
    compares: 'length',
    tests: 'arrival',
    label: 'Minimum stay on arrival',
    marker: { look: 'stayArrival', text: '≥{}' },
    description: 'Shortest stay that may arrive on the date',
    alsoCalled: ['minLosArrival'],
  },
  maxStayArrival: {
    number: 7,
    kind: 'max',
    compares: 'length',
    tests: 'arrival',
    label: 'Maximum stay on arrival',
    marker: { look: 'stayArrival', text: '≤{}' },
    description: 'Longest stay that may arrive on the date',
    alsoCalled: ['maxLosArrival'],
  },
  minLengthStay: {
    number: 4,
    kind: 'min',
    compares: 'length',
    tests: 'nights',
    label: 'Minimum stay-through',
    marker: { look: 'stayThrough', text: '≥{}' },
    description: 'Stay-through: shortest stay that may include the night',
    alsoCalled: ['minStayThrough', 'minLos', 'minLosThrough'],
  },
  maxLengthStay: {
    number: 5,
    kind: 'max',
    compares: 'length',
    tests: 'nights',
    label: 'Maximum stay-through',
    marker: { look: 'stayThrough', text: '≤{}' },
    description: 'Stay-through: longest stay that may include the night',
    alsoCalled: ['maxStayThrough', 'maxLos', 'maxLosThrough'],
  },
  minAdvanceDays: {
    number: 8,
    kind: 'min',
    compares: 'advanceDays',
    tests: 'arrival',
    label: 'Minimum days ahead',
    marker: { look: 'advance', text: '≥{}d' },
    description: 'Fewest days between booking and arrival on the date',
    alsoCalled: ['minAdvance', 'cutOff', 'releaseDays', 'minLeadTime', 'minOffset'],
  },
  maxAdvanceDays: {
    number: 9,
    kind: 'max',
    compares: 'advanceDays',
    zeroLimits: true,
    tests: 'arrival',
    label: 'Maximum days ahead',
    marker: { look: 'advance', text: '≤{}d' },
    description: 'Most days between booking and arrival on the date; 0: on the day itself',
    alsoCalled: ['maxAdvance', 'maxLeadTime', 'maxOffset'],
  },
} as const satisfies Readonly<Record<string, Restriction>>

type Table = typeof restrictions
export type RestrictionName = keyof Table
/** Restrictions that rooms can have too. */
export type ClosureName = {
  [Name in RestrictionName]: Table[Name] extends { isRoomsToo: true } ? Name : never
}[RestrictionName]
/** Restrictions that suppliers push. */
export type PushedRestriction = {
  [Name in RestrictionName]: Table[Name] extends { isOperators: true } ? never : Name
}[RestrictionName]
/** Restrictions that only room-rates have. */
export type RateRestriction = Exclude<RestrictionName, ClosureName>
export type SwitchName = {
  [Name in RestrictionName]: Table[Name] extends { kind: 'switch' } ? Name : never
}[RestrictionName]

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
export const restrictionNames = Object.keys(restrictions) as RestrictionName[]

export function isSwitch(name: RestrictionName): name is SwitchName {
  return restrictions[name].kind === 'switch'
}

/** Whether 0 is a limit of its own; elsewhere it restricts nothing. */
export function limitsByZero(name: RestrictionName): boolean {
  return 'zeroLimits' in restrictions[name]
}

export function isClosure(name: RestrictionName): name is ClosureName {
  return 'isRoomsToo' in restrictions[name]
}

function isPushed(name: RestrictionName): name is PushedRestriction {
  return !('isOperators' in restrictions[name])
}

export const rateRestrictions = restrictionNames.filter((name): name is RateRestriction => !isClosure(name))

/** In the order of their numbers, as in shapes and in read-back. */
export const pushedRestrictions = restrictionNames
  .filter(isPushed)
  .toSorted((one, other) => restrictions[one].number - restrictions[other].number)

export type Allows = (value: number, stay: RestrictedStay) => boolean

/** Whether a stored value allows a stay. */
export function allowsBy(restriction: Restriction): Allows {
  if (restriction.kind === 'switch') return () => false
  const { compares } = restriction
  if (restriction.kind === 'min') return (value, stay) => stay[compares] >= value
  return (value, stay) => stay[compares] <= value
}
