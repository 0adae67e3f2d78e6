import Type from 'typebox'
import type { BookableRoomRate } from '../offers/stays/booking-catalog.ts'
import { penaltySteps, prepareTerms, stayPolicy, type StayPenalty } from '../offers/terms/penalties.ts'
import type { DayNumber } from '../base/calendar.ts'
import { removedCardNumber, withoutCardNumbers } from '../base/card-number.ts'
import { repeatsCard } from '../outbound/repeated-cards.ts'
import type { Problem } from '../http/rejected.ts'
import { isRecord, validator } from '../http/validation/validate.ts'
import { isNoShow, termsOn, type ArrivalTerms } from '../products/policies/arrival-terms.ts'
import type { CancelPolicy } from '../products/policies/contract.ts'
import { cancelPenaltiesPerPolicyMax, cancelPenalty } from '../reference/cancel-penalty-contract.ts'
import { taxAnswer } from '../taxes/compute/answered-price.ts'
import { termsWarnings, type TermsDifference } from './terms-contract.ts'

/** The terms of a supplier's answer, compared with those that are sold. */

type Penalties = NonNullable<CancelPolicy['cancelPenalties']>

type PricedNight = { beforeTax: number; afterTax: number }

/** A member is absent if the answer doesn't say it. */
export type LiveTerms = { mealPlan?: string; penalties?: Penalties | 'unreadable' }

const mealPlanCharactersMax = 64
/** Read beyond the stored length, so that truncation never hides a card number. */
const mealPlanCharactersRead = 4 * mealPlanCharactersMax
const penaltiesShape = validator(Type.Array(cancelPenalty, { maxItems: cancelPenaltiesPerPolicyMax }))

export function readLiveTerms(roomRate: Readonly<Record<string, unknown>>): LiveTerms {
  const { mealPlan, cancelPolicy } = roomRate
  const penalties = isRecord(cancelPolicy) ? withoutNulls(cancelPolicy['cancelPenalties']) : undefined
  const plan = mealPlanText(mealPlan)
  return {
    ...(plan === '' ? {} : { mealPlan: plan }),
    ...(penalties === undefined
      ? {}
      : { penalties: penaltiesShape.matches(penalties) ? penalties : 'unreadable' }),
  }
}

/** A text that PostgreSQL can store; empty if the answer says nothing. */
function mealPlanText(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, mealPlanCharactersRead)
  const plain = repeatsCard(text) ? removedCardNumber : withoutCardNumbers(text)
  return plain
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, mealPlanCharactersMax)
    .toWellFormed()
    .trim()
}

/** Many programs write null for a member that they don't have. */
function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, withoutNulls(member)]],
    ),
  )
}

export type SoldTerms = {
  roomRate: Pick<BookableRoomRate, 'mealPlan' | 'policies' | 'taxes'>
  timeZone: string
  minorDigits: number
  arrival: DayNumber
  /** Adults and children in one room. */
  persons: number
}

/** What differs. Penalties are compared by when they are due and what they cost at the supplier's own price. */
export function termsDifferences(
  { mealPlan, penalties }: LiveTerms,
  nights: readonly PricedNight[],
  { roomRate, timeZone, minorDigits, arrival, persons }: SoldTerms,
): TermsDifference[] {
  const found: TermsDifference[] = []
  if (mealPlan !== undefined && mealPlan !== roomRate.mealPlan)
    found.push({ what: 'mealPlan', sold: roomRate.mealPlan, live: mealPlan })
  if (penalties === undefined) return found
  const { penaltyBase } = taxAnswer({
    taxes: roomRate.taxes.entries.map(({ tax }) => tax),
    nights: nights.map((night, index) => ({ ...night, day: arrival + index })),
    persons,
    minorDigits,
  })
  const dueUnder = (terms: ArrivalTerms | undefined): StayPenalty[] | null => {
    const prepared = terms && prepareTerms(terms, timeZone, arrival)
    const steps = prepared && penaltySteps(prepared, [penaltyBase], minorDigits)
    return prepared ? stayPolicy(prepared, steps, minorDigits).penalties : null
  }
  const sold = dueUnder(termsOn(roomRate.policies, arrival))
  const live = penalties === 'unreadable' ? null : dueUnder(termsOf(penalties))
  if (live === null || effectOf(live) !== effectOf(sold ?? []))
    found.push({ what: 'cancelPolicy', sold, live })
  return found
}

function termsOf(penalties: Penalties): ArrivalTerms {
  const byDeadline = penalties.filter((penalty) => !isNoShow(penalty))
  return {
    code: null,
    description: null,
    isKnown: true,
    deadlines: [byDeadline],
    noShows: penalties.filter(isNoShow),
    fees: [],
  }
}

/**
 * What cancelling costs from which moment on, and not arriving: the last deadline that has passed counts, of several at the
 * same moment the highest, and a no-show costs no less than a cancellation.
 */
function effectOf(penalties: readonly StayPenalty[]): string {
  const highestByFrom = new Map<string | null, number>()
  let noShow = 0
  for (const { from, amount, noShow: isOfNoShow = false } of penalties) {
    if (isOfNoShow) noShow = Math.max(noShow, Number(amount))
    else highestByFrom.set(from, Math.max(highestByFrom.get(from) ?? 0, Number(amount)))
  }
  const ordered = [...highestByFrom].sort(([one], [other]) => momentOf(one) - momentOf(other))
  const steps: [string | null, number][] = []
  let due = 0
  for (const [from, amount] of ordered) {
    if (amount !== due) steps.push([from, amount])
    due = amount
  }
  return JSON.stringify({ steps, noShow: Math.max(noShow, due) })
}

function momentOf(from: string | null): number {
  return from === null ? 0 : Date.parse(from)
}

/** The differences as remarks on a room-rate of a request. */
export function warningsOf(differences: readonly TermsDifference[], path: string): Problem[] {
  return differences.map((difference) => {
    if (difference.what === 'cancelPolicy') return { ...termsWarnings.cancelPolicy, path }
    const { live, sold } = difference
    const beside = sold === null ? 'the rate is sold without one' : `${sold} is sold`
    return { ...termsWarnings.mealPlan, message: `The supplier’s meal plan is ${live}, and ${beside}`, path }
  })
}
