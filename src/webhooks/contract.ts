import Type, { type Static } from 'typebox'
import { oneOf, route, success, integer, type ConstraintError } from '../http/route.ts'
import { exampleUrl } from './url-errors.ts'

export const noSigningSecret = {
  type: 'NO_SIGNING_SECRET',
  message: 'This API key has no signing secret',
  hint: 'It gets one when its first URL is registered: POST /push/webhook/availability or /push/webhook/pushbook',
} as const satisfies ConstraintError

/** Besides the present secret, calls are signed with two earlier ones at most: a third rotation would end one too early. */
export const secretsOverlap = {
  type: 'SECRETS_OVERLAP',
  message: 'Two earlier signing secrets still sign calls',
  hint: 'Wait for the seconds in Retry-After, or let nothing overlap (overlapHours 0), which ends all earlier ones at once',
} as const satisfies ConstraintError

/** How long calls are signed with the old secret as well. */
export const overlapHoursOfSecret = { max: 168, usual: 24 }

/** What a rotation takes and answers. */
export const secretRotation = {
  body: Type.Object({
    overlapHours: Type.Optional(
      integer({
        minimum: 0,
        maximum: overlapHoursOfSecret.max,
        description: `How many hours the old secret goes on signing beside the new one; ${overlapHoursOfSecret.usual} by default`,
      }),
    ),
  }),
  answer: Type.Object({
    ...success,
    signingSecret: Type.String({
      description: 'Verifies our calls (Standard Webhooks). Sent only once',
      examples: ['whsec_…'],
    }),
    oldSecretValidUntil: Type.String({ description: 'Until when the old secret signs as well (UTC)' }),
  }),
}

/** The purpose of a URL: price checks, or the delivery of reservations. */
export const webhookKinds = ['availability', 'pushbook'] as const

export const pingStatuses = ['answered', 'failed', 'skipped'] as const

export const ping = Type.Object(
  {
    status: oneOf(pingStatuses, {
      description:
        'answered: with any HTTP status; failed: no complete answer within 2 s; skipped: not called, see reason',
    }),
    httpStatus: Type.Optional(integer({ minimum: 200, maximum: 999, description: 'Status of the answer' })),
    reason: Type.Optional(
      Type.String({
        description:
          'Why it was skipped: secret_new (you cannot verify a call before you have the signing secret of this answer), busy (other pings of this key are in progress). Why it failed: refused_address (no public address), dns, connect, tls, timeout, reset, too_large, malformed',
        examples: ['tls'],
      }),
    ),
    message: Type.Optional(
      Type.String({ description: 'The reason in words', examples: ['certificate has expired'] }),
    ),
    durationMs: Type.Optional(integer({ minimum: 0, description: 'Including the connection' })),
  },
  { description: 'Result of a signed call of the URL with the body {"type":"ping"}' },
)
export type Ping = Static<typeof ping>

export const webhookNotRegistered = {
  availability: {
    type: 'WEBHOOK_NOT_REGISTERED',
    message: 'Price check webhook is not registered',
    hint: 'Register it with POST /push/webhook/availability',
  },
  pushbook: {
    type: 'WEBHOOK_NOT_REGISTERED',
    message: 'Push booking webhook is not registered',
    hint: 'Register it with POST /push/webhook/pushbook',
  },
} as const satisfies Record<string, ConstraintError>

const registration = Type.Object({
  webhook: Type.String({
    description: 'HTTPS URL that the platform will call',
    examples: [exampleUrl],
  }),
})

const registered = Type.Object({
  ...success,
  signingSecret: Type.Optional(
    Type.String({
      description:
        'Verifies our calls (Standard Webhooks). Sent only once, when it is created: at the first registration of either URL on this API key',
      examples: ['whsec_…'],
    }),
  ),
  ping: Type.Optional(ping),
})

const registrationDescription = (callback: string) =>
  [
    `Stores the URL of the ${callback} on the API key; registering again replaces it. Only the URL is stored: implement the endpoint yourself.`,
    'The URL must be HTTPS, without credentials or a fragment, and its host must have public addresses only. They are checked again for every call.',
    'The first registration of either URL on a key is answered with `signingSecret`. Store it: it is never displayed again, not even in the push log. If the answer is lost, POST /push/webhook/rotate makes another.',
    'Later registrations call the URL once, with the body `{"type":"ping"}`, and `ping` reports the result within 2 seconds. Your endpoint may answer with anything or not at all: the URL is registered anyway. The first registration makes no call, because you couldn’t verify it yet: store `signingSecret`, then use POST /push/webhook/test. A repeat with the same `Idempotency-Key` makes no call either.',
  ].join('\n\n')

