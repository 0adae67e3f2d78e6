import {
  decimal,
  divided,
  exact,
  floor,
  isLess,
  plus,
  rounded,
  sum,
  times,
  zero,
  type Exact,
} from './exact.ts'

/** What a room costs, and what penalties are taken of, by the contract alone. Amounts are minor units. */

export type Tax = {
  type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
  valueType: '%' | 'fixed'
  value: string
  appliedOn: 'net' | 'net+vat'
  appliedPer: 'per_room_per_night' | 'per_person_per_night' | 'per_room_per_stay' | 'per_person_per_stay'
  included: boolean
  payNow: boolean
}

/** A night with the price and the taxes that it was sold with. */
export type SoldNight = {
  date: string
  price: number
  /** Whether that is the price of the unit, whatever the party. */
  isPerUnit: boolean
  taxes: readonly Tax[]
}

export type Sold = {
  nights: readonly SoldNight[]
  /** What is charged once a stay. */
  once: readonly Tax[]
  persons: number
  digits: number
}

export type Price = {
  beforeTax: number
  tax: number
  afterTax: number
  dueAtProperty: number
  /** What penalties are taken of: the full stay, and its nights. */
  base: { stay: number; nights: number[] }
}

export function isOnce({ appliedPer, valueType }: Tax): boolean {
  return valueType === 'fixed' && appliedPer.endsWith('per_stay')
}

/** A town's tax, and what is fixed for each person, is owed by who sleeps there. */
function isForNightsSlept({ type, valueType, appliedPer }: Tax): boolean {
  return (
    type === 'CITY_TAX' ||
    type === 'LOCAL_TAX' ||
    (valueType === 'fixed' && appliedPer.startsWith('per_person'))
  )
}

/** One tax with its exact part of each night. */
type Line = { tax: Tax; parts: Exact[] }

export function priceOf(sold: Sold): Price {
  const lines = linesOf(sold)
  const prices = sold.nights.map(({ price }) => price)
  const total = { beforeTax: sum(prices), tax: 0, afterTax: sum(prices), dueAtProperty: 0 }
  let stay = sum(prices)
  for (const line of lines) {
    const { tax } = line
    const amount = amountOf(line)
    if (tax.included) total.beforeTax -= amount
    else if (tax.payNow) total.afterTax += amount
    else total.dueAtProperty += amount
    if (tax.included && isForNightsSlept(tax)) stay -= amount
    if (!tax.included && tax.payNow && !isForNightsSlept(tax)) stay += amount
  }
  total.tax = total.afterTax - total.beforeTax
  const off = spread(
    prices.length,
    lines.filter(({ tax }) => tax.included && (isForNightsSlept(tax) || isOnce(tax))),
  )
  const on = spread(
    prices.length,
    lines.filter(({ tax }) => !tax.included && tax.payNow && !isForNightsSlept(tax) && !isOnce(tax)),
  )
  const nights = prices.map((price, night) => price - (off[night] ?? 0) + (on[night] ?? 0))
  return { ...total, base: { stay, nights } }
}

function sumOf(parts: readonly Exact[]): Exact {
  let all = zero
  for (const part of parts) all = plus(all, part)
  return all
}

/** The amount of a tax for the room, rounded once. */
function amountOf({ parts }: Line): number {
  return rounded(sumOf(parts))
}

function linesOf({ nights, once, persons, digits }: Sold): Line[] {
  const lines = new Map<string, Line>()
  const lineOf = (tax: Tax): Line => {
    const key = JSON.stringify(tax, Object.keys(tax).toSorted())
    const line = lines.get(key) ?? { tax, parts: nights.map(() => zero) }
    lines.set(key, line)
    return line
  }
  const fixed = (tax: Tax): Exact =>
    times(
      times(decimal(tax.value), exact(10n ** BigInt(digits))),
      exact(tax.appliedPer.startsWith('per_person') ? persons : 1),
    )
  for (const [index, { price, taxes }] of nights.entries()) {
    const vat = taxes.filter(({ type }) => type === 'VAT').map(share)
    const withVat = plus(exact(1), sumOf(vat))
    const rateOf = (tax: Tax): Exact => (tax.appliedOn === 'net' ? share(tax) : times(share(tax), withVat))
    const rates = taxes.filter((tax) => tax.included).map(rateOf)
    const net = divided(exact(price), plus(exact(1), sumOf(rates)))
    for (const tax of taxes)
      lineOf(tax).parts[index] = tax.valueType === '%' ? times(net, rateOf(tax)) : fixed(tax)
  }
  for (const tax of once) {
    const part = divided(fixed(tax), exact(nights.length))
    lineOf(tax).parts.fill(part)
  }
  return [...lines.values()]
}

function share({ value }: Tax): Exact {
  return divided(decimal(value), exact(100))
}

/** Whole units of each night's exact part; what is left goes to the largest remainders, to earlier nights among equals. */
function spread(nightCount: number, lines: readonly Line[]): number[] {
  const exactly = Array.from({ length: nightCount }, (_, night) =>
    sumOf(lines.map(({ parts }) => parts[night] ?? zero)),
  )
  const amounts = exactly.map(floor)
  let left = sum(lines.map(amountOf)) - sum(amounts)
  const remainders = exactly.map((part, night) => ({
    night,
    of: plus(part, exact(-(amounts[night] ?? 0))),
    isPart: part.over > 0n,
  }))
  remainders.sort((one, other) =>
    isLess(other.of, one.of) ? -1 : isLess(one.of, other.of) ? 1 : one.night - other.night,
  )
  const takers = remainders.filter(({ isPart }) => isPart)
  const order = left > 0 ? takers : remainders.toReversed().filter(({ night }) => (amounts[night] ?? 0) > 0)
  for (let turn = 0; left !== 0 && turn < 20; turn++) {
    for (const { night } of order) {
      if (left === 0) break
      const step = Math.sign(left)
      amounts[night] = (amounts[night] ?? 0) + step
      left -= step
    }
  }
  if (left !== 0) throw new RangeError('a tax has no place in the nights')
  return amounts
}
