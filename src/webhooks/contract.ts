import Type from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import { commonLimits } from '../keys/contract.ts'
import { code, oneOf, route, success, text, type ConstraintError } from '../platform/route.ts'

const urlCharactersMax = commonLimits.webhookUrlLength
const httpsHint = 'For example https://pms.example.com/ari/price-check'

/** What may be wrong with the URL, beyond being text. */
export const webhookFaults = {
  tooLong: {
    type: 'WEBHOOK_TOO_LONG',
    message: `Webhook must have at most ${urlCharactersMax} characters`,
    hint: 'Shorten the path or the query',
  },
  notAscii: {
    type: 'WEBHOOK_INVALID_CHARACTERS',
    message: 'Webhook must have only ASCII characters without blanks',
    hint: 'Write an international name in its xn-- form and escape other characters with %',
  },
  malformed: { type: 'WEBHOOK_MALFORMED', message: 'Webhook must be a valid URL', hint: httpsHint },
  notHttps: { type: 'WEBHOOK_NOT_HTTPS', message: 'Webhook must be an HTTPS URL', hint: httpsHint },
  credentials: {
    type: 'WEBHOOK_HAS_CREDENTIALS',
    message: 'Webhook must not contain a user name or password',
    hint: 'Verify our signature (header webhook-signature) instead',
  },
  fragment: {
    type: 'WEBHOOK_HAS_FRAGMENT',
    message: 'Webhook must not contain a fragment',
    hint: 'Remove # and what follows it',
  },
  hostForm: {
    type: 'WEBHOOK_HOST_INVALID',
    message: 'Webhook host must be written in its plain form',
    hint: 'Write the host as a name or an address, without escapes or other number forms',
  },
  trailingDot: {
    type: 'WEBHOOK_HOST_INVALID',
    message: 'Webhook host must not end with a dot',
    hint: 'Remove the dot',
  },
  port: {
    type: 'WEBHOOK_PORT_NOT_ALLOWED',
    message: 'Webhook port must be 443 or from 1024 to 65535',
    hint: 'Leave the port away to use 443',
  },
  privateName: {
    type: 'WEBHOOK_HOST_NOT_PUBLIC',
    message: 'Webhook host must be a public name',
    hint: 'Use a host that is reachable from the internet',
  },
  privateAddress: {
    type: 'WEBHOOK_HOST_NOT_PUBLIC',
    message: 'Webhook host must not be or resolve to a private or otherwise special address',
    hint: 'Use a host that is reachable from the internet',
  },
  unresolved: {
    type: 'WEBHOOK_HOST_NOT_RESOLVED',
    message: 'Webhook host could not be resolved',
    hint: 'Check the name and its DNS records, then register again',
  },
} as const satisfies Record<string, ConstraintError>

const registration = Type.Object({
  webhook: Type.String({
    description: 'HTTPS URL that the platform will call',
    examples: [httpsHint.slice(12)],
  }),
})

const registered = Type.Object({
  ...success,
  signingSecret: Type.Optional(
    Type.String({
      description:
        'Verifies our calls (Standard Webhooks). Sent once, when it was made: at the first registration of either URL on this API key',
      examples: ['whsec_…'],
    }),
  ),
})

const registrationDescription = (callback: string) =>
  [
    `Stores the URL of the ${callback} on the API key; registering again replaces it. Only the URL is stored: implement the endpoint yourself.`,
    'The URL must be HTTPS, without credentials and fragment, and its host must have public addresses only. They are checked again at every call.',
    'The first registration on a key, of either URL, answers with `signingSecret`. Keep it: it is not shown again, not in the push log either.',
  ].join('\n\n')

const registrationErrors = { 400: 'The URL is not acceptable; nothing was stored' }

const notHttpsExample = {
  summary: 'A URL that is not HTTPS',
  request: { webhook: 'http://pms.example.com/ari' },
  answer: { status: 400, body: { code: '400', message: 'Webhook must be an HTTPS URL' } },
}

const reservationId = code({ description: 'reservation_id of the reservation' })

/** A query is text throughout; what a number, a time or a cursor is, retrieve-reservations.ts reads. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))

export const reservationStatuses = ['Confirm', 'Cancel'] as const

export const webhookRoutes = {
  registerAvailabilityWebhook: route({
    method: 'POST',
    path: '/push/webhook/availability',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Register the URL for price checks',
    description: registrationDescription('price check'),
    body: registration,
    answer: registered,
    errors: registrationErrors,
    pushKind: 'availabilityWebhook',
    examples: [
      {
        summary: 'Register or replace the URL',
        request: { webhook: 'https://pms.example.com/ari/price-check' },
        answer: { status: 200, body: { code: '200', message: 'Webhook request saved successfully' } },
      },
      notHttpsExample,
    ],
  }),
  registerPushbookWebhook: route({
    method: 'POST',
    path: '/push/webhook/pushbook',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Register the URL for reservations',
    description: registrationDescription('push booking'),
    body: registration,
    answer: registered,
    errors: registrationErrors,
    pushKind: 'pushbookWebhook',
    examples: [
      {
        summary: 'Register or replace the URL',
        request: { webhook: 'https://pms.example.com/ari/reservations' },
        answer: { status: 200, body: { code: '200', message: 'Webhook request saved successfully' } },
      },
      notHttpsExample,
    ],
  }),
  pushBooking: route({
    method: 'POST',
    path: '/push/webhook/booking',
    access: 'supplier',
    tag: 'Reservations',
    summary: 'Deliver one reservation now',
    description: 'Sends the reservation to the registered push booking URL at once.',
    body: Type.Object({ hotelId, reservation_id: reservationId }),
    answer: Type.Object({ ...success }),
    errors: { 404: 'Unknown hotel or reservation (`Reservation not found`)' },
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
    description: 'Reservations in the shape in which they are delivered, without card data.',
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only of this hotel' })),
      reservation_id: Type.Optional(reservationId),
      since: queried('Modified at or after this: a date (UTC) or an ISO 8601 instant'),
      until: queried('Modified before this instant, or on this date (UTC) or before'),
      status: Type.Optional(oneOf(reservationStatuses)),
      delivered: Type.Optional(oneOf(['true', 'false'], { description: 'false: only what is undelivered' })),
      cursor: queried('nextCursor of the answer before'),
      limit: queried('How many reservations at most: 1 to 500, 100 unless told'),
    }),
    answer: Type.Object({
      ...success,
      data: Type.Array(Type.Object({ hotelId: Type.String(), status: oneOf(reservationStatuses) })),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null at the end' }),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel (`Hotel not found`)' },
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
}
