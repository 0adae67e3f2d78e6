import { parseNight } from '../../../src/base/calendar.ts'
import type { Tax } from '../../../src/taxes/contract.ts'

/**
 * Taxes by the letter of the contract, a night and a tax at a time, in fractions: slow, and made of other parts than
 * the product. Amounts are minor units.
 */
export type NaiveRoom = {
  taxes: readonly Tax[]
  nights: readonly { day: number; price: number }[]
  persons: number
}
export type NaiveOutcome = {
  rooms: { amounts: Map<Tax, number>; nets: Fraction[] }[]
  /** Where the net is negative; all nights of a room whose included taxes, once rounded, are above its price. */
  faultyNights: number[]
  beforeTax: number
  tax: number
  afterTax: number
  dueAtProperty: number
}

export type Fraction = { over: bigint; under: bigint }

export const fraction = (over: bigint | number, under: bigint | number = 1n): Fraction => {
  const [top, bottom] = [BigInt(over), BigInt(under)]
  let [a, b] = [top < 0n ? -top : top, bottom]
  while (b > 0n) [a, b] = [b, a % b]
  return { over: top / a, under: bottom / a }
}
export const plus = (a: Fraction, b: Fraction): Fraction =>
  fraction(a.over * b.under + b.over * a.under, a.under * b.under)
export const times = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.over, a.under * b.under)
export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, times(b, fraction(-1)))
const inverse = (a: Fraction): Fraction => fraction(a.under, a.over)
export const floor = ({ over, under }: Fraction): number =>
  Number(over >= 0n ? over / under : -((-over + under - 1n) / under))
const halfUp = (a: Fraction): number => floor(plus(a, fraction(1, 2)))
const zero = fraction(0)
const one = fraction(1)

/** "12.5", also "1e-7" as numbers are written. */
export function fractionOf(text: string | number): Fraction {
  const [mantissa = '', exponent = '0'] = String(text).split('e')
  const [whole = '', decimals = ''] = mantissa.split('.')
  const digits = fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length))
  return times(digits, fraction(1, 10n ** BigInt(-Number(exponent))))
}

const applies = ({ startDate, endDate }: Tax, day: number): boolean =>
  startDate === undefined ||
  endDate === undefined ||
  (day >= (parseNight(startDate) ?? 0) && day <= (parseNight(endDate) ?? 0))

/** The fixed amount of one night. */
function fixedOf(tax: Tax, { nights, persons }: NaiveRoom, minorDigits: number): Fraction {
  const amount = times(fractionOf(tax.value), fraction(10n ** BigInt(minorDigits)))
  switch (tax.appliedPer) {
    case 'per_room_per_night':
      return amount
    case 'per_person_per_night':
      return times(amount, fraction(persons))
    case 'per_room_per_stay':
      return times(amount, fraction(1, nights.filter(({ day }) => applies(tax, day)).length))
    case 'per_person_per_stay':
      return times(amount, fraction(persons, nights.filter(({ day }) => applies(tax, day)).length))
  }
}

/** Rate and constant of each tax on a night. */
function partsOf(room: NaiveRoom, day: number, minorDigits: number): Map<Tax, [Fraction, Fraction]> {
  const here = room.taxes.filter((tax) => applies(tax, day))
  let [vat, vatFixed] = [zero, zero]
  for (const tax of here.filter(({ type }) => type === 'VAT')) {
    if (tax.valueType === '%') vat = plus(vat, times(fractionOf(tax.value), fraction(1, 100)))
    else vatFixed = plus(vatFixed, fixedOf(tax, room, minorDigits))
  }
  return new Map(
    here.map((tax) => {
      if (tax.valueType === 'fixed') return [tax, [zero, fixedOf(tax, room, minorDigits)]]
      const percentage = times(fractionOf(tax.value), fraction(1, 100))
      if (tax.appliedOn === 'net') return [tax, [percentage, zero]]
      return [tax, [times(percentage, plus(one, vat)), times(percentage, vatFixed)]]
    }),
  )
}

export function naiveTaxes(rooms: readonly NaiveRoom[], minorDigits: number): NaiveOutcome {
  const outcome: NaiveOutcome = {
    rooms: [],
    faultyNights: [],
    beforeTax: 0,
    tax: 0,
    afterTax: 0,
    dueAtProperty: 0,
  }
  for (const room of rooms) {
    const exact = new Map<Tax, Fraction>()
    const nets: Fraction[] = []
    for (const { day, price } of room.nights) {
      const parts = partsOf(room, day, minorDigits)
      let [left, divisor] = [fraction(price), one]
      for (const [tax, [rate, constant]] of parts) {
        if (!tax.included) continue
        left = minus(left, constant)
        divisor = plus(divisor, rate)
      }
      const net = times(left, inverse(divisor))
      nets.push(net)
      for (const [tax, [rate, constant]] of parts)
        exact.set(tax, plus(exact.get(tax) ?? zero, plus(times(net, rate), constant)))
      outcome.beforeTax += price
      outcome.afterTax += price
    }
    const amounts = new Map<Tax, number>()
    for (const [tax, sum] of exact) {
      const amount = halfUp(sum)
      amounts.set(tax, amount)
      if (tax.included) outcome.beforeTax -= amount
      if (!tax.included && tax.payNow) outcome.afterTax += amount
      if (!tax.payNow) outcome.dueAtProperty += amount
    }
    outcome.rooms.push({ amounts, nets })
    let left = 0
    for (const { price } of room.nights) left += price
    for (const [tax, amount] of amounts) left -= tax.included ? amount : 0
    const isNegative = nets.map(({ over }) => over < 0n)
    const faulty = room.nights.filter((_, index) =>
      isNegative.includes(true) ? isNegative[index] : left < 0,
    )
    outcome.faultyNights.push(...faulty.map(({ day }) => day))
  }
  outcome.faultyNights = [...new Set(outcome.faultyNights)].sort((a, b) => a - b)
  outcome.tax = outcome.afterTax - outcome.beforeTax
  return outcome
}
