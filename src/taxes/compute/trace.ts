import type { DayNumber } from '../../base/calendar.ts'
import { exactLine, lineAmount, nightsBelow, sumsByKind, type PricedRoom } from './compute.ts'
import type { Tax } from '../contract.ts'
import {
  greatestCommonDivisor,
  planStay,
  sumOfShares,
  type NightKind,
  type Share,
  type StayPlan,
} from './stay-plan.ts'

/**
 * The calculation of a room's taxes, step by step. Texts are exact: a decimal if it terminates, otherwise a
 * fraction ("1000/11"). Amounts in them are in units of the currency.
 */
export type RoomTrace = {
  persons: number
  nights: NightTrace[]
  /** Each tax over all nights, before rounding and then in minor units; empty if a net is below zero. */
  lines: { tax: Tax; exact: string; rounded: number }[]
}
/** `net = (price − includedAmounts) / divisor`; each tax is `net · rate + constant`. */
export type NightTrace = {
  day: DayNumber
  price: string
  /** The part of the price that doesn't depend on the net: fixed taxes, and percentages of fixed VAT. */
  includedAmounts: string
  /** 1 plus the included rates. */
  divisor: string
  net: string
  taxes: { tax: Tax; rate: string; constant: string; amount: string }[]
}

/** The steps of computeTaxes for the same rooms, whether or not it finds them at fault. */
export function traceTaxes(rooms: readonly PricedRoom[]): RoomTrace[] {
  return rooms.map((room) => {
    const { taxes, nights, persons } = room
    const plan = planStay(taxes, nights[0]?.day ?? 0, nights.length, persons)
    const unit = 10n ** BigInt(taxes.minorDigits)
    const sums = sumsByKind(plan, nights)
    const entries = nightsBelow(plan, nights).length > 0 ? [] : plan.entries
    return {
      persons,
      nights: nights.flatMap(({ day, price }, index) => {
        const kind = plan.kinds[plan.kindByNight?.[index] ?? 0]
        return kind ? [traceNight(plan, kind, day, BigInt(price), unit)] : []
      }),
      lines: entries.map(({ tax }, index) => ({
        tax,
        exact: exactText(exactLine(plan, index, sums), plan.denominator.exact * unit),
        rounded: lineAmount(plan, index, sums, false),
      })),
    }
  })
}

function traceNight(
  plan: StayPlan,
  kind: NightKind,
  day: DayNumber,
  price: bigint,
  unit: bigint,
): NightTrace {
  const { shares, terms, included, rateScale, constantScale } = kind
  const denominator = plan.denominator.exact
  const inPrice = plan.entries.flatMap((entry, index) => (entry.included ? [index] : []))
  const amountOf = ({ perPrice, perNight }: Share): bigint => price * perPrice.exact + perNight.exact
  return {
    day,
    price: exactText(price, unit),
    includedAmounts: exactText(included.constant, constantScale * unit),
    divisor: exactText(rateScale + included.rate, rateScale),
    net: exactText(price * denominator - amountOf(sumOfShares(shares, inPrice)), denominator * unit),
    taxes: plan.entries.flatMap(({ tax, firstNight, lastNight }, index) => {
      const [term, share] = [terms[index], shares[index]]
      if (!term || !share || day < firstNight || day > lastNight) return []
      return {
        tax,
        rate: exactText(term.rate, rateScale),
        constant: exactText(term.constant, constantScale * unit),
        amount: exactText(amountOf(share), denominator * unit),
      }
    }),
  }
}

/** The decimal if it terminates, otherwise the fraction in lowest terms. */
export function exactText(numerator: bigint, denominator: bigint): string {
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator)
  const [top, bottom] = [numerator / divisor, denominator / divisor]
  let [rest, decimals] = [bottom, 0]
  while (rest % 10n === 0n || rest % 5n === 0n || rest % 2n === 0n) {
    rest /= rest % 10n === 0n ? 10n : rest % 5n === 0n ? 5n : 2n
    decimals++
  }
  if (rest !== 1n) return `${top}/${bottom}`
  const digits = String(((top < 0n ? -top : top) * 10n ** BigInt(decimals)) / bottom).padStart(
    decimals + 1,
    '0',
  )
  const sign = top < 0n ? '-' : ''
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
