import type { reservationStatuses } from '../webhooks/contract.ts'

/**
 * The states of a reservation, and what may follow each. `Confirm` is followed by `Confirm` (a modification, as a new
 * version) or by `Cancel`; nothing follows `Cancel`. Cancelling again changes nothing and is answered like the first
 * time. The database refuses what this table does not know: one version at most is a `Cancel`.
 */

export type ReservationStatus = (typeof reservationStatuses)[number]

export const reservationActions = ['modify', 'cancel'] as const
export type ReservationAction = (typeof reservationActions)[number]

/** The status of the version that follows; `unchanged`: none does; `refused`: the caller is told so. */
export type Following = ReservationStatus | 'unchanged' | 'refused'

export const following = {
  Confirm: { modify: 'Confirm', cancel: 'Cancel' },
  Cancel: { modify: 'refused', cancel: 'unchanged' },
} as const satisfies Readonly<Record<ReservationStatus, Readonly<Record<ReservationAction, Following>>>>
