import { minorText } from '../base/money.ts'
import type { Problem } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { shownTotal } from './agree-price.ts'
import type { Made, reservationRoutes } from './contract.ts'
import { shownPenalty } from './penalty.ts'
import type { ReservationVersion, RoomState } from './state.ts'
import type { HeldReservation } from './store.ts'

export type ShownReservation = AnswerOf<typeof reservationRoutes.getReservation>['reservation']

/** A reservation as the platform reads it. Its card is reduced to the type and the masked number. */
export function shownReservation(held: HeldReservation): ShownReservation {
  const { content } = held
  const { minorDigits } = content
  return {
    reservationId: String(held.id),
    version: held.version,
    status: held.status,
    platformHotelId: String(held.hotelId),
    supplier: content.supplier,
    hotelId: content.hotelCode,
    hotelName: content.hotelName,
    checkin: content.checkin,
    checkout: content.checkout,
    currency: content.currency,
    rooms: content.rooms.map((room) => shownRoom(room, minorDigits)),
    customer: content.customer,
    payment: content.payment,
    total: shownTotal(content.total, minorDigits),
    penalty: shownPenalty(held),
    priceChecks: content.priceChecks,
    createdAt: new Date(held.createdAtMs).toISOString(),
    modifiedAt: new Date(held.modifiedAtMs).toISOString(),
    delivery: { status: held.deliveryStatus },
  }
}

function shownRoom(room: RoomState, minorDigits: number): ShownReservation['rooms'][number] {
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
    total: shownTotal(room.total, minorDigits),
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
export function shownMade(
  { id, version, status, content }: Pick<ReservationVersion, 'id' | 'version' | 'status' | 'content'>,
  deliveryStatus: string,
  { code, message, warnings }: { code: string; message: string; warnings: Problem[] },
): Made {
  const { currency, minorDigits, total, priceChecks } = content
  return {
    code,
    message,
    reservationId: id,
    version,
    status,
    currency,
    total: shownTotal(total, minorDigits),
    priceChecks,
    delivery: { status: deliveryStatus },
    warnings,
  }
}
