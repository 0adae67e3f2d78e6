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
    'Sent when a URL is registered, and by `POST /push/webhook/test`. Your endpoint need not support it: whatever it answers, the URL stays registered.',
  body: Type.Object({ type: Type.Literal('ping') }),
  answers: { default: 'Any answer; its status is reported to the caller of the registration' },
  example: { request: { type: 'ping' } },
} as const satisfies CallbackDescription

/** Calls to a supplier's URLs that the sandbox can spoil, and the faults as the platform sees them. */

export const spoilableCalls = ['priceCheck', 'pushBooking'] as const
export type SpoilableCalls = (typeof spoilableCalls)[number]

/** All calls to a supplier's URLs; pings are never spoiled. */
export type CallbackPurpose = SpoilableCalls | 'ping'

export const callbackFaultKinds = ['timeout', 'status500', 'lostReply', 'garbage'] as const
export type CallbackFault = (typeof callbackFaultKinds)[number]

export const orderedFaults = { perAccountMax: 20, timesMax: 1_000, keptMs: 60 * 60 * 1_000 } as const
