import Type, { type Static } from 'typebox'
import { triggers } from '../bookings/outbox/delivery-schedule.ts'
import { integer, oneOf } from '../http/route.ts'

/** An attempt to deliver, as its supplier reads it. */

export const instant = (description: string) =>
  Type.String({ description, examples: ['2027-02-18T16:14:54.000Z'] })
export const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })
export const httpStatus = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  description: 'Status that your endpoint answered with; null: no answer',
})

const ignoredPart = Type.Object({
  path: Type.String({
    description: 'JSON Pointer into your answer',
    examples: ['/confirmations/0/reservation_id'],
  }),
  message: Type.String(),
})
/** A part of the answer to a delivery that was not taken, and why. */
export type IgnoredPart = Static<typeof ignoredPart>

export const attempt = Type.Object({
  attempt: integer({ minimum: 1, description: 'Counted from 1' }),
  at: instant('When it ended'),
  trigger: oneOf(triggers, {
    description:
      'realtime: the reservation was created; retry: by the schedule; hourly: in the hourly run; manual: POST /push/webhook/booking; again: resent on request',
  }),
  webhookId: nullableText('`webhook-id` of the call; null: no call was made, or its id is unknown'),
  outcome: Type.String({
    description:
      'accepted: 2xx; unavailable: 408, 425, 429 or 5xx; refused: any other answer; otherwise the reason for the missing answer, such as timeout, connect, tls, dns, reset, refused_address; lost: it is unknown whether the call arrived',
  }),
  httpStatus,
  durationMs: Type.Integer(),
  answer: nullableText(
    'The first 2 KB of your endpoint’s answer, or the reason why there was none. Possible card numbers are masked',
  ),
  ignored: Type.Optional(
    Type.Array(ignoredPart, {
      description: 'What of `confirmations` in your answer was not taken, and why; absent: nothing',
    }),
  ),
})
