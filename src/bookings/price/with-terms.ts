import { feeLines } from '../../offers/terms/fees.ts'
import { penaltySteps, prepareTerms, stayPolicy } from '../../offers/terms/penalties.ts'
import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { DayNumber } from '../../base/calendar.ts'
import { isNoShow, type ArrivalTerms } from '../../products/policies/arrival-terms.ts'
import type { PenaltyBase } from '../../taxes/compute/penalty-base.ts'
import type { RoomBasis, RoomState } from '../state.ts'

/** The hotel's zone, in which deadlines are, and the digits of the amounts. */
export type TermsUnits = Pick<BookingCatalog, 'timeZone' | 'minorDigits'>

/** The room with what cancelling costs, and with the fees, as amounts computed from its price. */
export function withTerms(
  state: RoomState,
  { timeZone, minorDigits, arrival }: TermsUnits & { arrival: DayNumber },
  terms: ArrivalTerms | null,
): RoomState {
  if (!terms) return { ...state, cancelPolicy: null, fees: [] }
  const { nights, total, party } = state
  const prepared = prepareTerms(terms, timeZone, arrival)
  const persons = party.adults + party.childAges.length
  const base = { nights: nights.length, persons, afterTax: total.afterTax }
  return {
    ...state,
    cancelPolicy: stayPolicy(
      prepared,
      penaltySteps(prepared, [penaltyBaseOf(state)], minorDigits),
      minorDigits,
    ),
    fees: feeLines(terms.fees, base, minorDigits),
  }
}

/** What penalties of a room are taken of. */
export function penaltyBaseOf({
  penaltyBase,
  nights,
  total,
}: Pick<RoomState, 'penaltyBase' | 'nights' | 'total'>): PenaltyBase {
  return penaltyBase ?? { stay: total.afterTax, nights: nights.map(({ afterTax }) => afterTax) }
}

/** The terms by which a room was booked. */
export function bookedTerms({ terms, policy }: RoomBasis): ArrivalTerms | null {
  if (terms !== undefined || !policy) return terms ?? null
  const { code = null, description = null, cancelPenalties = [], fees = [] } = policy
  const byDeadline = cancelPenalties.filter((penalty) => !isNoShow(penalty))
  return {
    code,
    description,
    isKnown: true,
    deadlines: byDeadline.length > 0 ? [byDeadline] : [],
    noShows: cancelPenalties.filter(isNoShow),
    fees,
  }
}
