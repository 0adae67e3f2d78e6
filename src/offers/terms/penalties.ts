import { minorText } from '../../base/money.ts'
import type { DayNumber } from '../../base/calendar.ts'
import type { ArrivalTerms } from '../../products/policies/arrival-terms.ts'
import type { CancelPenalty } from '../../products/policies/contract.ts'
import type { PenaltyBase } from '../../taxes/compute/penalty-base.ts'
import { deadlineOf, endOfArrivalDay } from './deadlines.ts'
import { knownMinor, percentOf } from './fees.ts'

type Charge = CancelPenalty['penaltyCharge']

/** The cost of cancelling: `amount` applies from an instant on, or from the booking on if `from` is null. */
export type StayPenalty = { from: string | null; amount: string; noShow?: true }
export type StayPolicy = {
  code: string | null
  description: string | null
  /** null: the terms are unknown. */
  penalties: StayPenalty[] | null
}

/** The terms of one date of arrival, with its deadlines as instants, without the amounts. */
export type PreparedTerms = Pick<ArrivalTerms, 'code' | 'description' | 'isKnown' | 'fees'> & {
  /** By deadline, policy by policy, earliest first. */
  deadlines: readonly (readonly PreparedPenalty[])[]
  noShows: readonly PreparedPenalty[]
  /** All in the order of answers, where each is an answer's line by itself; otherwise undefined. */
  lines: readonly PreparedPenalty[] | undefined
  /** The JSON before the penalties. */
  head: string
}
export type PreparedPenalty = {
  /** With the offset of the hotel's zone; null: from the time of booking. */
  from: string | null
  fromMs: number
  isNoShow: boolean
  charge: Charge
  /** The JSON around the amount. */
  before: string
  after: string
}

/** No-show penalties apply from the end of the day of arrival. */
export function prepareTerms(terms: ArrivalTerms, timeZone: string, arrival: DayNumber): PreparedTerms {
  const { code, description, isKnown, fees } = terms
  const deadlines = terms.deadlines.map((penalties) =>
    penalties
      .map((penalty) => prepared(penalty, deadlineOf(penalty, timeZone, arrival), false))
      .toSorted((one, other) => one.fromMs - other.fromMs),
  )
  const end = endOfArrivalDay(timeZone, arrival)
  const noShows = terms.noShows.map((penalty) => prepared(penalty, end, true))
  const [ofOne = [], ...ofOthers] = deadlines
  const isLineByLine =
    ofOthers.length === 0 &&
    noShows.length <= 1 &&
    ofOne.every(({ fromMs }, index) => fromMs !== ofOne[index - 1]?.fromMs)
  return {
    code,
    description,
    isKnown,
    deadlines,
    noShows,
    lines: isLineByLine ? [...ofOne, ...noShows] : undefined,
    fees,
    head: `${JSON.stringify({ code, description }).slice(0, -1)},"penalties":`,
  }
}

function prepared(
  { penaltyCharge: charge }: CancelPenalty,
  from: string | null,
  isNoShow: boolean,
): PreparedPenalty {
  return {
    from,
    fromMs: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    isNoShow,
    charge,
    before: `{"from":${JSON.stringify(from)},"amount":"`,
    after: isNoShow ? '","noShow":true}' : '"}',
  }
}

/** What cancelling costs from the instant of a penalty on, in minor units. */
export type PenaltyStep = { penalty: PreparedPenalty; amount: number }

/**
 * For rooms that are cancelled together: earliest first, no-show last. Of several policies the highest counts at each
 * instant, room by room, as of several penalties at one instant. Undefined: the terms are unknown.
 */
export function penaltySteps(
  { isKnown, deadlines, noShows, lines }: PreparedTerms,
  rooms: readonly PenaltyBase[],
  minorDigits: number,
): PenaltyStep[] | undefined {
  if (!isKnown) return undefined
  if (lines)
    return lines.map((penalty) => {
      let amount = 0
      for (const room of rooms) amount += penaltyOfRoom(penalty.charge, room, minorDigits)
      return { penalty, amount }
    })
  const steps: PenaltyStep[] = []
  const all = deadlines.flat().toSorted((one, other) => one.fromMs - other.fromMs)
  for (const penalty of all) {
    const last = steps.at(-1)
    if (last?.penalty.fromMs === penalty.fromMs) continue
    let amount = 0
    for (const room of rooms)
      amount += Math.max(...deadlines.map((some) => dueAt(some, penalty.fromMs, room, minorDigits)))
    // What changes nothing is no line, unless one policy says so itself.
    if (deadlines.length === 1 || amount !== (last?.amount ?? 0)) steps.push({ penalty, amount })
  }
  const [noShow] = noShows
  if (noShow) {
    let amount = 0
    for (const room of rooms)
      amount += Math.max(...noShows.map(({ charge }) => penaltyOfRoom(charge, room, minorDigits)))
    steps.push({ penalty: noShow, amount })
  }
  return steps
}

/** The policy with the amounts of its penalties. */
export function stayPolicy(
  { code, description }: Pick<PreparedTerms, 'code' | 'description'>,
  steps: readonly PenaltyStep[] | undefined,
  minorDigits: number,
): StayPolicy {
  const penalties =
    steps?.map(({ penalty: { from, isNoShow }, amount }): StayPenalty => {
      return { from, amount: minorText(amount, minorDigits), ...(isNoShow ? { noShow: true } : {}) }
    }) ?? null
  return { code, description, penalties }
}

/** The same policy as JSON. */
export function policyText(
  { head }: PreparedTerms,
  steps: readonly PenaltyStep[] | undefined,
  minorDigits: number,
): string {
  if (!steps) return `${head}null}`
  let text = `${head}[`
  for (const [index, { penalty, amount }] of steps.entries())
    text += `${index > 0 ? ',' : ''}${penalty.before}${minorText(amount, minorDigits)}${penalty.after}`
  return `${text}]}`
}

/** The penalty of the last deadline until an instant, whatever earlier ones were; of several then, the highest. */
function dueAt(
  penalties: readonly PreparedPenalty[],
  atMs: number,
  room: PenaltyBase,
  minorDigits: number,
): number {
  const last = penalties.findLast(({ fromMs }) => fromMs <= atMs)
  if (!last) return 0
  const then = penalties.filter(({ fromMs }) => fromMs === last.fromMs)
  return Math.max(...then.map(({ charge }) => penaltyOfRoom(charge, room, minorDigits)))
}

/** The first nights, the full stay, a percentage of it (half up), or a flat amount, but never more than a full stay. */
function penaltyOfRoom(
  { chargeBase, nights = 0, percent, amount, formerCurrency }: Charge,
  base: PenaltyBase,
  minorDigits: number,
): number {
  if (chargeBase === 'NightBase') return Math.min(firstNights(base, nights), base.stay)
  const flat = amount === undefined ? 0 : knownMinor(amount, formerCurrency, minorDigits)
  // A member that is zero is ignored if the other one has a value.
  if (flat > 0) return Math.min(flat, base.stay)
  if (percent !== undefined && (percent > 0 || amount === undefined)) return percentOf(base.stay, percent)
  return amount === undefined ? base.stay : 0
}

function firstNights({ nights }: PenaltyBase, count: number): number {
  let charged = 0
  for (let index = 0; index < nights.length && index < count; index++) charged += nights[index] ?? 0
  return charged
}
