import type { OnFailure, OnTermsDiffer } from '../keys/suppliers.ts'
import type { PriceCheckOutcome } from './contract.ts'
import type { TermsDifference } from './terms-contract.ts'
import type { Failure } from './ask-supplier.ts'
import type { StayQuery, StoredPrice } from './stored-price.ts'
import type { LivePrice, NightPrice } from './live-answer.ts'
import { termsDifferences, type SoldTerms } from './terms.ts'

/** Contract settings of the account. */
export type AccountTerms = {
  onFailure: OnFailure
  /** Per cent of the stored total, as a decimal with at most two decimal places. */
  priceTolerance: string
  onTermsDiffer: OnTermsDiffer
}

export type Judged = {
  outcome: PriceCheckOutcome
  /** Whether this outcome allows a booking at the stored price; stored restrictions may still forbid it. */
  isBookable: boolean
  /** Live minus stored, over all nights and rooms; undefined if one of them is missing. */
  difference: number | undefined
  /** Terms of the answer that differ from those that are sold. */
  termsDiffer: readonly TermsDifference[]
  /** Whether they forbid a booking that takes more units than it holds already. */
  isRejectedForTerms: boolean
}

type Reply = { live?: LivePrice | undefined; failure?: Failure | undefined }
type Rooms = Pick<StayQuery, 'roomCount' | 'unitsNeeded'>

/** Compares the supplier's answer with the stored price. */
export function judge(
  reply: Reply | undefined,
  stored: StoredPrice,
  rooms: Rooms,
  terms: AccountTerms,
  sold: SoldTerms,
): Judged {
  const difference = reply?.live && differenceOf(reply.live.nights, stored.nights, rooms.roomCount)
  const outcome = outcomeOf(reply, stored, rooms, terms, difference)
  // An answer without units has no terms to book at.
  const termsDiffer =
    reply?.live && outcome !== 'sold_out' ? termsDifferences(reply.live.terms, reply.live.nights, sold) : []
  const isRejectedForTerms =
    terms.onTermsDiffer === 'reject' && termsDiffer.length > 0 && rooms.unitsNeeded > 0
  const isBookable = !isRejectedForTerms && mayBook(outcome, reply?.failure, terms)
  return { outcome, isBookable, difference, termsDiffer, isRejectedForTerms }
}

function outcomeOf(
  reply: Reply | undefined,
  stored: StoredPrice,
  rooms: Rooms,
  { priceTolerance }: AccountTerms,
  difference: number | undefined,
): PriceCheckOutcome {
  if (reply?.failure) {
    // Fewer units than asked are believed, whatever else is wrong with the answer.
    const hasTooFew = unitsSaid(reply) < rooms.unitsNeeded
    return hasTooFew ? 'sold_out' : reply.failure.outcome
  }
  if (!reply?.live) return 'not_registered'
  if (isSoldOut(reply.live, rooms)) return 'sold_out'
  if (!stored.nights || difference === undefined) return 'price_changed'
  const total = sumOf(stored.nights) * rooms.roomCount
  return isWithin(difference, total, priceTolerance) ? 'available' : 'price_changed'
}

/**
 * Whether an answer has too few units. With fewer units than rooms, an amount of 0 stands for a price that the
 * supplier doesn't have: at such a price nothing is booked, even by a reservation that holds its units.
 */
export function isSoldOut({ inventory, nights }: LivePrice, { roomCount, unitsNeeded }: Rooms): boolean {
  const hasNoPrice = nights.some(({ afterTax }) => afterTax === 0)
  return inventory < unitsNeeded || (inventory < roomCount && hasNoPrice)
}

/** The units of an answer, a broken one too; without a word on them there are enough. */
export function unitsSaid({ live, failure }: Reply): number {
  return live?.inventory ?? failure?.said?.units ?? Infinity
}

const bookableAfter: Readonly<Record<PriceCheckOutcome, boolean | 'onFailure'>> = {
  available: true,
  price_changed: false,
  sold_out: false,
  invalid_response: 'onFailure',
  timeout: 'onFailure',
  supplier_error: 'onFailure',
  circuit_open: 'onFailure',
  // The supplier registered no URL for checks, so the pushed price is sold.
  not_registered: true,
}

/** The stored price is for no answer, or one that says nothing: what was said isn't replaced by it. */
function mayBook(
  outcome: PriceCheckOutcome,
  failure: Failure | undefined,
  { onFailure }: AccountTerms,
): boolean {
  const may = bookableAfter[outcome]
  return may === 'onFailure' ? onFailure === 'use_stored' && failure?.said?.isAnswer !== true : may
}

function differenceOf(
  live: readonly NightPrice[],
  stored: readonly NightPrice[] | undefined,
  roomCount: number,
): number | undefined {
  return stored && (sumOf(live) - sumOf(stored)) * roomCount
}

/** The amount charged for a room. */
function sumOf(nights: readonly NightPrice[]): number {
  let sum = 0
  for (const { afterTax } of nights) sum += afterTax
  return sum
}

const percentDigits = 2

/** Exact: 10 % of 1.05 is 0.105, and 0.11 exceeds it. */
function isWithin(difference: number, stored: number, tolerance: string): boolean {
  const [whole = '0', decimals = ''] = tolerance.split('.')
  const hundredths = BigInt(whole + decimals.padEnd(percentDigits, '0').slice(0, percentDigits))
  return BigInt(Math.abs(difference)) * 10_000n <= hundredths * BigInt(stored)
}
