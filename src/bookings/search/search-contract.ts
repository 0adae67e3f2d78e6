import Type from 'typebox'
import { oneOf, queriedLimit, route, success, text, integer, type ConstraintError } from '../../http/route.ts'
import { amount } from '../../offers/stay-contract.ts'
import { reservationStatuses } from '../../webhooks/contract.ts'
import { reservationAnswer } from '../answer-contract.ts'
import { presentDeliveryStatuses } from '../delivery-contract.ts'

/** How the platform finds reservations, and adds them up. */

export const reservationsPerPage = { max: 500, usual: 100 }
/** Each cancelled one is read for its penalty. */
export const summaryMax = { reservations: 100_000, groups: 10_000 }

/** Every query parameter is text; read-filter.ts parses dates, instants and cursors. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 255 }))

const filters = {
  hotel: queried('platformHotelId, alone; or `supplier` with `hotelId`'),
  supplier: queried('Name of the supplier account; without `hotelId`, all of its hotels'),
  hotelId: queried("The supplier's code of the hotel, with `supplier`"),
  status: Type.Optional(oneOf(reservationStatuses)),
  arrivalFrom: queried('First date of arrival'),
  arrivalTo: queried('Last date of arrival, inclusive'),
  departureFrom: queried('First date of departure'),
  departureTo: queried('Last date of departure, inclusive'),
  createdFrom: queried('Earliest `createdAt`: an instant, or a date, which is its midnight in UTC'),
  createdTo: queried(
    'End of `createdAt`: a date, which is included as a whole (UTC), or an instant, which is not included',
  ),
  modifiedFrom: queried('Earliest `modifiedAt`: an instant, or a date, which is its midnight in UTC'),
  delivery: Type.Optional(
    oneOf(presentDeliveryStatuses, { description: '`delivery.status` of the present version' }),
  ),
  email: queried('`customer.email` of the present version, in upper or lower case'),
  clientReference: queried('Exactly this reference of yours'),
  channel: queried('Exactly this channel'),
}

export const searchErrors = {
  tooMany: {
    type: 'SUMMARY_TOO_LARGE',
    message: `A summary adds up at most ${summaryMax.reservations} reservations, in at most ${summaryMax.groups} groups`,
    hint: 'Narrow it by dates, a supplier or a hotel, and add the answers up',
  },
} as const satisfies Record<string, ConstraintError>

const sums = {
  reservations: integer({ minimum: 0, description: 'Number of reservations' }),
  rooms: integer({ minimum: 0, description: 'Their rooms' }),
  roomNights: integer({ minimum: 0, description: 'Rooms times nights' }),
  afterTax: amount('Sum of `total.afterTax`'),
}

const penalties = {
  penalties: amount('Sum of `penalty.amount`'),
  penaltiesUnknown: integer({
    minimum: 0,
    description: 'Of how many the penalty, or that of a room, is unknown: ask the hotels',
  }),
}

const figures = {
  currency: Type.String({ description: 'ISO 4217; amounts of different currencies are never added' }),
  confirmed: Type.Object(sums, { description: 'Reservations that stand' }),
  cancelled: Type.Object(
    {
      ...sums,
      ...penalties,
    },
    { description: 'Cancelled ones, as they were before' },
  ),
  noShows: Type.Object(
    { reservations: sums.reservations, ...penalties },
    {
      description:
        'Of those that stand, the ones with a room whose guests did not come, as the hotel reported',
    },
  ),
}

const summaryGroupings = ['day', 'hotel', 'supplier'] as const
export type SummaryGrouping = (typeof summaryGroupings)[number]

const emptySums = { reservations: 0, rooms: 0, roomNights: 0, afterTax: '0.00' }

export const searchRoutes = {
  listReservations: route({
    method: 'GET',
    path: '/booking/reservations',
    access: 'platform',
    tag: 'Booking',
    summary: 'Search reservations',
    description:
      'Newest first: for one hotel, for all hotels of a supplier, or, without either, for all hotels. Several filters together must all match.',
    query: Type.Object({
      ...filters,
      cursor: queried('nextCursor of the previous answer'),
      limit: queriedLimit('reservations', reservationsPerPage),
    }),
    answer: Type.Object({
      ...success,
      reservations: Type.Array(reservationAnswer),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null at the end' }),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel or supplier' },
    examples: [
      {
        summary: 'Arrivals in April',
        request: { hotel: '1', arrivalFrom: '2027-04-01', arrivalTo: '2027-04-30' },
        answer: { status: 200, body: { code: '200', message: 'Reservations retrieved successfully' } },
      },
    ],
  }),
  summarizeReservations: route({
    method: 'GET',
    path: '/booking/reservations/summary',
    access: 'platform',
    tag: 'Booking',
    summary: 'Add reservations up',
    description:
      'Numbers and sums of the reservations that the filters of `GET /booking/reservations` find, by the day on which they were made (UTC), by hotel or by supplier, and in all; each currency by itself. Sums are exact. Without filters: of all reservations.',
    query: Type.Object({
      by: oneOf(summaryGroupings, { description: '`day`: of `createdAt`, in UTC' }),
      ...filters,
    }),
    answer: Type.Object({
      ...success,
      by: oneOf(summaryGroupings),
      groups: Type.Array(
        Type.Object({
          day: Type.Optional(Type.String({ description: 'By day: the day', examples: ['2027-04-15'] })),
          platformHotelId: Type.Optional(Type.String({ description: 'By hotel' })),
          supplier: Type.Optional(Type.String({ description: 'By hotel or supplier: the account' })),
          hotelId: Type.Optional(Type.String({ description: "By hotel: the supplier's code" })),
          hotelName: Type.Optional(Type.String({ description: 'By hotel: its name now' })),
          ...figures,
        }),
        {
          description:
            'A day, hotel or supplier once for each currency; in its order, those without reservations left out',
        },
      ),
      totals: Type.Array(Type.Object(figures), { description: 'Of all groups, by currency' }),
    }),
    errors: {
      400: 'A parameter is not valid, or there are too many reservations',
      404: 'Unknown hotel or supplier',
    },
    examples: [
      {
        summary: 'Arrivals in April, by hotel',
        request: { by: 'hotel', arrivalFrom: '2027-04-01', arrivalTo: '2027-04-30' },
        answer: {
          status: 200,
          body: {
            code: '200',
            message: 'Reservations summarized successfully',
            by: 'hotel',
            groups: [],
            totals: [
              {
                currency: 'EUR',
                confirmed: emptySums,
                cancelled: { ...emptySums, penalties: '0.00', penaltiesUnknown: 0 },
                noShows: { reservations: 0, penalties: '0.00', penaltiesUnknown: 0 },
              },
            ],
          },
        },
      },
    ],
  }),
}
