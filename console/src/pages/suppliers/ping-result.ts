import type { StatusKind } from '../../parts/status-badge.tsx'

/** The result of a ping. Endpoints need not support pings, so a status other than 2xx proves no fault: docs/callbacks.md. */
export type PingResult = 'answered' | 'reached' | 'failed'

export const kindOfPing: Readonly<Record<PingResult, StatusKind>> = {
  answered: 'good',
  reached: 'warn',
  failed: 'bad',
}

/** `httpStatus` is that of the response, if it was complete. */
export function resultOfPing(httpStatus: number | null | undefined): PingResult {
  if (httpStatus === null || httpStatus === undefined) return 'failed'
  return isGoodStatus(httpStatus) ? 'answered' : 'reached'
}

export function isGoodStatus(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus <= 299
}
