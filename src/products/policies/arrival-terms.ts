import { parseNight, type DayNumber } from '../../base/calendar.ts'
import type { CancelPolicy } from './contract.ts'
import { formerAmountsOf } from './former-amounts.ts'

/** What decides whether arrivals under a cancellation policy can be sold. */
export type ArrivalTerms = {
  firstArrival: DayNumber
  lastArrival: DayNumber
  /** Flat penalties and fees of a former currency, for people; arrivals are sold only without any. */
  unknown: readonly string[]
  fees: NonNullable<CancelPolicy['fees']>
}

/** One for each policy, in their order; none if no policy has a fee or an amount of a former currency. */
export function arrivalTerms(policies: readonly CancelPolicy[], minorDigits: number): ArrivalTerms[] {
  const terms = policies.map((policy) => ({
    firstArrival: parseNight(policy.startDate ?? '') ?? Number.NEGATIVE_INFINITY,
    lastArrival: parseNight(policy.endDate ?? '') ?? Number.POSITIVE_INFINITY,
    unknown: formerAmountsOf(policy, minorDigits).map(({ text }) => text),
    fees: policy.fees ?? [],
  }))
  return terms.some(({ unknown, fees }) => unknown.length + fees.length > 0) ? terms : []
}

/** Those of the first policy whose dates include the arrival; undefined if none has. */
export function termsOn(
  { terms }: { terms: readonly ArrivalTerms[] },
  arrival: DayNumber,
): ArrivalTerms | undefined {
  for (const one of terms) if (one.firstArrival <= arrival && arrival <= one.lastArrival) return one
  return undefined
}