const removalDescription = (callback: string, consequence: string) =>
  [
    `Takes the URL of the ${callback} off the API key: ${consequence}. Where none is registered, this changes nothing and is answered in the same way.`,
    'The key keeps its signing secret: a URL that is registered later uses the same secret, and its registration does not display it again.',
  ].join('\n\n')

const removalExample = {
  summary: 'Remove the URL',
  request: {},
  answer: { status: 200, body: { code: '200', message: 'Webhook removed successfully' } },
} as const

const registeredUrl = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const registrationErrors = { 400: 'The URL is not acceptable; nothing was stored' }

const notHttpsExample = {
  summary: 'A URL that is not HTTPS',
  request: { webhook: 'http://pms.example.com/ari' },
  answer: { status: 400, body: { code: '400', message: 'Webhook must be an HTTPS URL' } },
}

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
  removeAvailabilityWebhook: route({
    method: 'DELETE',
    path: '/push/webhook/availability',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Remove the URL for price checks',
    description: removalDescription('price check', 'no price check is made from now on'),
    answer: Type.Object(success),
    pushKind: 'availabilityWebhook',
    examples: [removalExample],
  }),
  removePushbookWebhook: route({
    method: 'DELETE',
    path: '/push/webhook/pushbook',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Remove the URL for reservations',
    description: removalDescription('push booking', 'no reservation is delivered from now on'),
    answer: Type.Object(success),
    pushKind: 'pushbookWebhook',
    examples: [removalExample],
  }),
  getWebhooks: route({
    method: 'GET',
    path: '/push/webhook',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Read the registered URLs back',
    description:
      'The URLs of the calling API key: each key has its own. The answer states whether there is a signing secret, but never the secret itself.',
    answer: Type.Object({
      ...success,
      availability: registeredUrl('URL for price checks; null: none is registered'),
      pushbook: registeredUrl('URL for reservations; null: none is registered'),
      hasSigningSecret: Type.Boolean({
        description: 'true since the first registration of either URL; removing the URLs keeps the secret',
      }),
      notCallable: Type.Array(
        Type.Object({
          kind: oneOf(webhookKinds),
          type: Type.String(),
          message: Type.String(),
          hint: Type.String(),
        }),
        {
          description:
            'Registered URLs that are not called, because they would be refused today: the address of their host or the rules of this service have changed',
        },
      ),
    }),
    examples: [
      {
        summary: 'The URLs of this key',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Webhooks retrieved successfully' } },
      },
    ],
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: '/push/webhook/rotate',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Get a new signing secret',
    description: [
      'Makes another secret for the calls to the URLs of this API key. Until the end of the overlap every call carries a signature with each, so that you can change yours at any time in between; a rotation before the end of another keeps the secrets of both. With `overlapHours` 0 only the new one signs from now on.',
      'Use it when a secret was lost or may have leaked. It is displayed in this answer only: when the answer is lost, call again. An `Idempotency-Key` makes no difference: each call makes a new secret.',
    ].join('\n\n'),
    ...secretRotation,
    errors: { 409: 'This API key has no signing secret, or two earlier ones still sign' },
    examples: [
      {
        summary: 'A new secret; both sign for two days',
        request: { overlapHours: 48 },
        answer: { status: 200, body: { code: '200', message: 'Signing secret rotated successfully' } },
      },
    ],
  }),
  testWebhook: route({
    method: 'POST',
    path: '/push/webhook/test',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Test a registered URL',
    description: [
      'Sends a signed ping to the URL of this API key, like its registration did, and reports the result. Nothing is stored.',
      'Use it after changing your endpoint, its certificate or the signing secret.',
    ].join('\n\n'),
    body: Type.Object({ kind: oneOf(webhookKinds, { description: 'Which of the two URLs' }) }),
    answer: Type.Object({
      ...success,
      kind: oneOf(webhookKinds),
      webhook: Type.String({ description: 'The URL that was called' }),
      ping,
    }),
    errors: { 409: 'No such URL is registered on this API key' },
    examples: [
      {
        summary: 'Call the URL for price checks',
        request: { kind: 'availability' },
        answer: { status: 200, body: { code: '200', message: 'Webhook tested' } },
      },
    ],
  }),
}
