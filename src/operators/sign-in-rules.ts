import type { Environment } from '../keys/secret.ts'
import { minuteMs } from '../base/calendar.ts'

/** How strict sign-in is; settings can change it. */
export type SignInRules = {
  /** How long a name is locked after ten wrong passwords or codes in a row, and the longest wait before that. */
  lockOutMs: number
  /** An unused session ends after this time. */
  idleEndsAfterMs: number
  /** Whether operators who sign in by password or link must have a second factor. */
  requiresSecondFactor: boolean
}

export const signInMinutes = {
  lockOut: { min: 1, max: 24 * 60 },
  idle: { min: 1, max: 12 * 60 },
}

/** In production, the requirements of PCI DSS 4.0.1: 8.3.4 (lock-out), 8.2.8 (idle sessions), 8.4.2 (second factor). */
export const defaultSignInRules: Readonly<Record<Environment, SignInRules>> = {
  sandbox: { lockOutMs: 15 * minuteMs, idleEndsAfterMs: 120 * minuteMs, requiresSecondFactor: false },
  production: { lockOutMs: 30 * minuteMs, idleEndsAfterMs: 15 * minuteMs, requiresSecondFactor: true },
}
