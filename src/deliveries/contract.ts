import Type from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import { code, oneOf, queriedLimit, route, success, text, type ConstraintError } from '../http/route.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { delivery } from '../bookings/callback-contract.ts'

/** Suppliers' requests about the reservations delivered to them. */

const reservationId = code({ description: 'reservation_id of the reservation' })

/** Every query parameter is text; retrieve-reservations.ts parses numbers, times and cursors. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))

export const reservationsPerPage = { max: 500, usual: 100 }
export const acknowledgedAtOnceMax = 500

export const deliveryFaults = {
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check hotelId and reservation_id',
  },
  versionNotFound: {
    type: 'RESERVATION_VERSION_NOT_FOUND',
    message: 'Reservation version not found',
    hint: 'Send reservation_version as it was retrieved',
  },
  notRegistered: {
    type: 'WEBHOOK_NOT_REGISTERED',
    message: 'Push booking webhook is not registered',
    hint: 'Register it with POST /push/webhook/pushbook first',
  },
  vaultClosed: {
    type: 'BOOKING_HELD_BACK',
    message: 'The reservation carries a card that can not be opened at present',
    hint: 'It is delivered as soon as the operators have mended that; nothing is lost',
  },
} as const satisfies Record<string, ConstraintError>

const notEnabled = 'Not enabled on this account'

export const deliveryRoutes = {
  pushBooking: route({
    method: 'POST',
    path: '/push/webhook/booking',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Deliver one reservation now',
    description: [
      'Sends the reservation, as it is now, to the registered push booking URL at once, and answers when that has answered: after 10 seconds at most, with `status` `failed` if it did not.',
      'A reservation that was delivered before is sent once more as a delivery of its own, without card data. One that was not keeps its place in the schedule of retries if this fails too.',
    ].join('\n\n'),
    body: Type.Object({ hotelId, reservation_id: reservationId }),
    answer: Type.Object({
      ...success,
      delivery: Type.Object({
        deliveryId: Type.String({ description: 'The `webhook-id` of the call' }),
        status: oneOf(['delivered', 'failed']),
        httpStatus: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'What your endpoint answered; null: nothing',
        }),
        durationMs: Type.Integer(),
        attempt: Type.Integer({ description: 'Counted over all attempts of this delivery, from 1' }),
      }),
    }),
    errors: {
      404: 'Unknown hotel or reservation (`Reservation not found`)',
      409: `No URL is registered (\`Push booking webhook is not registered\`), or: ${notEnabled.toLowerCase()}`,
    },
    examples: [
      {
        summary: 'A reservation that is not there',
        request: { hotelId: 'H1', reservation_id: '55191' },
        answer: { status: 404, body: { code: '404', message: 'Reservation not found' } },
      },
    ],
  }),
  retrieveReservations: route({
    method: 'GET',
    path: '/push/webhook/pushbook/retrieve',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Fetch reservations instead of having them delivered',
    description:
      'Reservations as they are now, in the shape in which they are delivered, without card data; in the order of their last change. Each element of `data` is a body of one hotel in one status. Acknowledge what you have taken over with POST /push/webhook/pushbook/ack.',
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only of this hotel' })),
      reservation_id: Type.Optional(reservationId),
      since: queried('Modified at or after this: a date (UTC) or an ISO 8601 instant'),
      until: queried('Modified before this instant, or on this date (UTC) or before'),
      status: Type.Optional(oneOf(reservationStatuses)),
      delivered: Type.Optional(
        oneOf(['true', 'false'], { description: 'Whether the present version is delivered or acknowledged' }),
      ),
      cursor: queried('nextCursor of the answer before'),
      limit: queriedLimit('reservations', reservationsPerPage),
    }),
    answer: Type.Object({
      ...success,
      data: Type.Array(delivery),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null at the end' }),
    }),
    errors: {
      400: 'A parameter is not valid',
      404: 'Unknown hotel (`Hotel not found`)',
      409: notEnabled,
    },
    examples: [
      {
        summary: 'What is not delivered yet',
        request: { hotelId: 'H1', delivered: 'false' },
        answer: {
          status: 200,
          body: {
            code: '200',
            message: 'Reservations retrieved successfully',
            data: [],
            nextCursor: null,
          },
        },
      },
    ],
  }),
  acknowledgeReservations: route({
    method: 'POST',
    path: '/push/webhook/pushbook/ack',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Acknowledge reservations that were fetched',
    description:
      'Marks versions of reservations as delivered: they are not sent any more. All of them, or none if one is unknown. Acknowledging again changes nothing. When a reservation has a newer version by then, that one is still to be delivered.',
    body: Type.Object({
      reservations: Type.Array(
        Type.Object({
          reservation_id: reservationId,
          reservation_version: code({ description: 'reservation_version as it was retrieved' }),
        }),
        { minItems: 1, maxItems: acknowledgedAtOnceMax },
      ),
    }),
    answer: Type.Object({
      ...success,
      acknowledged: Type.Integer({ description: 'Versions that were undelivered until now' }),
    }),
    errors: { 404: 'Unknown reservation or version; nothing was acknowledged', 409: notEnabled },
    examples: [
      {
        summary: 'A reservation that is not there',
        request: { reservations: [{ reservation_id: '55191', reservation_version: '1' }] },
        answer: { status: 404, body: { code: '404', message: 'Reservation not found' } },
      },
    ],
  }),
}
