import { dayMs, parseNight } from '../../base/calendar.ts'
import { minorText, toMinor } from '../../base/money.ts'
import { cardErrors, type VirtualCard } from '../../cards/contract.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import { minorDigits } from '../../reference/currencies.ts'
import type { ReservationBody } from '../contract.ts'
import type { Payment } from '../state.ts'

/** Cards that are made for one reservation: with days on which they can be charged, and an amount. */

const members = ['validFrom', 'validTo', 'amount', 'currency'] as const
const halfDayMs = 12 * 60 * 60 * 1000

/** The problems beyond the shape, without the values: card data is never repeated. */
export function virtualCardProblems(card: Record<string, unknown>, nowMs: number): Problem[] {
  const at = (member: string): { path: string } => ({ path: `/payment/card/${member}` })
  const { isVirtual = false } = card
  if (typeof isVirtual !== 'boolean') return []
  if (!isVirtual)
    return members
      .filter((member) => card[member] !== undefined)
      .map((member) => ({ ...cardErrors.notVirtual, ...at(member) }))
  const problems: Problem[] = members
    .filter((member) => card[member] === undefined)
    .map((member) => ({ ...cardErrors.virtualIncomplete, ...at(member) }))
  const { validFrom, validTo, amount, currency } = card
  const [from, to] = [validFrom, validTo].map((day) =>
    typeof day === 'string' ? parseNight(day) : undefined,
  )
  if (from !== undefined && to !== undefined && from > to)
    problems.push({ ...cardErrors.validity, ...at('validFrom') })
  // Valid until the end of the day in the time zone where it ends last.
  if (to !== undefined && (to + 1) * dayMs + halfDayMs <= nowMs)
    problems.push({ ...cardErrors.expired, ...at('validTo') })
  if (typeof currency === 'string') {
    const digits = minorDigits(currency)
    if (digits === undefined) problems.push({ ...cardErrors.currency, ...at('currency') })
    else if (isDecimal(amount) && toMinor(amount, digits) === undefined)
      problems.push({ ...cardErrors.amount, ...at('amount') })
  }
  return problems
}

/** Anything else is refused by the shape. */
function isDecimal(amount: unknown): amount is number | string {
  return typeof amount === 'number'
    ? amount >= 0
    : typeof amount === 'string' && /^\d+(?:\.\d+)?$/.test(amount)
}

/** Undefined for a card that isn't virtual. */
export function virtualOf(card: SentCard): VirtualCard | undefined {
  const { isVirtual = false, validFrom, validTo, amount, currency } = card
  if (!isVirtual || validFrom === undefined || validTo === undefined) return undefined
  if (amount === undefined || currency === undefined) return undefined
  const digits = minorDigits(currency) ?? 0
  return { validFrom, validTo, amount: minorText(toMinor(amount, digits) ?? 0, digits), currency }
}

export type SentCard = NonNullable<ReservationBody['payment']['card']>

/** A virtual card pays for the reservation in its currency; one that is stored already does so after a change too. */
export function refuseOtherCurrency(
  sent: SentCard | undefined,
  stored: Payment['card'],
  booked: string,
): void {
  const currency = sent ? virtualOf(sent)?.currency : stored?.virtual?.currency
  if (currency === undefined || currency === booked) return
  throw new Rejected(400, {
    ...cardErrors.otherCurrency,
    path: sent ? '/payment/card/currency' : '/payment/card',
    hint: `The reservation is in ${booked}: send a virtual card in ${booked}, or a card that is not virtual`,
  })
}

export type RenderedCard = { type: string; number: string; isVirtual: boolean } & Partial<VirtualCard>

/** As the platform reads it: the number is masked. */
export function renderCard({ type, number, virtual }: NonNullable<Payment['card']>): RenderedCard {
  return { type, number, isVirtual: virtual !== undefined, ...virtual }
}
