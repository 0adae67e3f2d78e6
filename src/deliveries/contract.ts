import Type from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import { queryText, code, oneOf, queriedLimit, route, success, type ConstraintError } from '../http/route.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { delivery } from '../bookings/callback-contract.ts'
import { attempt, httpStatus, instant, nullableText } from './attempt-contract.ts'

/** Suppliers' requests about their reservations and the deliveries of them. */

const reservationId = code({ description: 'reservation_id of the reservation' })

export const reservationsPerPage = { max: 500, usual: 100 }
export const acknowledgedAtOnceMax = 500

export const deliveryErrors = {
  notFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check hotelId and reservation_id',
  },
  versionNotFound: {
    type: 'RESERVATION_VERSION_NOT_FOUND',
    message: 'Reservation version not found',
    hint: 'Send reservation_version as retrieved',
  },
  notRegistered: {
    type: 'WEBHOOK_NOT_REGISTERED',
    message: 'Push booking webhook is not registered',
    hint: 'Register it with POST /push/webhook/pushbook first',
  },
  deliveryNotFound: {
    type: 'DELIVERY_NOT_FOUND',
    message: 'Delivery not found',
    hint: 'Send a deliveryId from GET /push/deliveries',
  },
  vaultClosed: {
    type: 'BOOKING_HELD_BACK',
    message: 'The reservation has a card that cannot be decrypted at present',
    hint: 'It is delivered as soon as the operators have fixed that; nothing is lost',
  },
} as const satisfies Record<string, ConstraintError>

/** `failing`: an attempt failed, and another will follow. `no_url`: there is no URL to send to. */
export const deliveryStates = [
  'queued',
  'sending',
  'failing',
  'no_url',
  'dead',
  'delivered',
  'superseded',
] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const deliveriesPerPage = { max: 100, usual: 25 }
export const sentAgainMax = { named: 500, failed: 1_000 }

const listedDelivery = Type.Object({
  deliveryId: Type.String({ description: 'The `webhook-id` of its calls' }),
  hotelId: Type.String(),
  reservation_id: Type.String(),
  reservation_version: Type.String(),
  reservation_status: oneOf(reservationStatuses),
  status: oneOf(deliveryStates, {
    description:
      'queued: waits for its first attempt; sending: a call is in progress; failing: an attempt failed, another one follows; no_url: no URL is registered; dead: given up; superseded: replaced by a newer version',
  }),
  createdAt: instant('When it was queued'),
  deliveredAt: nullableText('Time of your 2xx answer or acknowledgement'),
  nextAttemptAt: nullableText('Earliest time; null: none is planned'),
  giveUpAt: instant('No attempt is made after this'),
  attempts: Type.Array(attempt, { description: 'Oldest first; stored for 90 days' }),
})

const notEnabled = 'Not enabled on this account'

