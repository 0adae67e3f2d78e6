import { counted } from '../../base/counted.ts'
import type { Problem } from '../../http/rejected.ts'
import { restrictions, type PushedRestriction } from '../restrictions.ts'

/** The warnings about odd values, in words. */

/**
 * Two restrictions that bound the same value of the same stays: on every night, the minimum must not exceed
 * the maximum. A stay that begins on a night also stays through it, so both kinds bound its length.
 */
export type Limit = {
  min: PushedRestriction
  max: PushedRestriction
  /** They are of different nights, which every stay from an arrival includes. */
  isApart?: true
}

type OddValue =
  | 'tenfold'
  | 'hundredfold'
  | 'beside'
  | 'singleAboveDouble'
  | 'withoutInventory'
  | 'belowTaxes'
  | 'departureUnused'
  | 'todayOnly'
export type Oddity = OddValue | Limit

type WarningText = { type: string; message: string; hint: string }

export function warningOf(oddity: Oddity, count: number, path: string): Problem {
  const { type, message, hint } =
    typeof oddity === 'string' ? textByOddity[oddity](count) : aboveMost(oddity, count)
  return { type, message, path, hint }
}

const minorUnitsHint =
  'Applied as sent; send amounts in the unit of the currency (110.00), not in its cents (11000)'

const textByOddity: Readonly<Record<OddValue, (count: number) => WarningText>> = {
  tenfold: (count) => ({
    type: 'ROUND_NUMBER_X10',
    message: `${counted(count, 'night')} got a price that is ten times, or a tenth of, the previous one`,
    hint: 'Applied as sent; check the decimal point and the currency',
  }),
  hundredfold: (count) => ({
    type: 'ROUND_NUMBER_X100',
    message: `${counted(count, 'night')} got a price that is a hundred times, or a hundredth of, the previous one`,
    hint: minorUnitsHint,
  }),
  beside: (count) => ({
    type: 'ROUND_NUMBER_X100',
    message: `${counted(count, 'night')} got a price that is a hundred times, or a hundredth of, that of the nights beside`,
    hint: minorUnitsHint,
  }),
  singleAboveDouble: (count) => ({
    type: 'SINGLE_ABOVE_DOUBLE',
    message: `On ${counted(count, 'night')} one adult pays more than two`,
    hint: 'amount is the total for the guests of its line, not a price per guest',
  }),
  withoutInventory: (count) => ({
    type: 'NEVER_BOOKABLE',
    message: `${counted(count, 'night')} cannot be booked: there is a price but no inventory`,
    hint: 'Send the inventory of the room or of the rate for the same nights; a night without inventory is not sold',
  }),
  belowTaxes: (count) => ({
    type: 'NEVER_BOOKABLE',
    message: `${counted(count, 'night')} cannot be booked: a price is below the taxes that it includes`,
    hint: 'Taxes marked included are part of the amount; POST /push/getTaxes lists them',
  }),
  departureUnused: (count) => ({
    type: 'DEPARTURE_RULE_UNUSED',
    message: `closedToDeparture has no effect on ${counted(count, 'day')}: the night before is not on sale`,
    hint: 'Set it on the day on which guests leave, not on their last night',
  }),
  todayOnly: (count) => ({
    type: 'TODAY_ONLY',
    message: `maxAdvanceDays is 0 on ${counted(count, 'night')} after tomorrow: a stay from there can be booked only on the day of its arrival`,
    hint: 'If no limit is meant, send null; 0 is a limit, as 1 is',
  }),
}

function aboveMost({ min, max, isApart }: Limit, count: number): WarningText {
  const nights = counted(count, 'night')
  if (isApart)
    return {
      type: 'NEVER_BOOKABLE',
      message: `No stay can begin on ${nights}: ${min} is above ${max} within the shortest stay`,
      hint: `Nights that every such stay includes contradict each other: raise ${max} there, or lower ${min}`,
    }
  const what = {
    nights: `${nights} cannot be booked`,
    arrival: `No stay can begin on ${nights}`,
    departure: `No stay can end after ${nights}`,
  }
  return {
    type: 'NEVER_BOOKABLE',
    message: `${what[restrictions[min].tests === restrictions[max].tests ? restrictions[min].tests : 'arrival']}: ${min} is above ${max}`,
    hint: `Send ${min} and ${max} together, or null for the one that no longer applies`,
  }
}
