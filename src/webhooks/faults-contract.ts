/** Calls to a supplier's URLs that the sandbox can spoil, and the faults as the platform sees them. */

export const spoilableCalls = ['priceCheck', 'pushBooking'] as const
export type SpoilableCalls = (typeof spoilableCalls)[number]

/** All calls to a supplier's URLs; pings are never spoiled. */
export type SeenCalls = SpoilableCalls | 'ping'

export const callbackFaults = ['timeout', 'status500', 'lostReply', 'garbage'] as const
export type CallbackFault = (typeof callbackFaults)[number]

export const orderedFaults = { perAccountMax: 20, timesMax: 1_000, keptMs: 60 * 60 * 1_000 } as const
