import { instantOf } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import type { Problem } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { renderTotal } from '../price/agree-price.ts'
import type { BookingAnswer, reservationRoutes } from '../contract.ts'
import { renderPenalty } from '../price/penalty.ts'
import type { ReservationVersion, RoomState } from '../state.ts'
import type { StoredReservation } from '../store.ts'

export type RenderedReservation = AnswerOf<typeof reservationRoutes.getReservation>['reservation']

/** A reservation as the platform reads it. Its card is reduced to the type and the masked number. */
export function renderReservation(stored: StoredReservation): RenderedReservation {
  const { content } = stored
  const { minorDigits } = content
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
    rooms: content.rooms.map((room) => renderRoom(room, minorDigits)),
    customer: content.customer,
    payment: content.payment,
    total: renderTotal(content.total, minorDigits),
    penalty: renderPenalty(stored),
    priceChecks: content.priceChecks,
    createdAt: instantOf(stored.createdAtMs),
    modifiedAt: instantOf(stored.modifiedAtMs),
    delivery: { status: stored.deliveryStatus },
  }
}

function renderRoom(room: RoomState, minorDigits: number): RenderedReservation['rooms'][number] {
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
    total: renderTotal(room.total, minorDigits),
    cancelPolicy,
    fees: fees.map(({ name, amount: due, appliedPer }) => ({
      name,
      amount: amount(due),
      appliedPer,
      payNow: false,
    })),
  }
}

/** The answer to a booking or a modification. */
export function bookingAnswerOf(
  { id, version, status, content }: Pick<ReservationVersion, 'id' | 'version' | 'status' | 'content'>,
  deliveryStatus: string,
  { code, message, warnings }: { code: string; message: string; warnings: Problem[] },
): BookingAnswer {
  const { currency, minorDigits, total, priceChecks } = content
  return {
    code,
    message,
    reservationId: id,
    version,
    status,
    currency,
    total: renderTotal(total, minorDigits),
    priceChecks,
    delivery: { status: deliveryStatus },
    warnings,
  }
}
