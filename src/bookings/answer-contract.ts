import Type, { type Static } from 'typebox'
import {
  cancelPolicyOfStay,
  feeLine,
  stayTotal,
  testedRule,
  unknownReferenceFault,
} from '../offers/contract.ts'
import { integer, oneOf, success, warning, type ConstraintError } from '../http/route.ts'
import { priceCheckOutcomes } from '../price-check/contract.ts'
import { taxTypes } from '../taxes/contract.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { paymentTypes } from './callback-contract.ts'

/** The shapes of answers about reservations, and the refusals. */

const amount = (description: string) => Type.String({ description, examples: ['110.00'] })
const optionalText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const checkedRoomRate = Type.Object(
  {
    priceCheckId: Type.String(),
    roomId: Type.String(),
    rateId: Type.String(),
    outcome: oneOf(priceCheckOutcomes),
  },
  { description: 'One a room-rate and party' },
)

export const delivery = Type.Object(
  { status: Type.String({ description: '`queued`, `sending`, `delivered`, `superseded` or `dead`' }) },
  { description: 'Of this version to the supplier' },
)

export const confirmation = {
  ...success,
  reservationId: Type.String({ description: "The supplier's `reservation_id`" }),
  version: integer({ description: 'Rises with every change' }),
  status: oneOf(reservationStatuses),
}

export const penaltyDue = Type.Union(
  [
    Type.Object({
      amount: amount('Of all rooms; `0.00`: cancelling was free'),
      currency: Type.String(),
      by: Type.Array(
        Type.Object({
          roomId: Type.String(),
          rateId: Type.String(),
          code: optionalText('Of the policy'),
          from: optionalText(
            "The deadline that was over, as an instant in the hotel's zone; null: from the booking on",
          ),
          amount: amount('Of this room'),
        }),
        { description: 'Rooms for which something is due, by the policy that each was booked with' },
      ),
    }),
    Type.Null(),
  ],
  {
    description:
      'What the cancellation costs by the policies that were booked, at the instant of the cancellation; null: not cancelled, or booked without any policy',
  },
)

export const bookingAnswer = Type.Object({
  ...confirmation,
  currency: Type.String(),
  total: stayTotal,
  priceChecks: Type.Array(checkedRoomRate),
  delivery,
  warnings: Type.Array(warning),
})

const roomAnswer = Type.Object({
  roomId: Type.String(),
  roomName: Type.String(),
  rateId: Type.String(),
  rateName: Type.String(),
  mealPlan: optionalText('Code'),
  adults: Type.Integer(),
  childAges: Type.Array(Type.Integer()),
  guest: Type.Object({ firstName: Type.String(), lastName: Type.String() }),
  nights: Type.Array(
    Type.Object({
      date: Type.String(),
      beforeTax: amount('Without taxes'),
      afterTax: amount('What is charged; the nights sum to the room'),
    }),
  ),
  taxes: Type.Array(
    Type.Object({
      type: oneOf(taxTypes),
      included: Type.Boolean(),
      payNow: Type.Boolean({ description: 'false: due at the property' }),
      amount: amount('Of the room, for the stay'),
    }),
  ),
  total: stayTotal,
  cancelPolicy: Type.Union([cancelPolicyOfStay, Type.Null()], {
    description: 'Of this room, as it was when it was booked',
  }),
  fees: Type.Array(feeLine('Of the room, for the stay'), { description: 'Those of the cancellation policy' }),
})

export const reservationAnswer = Type.Object({
  reservationId: Type.String(),
  version: Type.Integer(),
  status: oneOf(reservationStatuses),
  platformHotelId: Type.String(),
  supplier: Type.String(),
  hotelId: Type.String({ description: "The supplier's code of the hotel" }),
  hotelName: Type.String(),
  checkin: Type.String(),
  checkout: Type.String(),
  currency: Type.String(),
  rooms: Type.Array(roomAnswer),
  customer: Type.Object({
    firstName: Type.String(),
    lastName: Type.String(),
    email: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
    countryCode: Type.Optional(Type.String()),
    remarks: Type.Optional(Type.String()),
  }),
  payment: Type.Object({
    type: oneOf(paymentTypes),
    card: Type.Optional(
      Type.Object({
        type: Type.String(),
        number: Type.String({ description: 'Masked', examples: ['411111******1111'] }),
      }),
    ),
  }),
  total: stayTotal,
  penalty: penaltyDue,
  priceChecks: Type.Array(checkedRoomRate),
  createdAt: Type.String(),
  modifiedAt: Type.String(),
  delivery,
})

/** The members of a refusal beside its problem. */
export const refusalDetails = Type.Object({
  rules: Type.Optional(
    Type.Array(
      Type.Object({
        rooms: Type.Array(Type.Integer({ description: 'Index in `rooms`' })),
        roomId: Type.String(),
        rateId: Type.String(),
        ...testedRule.properties,
      }),
      { description: 'With NOT_BOOKABLE and SOLD_OUT: the rules that fail' },
    ),
  ),
  total: Type.Optional(stayTotal),
  currency: Type.Optional(Type.String({ description: 'Of `total`' })),
  priceChecks: Type.Optional(Type.Array(checkedRoomRate)),
})
export type RefusalDetails = Static<typeof refusalDetails>

/** Refusals caused by the state of a hotel or a reservation. */
export const reservationErrors = {
  hotelNotFound: unknownReferenceFault,
  supplierNotFound: {
    type: 'SUPPLIER_NOT_FOUND',
    message: 'Supplier not found',
    hint: 'It is the name of the account; upper and lower case matter',
  },
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Book what POST /v1/booking/offers names',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Book what POST /v1/booking/offers names, room and rate together',
  },
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check the reservation id',
  },
  hotelChanged: {
    type: 'HOTEL_CHANGED',
    message: 'A reservation stays in its hotel',
    hint: 'Cancel it and make another',
  },
  notBookable: {
    type: 'NOT_BOOKABLE',
    message: 'The stay cannot be booked',
    hint: 'See rules for what forbids it, and POST /v1/booking/offers for what can be booked',
  },
  soldOut: {
    type: 'SOLD_OUT',
    message: 'Sold out',
    hint: 'See POST /v1/booking/offers for what can be booked',
  },
  priceChanged: {
    type: 'PRICE_CHANGED',
    message: 'The price has changed',
    hint: 'Ask the guest, then send the same with expectedTotal.afterTax from total',
  },
  priceCheckFailed: {
    type: 'PRICE_CHECK_FAILED',
    message: 'The price could not be checked with the supplier',
    hint: 'Nothing was booked; send the same again later',
  },
  cancelled: {
    type: 'RESERVATION_CANCELLED',
    message: 'The reservation is cancelled',
    hint: 'Nothing follows a cancellation; make another reservation',
  },
  changedMeanwhile: {
    type: 'RESERVATION_CHANGED',
    message: 'The reservation was changed at the same moment',
    hint: 'Read it, then send the state again',
  },
  stayBegun: {
    type: 'STAY_BEGUN',
    message: 'The day of arrival is past: the reservation cannot be modified',
    hint: 'Ask the hotel; until the day of departure it can be cancelled',
  },
  stayOver: {
    type: 'STAY_OVER',
    message: 'The day of departure is past: the reservation cannot be cancelled',
    hint: 'Ask the hotel',
  },
} as const satisfies Record<string, ConstraintError>
