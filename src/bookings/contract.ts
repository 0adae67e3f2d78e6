import Type, { type Static } from 'typebox'
import { requestedRoom, hotelReference, roomsPerStayMax } from '../offers/contract.ts'
import { stayTotal } from '../offers/stay-contract.ts'
import { code, date, decimal, lines, nameText, oneOf, route, success, text } from '../http/route.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import {
  bookingAnswer,
  cancelAnswer,
  cancellationQuote,
  penaltyRefusal,
  refusalDetails,
  reservationAnswer,
} from './answer-contract.ts'
import { paymentTypes } from './callback-contract.ts'
import { acceptForfeit, cancelBody, consentMembers, forfeited, quotedRooms } from './owed/contract.ts'
import { sentNames } from './name-contract.ts'
import { card } from '../cards/contract.ts'

export const nameCharactersMax = 100

const name = (description: string) => nameText({ maxLength: nameCharactersMax, description })

const person = {
  firstName: Type.Optional(name('Given name; absent or empty for a name of one word')),
  lastName: Type.Optional(
    name(
      'Family name, or the name of one word. Of a person, one of the two is needed; a firstName alone is taken as this',
    ),
  ),
}

const customer = Type.Object(
  {
    ...person,
    email: Type.Optional(Type.String({ description: 'A single address' })),
    phone: Type.Optional(text({ maxLength: 40 })),
    countryCode: Type.Optional(Type.String({ description: 'ISO 3166-1, two capitals', examples: ['FR'] })),
    remarks: Type.Optional(lines({ description: 'For the hotel; line breaks and tabs are preserved' })),
  },
  { description: 'The person who books' },
)

const bookedRoom = Type.Object({
  roomReservationId: Type.Optional(
    text({
      maxLength: 64,
      description:
        'In a change: which booked room this is, as answers name it. Absent: matched by room, rate and guest, then by room, then in their order',
    }),
  ),
  roomId: code({ description: "The supplier's code of the room" }),
  rateId: code({ description: "The supplier's code of the rate" }),
  ...requestedRoom.properties,
  guest: Type.Object(person, { description: 'The guest who stays in the room' }),
})

const reservationBody = Type.Object({
  hotel: hotelReference,
  checkin: date({ description: 'First night' }),
  checkout: date({ description: 'Day of departure' }),
  rooms: Type.Array(bookedRoom, {
    minItems: 1,
    maxItems: roomsPerStayMax,
    description: 'Rooms may have different room-rates',
  }),
  customer,
  ...sentNames,
  payment: Type.Object(
    {
      type: oneOf(paymentTypes, {
        description: 'Party that charges the guest: the channel (the platform) or the hotel',
        secret: true,
      }),
      card: Type.Optional(card),
    },
    { secret: true },
  ),
  expectedTotal: Type.Optional(
    Type.Object(
      {
        afterTax: decimal({ atLeastZero: true, description: 'Total that the guest has agreed to' }),
        dueAtProperty: Type.Optional(
          decimal({
            atLeastZero: true,
            description: 'What the guest has agreed to pay at the property besides. Absent: any amount',
          }),
        ),
        currency: Type.Optional(
          Type.String({
            description:
              "ISO 4217 code of the currency in which the guest saw it. Absent: the reservation's currency, or for a new one that of the hotel's offers",
            examples: ['EUR'],
          }),
        ),
      },
      {
        description:
          'Another total or currency is refused with `PRICE_CHANGED`. Absent: any stored price is accepted, in the currency of the reservation; in a change, none that is higher',
      },
    ),
  ),
  ...consentMembers,
})
const changeBody = Type.Object({ ...reservationBody.properties, acceptForfeit })
/** The answer about a reservation that was created or modified. */
export type BookingAnswer = Static<typeof bookingAnswer>
export type ReservationBody = Static<typeof reservationBody>
/** Of a change; a booking has nothing to forfeit. */
export type ChangeBody = Static<typeof changeBody>
export type BookedRoom = ReservationBody['rooms'][number]

const params = Type.Object({ id: code({ description: 'reservationId' }) })

