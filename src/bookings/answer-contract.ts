import Type, { type Static } from 'typebox'
import { testedRule } from '../offers/contract.ts'
import {
  amount,
  cancellationMembers,
  cancelPolicyOfStay,
  digestOfTerms,
  feeLine,
  stayTotal,
} from '../offers/stay-contract.ts'
import { integer, oneOf, success, warning } from '../http/route.ts'
import { priceCheckOutcomes } from '../price-check/contract.ts'
import { taxTypes } from '../taxes/contract.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { deliveryState } from './delivery-contract.ts'
import {
  asks,
  changedTerms,
  expectedBefore,
  forfeited,
  forfeitOfChange,
  owedAtLeast,
} from './owed/contract.ts'
import { payableMembers, paymentAnswer } from './payment-contract.ts'
import { matchedRoomsSaid, nameMembers } from './name-contract.ts'
import { hotelConfirmation, stayReport } from './report-contract.ts'

/** The shapes of answers about reservations. */

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
            "The deadline that had passed, as an instant in the hotel's zone; null: from the time of booking, or owed since a change",
          ),
          amount: amount('Amount for this room'),
        }),
        { description: 'Rooms with a penalty, those that went too, each by the policy it was booked with' },
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
  until: optionalText(
    "The instant in the hotel's zone from which it costs `then`; null: it stays as it is until the arrival",
  ),
  // oxlint-disable-next-line unicorn/no-thenable -- No promise: a text as "until … then".
  then: { ...penaltyDue, description: 'What it costs from `until` on; null without it' },
  refund: Type.Union(
    [
      amount(
        'What the guest gets back: `total.afterTax` and `forfeited` of the rooms, less `penalty.amount`',
      ),
      Type.Null(),
    ],
    {
      description: 'null: not known, because the terms of a room are not',
    },
  ),
  currency: Type.String({ description: 'Of all amounts' }),
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
  expected: Type.Optional(expectedBefore),
  total: Type.Optional({
    ...stayTotal,
    description: 'With PRICE_CHANGED and PENALTY_DUE: as it would be, for all rooms and nights',
  }),
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
