import type { NightMask } from './month.ts'

/** What a change of a block has beside its values. */

/** Takes note of the values that a change replaces, in the block named by `at`; before-values.ts stores them. */
export type Notes = {
  at: (row: { roomNo: number; rateNo: number }, month: number) => void
  /** `values`: what the nights of the mask had, in their order. */
  note: (field: number, mask: NightMask, values: readonly number[]) => void
}

/** The origin of a value (revision, sequence, key) and the currency revision needed to judge it. */
export type Stamp = {
  revision: number
  /** Absent: the push is applied in order of arrival, and no sequence is remembered. */
  sequence: number | undefined
  keyId: number
  /** Prices set at this revision or before it are in a former currency and never equal any price. */
  currencyRevision: number
  before?: Notes
}

export type SetResult = { changed: NightMask; superseded: NightMask }
