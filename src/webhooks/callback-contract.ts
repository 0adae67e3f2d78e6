import Type, { type TSchema } from 'typebox'

/** A call that the platform makes to a supplier's URL: what the API reference says of it. */
export type CallbackDescription = {
  summary: string
  description: string
  body: TSchema
  /** Absent: any 2xx will do, whatever its body. */
  answer?: TSchema
  /** What the statuses of the supplier's answer mean to the platform. */
  answers: Readonly<Record<string, string>>
  example: { request: unknown; answer?: unknown }
}

export const pingCallback = {
  summary: 'Ping',
  description:
    'Sent when a URL is registered, and by `POST /push/webhook/test`. Your endpoint need not know it: whatever it answers, the URL stays registered.',
  body: Type.Object({ type: Type.Literal('ping') }),
  answers: { default: 'Anything; the status is told to whoever registered' },
  example: { request: { type: 'ping' } },
} as const satisfies CallbackDescription
