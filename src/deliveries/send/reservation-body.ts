import { minorText } from '../../base/money.ts'
import {
  ageQualifyingCodes,
  type DeliveredReservation,
  type Delivery,
} from '../../bookings/callback-contract.ts'
import { roomReservationIds } from '../../bookings/price/matched-rooms.ts'
import { forfeitedOf } from '../../bookings/owed/claims.ts'
import { renderPayable, type RenderedPayable } from '../../bookings/price/payable.ts'
import { renderPenalty, type RenderedPenalty } from '../../bookings/price/penalty.ts'
import { penaltyNow } from '../../bookings/price/penalty-now.ts'
import type { ReservationVersion, RoomState } from '../../bookings/state.ts'
import type { Card } from '../../cards/vault.ts'
import { amountsAsPushed } from '../../taxes/compute/answered-amounts.ts'

type DeliveredRoom = DeliveredReservation['room'][number]

/** With "Hotel Collect" the guest pays at the hotel. */
const paymentRequired = { 'Channel Collect': '0', 'Hotel Collect': '1' } as const

/**
 * Reservations of one hotel in one status as suppliers read them: the body of the push booking, whatever
 * caused it, and of the answer to a retrieval. `cardOf` returns the cards that the account's contract
 * permits, and is used only for bodies that are sent.
 */
export function supplierBody(
  versions: readonly [ReservationVersion, ...ReservationVersion[]],
  cardOf: (reservationId: string) => Card | undefined = () => undefined,
): Delivery {
  const [{ hotelId, status, content }] = versions
  for (const other of versions) {
    if (other.hotelId !== hotelId || other.status !== status)
      throw new TypeError('one body holds reservations of one hotel in one status')
  }
  return {
    hotelId: content.hotelCode,
    status,
    reservations: { reservation: versions.map((version) => reservationOf(version, cardOf(version.id))) },
  }
}

function reservationOf(whole: ReservationVersion, card: Card | undefined): DeliveredReservation {
  const { id, version, status, createdAtMs, modifiedAtMs, content } = whole
  const penalty = renderPenalty(penaltyNow(whole), whole.content)
  const { currency, minorDigits, customer, payment, total, rooms, roomsGone = [] } = content
  const amount = (minor: number): string => minorText(minor, minorDigits)
  const roomIds = roomReservationIds(id, rooms)
  return {
    reservation_id: id,
    reservation_version: String(version),
    reservation_datetime: instantText(createdAtMs).slice(0, -1),
    modified_datetime: instantText(modifiedAtMs),
    status,
    propertyname: content.hotelName,
    payment_required: paymentRequired[payment.type],
    payment_type: payment.type,
    currencycode: currency,
    totalamountbeforetax: amount(total.beforeTax),
    totaltax: amount(total.tax),
    totalamountaftertax: amount(total.afterTax),
    forfeited: amount(forfeitedOf(content)),
    amountdueatproperty: amount(total.dueAtProperty),
    ...deliveredPayable(renderPayable(whole)),
    ...(penalty ? { penalty: deliveredPenalty(penalty) } : {}),
    ...(content.clientReference === undefined ? {} : { channel_reference: content.clientReference }),
    ...(content.channel === undefined ? {} : { channel: content.channel }),
    customer: {
      first_name: customer.firstName,
      last_name: customer.lastName,
      ...(customer.email === undefined ? {} : { email: customer.email }),
      ...(customer.phone === undefined ? {} : { phone: customer.phone }),
      ...(customer.countryCode === undefined ? {} : { country_code: customer.countryCode }),
      ...(customer.remarks === undefined ? {} : { remarks: customer.remarks }),
    },
    ...(card ? { paymentcarddetail: cardDetail(card) } : {}),
    room: rooms.map((room, index) => ({
      room_reservation_id: roomIds[index] ?? '',
      ...roomOf(room, content, amount),
    })),
    ...(roomsGone.length > 0
      ? {
          cancelled_room: roomsGone.map(({ number, cancelPolicy, amount: owed }) => ({
            room_reservation_id: `${id}-${number}`,
            ...(owed === 0 && !cancelPolicy?.penalties ? {} : { penalty: amount(owed) }),
          })),
        }
      : {}),
  }
}

