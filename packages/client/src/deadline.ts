import type { CallOptions, Operation } from './operations.ts'

/** The time for a whole call. */

const usual = { callMs: 60_000, uploadMs: 120_000 }
/** The longest that a timer can wait. */
export const timerMaxMs = 2 ** 31 - 1

type Times = Pick<CallOptions, 'deadlineMs' | 'timeoutMs' | 'retryForMs'>

/** A time that the caller gives for a part of the call is not cut by the usual deadline. */
export function deadlineOf({ transfers }: Operation, options: Times, connect: Times): number {
  const given = options.deadlineMs ?? connect.deadlineMs
  if (given !== undefined) return given
  const deadlineMs = transfers === 'upload' ? usual.uploadMs : usual.callMs
  const timeoutMs = options.timeoutMs ?? (transfers === 'upload' ? undefined : connect.timeoutMs)
  return Math.max(deadlineMs, timeoutMs ?? 0, options.retryForMs ?? connect.retryForMs ?? 0)
}
