import { priceCheckCallback } from '../price-check/callback-contract.ts'
import { pushBookingCallback } from '../bookings/callback-contract.ts'
import { pingCallback, type CallbackDescription } from '../webhooks/callback-contract.ts'
import type { Shapes } from './shapes.ts'

/** The calls that the platform makes to suppliers, as the `webhooks` of the OpenAPI document. */

type Json = Record<string, unknown>

export const callbacks = {
  priceCheck: priceCheckCallback,
  pushBooking: pushBookingCallback,
  ping: pingCallback,
} as const satisfies Readonly<Record<string, CallbackDescription>>

export function callbackItems(shapes: Shapes): Json {
  const described: Readonly<Record<string, CallbackDescription>> = callbacks
  return Object.fromEntries(
    Object.entries(described).map(([name, callback]) => [name, { post: operation(name, callback, shapes) }]),
  )
}

const verification =
  'Every call is signed as [Standard Webhooks](https://www.standardwebhooks.com) says: verify it with the `signingSecret` of your registration. While the secret is being changed there is a signature for each secret, separated by blanks, of which one must match. Redirects are not followed, and at most 256 KB of your answer are read.'

function operation(name: string, callback: CallbackDescription, shapes: Shapes): Json {
  const { summary, description, body, answer, answers, example } = callback
  const answered = Object.entries(answers).map(([status, meaning]) => {
    if (answer === undefined || !status.startsWith('2')) return [status, { description: meaning }]
    const content = { 'application/json': { schema: shapes.convert(answer), example: example.answer } }
    return [status, { description: meaning, content }]
  })
  return {
    // Distinct from the ids of the operations, one of which has the same name.
    operationId: `${name}Callback`,
    tags: ['Webhooks'],
    summary,
    description: `${description}\n\n${verification}`,
    // None of our schemes: the signature identifies the caller.
    security: [],
    parameters: callbackHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: shapes.convert(body), example: example.request } },
    },
    responses: Object.fromEntries(answered),
  }
}

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const callbackHeaders: readonly Json[] = [
  header('webhook-id', 'Names the call; the same when it is sent again', 'msg_2Zm9s1'),
  header(
    'webhook-timestamp',
    'Seconds since 1970: refuse calls that are more than 5 minutes off',
    '1803902400',
  ),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header('user-agent', 'Who calls', 'ari-gateway'),
  header('x-request-id', 'Quote it if you contact us about the call', '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11'),
]
