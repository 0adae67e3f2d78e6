import { preparePolicy, quoteOfRoom, stayPolicy } from '../../offers/terms/penalties.ts'
import { feeLines } from '../../offers/terms/fees.ts'
import type { BookableRoomRate, BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { DayNumber } from '../../base/calendar.ts'
import type { RoomState } from '../state.ts'

/** The hotel's zone, in which deadlines are, and the digits of the amounts. */
export type PolicyUnits = Pick<BookingCatalog, 'timeZone' | 'minorDigits'>

/** The cancellation policy and its fees, as amounts computed from the room's price. */
export function withPolicy(
  state: RoomState,
  { timeZone, minorDigits }: PolicyUnits,
  { policies, taxes }: Pick<BookableRoomRate, 'policies' | 'taxes'>,
  arrival: DayNumber,
): RoomState {
  const policy = preparePolicy(policies, timeZone, arrival)
  if (!policy) return { ...state, cancelPolicy: null, fees: [] }
  const { nights, total } = state
  const quote = quoteOfRoom(nights, { arrival, taxes, total })
  const persons = state.party.adults + state.party.childAges.length
  const base = { nights: nights.length, persons, afterTax: total.afterTax }
  return {
    ...state,
    cancelPolicy: stayPolicy(policy, quote, minorDigits),
    fees: feeLines(policy.fees, base, minorDigits),
  }
}
