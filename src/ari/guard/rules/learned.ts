import { weekdayOf, type DayNumber } from '../../../base/calendar.ts'
import { learnedFactor, type LearnedBound } from './rules.ts'

/** Fewer prices than this on future nights teach nothing. */
export const pricesNeeded = 60
const deviations = 6
const leastSpread = Math.log(learnedFactor)

/** Bounds by weekday, 0 = Monday; undefined where a weekday has no price. */
export type WeekBounds = { prices: number; byWeekday: readonly (LearnedBound | undefined)[] }

/**
 * What the prices of one room-rate on future nights allow: exp(median ± max(6·MAD, ln 1.67)) of the logarithms of
 * each weekday's prices. Undefined if there are too few.
 */
export function learnBounds(prices: readonly { day: DayNumber; price: number }[]): WeekBounds | undefined {
  const known = prices.filter(({ price }) => price > 0)
  if (known.length < pricesNeeded) return undefined
  const byWeekday = Map.groupBy(known, ({ day }) => weekdayOf(day))
  return {
    prices: known.length,
    byWeekday: Array.from({ length: 7 }, (_, weekday) => {
      const logs = byWeekday.get(weekday)?.map(({ price }) => Math.log(price))
      return logs && boundsOf(logs)
    }),
  }
}

function boundsOf(logs: readonly number[]): LearnedBound {
  const middle = median(logs)
  const spread = Math.max(deviations * median(logs.map((log) => Math.abs(log - middle))), leastSpread)
  return { lowest: Math.ceil(exact(middle - spread)), highest: Math.floor(exact(middle + spread)) }
}

/** Logarithms lose the last digits: 100 × 1.67 must not become 166.99999999999997. */
function exact(log: number): number {
  const value = Math.exp(log)
  const rounded = Math.round(value)
  return Math.abs(value - rounded) < 1e-9 * value ? rounded : value
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}
