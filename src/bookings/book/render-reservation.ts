import { instantOf } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import type { Problem } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { feesOf, renderTotal } from '../price/render-total.ts'
import type { BookedRoom, BookingAnswer, reservationRoutes } from '../contract.ts'
import { noEndpoint } from '../outbox/delivery-queue.ts'
import { queuedAnew, showDelivery, type ShownDelivery } from '../outbox/show-delivery.ts'
import { cancellationOfRoom, digestOfRoom } from '../price/booked-terms.ts'
import { roomReservationIds } from '../price/matched-rooms.ts'
import { renderPenalty } from '../price/penalty.ts'
import { matchesSaid } from '../price/matches-said.ts'
import { penaltyNow } from '../price/penalty-now.ts'
import { renderConfirmations, renderReports } from '../from-hotel/render-told.ts'
import { forfeitedByRoom, owedBy } from '../price/owed-by-room.ts'
import { forfeitedOf } from '../owed/claims.ts'
import type { Asks } from '../owed/consent.ts'
import { strictest } from '../../offers/terms/cancellation.ts'
import { renderFee } from '../../offers/terms/fees.ts'
import { renderPayable } from '../price/payable.ts'
import type { Payment, ReservationContent, RoomState } from '../state.ts'
import type { StoredReservation } from '../store.ts'
import { renderCard } from './virtual-card.ts'

export type RenderedReservation = AnswerOf<typeof reservationRoutes.getReservation>['reservation']

/** A reservation as the platform reads it. Its card is reduced to the type and the masked number. */
export function renderReservation(stored: StoredReservation, nowMs: number): RenderedReservation {
  const { content } = stored
  const { minorDigits } = content
  const atMs = nowMs + stored.aheadMs
  const ids = roomReservationIds(stored.id, content.rooms)
  const penalty = penaltyNow(stored)
  const rooms = content.rooms.map((room, index) => ({
    roomReservationId: ids[index] ?? '',
    ...renderRoom(room, content, atMs),
  }))
  return {
    reservationId: String(stored.id),
    version: stored.version,
    status: stored.status,
    platformHotelId: String(stored.hotelId),
    supplier: content.supplier,
    hotelId: content.hotelCode,
    hotelName: content.hotelName,
    checkin: content.checkin,
    checkout: content.checkout,
    currency: content.currency,
    ...(content.clientReference === undefined ? {} : { clientReference: content.clientReference }),
    ...(content.channel === undefined ? {} : { channel: content.channel }),
    rooms,
    customer: content.customer,
    payment: renderPayment(content.payment),
    ...renderPayable(stored),
    total: renderTotal(content.total, feesOf(content.rooms), minorDigits),
    forfeited: minorText(forfeitedOf(content), minorDigits),
    ...strictest(rooms),
    penalty: renderPenalty(penalty, content),
    confirmations: renderConfirmations(stored),
    reports: renderReports(stored),
    priceChecks: content.priceChecks,
    createdAt: instantOf(stored.createdAtMs),
    modifiedAt: instantOf(stored.modifiedAtMs),
    delivery: deliveryOf(stored, nowMs),
  }
}

function renderPayment({ type, card }: Payment): RenderedReservation['payment'] {
  return { type, ...(card ? { card: renderCard(card) } : {}) }
}

function renderRoom(
  room: RoomState,
  content: ReservationContent,
  atMs: number,
): Omit<RenderedReservation['rooms'][number], 'roomReservationId'> {
  const { minorDigits } = content
  const {
    roomId,
    roomName,
    rateId,
    rateName,
    mealPlan,
    adults,
    childAges,
    guest,
    cancelPolicy,
    fees = [],
  } = room
  const amount = (minor: number): string => minorText(minor, minorDigits)
  return {
    roomId,
    roomName,
    rateId,
    rateName,
    mealPlan,
    adults,
    childAges,
    guest,
    nights: room.nights.map(({ date, beforeTax, afterTax }) => ({
      date,
      beforeTax: amount(beforeTax),
      afterTax: amount(afterTax),
    })),
    taxes: room.taxes.map((tax) => ({ ...tax, amount: amount(tax.amount) })),
    total: renderTotal(room.total, feesOf([room]), minorDigits),
    owedAtLeast: amount(owedBy(room)),
    forfeited: amount(forfeitedByRoom(room)),
    ...cancellationOfRoom(room, minorDigits, atMs),
    cancelPolicy,
    termsDigest: digestOfRoom(room, content, atMs),
    fees: fees.map((fee) => renderFee(fee, minorDigits)),
  }
}

/** The delivery of the present version. */
function deliveryOf({ delivery, aheadMs, modifiedAtMs }: StoredReservation, nowMs: number): ShownDelivery {
  // Without a delivery, which no version is, nothing was sent yet.
  const standing =
    delivery ?? queuedAnew(undefined, { nowMs: modifiedAtMs - aheadMs, aheadMs, endpoint: noEndpoint })
  return showDelivery(standing, { nowMs, aheadMs })
}

type Confirmation = {
  code: string
  message: string
  warnings: Problem[]
  requested: readonly BookedRoom[]
  /** The rooms of the version before. */
  before?: readonly RoomState[]
  asks?: Asks
}

/** The answer to a booking or a modification. */
export function bookingAnswerOf(
  stored: StoredReservation,
  nowMs: number,
  { asks, requested, before = [], ...confirmation }: Confirmation,
): BookingAnswer {
  const { status, version, content } = stored
  const reservation = renderReservation(stored, nowMs)
  const { reservationId, currency, total, forfeited, delivery } = reservation
  return {
    ...confirmation,
    reservationId,
    version,
    status,
    currency,
    total,
    forfeited,
    ...matchesSaid(reservationId, { requested, before, after: content.rooms }),
    priceChecks: content.priceChecks,
    delivery,
    reservation,
    ...(asks ? { asks } : {}),
  }
}