const refusals =
  '`NOT_BOOKABLE` and `SOLD_OUT` with the failing `rules`, `PRICE_CHANGED` with what was `expected`, the new `total` and its `currency`, `TERMS_CHANGED` with the new `terms`, `PRICE_CHECK_FAILED` with the `priceChecks` and `Retry-After`; nothing is booked'

const exampleRoom = {
  roomId: 'DBL',
  rateId: 'BAR',
  adults: 2,
  childAges: [5],
  guest: { firstName: 'Ada', lastName: 'Lovelace' },
}

const exampleBody = {
  hotel: { platformHotelId: '1' },
  checkin: '2027-04-20',
  checkout: '2027-04-23',
  rooms: [exampleRoom],
  customer: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@guest.example',
    phone: '+44 20 7946 0000',
    countryCode: 'GB',
    remarks: 'Late arrival',
  },
  payment: { type: 'Channel Collect' },
}

export const reservationRoutes = {
  createReservation: route({
    method: 'POST',
    path: '/booking/reservations',
    access: 'platform',
    tag: 'Booking',
    summary: 'Book',
    description: [
      'Books one or more rooms for one stay, all or nothing. Availability and price are checked against the data stored at this moment, and with the supplier if it has registered a price check; the inventory is lowered together with the reservation. Two concurrent calls cannot sell the same unit.',
      'Send an `Idempotency-Key`: if the answer gets lost, the same key with the same body returns the stored answer instead of booking twice. With `expectedTotal`, any price other than the one the guest agreed to is refused; if the supplier answers with a price that differs from the stored one, only a matching `expectedTotal` accepts it. An amount in another currency never matches. With `expectedTerms`, terms other than the guest agreed to are refused. With `dryRun` nothing is booked.',
    ].join('\n\n'),
    body: reservationBody,
    takesIdempotencyKey: true,
    answer: bookingAnswer,
    status: 201,
    errors: {
      400: 'A member is missing or invalid',
      404: 'Unknown hotel, room or rate',
      409: refusals,
    },
    refusals: { 409: refusalDetails },
    examples: [
      {
        summary: 'One room for two adults and a child',
        request: exampleBody,
        answer: { status: 201, body: { code: '201', message: 'Reservation confirmed' } },
      },
      {
        summary: 'A price that differs from the one agreed to',
        request: { ...exampleBody, expectedTotal: { afterTax: '1.00' } },
        answer: { status: 409, body: { code: '409', message: 'The price has changed' } },
      },
      {
        summary: 'One night, where the minimum stay is two',
        request: { ...exampleBody, checkout: '2027-04-21' },
        answer: { status: 409, body: { code: '409', message: 'The stay cannot be booked' } },
      },
    ],
  }),
  modifyReservation: route({
    method: 'PUT',
    path: '/booking/reservations/{id}',
    access: 'platform',
    tag: 'Booking',
    summary: 'Modify a reservation',
    description: [
      'Replaces the whole state, in the same shape as a booking: omitted members are removed, except the card, `clientReference` and `channel`, which stay until others are sent. Creates a new version and delivers it; a state equal to the present one changes nothing. Possible until the day of arrival, and until the hotel reports that a guest arrived. `rooms` and `roomsGone` of the answer say which booked room each one is. With `dryRun` nothing is changed, and `asks` says what the guest has to agree to.',
      'Nights that stay in the same room and rate keep the price and the policy that they were booked with, also when nights or rooms are added; what is added has the price of now, and it alone is judged by units, prices and closures and asked of the supplier. Inventory is lowered only for additional units and never raised.',
      'What is owed to the hotel does not shrink: a room costs at least what cancelling it would have cost at any change. What its new price no longer covers is `forfeited`, and charged. A change that raises it needs `acceptForfeit`, one that raises the charge or what is due at the property `expectedTotal`, one that takes another policy or meal plan of the same rate `expectedTerms`.',
      'What only gives up nights at either end, rooms or guests is never refused for units, closures, restrictions, a missing price or a failed price check. Fewer guests get the price of now for them if there is one, it is lower, and the supplier does not say otherwise.',
      "If the hotel's currency has changed, what only gives up stays in the booked one. Any other change prices all rooms in the new currency and needs an `expectedTotal` in it; while a cancellation costs a penalty it is refused with `PENALTY_DUE`.",
    ].join('\n\n'),
    params,
    body: changeBody,
    takesIdempotencyKey: true,
    answer: bookingAnswer,
    errors: {
      400: 'A member is missing or invalid, or the hotel differs',
      404: 'Unknown reservation, room or rate',
      409: `\`RESERVATION_CANCELLED\`, \`STAY_BEGUN\`, \`PENALTY_DUE\` with what is \`forfeited\`, or with the \`penalty\` where the currency is another one; ${refusals}`,
    },
    refusals: { 409: refusalDetails },
    examples: [
      {
        summary: 'Another guest, at the same price',
        params: { id: '1' },
        request: {
          ...exampleBody,
          rooms: [{ ...exampleRoom, guest: { firstName: 'Grace', lastName: 'Hopper' } }],
        },
        answer: { status: 200, body: { code: '200', message: 'Reservation modified' } },
      },
    ],
  }),
  getReservation: route({
    method: 'GET',
    path: '/booking/reservations/{id}',
    access: 'platform',
    tag: 'Booking',
    summary: 'Read a reservation',
    description: 'Its present state and all versions. Cards are reduced to their type and masked number.',
    params,
    answer: Type.Object({
      ...success,
      reservation: reservationAnswer,
      versions: Type.Array(
        Type.Object({
          version: Type.Integer(),
          status: oneOf(reservationStatuses),
          at: Type.String(),
          total: stayTotal,
          forfeited,
        }),
        { description: 'Oldest first' },
      ),
    }),
    errors: { 404: 'Unknown reservation' },
    examples: [
      {
        summary: 'One reservation',
        request: { id: '1' },
        answer: { status: 200, body: { code: '200', message: 'Reservation retrieved successfully' } },
      },
    ],
  }),
  getCancellation: route({
    method: 'GET',
    path: '/booking/reservations/{id}/cancellation',
    access: 'platform',
    tag: 'Booking',
    summary: 'What cancelling costs',
    description:
      'The dry run of a cancellation: the penalty if it is cancelled now, until when that holds, and what the guest gets back. Send `penalty.amount` as `expectedPenalty` with the cancellation.',
    params,
    query: quotedRooms,
    answer: Type.Object({ ...success, reservationId: Type.String(), ...cancellationQuote }),
    errors: {
      400: 'Unknown room',
      404: 'Unknown reservation',
      409: '`RESERVATION_CANCELLED`, `STAY_BEGUN`',
    },
    examples: [
      {
        summary: 'All of a reservation',
        params: { id: '1' },
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Cancellation quoted' } },
      },
    ],
  }),
  cancelReservation: route({
    method: 'POST',
    path: '/booking/reservations/{id}/cancel',
    access: 'platform',
    tag: 'Booking',
    summary: 'Cancel a reservation',
    description:
      'Creates the final version of a reservation and delivers it. Possible until the day of arrival, and until the hotel reports that a guest arrived: who does not come then, the hotel reports. Cancelling again changes nothing and gets the same answer. `penalty` is the cost under the booked policies at this moment. With `expectedPenalty`, another penalty is refused. With `rooms`, only these are cancelled, as a new version of the reservation; without its last room it is cancelled whole. Inventory is not raised: the supplier’s next push does that.',
    params,
    body: cancelBody,
    isBodyOptional: true,
    takesIdempotencyKey: true,
    answer: cancelAnswer,
    errors: {
      400: 'A member is invalid, or a room unknown',
      404: 'Unknown reservation',
      409: '`PENALTY_CHANGED` with the `penalty`, `STAY_BEGUN`; nothing is cancelled',
    },
    refusals: { 409: penaltyRefusal },
    examples: [
      {
        summary: 'Cancel',
        params: { id: '1' },
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Reservation cancelled' } },
      },
    ],
  }),
}
