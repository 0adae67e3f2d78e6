import { minorText } from '../base/money.ts'
import type { Static } from 'typebox'
import type { PriceCheck } from './checker.ts'
import type { listedCheck } from './contract.ts'
import type { NightPrice } from './live-answer.ts'

/** A check as answers show it. */
export type Compared = Pick<
  Static<typeof listedCheck>,
  'outcome' | 'bookable' | 'live' | 'stored' | 'difference' | 'durationMs' | 'failure'
>

export function comparedOf(
  { outcome, isBookable, held, live, failure, difference, durationMs }: PriceCheck,
  { currency, minorDigits }: { currency: string; minorDigits: number },
): Compared {
  const before = ({ beforeTax }: NightPrice): string => minorText(beforeTax, minorDigits)
  const after = ({ afterTax }: NightPrice): string => minorText(afterTax, minorDigits)
  return {
    outcome,
    bookable: isBookable && held.isBookable,
    live: live
      ? {
          currency,
          inventory: live.inventory,
          amountBeforeTax: live.nights.map(before),
          amountAfterTax: live.nights.map(after),
        }
      : null,
    stored: {
      currency,
      inventory: held.inventory,
      amountBeforeTax: held.nights?.map(before) ?? null,
      amountAfterTax: held.nights?.map(after) ?? null,
      bookable: held.isBookable,
      revision: held.revision,
    },
    difference: difference === undefined ? null : signedText(difference, minorDigits),
    durationMs,
    ...(failure ? { failure: failureOf(failure) } : {}),
  }
}

export function failureOf({
  reason,
  message,
  httpStatus,
}: {
  reason: string
  message: string
  httpStatus?: number | undefined
}): NonNullable<Compared['failure']> {
  return { reason, message, ...(httpStatus === undefined ? {} : { httpStatus }) }
}

export function signedText(minor: number, minorDigits: number): string {
  return minor < 0 ? `-${minorText(-minor, minorDigits)}` : minorText(minor, minorDigits)
}
