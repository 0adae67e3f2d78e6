import type { StatusKind } from '../../parts/status-badge.tsx'

/** What comes of a ping. An endpoint need not know pings, so that another answer than 2xx proves no fault: docs/callbacks.md. */
export type PingResult = 'answered' | 'reached' | 'failed'

export const kindOfPing: Readonly<Record<PingResult, StatusKind>> = {
  answered: 'good',
  reached: 'warn',
  failed: 'bad',
}

/** `httpStatus`: of the answer, if there was a whole one. */
export function resultOfPing(httpStatus: number | null | undefined): PingResult {
  if (httpStatus === null || httpStatus === undefined) return 'failed'
  return isGoodStatus(httpStatus) ? 'answered' : 'reached'
}

export function isGoodStatus(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus <= 299
}
