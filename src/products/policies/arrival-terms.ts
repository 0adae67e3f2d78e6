import { parseNight, type DayNumber } from '../../base/calendar.ts'
import { listedPenalties, type AddedCancelCodes } from '../../reference/cancel-codes.ts'
import type { CancelPenalty, CancelPolicy, Fee } from './contract.ts'
import { formerAmountsOf } from './former-amounts.ts'

/** Which of a product's policies count for an arrival, and with which terms. */

/** A pushed policy with the penalties that it means. */
type Entry = Pick<CancelPolicy, 'code' | 'description'> & {
  isDated: boolean
  firstArrival: DayNumber
  lastArrival: DayNumber
  /** Undefined: a code whose penalties nobody knows. */
  penalties: readonly CancelPenalty[] | undefined
  /** Whether it says anything about cancelling; fees alone don't. */
  hasTerms: boolean
  fees: readonly Fee[]
}

/** The policies of a product; products with the same policies share one object. */
export type Policies = {
  entries: readonly Entry[]
  /** Whether an arrival may have fees, or an amount of a former currency. */
  hasFees: boolean
  hasFormerAmounts: boolean
}

/** What counts for one date of arrival, without the amounts, which differ by offer. */
export type ArrivalTerms = {
  /** Those of the first policy that counts. */
  code: string | null
  description: string | null
  /** Whether it is known what cancelling costs. */
  isKnown: boolean
  /** By deadline, policy by policy: of several the highest counts at each instant. */
  deadlines: readonly (readonly CancelPenalty[])[]
  noShows: readonly CancelPenalty[]
  fees: readonly Fee[]
}

export const noPolicies: Policies = { entries: [], hasFees: false, hasFormerAmounts: false }

export function preparePolicies(
  policies: readonly CancelPolicy[],
  added: AddedCancelCodes,
  minorDigits: number,
): Policies {
  const entries = policies.map((policy) => entryOf(policy, added))
  return {
    entries,
    hasFees: entries.some(({ fees }) => fees.length > 0),
    hasFormerAmounts: policies.some((policy) => formerAmountsOf(policy, minorDigits).length > 0),
  }
}

function entryOf(policy: CancelPolicy, added: AddedCancelCodes): Entry {
  const { code, description, startDate, endDate, fees = [] } = policy
  const penalties = penaltiesOf(policy, added)
  return {
    ...(code === undefined ? {} : { code }),
    ...(description === undefined ? {} : { description }),
    isDated: startDate !== undefined || endDate !== undefined,
    firstArrival: parseNight(startDate ?? '') ?? Number.NEGATIVE_INFINITY,
    lastArrival: parseNight(endDate ?? '') ?? Number.POSITIVE_INFINITY,
    penalties,
    hasTerms: penalties !== undefined || code !== undefined,
    fees,
  }
}

/** The penalties that a policy means; undefined: nobody knows them. */
export function penaltiesOf(
  { code, cancelPenalties }: Pick<CancelPolicy, 'code' | 'cancelPenalties'>,
  added: AddedCancelCodes,
): readonly CancelPenalty[] | undefined {
  if (cancelPenalties !== undefined && cancelPenalties.length > 0) return cancelPenalties
  const listed = listedPenalties(code, added)
  return listed ?? cancelPenalties
}

export const isNoShow = ({ noShow = false }: CancelPenalty): boolean => noShow

/**
 * The terms for an arrival; undefined: no policy holds it. Deadline penalties, no-show penalties and fees are each taken
 * from the dated policies that hold the arrival, or else from those without dates.
 */
export function termsOn({ entries }: Policies, arrival: DayNumber): ArrivalTerms | undefined {
  const holding = entries.filter(
    ({ firstArrival, lastArrival }) => firstArrival <= arrival && arrival <= lastArrival,
  )
  const [only] = holding
  if (!only) return undefined
  const counting = (saysSo: (entry: Entry) => boolean): Entry[] => {
    const saying = holding.filter(saysSo)
    const dated = saying.filter(({ isDated }) => isDated)
    return dated.length > 0 ? dated : saying
  }
  const byDeadline = counting(saysDeadlines)
  const byNoShow = counting(saysNoShows)
  const withFees = counting(({ fees }) => fees.length > 0)
  const cancelling = [...byDeadline, ...byNoShow]
  const first =
    holding.find((entry) => cancelling.includes(entry)) ??
    holding.find((entry) => withFees.includes(entry)) ??
    only
  return {
    code: first.code ?? null,
    description: first.description ?? null,
    isKnown: cancelling.length > 0 && cancelling.every(({ penalties }) => penalties !== undefined),
    deadlines: byDeadline
      .map(({ penalties = [] }) => penalties.filter((penalty) => !isNoShow(penalty)))
      .filter((penalties) => penalties.length > 0),
    noShows: byNoShow.flatMap(({ penalties = [] }) => penalties.filter(isNoShow)),
    fees: feesOf(withFees),
  }
}

/** A policy without any penalty says that cancelling is free; one whose code nobody knows, that it is unknown. */
function saysDeadlines({ hasTerms, penalties }: Entry): boolean {
  return hasTerms && (penalties === undefined || penalties.length === 0 || !penalties.every(isNoShow))
}

function saysNoShows({ penalties = [] }: Entry): boolean {
  return penalties.some(isNoShow)
}

/** What several policies say alike counts once. */
function feesOf(entries: readonly Entry[]): Fee[] {
  const known = new Set<string>()
  return entries.flatMap(({ fees }) => {
    const others = fees.filter((fee) => !known.has(feeText(fee)))
    for (const fee of fees) known.add(feeText(fee))
    return others
  })
}

function feeText({ name, valueType, value, appliedPer, formerCurrency }: Fee): string {
  return JSON.stringify([name, valueType, Number(value), appliedPer, formerCurrency])
}

/** Flat penalties and fees of a former currency that count for an arrival, for people: it is sold only without any. */
export function formerTermsOn(policies: Policies, arrival: DayNumber, minorDigits: number): string[] {
  const terms = policies.hasFormerAmounts ? termsOn(policies, arrival) : undefined
  if (!terms) return []
  const { code, deadlines, noShows, fees } = terms
  const counted = {
    ...(code === null ? {} : { code }),
    cancelPenalties: [...deadlines.flat(), ...noShows],
    fees: [...fees],
  }
  return formerAmountsOf(counted, minorDigits).map(({ text }) => text)
}
