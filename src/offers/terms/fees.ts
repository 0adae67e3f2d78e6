import { minorText, toMinor } from '../../base/money.ts'
import type { Fee } from '../../products/policies/contract.ts'
import type { PricedRoom, TaxedRoom, TaxedStay } from '../../taxes/compute/compute.ts'
import { exactDecimal } from '../../taxes/decimals.ts'
import { exactText } from '../../taxes/compute/trace.ts'

/** A cancellation policy's fees: paid at the property, besides the taxes due there, never part of a total. */

/** `amount` is in minor units. */
export type FeeLine = Pick<Fee, 'name' | 'appliedPer'> & { amount: number }
export type StayFee = Pick<Fee, 'name' | 'appliedPer'> & { amount: string; payNow: false }

/** The quantities by which the fees of a room are multiplied. */
export type FeeBase = {
  nights: number
  /** Adults and children; infants don't count. */
  persons: number
  /** The amount charged for the room, in minor units. */
  afterTax: number
}

export function feeBasesOf(
  rooms: readonly PricedRoom[],
  taxed: { rooms: readonly Pick<TaxedRoom, 'total'>[] },
): FeeBase[] {
  return rooms.map(({ nights, persons }, index) => {
    return { nights: nights.length, persons, afterTax: taxed.rooms[index]?.total.afterTax ?? 0 }
  })
}

/** The fees of a room, one line per fee of the policy. */
export function feeLines(fees: readonly Fee[], base: FeeBase, minorDigits: number): FeeLine[] {
  return feesOfRooms(fees, [base], minorDigits)
}

/** The fees of several rooms, one line per fee. */
export function feesOfRooms(fees: readonly Fee[], bases: readonly FeeBase[], minorDigits: number): FeeLine[] {
  return fees.map((fee) => {
    let amount = 0
    for (const base of bases) amount += amountOf(fee, base, minorDigits)
    return { name: fee.name, appliedPer: fee.appliedPer, amount }
  })
}

export function sumOfFees(lines: readonly FeeLine[]): number {
  let sum = 0
  for (const { amount } of lines) sum += amount
  return sum
}

export function renderFee({ name, amount, appliedPer }: FeeLine, minorDigits: number): StayFee {
  return { name, amount: minorText(amount, minorDigits), appliedPer, payNow: false }
}

/** The calculation of a room's fees: each before rounding, and then as charged. */
export function traceFees(
  fees: readonly Fee[],
  base: FeeBase,
  minorDigits: number,
): { name: string; exact: string; amount: string }[] {
  const unit = 10n ** BigInt(minorDigits)
  return fees.map((fee) => {
    const amount = amountOf(fee, base, minorDigits)
    const { numerator, denominator } = percentParts(fee.value)
    const exact =
      fee.valueType === '%'
        ? exactText(BigInt(base.afterTax) * numerator, denominator * unit)
        : exactText(BigInt(amount), unit)
    return { name: fee.name, exact, amount: minorText(amount, minorDigits) }
  })
}

/**
 * A percentage of the amount charged for the room, half up, regardless of `appliedPer`, as with taxes; or a
 * flat amount multiplied as `appliedPer` says.
 */
function amountOf(
  { valueType, value, appliedPer, formerCurrency }: Fee,
  { nights, persons, afterTax }: FeeBase,
  minorDigits: number,
): number {
  if (valueType === '%') return percentOf(afterTax, value)
  const flat = knownMinor(value, formerCurrency, minorDigits)
  return flat * timesApplied[appliedPer]({ nights, persons })
}

const timesApplied: Readonly<Record<Fee['appliedPer'], (room: Omit<FeeBase, 'afterTax'>) => number>> = {
  per_room_per_night: ({ nights }) => nights,
  per_person_per_night: ({ nights, persons }) => nights * persons,
  per_room_per_stay: () => 1,
  per_person_per_stay: ({ persons }) => persons,
}

/** A flat amount, in minor units. Stays that need an amount of a former currency never get here: they are not sold. */
export function knownMinor(
  amount: number | string,
  formerCurrency: string | undefined,
  minorDigits: number,
): number {
  if (Number(amount) === 0) return 0
  const minor = formerCurrency === undefined ? toMinor(amount, minorDigits) : undefined
  if (minor === undefined) throw new RangeError(`${amount} ${formerCurrency ?? ''} is of a former currency`)
  return minor
}

/** Half of the range of exact integers: leaves room for rounding errors in this estimate. */
const paidMax = 2 ** 52

/** Whether what guests pay in all is exact with fees of this size. */
export function areFeesExact(
  fees: readonly Fee[],
  taxed: TaxedStay,
  bases: readonly FeeBase[],
  minorDigits: number,
): boolean {
  let paid = taxed.total.afterTax + taxed.total.dueAtProperty
  for (const { valueType, value, appliedPer } of fees) {
    for (const base of bases) {
      paid +=
        valueType === '%'
          ? (base.afterTax * Number(value)) / 100
          : Number(value) * 10 ** minorDigits * timesApplied[appliedPer](base)
    }
  }
  return paid <= paidMax
}

/** A percentage as an exact fraction. */
export function percentParts(percent: number | string): { numerator: bigint; denominator: bigint } {
  const [whole = '', decimals = ''] = exactDecimal(percent).split('.')
  return { numerator: BigInt(whole + decimals), denominator: 100n * 10n ** BigInt(decimals.length) }
}

/** A percentage of an amount in minor units, rounded half up. */
export function percentOf(minor: number, percent: number | string): number {
  if (percent === 100) return minor
  const { numerator, denominator } = percentParts(percent)
  return Number((2n * BigInt(minor) * numerator + denominator) / (2n * denominator))
}
