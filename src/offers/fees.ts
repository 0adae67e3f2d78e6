import { minorText, toMinor } from '../base/money.ts'
import type { CancelPolicy } from '../products/cancel-policy-contract.ts'
import type { PricedRoom, TaxedStay } from '../taxes/compute.ts'
import { exactText } from '../taxes/trace.ts'
import { percentOf, percentParts } from './percent.ts'

/** A cancellation policy's fees: paid at the property, besides the taxes due there, never part of a total. */

export type Fee = NonNullable<CancelPolicy['fees']>[number]

/** `amount` is in minor units. */
export type FeeLine = Pick<Fee, 'name' | 'appliedPer'> & { amount: number }
export type ShownFee = Pick<Fee, 'name' | 'appliedPer'> & { amount: string; payNow: false }

/** The quantities by which the fees of a room are multiplied. */
export type FeeBase = {
  nights: number
  /** Adults and children; infants don't count. */
  persons: number
  /** The amount charged for the room, in minor units. */
  afterTax: number
}

export function feeBasesOf(rooms: readonly PricedRoom[], taxed: TaxedStay): FeeBase[] {
  return rooms.map(({ nights, persons }, index) => {
    return { nights: nights.length, persons, afterTax: taxed.rooms[index]?.total.afterTax ?? 0 }
  })
}

/** The fees of a room, one line per fee of the policy. */
export function feeLines(fees: readonly Fee[], base: FeeBase, minorDigits: number): FeeLine[] {
  return fees.map((fee) => {
    return { name: fee.name, appliedPer: fee.appliedPer, amount: amountOf(fee, base, minorDigits) }
  })
}

/** The fees of all rooms of an offer, as JSON. */
export function feesText(fees: readonly Fee[], bases: readonly FeeBase[], minorDigits: number): string {
  let text = ''
  for (const fee of fees) {
    let amount = 0
    for (const base of bases) amount += amountOf(fee, base, minorDigits)
    const { name, appliedPer } = fee
    const shown = {
      name,
      amount: minorText(amount, minorDigits),
      appliedPer,
      payNow: false,
    } satisfies ShownFee
    text += `${text === '' ? '' : ','}${JSON.stringify(shown)}`
  }
  return text
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
 * flat amount multiplied as `appliedPer` says. If it has more decimals than the hotel's current currency, it
 * counts as no fee.
 */
function amountOf(
  { valueType, value, appliedPer }: Fee,
  { nights, persons, afterTax }: FeeBase,
  minorDigits: number,
): number {
  if (valueType === '%') return percentOf(afterTax, value)
  const flat = toMinor(value, minorDigits) ?? 0
  return flat * timesApplied[appliedPer]({ nights, persons })
}

const timesApplied: Readonly<Record<Fee['appliedPer'], (room: Omit<FeeBase, 'afterTax'>) => number>> = {
  per_room_per_night: ({ nights }) => nights,
  per_person_per_night: ({ nights, persons }) => nights * persons,
  per_room_per_stay: () => 1,
  per_person_per_stay: ({ persons }) => persons,
}
