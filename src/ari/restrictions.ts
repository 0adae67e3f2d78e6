import type { PlatformField, RestrictionField, SwitchField } from './fields.ts'

/**
 * What a restriction allows: the table of the contract, one line a field. A new field does not compile before it has
 * its line here. Restrictions are independent of each other, and what is not held restricts nothing.
 */

/** A stay as restrictions see it: how long it is, and how many days lie between booking and arrival. */
export type RestrictedStay = { length: number; advanceDays: number }

export type RestrictedField = SwitchField | RestrictionField | PlatformField

export type Restriction = {
  /** Whose values count: those of the day of arrival, of the day of departure, or of every night of the stay. */
  tests: 'arrival' | 'departure' | 'nights'
  /** Whether a held value lets the stay pass. */
  allows: (held: number, stay: RestrictedStay) => boolean
  /** What of the stay is compared with the value. */
  asked: (stay: RestrictedStay) => number | boolean
}

const length = ({ length: nights }: RestrictedStay): number => nights
const advanceDays = ({ advanceDays: days }: RestrictedStay): number => days
const isOpen = { allows: () => false, asked: () => false } as const

export const restrictions: Readonly<Record<RestrictedField, Restriction>> = {
  closed: { tests: 'nights', ...isOpen },
  stopSell: { tests: 'nights', ...isOpen },
  closedToArrival: { tests: 'arrival', ...isOpen },
  closedToDeparture: { tests: 'departure', ...isOpen },
  minStayArrival: { tests: 'arrival', allows: (held, stay) => stay.length >= held, asked: length },
  maxStayArrival: { tests: 'arrival', allows: (held, stay) => stay.length <= held, asked: length },
  minLengthStay: { tests: 'nights', allows: (held, stay) => stay.length >= held, asked: length },
  maxLengthStay: { tests: 'nights', allows: (held, stay) => stay.length <= held, asked: length },
  minAdvanceDays: { tests: 'arrival', allows: (held, stay) => stay.advanceDays >= held, asked: advanceDays },
  maxAdvanceDays: { tests: 'arrival', allows: (held, stay) => stay.advanceDays <= held, asked: advanceDays },
}

export const restrictedFields: readonly RestrictedField[] = [
  'closed',
  'stopSell',
  'closedToArrival',
  'closedToDeparture',
  'minStayArrival',
  'maxStayArrival',
  'minLengthStay',
  'maxLengthStay',
  'minAdvanceDays',
  'maxAdvanceDays',
]
