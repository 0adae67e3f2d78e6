import Type, { type Static } from 'typebox'
import {
  amount,
  cancellationMembers,
  cancelPolicyOfStay,
  digestOfTerms,
  feeLine,
  stayTotal,
  testedRule,
  unknownReferenceError,
} from '../offers/contract.ts'
import { integer, oneOf, success, warning, type ConstraintError } from '../http/route.ts'
import { priceCheckOutcomes } from '../price-check/contract.ts'
import { taxTypes } from '../taxes/contract.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { deliveryState } from './delivery-contract.ts'
import { asks, changedTerms, forfeited, forfeitOfChange, owedAtLeast } from './owed/contract.ts'
import { payableMembers, paymentAnswer } from './payment-contract.ts'
import { matchedRoomsSaid, nameMembers } from './name-contract.ts'
import { hotelConfirmation, stayReport } from './report-contract.ts'

/** The shapes of answers about reservations, and the refusals. */

const optionalText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const checkedRoomRate = Type.Object(
  {
    priceCheckId: Type.String(),
    roomId: Type.String(),
    rateId: Type.String(),
    outcome: oneOf(priceCheckOutcomes),
  },
  { description: 'One for each room-rate and party' },
)

const confirmation = {
  ...success,
  reservationId: Type.String({ description: "The supplier's `reservation_id`" }),
  version: integer({ description: 'Increases with every change' }),
  status: oneOf(reservationStatuses),
}

const roomReservationId = Type.String({
  description: 'Name of the room within its reservation; the same in all versions, and never used again',
  examples: ['55191-2'],
})

const penaltyDue = Type.Union(
  [
    Type.Object({
      amount: amount('Total for all rooms whose terms are known; `0.00`: the cancellation was free'),
      unknown: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'The `roomReservationId` of each room whose terms are unknown: ask the hotel what it charges',
        }),
      ),
      currency: Type.String(),
      by: Type.Array(
        Type.Object({
          roomReservationId,
          roomId: Type.String(),
          rateId: Type.String(),
          code: optionalText('Code of the policy'),
          from: optionalText(
            "The deadline that had passed, as an instant in the hotel's zone; null: from the time of booking",
          ),
          amount: amount('Amount for this room'),
        }),
        { description: 'Rooms with a penalty, each by the policy it was booked with' },
      ),
    }),
    Type.Null(),
  ],
  {
    description:
      'Cost of the cancellation under the booked policies, at the time of cancelling; after the report `no_show` what is due for it. Without what the hotel let go of since (`waived`). null: neither, or the terms of no room are known',
  },
)

const bookingAnswerMembers = {
  ...confirmation,
  currency: Type.String(),
  total: stayTotal,
  forfeited,
  ...matchedRoomsSaid,
  priceChecks: Type.Array(checkedRoomRate),
  delivery: deliveryState,
  warnings: Type.Array(warning),
}

const roomAnswer = Type.Object({
  roomReservationId,
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
      afterTax: amount('Amount charged; the nights add up to the total of the room'),
    }),
  ),
  taxes: Type.Array(
    Type.Object({
      type: oneOf(taxTypes),
      included: Type.Boolean(),
      payNow: Type.Boolean({ description: 'false: due at the property' }),
      amount: amount('For the room and the whole stay'),
    }),
  ),
  total: stayTotal,
  owedAtLeast,
  forfeited: { ...forfeited, description: 'Of this room' },
  ...cancellationMembers,
  cancelPolicy: Type.Union([cancelPolicyOfStay, Type.Null()], {
    description: 'Policy of this room, as booked; null: none was known',
  }),
  termsDigest: Type.Union([digestOfTerms, Type.Null()], {
    description: 'Of the terms as booked; null for rooms booked before terms were stored',
  }),
  fees: Type.Array(feeLine('For the room and the whole stay'), {
    description: 'Fees of the cancellation policy',
  }),
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
  ...nameMembers,
  rooms: Type.Array(roomAnswer),
  customer: Type.Object({
    firstName: Type.String(),
    lastName: Type.String(),
    email: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
    countryCode: Type.Optional(Type.String()),
    remarks: Type.Optional(Type.String()),
  }),
  payment: paymentAnswer,
  ...payableMembers,
  total: stayTotal,
  forfeited,
  cancellation: {
    ...cancellationMembers.cancellation,
    description: 'Of the strictest room, unknown strictest of all',
  },
  freeUntil: { ...cancellationMembers.freeUntil, description: 'With `until`: the earliest of the rooms' },
  penalty: penaltyDue,
  confirmations: Type.Array(hotelConfirmation, {
    description: 'What the hotel calls the reservation and its rooms',
  }),
  reports: Type.Array(stayReport, { description: 'What the hotel reported about the stay, oldest first' }),
  priceChecks: Type.Array(checkedRoomRate),
  createdAt: Type.String(),
  modifiedAt: Type.String(),
  delivery: deliveryState,
})

export const bookingAnswer = Type.Object({
  ...bookingAnswerMembers,
  reservation: { ...reservationAnswer, description: 'As `GET` answers with it' },
  asks: Type.Optional(asks),
})

export const cancelAnswer = Type.Object({
  ...confirmation,
  penalty: { ...penaltyDue, description: 'Cost of this cancellation; null: no terms are known' },
  delivery: deliveryState,
  reservation: { ...reservationAnswer, description: 'As `GET` answers with it' },
})

