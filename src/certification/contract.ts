import Type, { type Static } from 'typebox'
import { code, integer, oneOf, route, success, type ConstraintError } from '../http/route.ts'
import { unknownHotelError } from '../push-log/contract.ts'
import { onlyInSandbox } from '../sandbox/contract.ts'
import { ping, webhookKinds, webhookNotRegistered } from '../webhooks/contract.ts'

/** Whether an integration does what it should, judged by its own traffic. */

export const checkIds = [
  'order-of-static-data',
  'days-covered',
  'deltas',
  'batch-sizes',
  'retry-after',
  'no-retry-storm',
  'idempotency-keys',
  'sequences',
  'restrictions-set',
  'restrictions-cleared',
  'closed',
  'reopened',
  'guest-buckets',
  'errors-mended',
  'deliveries-acknowledged',
  'duplicate-accepted',
  'modification-handled',
  'cancellation-handled',
  'forgery-refused',
  'price-check-time',
  'price-check-price',
  'availability-after-booking',
] as const
export type CheckId = (typeof checkIds)[number]

export const checkLevels = ['required', 'recommended'] as const
export type CheckLevel = (typeof checkLevels)[number]

/**
 * `missing`: the traffic shows neither that it works nor that it fails. `notApplicable`: nothing in the traffic needs it.
 */
export const checkStates = ['proven', 'failing', 'missing', 'notApplicable'] as const
export type CheckState = (typeof checkStates)[number]

/** What is read of the newest traffic, at most. */
export const evidenceLimits = {
  days: 7,
  pushes: 500,
  bodies: 200,
  bodyBytes: 8 * 1024 * 1024,
  attempts: 200,
  priceChecks: 100,
  bookings: 20,
  hotels: 5,
} as const

const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const evidence = Type.Object({
  requestId: nullableText('x-request-id of the push or of the call; null if it is not about one request'),
  at: Type.String({ examples: ['2027-03-01T12:00:00.000Z'] }),
  hotelId: nullableText('null: not about one hotel'),
})
export type CheckEvidence = Static<typeof evidence>

const check = Type.Object({
  id: oneOf(checkIds),
  title: Type.String(),
  level: oneOf(checkLevels, {
    description: 'A certified account has no `required` check that is failing or missing',
  }),
  state: oneOf(checkStates, {
    description:
      'missing: your traffic shows neither that it works nor that it fails; notApplicable: nothing in your traffic needs it',
  }),
  evidence: Type.Union([evidence, Type.Null()], {
    description: 'The newest push or call that shows the state',
  }),
  why: Type.String({ description: 'What was found' }),
  howTo: Type.String({ description: 'How to prove it' }),
})
export type CheckResult = Static<typeof check>

export const certificationErrors = {
  hotelNotFound: unknownHotelError,
  ...webhookNotRegistered,
} as const satisfies Record<string, ConstraintError>

export const certificationRoutes = {
  getCertification: route({
    method: 'GET',
    path: '/push/certification',
    access: 'supplier',
    tag: 'Certification',
    summary: 'What your traffic proves about your integration',
    description: [
      `Judges ${checkIds.length} checks by your own pushes, deliveries, price checks and bookings. Each states the request that proves it or shows what fails, and how to prove it.`,
      `It reads the newest ${evidenceLimits.pushes} pushes of the last ${evidenceLimits.days} days, ${evidenceLimits.attempts} delivery attempts and ${evidenceLimits.priceChecks} price checks. What was proven earlier stays proven until newer traffic shows that it fails. With \`hotelId\` only the newest traffic of that hotel counts.`,
    ].join('\n\n'),
    query: Type.Object({ hotelId: Type.Optional(code({ description: 'Only the traffic of this hotel' })) }),
    answer: Type.Object({
      ...success,
      score: integer({
        minimum: 0,
        maximum: 100,
        description: 'Share of the applicable checks that are proven, per cent',
      }),
      isCertified: Type.Boolean({
        description:
          'Whether every applicable required check is proven, or the platform certified the account',
      }),
      checks: Type.Array(check, { description: 'Always all of them, in the same order' }),
    }),
    errors: { 404: 'Unknown hotel (`Hotel not found`)' },
    examples: [
      {
        summary: 'All checks of the account',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Certification retrieved successfully' } },
      },
    ],
  }),
  sendForgery: route({
    method: 'POST',
    path: '/push/sandbox/forgery',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Get a call with a wrong signature',
    description: `Calls the URL of this API key with a ping that is signed with a secret that isn't yours, and records the answer for the certification. Answer with 401: your endpoint must refuse every call whose signature is wrong. ${onlyInSandbox}`,
    body: Type.Object({ kind: oneOf(webhookKinds, { description: 'Which of the two URLs' }) }),
    answer: Type.Object({
      ...success,
      kind: oneOf(webhookKinds),
      webhook: Type.String({ description: 'The URL that was called' }),
      ping,
      refused: Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'],
        description:
          'Whether the answer was a status of 400 to 499; null if there was none, or another failure',
      }),
    }),
    errors: { 404: 'Not a sandbox', 409: 'No such URL is registered on this API key' },
    examples: [
      {
        summary: 'Call the URL for reservations',
        request: { kind: 'pushbook' },
        answer: { status: 200, body: { code: '200', message: 'Forgery sent' } },
      },
    ],
  }),
}
