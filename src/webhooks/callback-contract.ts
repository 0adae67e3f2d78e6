import Type, { type TSchema } from 'typebox'

/** The API reference's description of a call from the platform to a supplier's URL. */
export type CallbackDescription = {
  summary: string
  description: string
  body: TSchema
  /** If absent, any 2xx is accepted, whatever its body. */
  answer?: TSchema
  /** The meaning of the statuses of the supplier's answer. */
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
