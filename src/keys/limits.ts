import type { Caller } from '../http/call.ts'

export type KeyLimits = Caller['limits']

/** What a key may do unless it has limits of its own. */
export const defaultLimits = {
  requestsPerMinute: 6_000,
  requestsBurst: 1_000,
  bodyBytesMax: 10 * 1024 * 1024,
  ariItemsMax: 1_000,
  ariCellsMax: 200_000,
} as const

export const limitNames = [
  'requestsPerMinute',
  'requestsBurst',
  'bodyBytesMax',
  'ariItemsMax',
  'ariCellsMax',
] as const
export type LimitName = (typeof limitNames)[number]

/** Limits of one key as they are stored: null takes the default. */
export type OwnLimits = Record<LimitName, number | null>

/** Between which values a limit may be set. No rate (0) is a choice; no bound on a body's size is none. */
export const limitRanges: Readonly<Record<LimitName, { min: number; max: number }>> = {
  requestsPerMinute: { min: 0, max: 10_000_000 },
  requestsBurst: { min: 1, max: 10_000_000 },
  bodyBytesMax: { min: 1_024, max: 100 * 1024 * 1024 },
  ariItemsMax: { min: 1, max: 100_000 },
  ariCellsMax: { min: 1, max: 10_000_000 },
}

/** Without a burst of its own a key with a rate of its own keeps the default's proportion: ten seconds' worth. */
const burstSeconds = (defaultLimits.requestsBurst / defaultLimits.requestsPerMinute) * 60

export function limitsOf(own: OwnLimits): KeyLimits {
  const perMinute = own.requestsPerMinute ?? defaultLimits.requestsPerMinute
  const burst = own.requestsBurst ?? Math.max(1, Math.ceil((perMinute * burstSeconds) / 60))
  return {
    rate: perMinute === 0 ? undefined : { perMinute, burst },
    bodyBytesMax: own.bodyBytesMax ?? defaultLimits.bodyBytesMax,
    ariItemsMax: own.ariItemsMax ?? defaultLimits.ariItemsMax,
    ariCellsMax: own.ariCellsMax ?? defaultLimits.ariCellsMax,
  }
}
