import Type, { type Static } from 'typebox'
import { decimal, text } from '../../http/route.ts'
import { roomsPerStayMax } from '../../offers/contract.ts'
import {
  amount,
  cancellationMembers,
  cancelPolicyOfStay,
  digestOfTerms,
  feeLine,
} from '../../offers/stay-contract.ts'

/** What a guest agrees to, and what is owed to the hotel: members of requests, answers and refusals. */

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** Of bookings and changes. */
export const consentMembers = {
  expectedTerms: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description:
        'The `termsDigest` that the guest agreed to, one for each of `rooms`, in their order. Other terms are refused with `TERMS_CHANGED`. Absent: any terms are accepted; in a change, those of rooms that keep their rate only as long as they are the booked ones',
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({
      description:
        '`true`: answers as it would be, at stored prices; nothing is stored, taken from the inventory, asked of the supplier or sent. It needs no consent: `asks` says what the call itself would need. Absent: false',
    }),
  ),
}

/** Of changes. */
export const acceptForfeit = Type.Optional(
  decimal({
    atLeastZero: true,
    description:
      '`forfeited` as it is after the change, in the currency of the reservation: a change that raises it is refused without the guest’s consent (`PENALTY_DUE`)',
  }),
)

/** Of cancellations. */
export const cancelBody = Type.Object({
  expectedPenalty: Type.Optional(
    Type.Union([decimal({ atLeastZero: true }), Type.Null()], {
      description:
        'The penalty that the guest agreed to, as `penalty.amount` of the quote; null: none is known. Another one is refused with `PENALTY_CHANGED`. Absent: any is accepted',
    }),
  ),
  rooms: Type.Optional(
    Type.Array(text({ maxLength: 64 }), {
      minItems: 1,
      maxItems: roomsPerStayMax,
      description: 'The `roomReservationId` of each room to cancel; absent: all',
    }),
  ),
})
export type CancelBody = Static<typeof cancelBody>

/** The query of a quote. */
export const quotedRooms = Type.Object({
  rooms: Type.Optional(
    text({
      description: 'The `roomReservationId` of each room to cancel, separated by commas; absent: all',
      maxLength: 255,
    }),
  ),
})

/** Of answers about a reservation. */
export const forfeited = amount(
  'Owed to the hotel for what was given up: the guest is charged this beside `total.afterTax`; `0.00`: nothing',
)

export const owedAtLeast = amount(
  'The least that cancelling this room costs, whatever its terms say by then: the most that it would have cost at any change; `0.00`: nothing is owed yet',
)

/** Of the answer to a dry run: the members that the call would need. */
export const asks = Type.Object(
  {
    expectedTotal: Type.Optional(
      Type.Object(
        { afterTax: Type.String(), dueAtProperty: Type.String(), currency: Type.String() },
        { description: 'The charge or what is due at the property rises, or the currency is another one' },
      ),
    ),
    expectedTerms: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Null()]), {
        description:
          'A room takes another policy or meal plan of its rate: the `termsDigest` of each room, in their order',
      }),
    ),
    acceptForfeit: Type.Optional(Type.String({ description: '`forfeited` rises: the new sum' })),
  },
  { description: 'Of a dry run: what the guest has to agree to, as the call has to say it; empty: nothing' },
)

/** Of refusals. */
export const expectedBefore = Type.Object(
  {
    afterTax: amount('To be charged'),
    dueAtProperty: Type.Optional(amount('Absent: `expectedTotal` didn’t say it')),
    currency: Type.String(),
  },
  {
    description:
      'With PRICE_CHANGED, what was agreed until now: the `expectedTotal` that was sent; without one the total of the reservation, or of a new one the stored price',
  },
)

export const changedTerms = Type.Array(
  Type.Object({
    room: Type.Integer({ description: 'Index in `rooms`' }),
    expected: textOrNull('The digest that was sent, or that of the booked terms'),
    termsDigest: Type.Union([digestOfTerms, Type.Null()], { description: 'Of the terms as they are' }),
    mealPlan: textOrNull('Code'),
    ...cancellationMembers,
    cancelPolicy: Type.Union([cancelPolicyOfStay, Type.Null()]),
    fees: Type.Array(feeLine('For the room and the whole stay')),
  }),
  { description: 'With TERMS_CHANGED: the rooms whose terms are others than the guest agreed to' },
)

export const forfeitOfChange = Type.Object(
  {
    before: amount('As it is'),
    amount: amount('As it would be'),
    currency: Type.String(),
  },
  { description: 'With PENALTY_DUE: what the change forfeits' },
)
