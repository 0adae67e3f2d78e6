import type { DayNumber } from '../base/calendar.ts'
import type { StayQuery, StoredPrice } from './stored-price.ts'
import type { TermsDifference } from './terms-contract.ts'
import type { LivePrice } from './live-answer.ts'
import { isSoldOut } from './outcome.ts'

/** How live answers differ from the stored prices, night by night. */

export type NightKey = { hotelId: number; roomNo: number; rateNo: number; night: DayNumber }

/** Which terms of a live answer differ from those that are sold. */
type ComparedTerms = Readonly<Record<TermsDifference['what'], boolean>>

/** The result of one live answer for one night. */
export type ComparedNight = NightKey & { currency: string; atMs: number; terms: ComparedTerms } & (
    | { found: 'sold_out' }
    | { found: 'same' | 'differs'; stored: number; live: number; revision: number }
  )

/** The results of several answers for one night, in order of arrival. Null if no price was compared. */
export type Drifted = NightKey & {
  currency: string
  checks: number
  differing: number
  soldOut: number
  mealPlanDiffers: number
  cancelPolicyDiffers: number
  largest: number
  lastAtMs: number
  stored: number | null
  live: number | null
  revision: number | null
  /** The start of the current run of differing comparisons; null if the last one did not differ. */
  sinceAtMs: number | null
  sinceRevision: number | null
}

export type AnsweredStay = {
  key: Omit<NightKey, 'night'>
  currency: string
  atMs: number
  query: StayQuery
  stored: StoredPrice
  /** Absent: the answer said nothing but that there are too few units. */
  live: LivePrice | undefined
  termsDiffer: readonly TermsDifference[]
}

/** The difference that rounding alone explains when each side rounds for itself: one minor unit. */
const roundingMinor = 1

/**
 * Prices of a sold-out answer mean little and are not compared. The stay is judged by its total: if the
 * totals are equal, no night differs, however the taxes were spread over the nights. Otherwise nights that
 * are off by rounding alone don't differ, unless no night is off by more.
 */
export function comparedNightsOf({
  key,
  currency,
  atMs,
  query,
  stored,
  live,
  termsDiffer,
}: AnsweredStay): ComparedNight[] {
  const hasTooFew = !live || isSoldOut(live, query)
  const isDifferent = (what: TermsDifference['what']): boolean => termsDiffer.some((one) => one.what === what)
  const terms = { mealPlan: isDifferent('mealPlan'), cancelPolicy: isDifferent('cancelPolicy') }
  const stay = stored.nights ?? []
  const differences = stay.map(
    ({ afterTax }, index) => (live?.nights[index]?.afterTax ?? afterTax) - afterTax,
  )
  const total = differences.reduce((sum, difference) => sum + difference, 0)
  const largest = Math.max(...differences.map(Math.abs))
  const sameWithin = total === 0 ? largest : largest > roundingMinor ? roundingMinor : 0
  return stay.flatMap(({ day: night, afterTax: pushed, units, revision }, index): ComparedNight[] => {
    const common = { ...key, night, currency, atMs, terms }
    // Nights with too few stored units may be the sold-out ones, so only the others count.
    if (hasTooFew) return units < query.roomCount ? [] : [{ ...common, found: 'sold_out' }]
    const difference = differences[index] ?? 0
    const found = Math.abs(difference) <= sameWithin ? 'same' : 'differs'
    return [{ ...common, found, stored: pushed, live: pushed + difference, revision }]
  })
}

/** One entry per night, sorted by key, so that all writers lock rows in the same order. */
export function drifted(nights: readonly ComparedNight[]): Drifted[] {
  const byKey = new Map<string, Drifted>()
  for (const one of nights) {
    const { hotelId, roomNo, rateNo, night, currency } = one
    const key = `${hotelId}/${roomNo}/${rateNo}/${night}`
    const known = byKey.get(key)
    byKey.set(key, add(known?.currency === currency ? known : emptyDrift(one), one))
  }
  return [...byKey.values()].sort(
    (left, right) =>
      left.hotelId - right.hotelId ||
      left.roomNo - right.roomNo ||
      left.rateNo - right.rateNo ||
      left.night - right.night,
  )
}

function emptyDrift({ hotelId, roomNo, rateNo, night, currency, atMs }: ComparedNight): Drifted {
  return {
    hotelId,
    roomNo,
    rateNo,
    night,
    currency,
    checks: 0,
    differing: 0,
    soldOut: 0,
    mealPlanDiffers: 0,
    cancelPolicyDiffers: 0,
    largest: 0,
    lastAtMs: atMs,
    stored: null,
    live: null,
    revision: null,
    sinceAtMs: null,
    sinceRevision: null,
  }
}

function add(sum: Drifted, one: ComparedNight): Drifted {
  const next = {
    ...sum,
    checks: sum.checks + 1,
    mealPlanDiffers: sum.mealPlanDiffers + Number(one.terms.mealPlan),
    cancelPolicyDiffers: sum.cancelPolicyDiffers + Number(one.terms.cancelPolicy),
    lastAtMs: one.atMs,
  }
  if (one.found === 'sold_out') return { ...next, soldOut: sum.soldOut + 1 }
  const { stored, live, revision, atMs } = one
  const compared = { ...next, stored, live, revision }
  if (one.found === 'same') return { ...compared, sinceAtMs: null, sinceRevision: null }
  const difference = live - stored
  return {
    ...compared,
    differing: sum.differing + 1,
    largest: Math.abs(difference) > Math.abs(sum.largest) ? difference : sum.largest,
    sinceAtMs: sum.sinceAtMs ?? atMs,
    sinceRevision: sum.sinceRevision ?? revision,
  }
}