export const deliveryRoutes = {
  pushBooking: route({
    method: 'POST',
    path: '/push/webhook/booking',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Deliver one reservation now',
    description: [
      'Sends the present state of the reservation to the registered push booking URL at once, and answers when that URL has answered, or after 10 seconds with `status` `failed`.',
      'A reservation that is already delivered is sent once more as a separate delivery, without card data. An undelivered one keeps its retry schedule if this attempt fails too.',
    ].join('\n\n'),
    body: Type.Object({ hotelId, reservation_id: reservationId }),
    answer: Type.Object({
      ...success,
      delivery: Type.Object({
        deliveryId: Type.String({ description: 'The `webhook-id` of the call' }),
        status: oneOf(['delivered', 'failed']),
        httpStatus,
        durationMs: Type.Integer(),
        attempt: Type.Integer({ description: 'Number among all attempts of this delivery, from 1' }),
      }),
    }),
    errors: {
      404: 'Unknown hotel or reservation (`Reservation not found`)',
      409: `No URL is registered (\`Push booking webhook is not registered\`), or: ${notEnabled.toLowerCase()}`,
    },
    examples: [
      {
        summary: 'An unknown reservation',
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
    summary: 'Retrieve reservations instead of having them delivered',
    description:
      'The present state of reservations, in the shape of deliveries, without card data, ordered by their last change. Each element of `data` is a body for one hotel and one status. Acknowledge the reservations you have processed with POST /push/webhook/pushbook/ack.',
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only this hotel' })),
      reservation_id: Type.Optional(reservationId),
      since: queryText('Modified at or after this: a date (UTC) or an ISO 8601 instant'),
      until: queryText('Modified before this instant, or on this date (UTC) or before'),
      status: Type.Optional(oneOf(reservationStatuses)),
      delivered: Type.Optional(
        oneOf(['true', 'false'], { description: 'Whether the present version is delivered or acknowledged' }),
      ),
      cursor: queryText('nextCursor of the previous answer'),
      limit: queriedLimit('reservations', reservationsPerPage),
    }),
    answer: Type.Object({
      ...success,
      data: Type.Array(delivery),
      nextCursor: nullableText('null at the end'),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel (`Hotel not found`)', 409: notEnabled },
    examples: [
      {
        summary: 'Undelivered reservations',
        request: { hotelId: 'H1', delivered: 'false' },
        answer: {
          status: 200,
          body: { code: '200', message: 'Reservations retrieved successfully', data: [], nextCursor: null },
        },
      },
    ],
  }),
  acknowledgeReservations: route({
    method: 'POST',
    path: '/push/webhook/pushbook/ack',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Acknowledge retrieved reservations',
    description:
      'Marks versions of reservations as delivered: they are no longer sent. All of them, or none if one is unknown. Acknowledging again changes nothing but a `confirmation_number`. If a reservation has a newer version by then, that version is still delivered.',
    body: Type.Object({
      reservations: Type.Array(
        Type.Object({
          reservation_id: reservationId,
          reservation_version: code({ description: 'reservation_version as retrieved' }),
          confirmation_number: Type.Optional(
            code({
              description: 'Your own number of the reservation, for the platform; without card numbers',
            }),
          ),
        }),
        { minItems: 1, maxItems: acknowledgedAtOnceMax },
      ),
    }),
    answer: Type.Object({
      ...success,
      acknowledged: Type.Integer({ description: 'Number of versions that were undelivered until now' }),
    }),
    errors: {
      400: 'A member is missing or invalid',
      404: 'Unknown reservation or version; nothing was acknowledged',
      409: notEnabled,
    },
    examples: [
      {
        summary: 'An unknown reservation',
        request: { reservations: [{ reservation_id: '55191', reservation_version: '1' }] },
        answer: { status: 404, body: { code: '404', message: 'Reservation not found' } },
      },
    ],
  }),
  listDeliveries: route({
    method: 'GET',
    path: '/push/deliveries',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'List the deliveries to your URL',
    description:
      'Deliveries of your reservations, newest first, each with all its attempts: time, your endpoint’s answer, duration, and the time of the next attempt. A page with long answers ends early: follow `nextCursor`.',
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only this hotel' })),
      reservation_id: Type.Optional(code({ description: 'Only this reservation' })),
      status: Type.Optional(oneOf(deliveryStates)),
      since: queryText('Queued at or after this: a date (UTC) or an ISO 8601 instant'),
      until: queryText('Queued before this instant, or on this date (UTC) or before'),
      cursor: queryText('nextCursor of the previous answer'),
      limit: queriedLimit('deliveries', deliveriesPerPage),
    }),
    answer: Type.Object({
      ...success,
      deliveries: Type.Array(listedDelivery),
      nextCursor: nullableText('null at the end'),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel (`Hotel not found`)' },
    examples: [
      {
        summary: 'Failed deliveries that are retried',
        request: { hotelId: 'H1', status: 'failing' },
        answer: { status: 200, body: { code: '200', message: 'Deliveries retrieved successfully' } },
      },
    ],
  }),
  sendDeliveriesAgain: route({
    method: 'POST',
    path: '/push/deliveries/sendAgain',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Resend failed deliveries',
    description: [
      'Resends failed deliveries at once, including those that were given up, and restarts their retry schedule. Without `deliveryIds`: all failed deliveries, oldest first.',
      'All others are left unchanged; `left` gives the reason. Calling again changes nothing: a delivery that is already queued is not sent twice.',
    ].join('\n\n'),
    body: Type.Object({
      deliveryIds: Type.Optional(
        Type.Array(code({ description: 'deliveryId as listed' }), {
          minItems: 1,
          maxItems: sentAgainMax.named,
        }),
      ),
      hotelId: Type.Optional(hotelId),
    }),
    answer: Type.Object({
      ...success,
      sentAgain: Type.Integer({ description: 'Number of resent deliveries' }),
      deliveryIds: Type.Array(Type.String(), { description: 'Resent deliveries' }),
      left: Type.Array(
        Type.Object({
          deliveryId: Type.String(),
          status: oneOf(deliveryStates, {
            description: 'Reason: delivered, superseded, in progress, or already queued',
          }),
        }),
        { description: 'Requested deliveries that were left unchanged' },
      ),
      isMore: Type.Boolean({
        description: `Whether more than ${sentAgainMax.failed} failed: call once more for the rest`,
      }),
    }),
    errors: {
      404: 'Unknown hotel, or a delivery that is not yours; nothing is sent',
      409: 'No URL is registered (`Push booking webhook is not registered`)',
    },
    examples: [
      {
        summary: 'An unknown delivery',
        request: { deliveryIds: ['dlv_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'] },
        answer: { status: 404, body: { code: '404', message: 'Delivery not found' } },
      },
    ],
  }),
}
