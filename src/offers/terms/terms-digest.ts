import { hash } from 'node:crypto'
import { parseNight, formatNight, type DayNumber } from '../../base/calendar.ts'
import type { Tax } from '../../taxes/contract.ts'
import { exactDecimal } from '../../taxes/decimals.ts'
import type { PreparedTerms } from './penalties.ts'

/** What a guest agrees to besides the price. */
export type AgreedRules = {
  /** Undefined: no policy holds the arrival. */
  terms: PreparedTerms | undefined
  mealPlan: string | null
  /** Any taxes; those due at the property count. */
  taxes: readonly Tax[]
  arrival: DayNumber
  departure: DayNumber
}

const charactersMax = 22

/**
 * A hash over rules, not amounts or texts: when penalties count, which of them is due now, what they charge, the meal
 * plan, and the fees and taxes that are due at the property. All rooms of a room-rate have the same for a stay.
 */
export function termsDigest(
  { terms, mealPlan, taxes, arrival, departure }: AgreedRules,
  nowMs: number,
): string {
  const rules = [
    terms?.isKnown ?? false,
    (terms?.deadlines ?? []).map((penalties) => [
      penalties.map(({ from, charge }) => [from === null ? null : Date.parse(from), chargeOf(charge)]),
      penalties.filter(({ fromMs }) => fromMs <= nowMs).length,
    ]),
    (terms?.noShows ?? []).map(({ charge }) => chargeOf(charge)),
    mealPlan,
    (terms?.fees ?? []).map(({ valueType, value, appliedPer }) => [
      valueType,
      exactDecimal(value),
      appliedPer,
    ]),
    taxes.flatMap((tax) => dueAtProperty(tax, arrival, departure)),
  ]
  return hash('sha256', JSON.stringify(rules), 'base64url').slice(0, charactersMax)
}

type Charge = PreparedTerms['noShows'][number]['charge']

function chargeOf({ chargeBase, nights = 0, percent, amount }: Charge): (number | string | null)[] {
  if (chargeBase === 'NightBase') return [chargeBase, nights]
  const flat = Number(amount ?? 0)
  if (flat > 0) return [chargeBase, 'amount', flat]
  if (percent !== undefined && (percent > 0 || amount === undefined)) return [chargeBase, percent]
  return [chargeBase, amount === undefined ? 100 : 0]
}

/** A tax due at the property, with its dates as far as they are within the stay. */
function dueAtProperty(tax: Tax, arrival: DayNumber, departure: DayNumber): unknown[] {
  const { type, valueType, value, appliedOn, appliedPer, included, payNow, startDate, endDate } = tax
  if (included || payNow) return []
  const first = Math.max(parseNight(startDate ?? '') ?? arrival, arrival)
  const last = Math.min(parseNight(endDate ?? '') ?? departure - 1, departure - 1)
  if (first > last) return []
  const nights = first === arrival && last === departure - 1 ? [] : [formatNight(first), formatNight(last)]
  return [[type, valueType, exactDecimal(value), appliedOn, appliedPer, ...nights]]
}
