import type { Caller } from '../http/call.ts'

export type KeyLimits = Caller['limits']

/** The limits of a key that has none of its own. */
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

/** A key's own limits, as stored: null means the default. */
export type OwnLimits = Record<LimitName, number | null>

/** The range of values for each limit. A rate of 0 is allowed; an unlimited body size is not. */
export const limitRanges: Readonly<Record<LimitName, { min: number; max: number }>> = {
  requestsPerMinute: { min: 0, max: 10_000_000 },
  requestsBurst: { min: 1, max: 10_000_000 },
  bodyBytesMax: { min: 1_024, max: 100 * 1024 * 1024 },
  ariItemsMax: { min: 1, max: 100_000 },
  ariCellsMax: { min: 1, max: 10_000_000 },
}

/** A key with its own rate but no burst of its own keeps the default's proportion: ten seconds' worth. */
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
