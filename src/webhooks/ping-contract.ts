import Type, { type Static } from 'typebox'
import { integer, oneOf, route, success, type ConstraintError } from '../http/route.ts'

/** The purpose of a URL: price checks, or the delivery of reservations. */
export const webhookKinds = ['availability', 'pushbook'] as const

export const pingStatuses = ['answered', 'failed', 'skipped'] as const

export const ping = Type.Object(
  {
    status: oneOf(pingStatuses, {
      description:
        'answered: whatever the HTTP status; failed: no whole answer within 2 s; skipped: not called, see reason',
    }),
    httpStatus: Type.Optional(integer({ minimum: 200, maximum: 999, description: 'Of the answer' })),
    reason: Type.Optional(
      Type.String({
        description:
          'Why it was skipped: secret_new (you cannot verify a call before you have the signing secret of this answer), busy (other pings of this key are under way). Why it failed: refused_address (no public address), dns, connect, tls, timeout, reset, too_large, malformed',
        examples: ['tls'],
      }),
    ),
    message: Type.Optional(
      Type.String({ description: 'The same for people', examples: ['certificate has expired'] }),
    ),
    durationMs: Type.Optional(integer({ minimum: 0, description: 'With the connection' })),
  },
  { description: 'What became of a signed call of the URL with the body {"type":"ping"}' },
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

export const pingRoutes = {
  testWebhook: route({
    method: 'POST',
    path: '/push/webhook/test',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Have a registered URL called',
    description: [
      'Sends a signed ping to the URL of this API key, as its registration did, and tells what came back. Nothing is stored.',
      'Use it after changes of your endpoint, its certificate or the signing secret.',
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
