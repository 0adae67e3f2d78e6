import { ada } from '../scenes/booking.ts'
import { forfeitedOf } from './claims.ts'
import { amountText } from './exact.ts'
import { totalOf, type Asks } from './sale.ts'
import type { Asked, State } from './state.ts'

/** What guests ask for, and what they are asked to agree to. */

/** A booking, or a change of the reservation with the id. */
export function bodyOf(
  hotel: { supplier: string; hotelId: string },
  { checkin, checkout, rooms }: Asked,
  more: Record<string, unknown> = {},
  id = '',
): Record<string, unknown> {
  return {
    hotel,
    checkin,
    checkout,
    rooms: rooms.map(({ number, ...room }) => ({
      ...(number === undefined ? {} : { roomReservationId: `${id}-${number}` }),
      ...room,
    })),
    customer: ada,
    payment: { type: 'Channel Collect' },
    ...more,
  }
}

export const nothingAsked: Asks = { total: false, terms: false, forfeit: false }

/** What a dry run must ask for; of terms, of how many rooms. */
export function asksShown(after: State, asks: Asks) {
  const { afterTax, dueAtProperty } = totalOf(after)
  const text = (minor: number): string => amountText(minor, after.digits)
  return {
    total: asks.total
      ? { afterTax: text(afterTax), dueAtProperty: text(dueAtProperty), currency: after.currency }
      : undefined,
    terms: asks.terms ? after.rooms.length : 0,
    forfeit: asks.forfeit ? text(forfeitedOf(after)) : undefined,
  }
}

export function readAsks(told: unknown): ReturnType<typeof asksShown> {
  const { expectedTotal: total, expectedTerms, acceptForfeit: forfeit } = Object(told ?? {})
  return { total, terms: Array.isArray(expectedTerms) ? expectedTerms.length : 0, forfeit }
}

/** What a guest says who agrees to all; the digests of terms are those that he was told. */
export function consentsOf(after: State, asks: Asks, told: unknown): Record<string, unknown> {
  const { afterTax } = totalOf(after)
  const { currency, digits } = after
  return {
    ...(asks.total ? { expectedTotal: { afterTax: amountText(afterTax, digits), currency } } : {}),
    ...(asks.terms ? { expectedTerms: Object(told).expectedTerms } : {}),
    ...(asks.forfeit ? { acceptForfeit: amountText(forfeitedOf(after), digits) } : {}),
  }
}
