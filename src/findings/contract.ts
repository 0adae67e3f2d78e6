/** What the service notices by itself and somebody should know: its kinds, shared by whoever finds, lists and tells. */

export const findingKinds = [
  'push.refused',
  'ari.stale',
  'coverage.low',
  'booking.undelivered',
  'webhook.failing',
  'drift.high',
  'guard.held',
  'key.expiring',
  'mass.closed',
  'certification.regressed',
  'resync.requested',
] as const
export type FindingKind = (typeof findingKinds)[number]

/** `acknowledged`: somebody has seen it, so it is not told again; it is still resolved by itself. */
export const findingStates = ['open', 'acknowledged', 'resolved'] as const
export type FindingState = (typeof findingStates)[number]

/** Figures and codes that show why it was raised; never data of guests. */
export type Evidence = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export const findingLimits = {
  /** Texts and lists of evidence are cut here. */
  evidenceTextMax: 300,
  evidenceListMax: 10,
  /** `lastSeenAt` of a finding that is seen over and over is at most this old. */
  seenEveryMinutes: 10,
  /** Told again about the same subject after this time at the earliest. */
  toldAgainAfterHours: 4,
  /** A resolved finding is kept this long. */
  resolvedKeptDays: 90,
} as const
