import type { DayNumber } from '../base/calendar.ts'
import type { RateRestriction } from '../ari/restrictions.ts'
import type { ReservationStatus } from '../bookings/state.ts'
import type { PriceCheckOutcome } from '../price-check/contract.ts'
import type { PushKind, PushOutcome } from '../push-log/contract.ts'
import type { CheckState, CheckEvidence } from './contract.ts'

/** What the checks judge: the newest traffic of an account, or of one of its hotels. All lists are newest first. */
export type Facts = {
  /** By the clock of the service, as all instants here. */
  nowMs: number
  pushes: readonly PushFact[]
  attempts: readonly AttemptFact[]
  priceChecks: readonly PriceCheckFact[]
  bookings: readonly BookingFact[]
  notes: ReadonlyMap<NoteSubject, Note>
  /** The hotels with the newest ARI. */
  hotels: readonly HotelFact[]
}

export type PushFact = {
  id: number
  atMs: number
  requestId: string
  kind: PushKind
  hotelId: string | null
  outcome: PushOutcome
  problemTypes: readonly string[]
  problemMessage: string | null
  cellsChanged: number
  bodyBytes: number
  keyId: number | null
  /** Absent if the push was refused as a whole, or its body isn't at hand. */
  ari?: AriFact | undefined
}

/** What a body of ARI says. */
export type AriFact = {
  sequence: number | undefined
  items: number
  set: ReadonlySet<PushedSwitchOrLimit>
  cleared: ReadonlySet<PushedSwitchOrLimit>
  inventories: readonly InventoryFact[]
}
export type PushedSwitchOrLimit = RateRestriction | 'closed'
export type InventoryFact = { roomId: string; firstNight: DayNumber; lastNight: DayNumber; units: number }

/** An attempt to deliver a reservation. */
export type AttemptFact = {
  requestId: string
  atMs: number
  hotelId: string
  durationMs: number
  outcome: string
  version: number
  status: ReservationStatus
  isRepeat: boolean
}

export type PriceCheckFact = {
  requestId: string
  atMs: number
  hotelId: string
  outcome: PriceCheckOutcome
  durationMs: number
  /** Live minus stored, in minor units; null if one of them is missing. */
  difference: number | null
}

export type BookingFact = {
  atMs: number
  hotelId: string
  /** Of the first room. */
  roomId: string
  arrival: DayNumber
}

export type HotelFact = {
  hotelId: string
  /** How many of the next 365 nights have a price. */
  nightsPriced: number
  /** How many more have one that is not sold, because another amount that the night needs is of a former currency. */
  nightsUnsold: number
  usesGuestPrices: boolean
  /** Prices that the occupancy of its room-rates allows and that were never pushed, such as "1 adult of DBL/BAR". */
  bucketsLacking: readonly string[]
}

export const noteSubjects = ['retryAfter', 'idempotency', 'forgery.availability', 'forgery.pushbook'] as const
export type NoteSubject = (typeof noteSubjects)[number]

/** Something that no log has: the last one of its subject. */
export type Note = { isGood: boolean; atMs: number; requestId: string | null; detail: string }

/** The verdict of a check. */
export type CheckVerdict = { state: CheckState; evidence: CheckEvidence | null; why: string }

export function proven(evidence: CheckEvidence | null, why: string): CheckVerdict {
  return { state: 'proven', evidence, why }
}
export function failing(evidence: CheckEvidence | null, why: string): CheckVerdict {
  return { state: 'failing', evidence, why }
}
export function missing(why: string): CheckVerdict {
  return { state: 'missing', evidence: null, why }
}
export function notApplicable(why: string): CheckVerdict {
  return { state: 'notApplicable', evidence: null, why }
}

export function evidenceOf({
  requestId,
  atMs,
  hotelId = null,
}: {
  requestId: string | null
  atMs: number
  hotelId?: string | null
}): CheckEvidence {
  return { requestId, at: new Date(Math.round(atMs)).toISOString(), hotelId }
}
