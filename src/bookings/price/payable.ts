import { minorText } from '../../base/money.ts'
import type { PricesAre } from '../../keys/price-contract.ts'
import { percentParts } from '../../offers/terms/fees.ts'
import type { PenaltyOfRoom } from './penalty.ts'
import { penaltyNow, type Reported } from './penalty-now.ts'
import { penaltyBaseOf } from './with-terms.ts'

/** What the hotel gets of a reservation by the account's contract, as it was when the reservation was made. Decision 074. */

/** In minor units. */
type Payable = { commission: number; amountPayable: number }

/** Undefined for reservations made before contracts were stored, and for a cancellation whose terms are unknown. */
export function payableOf(version: Reported): Payable | undefined {
  const { contract, total, payment } = version.content
  const charged = version.status === 'Cancel' ? chargedOfPenalty(version) : wholeStay(total)
  if (!contract || !charged) return undefined
  const { pricesAre, commissionPercent } = contract
  const commission = pricesAre === 'net' ? 0 : percentOfExact(charged.beforeTax, commissionPercent)
  // What the hotel collects itself is not paid to it.
  const amountPayable = payment.type === 'Hotel Collect' ? 0 : charged.afterTax - commission
  return { commission, amountPayable }
}

/** What the guest is charged, and the part of it without taxes as an exact fraction of minor units. */
type Charged = { afterTax: number; beforeTax: Fraction }
type Fraction = { numerator: bigint; denominator: bigint }

function wholeStay({ afterTax, beforeTax }: { afterTax: number; beforeTax: number }): Charged {
  return { afterTax, beforeTax: { numerator: BigInt(beforeTax), denominator: 1n } }
}

function chargedOfPenalty(version: Reported): Charged | undefined {
  const penalty = penaltyNow(version)
  if (!penalty) return undefined
  let beforeTax: Fraction = { numerator: 0n, denominator: 1n }
  for (const ofRoom of penalty.by) beforeTax = added(beforeTax, withoutTaxes(ofRoom))
  return { afterTax: penalty.amount, beforeTax }
}

/** A penalty contains taxes as the stay does of which it is taken, also what exceeds that stay and is owed since a change. */
function withoutTaxes({ room, amount }: PenaltyOfRoom): Fraction {
  const { stay } = penaltyBaseOf(room)
  if (stay <= 0) return { numerator: BigInt(amount), denominator: 1n }
  return { numerator: BigInt(amount) * BigInt(room.total.beforeTax), denominator: BigInt(stay) }
}

function added(one: Fraction, other: Fraction): Fraction {
  return {
    numerator: one.numerator * other.denominator + other.numerator * one.denominator,
    denominator: one.denominator * other.denominator,
  }
}

/** Half up to the minor unit, rounded once. */
function percentOfExact({ numerator, denominator }: Fraction, percent: string): number {
  const part = percentParts(percent)
  const [top, bottom] = [numerator * part.numerator, denominator * part.denominator]
  return Number((2n * top + bottom) / (2n * bottom))
}

/** As the platform reads it. */
export type RenderedPayable = {
  pricesAre: PricesAre | null
  commissionPercent: string | null
  commission: string | null
  amountPayable: string | null
}

export function renderPayable(version: Reported): RenderedPayable {
  const { contract, minorDigits } = version.content
  const payable = payableOf(version)
  return {
    pricesAre: contract?.pricesAre ?? null,
    commissionPercent: contract?.commissionPercent ?? null,
    commission: payable ? minorText(payable.commission, minorDigits) : null,
    amountPayable: payable ? minorText(payable.amountPayable, minorDigits) : null,
  }
}