export const cancellationQuote = {
  penalty: { ...penaltyDue, description: 'If it is cancelled now; null: no terms are known' },
  until: optionalText('The instant from which it costs `then`; null: it stays as it is'),
  then: { ...penaltyDue, description: 'What it costs from `until` on' },
  refund: Type.Union([amount('Of what is charged so far, what the guest gets back'), Type.Null()], {
    description: 'null: not known, because the terms of a room are not',
  }),
  currency: Type.String(),
}

/** The members of a refused cancellation beside its problem. */
export const penaltyRefusal = Type.Object({ penalty: Type.Optional(penaltyDue) })
export type PenaltyRefusal = Static<typeof penaltyRefusal>

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
      { description: 'With NOT_BOOKABLE and SOLD_OUT: the failing rules' },
    ),
  ),
  total: Type.Optional(stayTotal),
  currency: Type.Optional(Type.String({ description: 'Currency of `total`' })),
  priceChecks: Type.Optional(Type.Array(checkedRoomRate)),
  penalty: Type.Optional(
    Type.Object(
      { amount: amount('In all'), currency: Type.String() },
      { description: 'With PENALTY_DUE and a change of currency: what cancelling costs now' },
    ),
  ),
  forfeited: Type.Optional(forfeitOfChange),
  terms: Type.Optional(changedTerms),
})
export type RefusalDetails = Static<typeof refusalDetails>

/** Refusals caused by the state of a hotel or a reservation. */
export const reservationErrors = {
  hotelNotFound: unknownReferenceError,
  supplierNotFound: {
    type: 'SUPPLIER_NOT_FOUND',
    message: 'Supplier not found',
    hint: 'Send the name of the account; it is case-sensitive',
  },
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Book a room from POST /v1/booking/offers',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Book a room and rate that POST /v1/booking/offers lists together',
  },
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check the reservation id',
  },
  unknownRoom: {
    type: 'ROOM_RESERVATION_NOT_FOUND',
    message: 'The reservation has no such room',
    hint: 'Send a roomReservationId of its present version, or none',
  },
  repeatedRoom: {
    type: 'ROOM_RESERVATION_REPEATED',
    message: 'Two rooms have the same roomReservationId',
    hint: 'Name each booked room once; leave the member out for a new one',
  },
  hotelChanged: {
    type: 'HOTEL_CHANGED',
    message: 'A reservation cannot be moved to another hotel',
    hint: 'Cancel it and create a new one',
  },
  notBookable: {
    type: 'NOT_BOOKABLE',
    message: 'The stay cannot be booked',
    hint: 'rules lists the reasons; POST /v1/booking/offers lists what can be booked',
  },
  soldOut: {
    type: 'SOLD_OUT',
    message: 'Sold out',
    hint: 'POST /v1/booking/offers lists what can be booked',
  },
  priceChanged: {
    type: 'PRICE_CHANGED',
    message: 'The price has changed',
    hint: 'Ask the guest, then repeat the request with expectedTotal set to the new total.afterTax and currency',
  },
  forfeitDue: {
    type: 'PENALTY_DUE',
    message: 'The change forfeits what is owed to the hotel',
    hint: 'Ask the guest, then repeat the request with acceptForfeit set to forfeited.amount',
  },
  termsChanged: {
    type: 'TERMS_CHANGED',
    message: 'The terms are others than the guest agreed to',
    hint: 'Ask the guest, then repeat the request with expectedTerms: the termsDigest of each room, which terms lists and a dry run answers with',
  },
  termsCount: {
    type: 'EXPECTED_TERMS_COUNT',
    message: 'expectedTerms must have one digest for each of rooms',
    hint: 'Send them in the order of rooms',
  },
  penaltyDue: {
    type: 'PENALTY_DUE',
    message: 'The hotel has another currency by now, and cancelling costs a penalty',
    hint: 'Cancel the reservation and book anew, or only give up nights, rooms or guests: those stay in the booked currency',
  },
  priceCheckFailed: {
    type: 'PRICE_CHECK_FAILED',
    message: 'The price could not be checked with the supplier',
    hint: 'Nothing was booked; repeat the request after Retry-After',
  },
  termsDiffer: {
    type: 'TERMS_DIFFER',
    message: 'The supplier’s terms differ from those that are sold',
    hint: 'Nothing was booked; POST /v1/booking/priceCheck shows the differences. The supplier has to push the product with the meal plan and the penalties that it answers',
  },
  cancelled: {
    type: 'RESERVATION_CANCELLED',
    message: 'The reservation is cancelled',
    hint: 'A cancellation is final; create a new reservation',
  },
  changedMeanwhile: {
    type: 'RESERVATION_CHANGED',
    message: 'The reservation was changed at the same time',
    hint: 'Read it, then send the full state again',
  },
  stayBegun: {
    type: 'STAY_BEGUN',
    message: 'The stay has begun: the reservation cannot be changed or cancelled any more',
    hint: 'From the day after the arrival, or once a guest has arrived, only the hotel can report what became of the stay; contact it',
  },
  penaltyChanged: {
    type: 'PENALTY_CHANGED',
    message: 'Cancelling costs another penalty than was expected',
    hint: 'Ask the guest, then repeat the request with expectedPenalty set to penalty.amount',
  },
} as const satisfies Record<string, ConstraintError>
