import Type from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import {
  code,
  integer,
  oneOf,
  queriedLimit,
  route,
  success,
  text,
  type ConstraintError,
} from '../http/route.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { deliveryFaults } from './contract.ts'
import { triggers } from '../bookings/delivery-schedule.ts'

/**
 * Lets suppliers list the deliveries to them, with every attempt and their own answer, and send deliveries
 * again.
 */

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

export const deliveryUnknown = {
  type: 'DELIVERY_NOT_FOUND',
  message: 'Delivery not found',
  hint: 'Send a deliveryId of GET /push/deliveries',
} as const satisfies ConstraintError

/** Every query parameter is text; list-deliveries.ts parses numbers, times and cursors. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))
const instant = (description: string) => Type.String({ description, examples: ['2027-02-18T16:14:54.000Z'] })
const optionalInstant = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const attempt = Type.Object({
  attempt: integer({ minimum: 1, description: 'Counted from 1' }),
  at: instant('When it ended'),
  trigger: oneOf(triggers, {
    description:
      'realtime: the reservation was made; retry: by the schedule; hourly: with the hourly run; manual: POST /push/webhook/booking; again: somebody sent it again',
  }),
  webhookId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: '`webhook-id` of the call; null: no call was made, or it is not known',
  }),
  outcome: Type.String({
    description:
      'accepted: 2xx; unavailable: 408, 425, 429 or 5xx; refused: any other answer; else why there was none, as timeout, connect, tls, dns, reset, refused_address; lost: whether it arrived is not known',
  }),
  httpStatus: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'What your endpoint answered; null: nothing',
  }),
  durationMs: Type.Integer(),
  answer: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'The first 2 KB of what your endpoint answered, or why there was no answer. Numbers that may be a card’s are masked',
  }),
})

const listedDelivery = Type.Object({
  deliveryId: Type.String({ description: 'The `webhook-id` of its calls' }),
  hotelId: Type.String(),
  reservation_id: Type.String(),
  reservation_version: Type.String(),
  reservation_status: oneOf(reservationStatuses),
  status: oneOf(deliveryStates, {
    description:
      'queued: waits for its first attempt; sending: a call is under way; failing: an attempt failed, another one follows; no_url: no URL is registered; dead: given up; superseded: a newer version took its place',
  }),
  createdAt: instant('When it was queued'),
  deliveredAt: optionalInstant('When you answered with 2xx, or acknowledged it'),
  nextAttemptAt: optionalInstant('Not before this; null: none is planned'),
  giveUpAt: instant('After this no attempt is made'),
  attempts: Type.Array(attempt, { description: 'Oldest first; they are kept for 90 days' }),
})

export const deliveryListRoutes = {
  listDeliveries: route({
    method: 'GET',
    path: '/push/deliveries',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'See the deliveries to your URL',
    description:
      'Deliveries of your reservations, newest first, each with every attempt: when, what your endpoint answered, how long it took, and when the next one comes. A page ends early when its answers are long: follow `nextCursor`.',
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only of this hotel' })),
      reservation_id: Type.Optional(code({ description: 'Only of this reservation' })),
      status: Type.Optional(oneOf(deliveryStates)),
      since: queried('Queued at or after this: a date (UTC) or an ISO 8601 instant'),
      until: queried('Queued before this instant, or on this date (UTC) or before'),
      cursor: queried('nextCursor of the answer before'),
      limit: queriedLimit('deliveries', deliveriesPerPage),
    }),
    answer: Type.Object({
      ...success,
      deliveries: Type.Array(listedDelivery),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null at the end' }),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel (`Hotel not found`)' },
    examples: [
      {
        summary: 'What failed and is tried again',
        request: { hotelId: 'H1', status: 'failing' },
        answer: {
          status: 200,
          body: {
            code: '200',
            message: 'Deliveries retrieved successfully',
            deliveries: [],
            nextCursor: null,
          },
        },
      },
    ],
  }),
  sendDeliveriesAgain: route({
    method: 'POST',
    path: '/push/deliveries/sendAgain',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Have failed deliveries sent again',
    description: [
      'Deliveries that failed, those that were given up included, are sent at once and begin their schedule anew. Without `deliveryIds`: all that failed, oldest first.',
      'Others are left as they are, and `left` says why. Calling again changes nothing: what waits already is not sent twice.',
    ].join('\n\n'),
    body: Type.Object({
      deliveryIds: Type.Optional(
        Type.Array(code({ description: 'deliveryId as it was listed' }), {
          minItems: 1,
          maxItems: sentAgainMax.named,
        }),
      ),
      hotelId: Type.Optional(hotelId),
    }),
    answer: Type.Object({
      ...success,
      sentAgain: Type.Integer({ description: 'How many' }),
      deliveryIds: Type.Array(Type.String(), { description: 'Which' }),
      left: Type.Array(
        Type.Object({
          deliveryId: Type.String(),
          status: oneOf(deliveryStates, {
            description: 'Why: it is delivered, superseded, under way, or waits to be sent already',
          }),
        }),
        { description: 'Of those in the request' },
      ),
      isMore: Type.Boolean({
        description: `Whether more than ${sentAgainMax.failed} failed: call once more for the rest`,
      }),
    }),
    errors: {
      404: 'Unknown hotel, or a delivery that is none of yours; nothing is sent',
      409: 'No URL is registered (`Push booking webhook is not registered`)',
    },
    examples: [
      {
        summary: 'A delivery that is not there',
        request: { deliveryIds: ['dlv_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'] },
        answer: { status: 404, body: { code: '404', message: 'Delivery not found' } },
      },
    ],
  }),
}

export const deliveryListFaults = { deliveryUnknown, notRegistered: deliveryFaults.notRegistered }
