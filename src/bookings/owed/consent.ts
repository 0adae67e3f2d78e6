import { isDeepStrictEqual } from 'node:util'
import { minorText, totalToMinor } from '../../base/money.ts'
import { Rejected } from '../../http/rejected.ts'
import { renderFee } from '../../offers/terms/fees.ts'
import type { ArrivalTerms } from '../../products/policies/arrival-terms.ts'
import type { RefusalDetails } from '../answer-contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import type { ChangeBody } from '../contract.ts'
import { cancellationOfRoom, digestOfRoom } from '../price/booked-terms.ts'
import { isSameRate, type MatchedRooms } from '../price/matched-rooms.ts'
import { knownTotal, priceChanged } from '../price/price-changed.ts'
import { feesOf, renderTotal } from '../price/render-total.ts'
import { bookedTerms } from '../price/with-terms.ts'
import type { ReservationContent } from '../state.ts'
import { forfeitedOf } from './claims.ts'

/** A state takes nothing of the guest that he did not agree to: terms, a higher charge, or what is forfeited. */

export type Consent = Pick<ChangeBody, 'expectedTotal' | 'expectedTerms' | 'acceptForfeit'>

/** A new state, and the one that it follows; `before` is undefined for a booking. */
export type Change = {
  before: ReservationContent | undefined
  after: ReservationContent
  matched: MatchedRooms
  atMs: number
}

export type Asks = {
  expectedTotal?: { afterTax: string; dueAtProperty: string; currency: string }
  expectedTerms?: (string | null)[]
  acceptForfeit?: string
}

/** Throws 409 for what the guest has to agree to first. */
export function refuseWithoutConsent(consent: Consent, change: Change): void {
  const { before, after } = change
  const differing = differingTerms(consent, change)
  if (differing.length > 0) throw termsChanged(differing, change)
  const { currency, minorDigits } = after
  const [forfeitedBefore, forfeited] = [before, after].map((content) => (content ? forfeitedOf(content) : 0))
  const isForfeitAgreed =
    consent.acceptForfeit === undefined
      ? !raisesForfeit(change)
      : totalToMinor(consent.acceptForfeit, minorDigits) === forfeited
  if (!isForfeitAgreed) {
    const extra: RefusalDetails = {
      forfeited: {
        before: minorText(forfeitedBefore ?? 0, minorDigits),
        amount: minorText(forfeited ?? 0, minorDigits),
        currency,
      },
      total: renderTotal(after.total, feesOf(after.rooms), minorDigits),
      currency,
    }
    throw new Rejected(409, { ...reservationErrors.forfeitDue, path: '/acceptForfeit' }, { extra })
  }
  if (before && raisesTotal(change) && consent.expectedTotal === undefined)
    throw priceChanged(knownTotal(before), after)
}

/** What a call would have to say. */
export function asksOf(change: Change): Asks {
  const { currency, minorDigits, total, rooms } = change.after
  const isTotalAsked = raisesTotal(change) || (change.before && change.before.currency !== currency)
  return {
    ...(isTotalAsked
      ? {
          expectedTotal: {
            afterTax: minorText(total.afterTax, minorDigits),
            dueAtProperty: minorText(total.dueAtProperty, minorDigits),
            currency,
          },
        }
      : {}),
    ...(rooms.some((_, position) => takesOtherTerms(change, position))
      ? { expectedTerms: rooms.map((room) => digestOfRoom(room, change.after, change.atMs)) }
      : {}),
    ...(raisesForfeit(change) ? { acceptForfeit: minorText(forfeitedOf(change.after), minorDigits) } : {}),
  }
}

function raisesForfeit({ before, after }: Change): boolean {
  return before !== undefined && forfeitedOf(after) > forfeitedOf(before)
}

/** Of a booking, any stored price is accepted; another currency always needs a total, which agreePrice sees to. */
function raisesTotal({ before, after }: Change): boolean {
  if (!before || before.currency !== after.currency) return false
  const [now, then] = [after.total, before.total]
  return now.afterTax > then.afterTax || now.dueAtProperty > then.dueAtProperty
}

type Differing = { position: number; expected: string | null }

function differingTerms({ expectedTerms }: Consent, change: Change): Differing[] {
  const { before, after, matched, atMs } = change
  return after.rooms.flatMap((room, position): Differing[] => {
    if (expectedTerms !== undefined) {
      const expected = expectedTerms[position] ?? null
      return digestOfRoom(room, after, atMs) === expected ? [] : [{ position, expected }]
    }
    const booked = matched.get(position)
    if (!before || !booked || !takesOtherTerms(change, position)) return []
    return [{ position, expected: digestOfRoom(booked, before, atMs) }]
  })
}

/** Whether a room that keeps its rate takes another policy or meal plan than it was booked with. */
function takesOtherTerms({ after, matched }: Change, position: number): boolean {
  const [room, booked] = [after.rooms[position], matched.get(position)]
  if (!room || !booked || !isSameRate(room, booked)) return false
  if (room.mealPlan !== booked.mealPlan) return true
  if (!room.basis || !booked.basis) return false
  return !isDeepStrictEqual(rulesOf(bookedTerms(room.basis)), rulesOf(bookedTerms(booked.basis)))
}

/** The rules of terms, without their texts, as they are stored. */
function rulesOf(terms: ArrivalTerms | null): unknown {
  if (!terms) return null
  const { isKnown, deadlines, noShows, fees } = terms
  return JSON.parse(JSON.stringify([isKnown, deadlines, noShows, fees]))
}

function termsChanged(differing: readonly Differing[], { after, atMs }: Change): Rejected {
  const { minorDigits } = after
  const terms = differing.flatMap(({ position, expected }) => {
    const room = after.rooms[position]
    if (!room) return []
    return [
      {
        room: position,
        expected,
        termsDigest: digestOfRoom(room, after, atMs),
        mealPlan: room.mealPlan,
        ...cancellationOfRoom(room, minorDigits, atMs),
        cancelPolicy: room.cancelPolicy,
        fees: (room.fees ?? []).map((fee) => renderFee(fee, minorDigits)),
      },
    ]
  })
  const extra: RefusalDetails = { terms }
  return new Rejected(409, { ...reservationErrors.termsChanged, path: '/expectedTerms' }, { extra })
}
