import { addDays } from '../models/naive-offers.ts'
import { exact, rounded, sum } from './exact.ts'
import type { Fee } from './fees.ts'
import type { Price } from './price.ts'
import { instantIn, instantText } from './zones.ts'

/** What cancelling costs, by the contract alone. Amounts are minor units. */

export type Charge = 'stay' | { nights: number } | { percent: number } | { flat: number }
export type Deadline = { unit: 'D' | 'H'; value: number; time: string }
export type NaivePenalty = { deadline?: Deadline; charge: Charge; isNoShow?: true }
/** `penalties: undefined`: nobody knows the terms. */
export type Policy = {
  code: string
  isListed?: true
  penalties: readonly NaivePenalty[] | undefined
  fees?: readonly Fee[]
}

export function daysBefore(value: number): Deadline {
  return { unit: 'D', value, time: '18:00' }
}

/** An amount from an instant on; `-Infinity` is from the booking on. */
export type Step = { fromMs: number; from: string | null; amount: number; isNoShow: boolean }

export function pushedPolicies({ code, isListed, penalties, fees = [] }: Policy): object[] {
  if (isListed || !penalties) return [{ code, fees }]
  const cancelPenalties = penalties.map(({ deadline, charge, isNoShow }) => ({
    ...(isNoShow ? { noShow: true } : {}),
    ...(deadline
      ? {
          cancelDeadline: {
            offsetTimeUnit: deadline.unit,
            offsetTimeValue: deadline.value,
            deadline: deadline.time,
          },
        }
      : {}),
    penaltyCharge: pushedCharge(charge),
  }))
  return [{ code, cancelPenalties, fees }]
}

function pushedCharge(charge: Charge): object {
  if (charge === 'stay') return { chargeBase: 'FullStay' }
  if ('nights' in charge) return { chargeBase: 'NightBase', nights: charge.nights }
  if ('percent' in charge) return { chargeBase: 'FullStay', percent: charge.percent }
  return { chargeBase: 'FullStay', amount: String(charge.flat) }
}

/** What a policy means, whatever its name. */
export function rulesOf({ penalties, fees = [] }: Policy): string {
  return JSON.stringify([penalties ?? null, fees])
}

/** Earliest first, a no-show last; undefined where the terms are unknown. */
export function stepsOf(
  { penalties }: Policy,
  { base }: Pick<Price, 'base'>,
  { zone, arrival, digits }: { zone: string; arrival: string; digits: number },
): Step[] | undefined {
  const steps = penalties?.map(({ deadline, charge, isNoShow = false }): Step => {
    const fromMs = isNoShow
      ? instantIn(zone, addDays(arrival, 1), '00:00')
      : deadline
        ? instantOf(deadline, zone, arrival)
        : -Infinity
    const from = fromMs === -Infinity ? null : instantText(zone, fromMs)
    return { fromMs, from, amount: charged(charge, base, digits), isNoShow }
  })
  return steps?.sort(
    (one, other) =>
      Number(one.isNoShow) - Number(other.isNoShow) ||
      (one.fromMs === other.fromMs ? 0 : one.fromMs - other.fromMs),
  )
}

function instantOf({ unit, value, time }: Deadline, zone: string, arrival: string): number {
  return unit === 'D'
    ? instantIn(zone, addDays(arrival, -value), time)
    : instantIn(zone, arrival, time) - value * 3_600_000
}

function charged(charge: Charge, { stay, nights }: Price['base'], digits: number): number {
  if (charge === 'stay') return stay
  if ('nights' in charge) return Math.min(stay, sum(nights.slice(0, charge.nights)))
  if ('percent' in charge) return rounded(exact(stay * charge.percent, 100))
  return Math.min(stay, charge.flat * 10 ** digits)
}

/** The last deadline that has passed. */
export function dueAt(steps: readonly Step[], atMs: number): Step | undefined {
  return steps.findLast(({ fromMs, isNoShow }) => !isNoShow && fromMs <= atMs)
}

/** For guests who don't come: the last penalty, or that for a no-show if it is higher. */
export function dueForNoShow(steps: readonly Step[]): Step | undefined {
  const last = dueAt(steps, Infinity)
  const noShow = steps.find(({ isNoShow }) => isNoShow)
  return noShow && noShow.amount > (last?.amount ?? 0) ? noShow : last
}

export type Cancellation = {
  cancellation: 'always' | 'until' | 'never' | 'unknown'
  freeUntil: string | null
}

export function cancellationAt(steps: readonly Step[] | undefined, owed: number, atMs: number): Cancellation {
  if (!steps) return { cancellation: 'unknown', freeUntil: null }
  const costly = steps.filter(({ isNoShow, amount }) => !isNoShow && amount > 0)
  if (owed > 0 || costly.some(({ fromMs }) => fromMs <= atMs))
    return { cancellation: 'never', freeUntil: null }
  const [first] = costly
  return first
    ? { cancellation: 'until', freeUntil: first.from }
    : { cancellation: 'always', freeUntil: null }
}

const strictness = ['always', 'until', 'never', 'unknown']

export function strictest(rooms: readonly Cancellation[]): Cancellation {
  const level = ({ cancellation }: Cancellation): number => strictness.indexOf(cancellation)
  const first = ({ freeUntil }: Cancellation): number => Date.parse(freeUntil ?? '9999-01-01')
  const [strict] = rooms.toSorted((one, other) => level(other) - level(one) || first(one) - first(other))
  return strict ?? { cancellation: 'unknown', freeUntil: null }
}