function deliveredPayable({
  pricesAre,
  commission,
  amountPayable,
}: RenderedPayable): Pick<DeliveredReservation, 'prices_are' | 'commission' | 'amountpayable'> {
  return {
    ...(pricesAre === null ? {} : { prices_are: pricesAre }),
    ...(commission === null ? {} : { commission }),
    ...(amountPayable === null ? {} : { amountpayable: amountPayable }),
  }
}

function deliveredPenalty({
  amount,
  currency,
  by,
  unknown,
}: RenderedPenalty): NonNullable<DeliveredReservation['penalty']> {
  return {
    amount,
    currency,
    by: by.map(({ roomReservationId, roomId, rateId, code, from, amount: ofRoom }) => ({
      room_reservation_id: roomReservationId,
      room_id: roomId,
      rate_id: rateId,
      ...(code === null ? {} : { code }),
      ...(from === null ? {} : { from }),
      amount: ofRoom,
    })),
    ...(unknown ? { unknown } : {}),
  }
}

/** UTC, to the second. */
function instantText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}

function cardDetail({
  holderName,
  type,
  number,
  expiry,
  cvv,
  virtual,
}: Card): NonNullable<DeliveredReservation['paymentcarddetail']> {
  return {
    CardHolderName: holderName,
    CardType: type,
    CardNumber: number,
    ExpireDate: expiry,
    ...(cvv === undefined ? {} : { cvv }),
    IsVirtual: virtual ? '1' : '0',
    ...(virtual
      ? {
          ValidFrom: virtual.validFrom,
          ValidTo: virtual.validTo,
          Amount: virtual.amount,
          Currency: virtual.currency,
        }
      : {}),
  }
}

function roomOf(
  room: RoomState,
  { checkin, checkout }: { checkin: string; checkout: string },
  amount: (minor: number) => string,
): Omit<DeliveredRoom, 'room_reservation_id'> {
  const pushed = amountsOf(room)
  return {
    arrival_date: checkin,
    departure_date: checkout,
    room_id: room.roomId,
    room_name: room.roomName,
    ...(room.mealPlan === null ? {} : { meal_plan: room.mealPlan }),
    first_name: room.guest.firstName,
    last_name: room.guest.lastName,
    price: room.nights.map(({ date, beforeTax, afterTax }, night) => ({
      date,
      rate_id: room.rateId,
      rate_name: room.rateName,
      ...(pushed === undefined ? {} : { amount: amount(pushed[night] ?? 0) }),
      amountbeforetax: amount(beforeTax),
      amountaftertax: amount(afterTax),
    })),
    taxes: room.taxes.map(({ type, included, payNow, amount: charged }) => ({
      name: type,
      value: amount(charged),
      included: included ? '1' : '0',
      pay_now: payNow ? '1' : '0',
    })),
    ...feesOf(room, amount),
    amountaftertax: amount(room.total.afterTax),
    GuestCount: guestCounts(room),
  }
}

/** The price of each night as pushed; undefined for rooms booked before their prices were stored. */
function amountsOf({ basis, nights, taxes }: RoomState): readonly number[] | undefined {
  if (!basis?.liveNights) return basis?.prices
  const live = new Set(basis.liveNights)
  const asPushed = amountsAsPushed(nights, taxes)
  return nights.map(({ date }, index) => (live.has(date) ? asPushed : basis.prices)[index] ?? 0)
}

function feesOf({ fees = [] }: RoomState, amount: (minor: number) => string): Pick<DeliveredRoom, 'fees'> {
  if (fees.length === 0) return {}
  return {
    fees: fees.map(({ name, amount: due, appliedPer }) => ({
      name,
      value: amount(due),
      applied_per: appliedPer,
      pay_now: '0',
    })),
  }
}

function guestCounts({ party }: RoomState): DeliveredRoom['GuestCount'] {
  const byAge = (
    code: (typeof ageQualifyingCodes)[keyof typeof ageQualifyingCodes],
    ages: readonly number[],
  ): DeliveredRoom['GuestCount'] =>
    [...Map.groupBy(ages, (age) => age)].map(([age, same]) => ({
      AgeQualifyingCode: code,
      Count: String(same.length),
      Age: String(age),
    }))
  return [
    { AgeQualifyingCode: ageQualifyingCodes.adult, Count: String(party.adults) },
    ...byAge(ageQualifyingCodes.child, party.childAges),
    ...byAge(ageQualifyingCodes.infant, party.infantAges),
  ]
}
