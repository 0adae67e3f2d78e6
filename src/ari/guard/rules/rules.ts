import { toMinor } from '../../../base/money.ts'
import { unset } from '../../blocks/block-codec.ts'
import { fieldNumber, isInfantPriceField, isPriceField, isSupplementField } from '../../fields.ts'
import { restrictionNames, restrictions } from '../../restrictions.ts'
import type { Reason, RuleBody } from '../contract.ts'
import type { RuleAction } from './rules-contract.ts'

/** The rules of the guard as pure functions of stored and new values, in minor units. */

export type GuardSettings = {
  rules: readonly RuleBody[]
  learned: boolean
  expiryHours: number
  onExpiry: 'discard' | 'apply'
}

/** The settings as a hotel's pushes are judged by them. */
export type Guard = {
  prices: readonly PriceRule[]
  /** Each with the units that may be added. */
  jumps: readonly { units: number; action: RuleAction }[]
  massOpen: readonly MassRule[]
  massClose: readonly MassRule[]
  learned: boolean
  expiryHours: number
  onExpiry: 'discard' | 'apply'
}
export type MassRule = { nights: number; action: RuleAction }

type PriceRule =
  | { kind: 'priceDrop' | 'priceRise'; percent: number; action: RuleAction }
  | { kind: 'priceFloor' | 'priceCeiling'; bound: number; action: RuleAction }

/** Why a value is not simply applied. `bound`: the last value that the rule allows. */
export type Verdict = { reason: Reason; action: RuleAction; bound: number | null }

/** What was learned for a price on a weekday: the lowest and highest that are not held. */
export type LearnedBound = { lowest: number; highest: number }

/** Amounts of rules have at most this many decimals, whatever the currency. */
export const boundDigits = 3

/** The rules for a hotel. Those that name no currency were made in one that it had before if they `hasLapsed`. */
export function guardOf(
  settings: GuardSettings,
  { currency, minorDigits, hasLapsed }: { currency: string; minorDigits: number; hasLapsed: boolean },
): Guard {
  const { learned, expiryHours, onExpiry } = settings
  const prices: PriceRule[] = []
  const jumps: Guard['jumps'][number][] = []
  const massOpen: MassRule[] = []
  const massClose: MassRule[] = []
  for (const { kind, percent = 0, amount = 0, units = 0, nights = 0, action, ...rule } of settings.rules) {
    if (kind === 'inventoryJump') jumps.push({ units, action })
    else if (kind === 'massOpen') massOpen.push({ nights, action })
    else if (kind === 'massClose') massClose.push({ nights, action: 'warn' })
    else if (kind === 'priceDrop' || kind === 'priceRise') prices.push({ kind, percent, action })
    else if (rule.currency === undefined ? !hasLapsed : rule.currency === currency)
      prices.push({ kind, bound: boundOf(kind, amount, minorDigits), action })
  }
  return { prices, jumps, massOpen, massClose, learned, expiryHours, onExpiry }
}

/** A price is an integer, so a bound with more decimals than the currency is as good as the next integer. */
function boundOf(kind: 'priceFloor' | 'priceCeiling', amount: number | string, minorDigits: number): number {
  const fine = toMinor(amount, boundDigits) ?? 0
  if (minorDigits >= boundDigits) return fine * 10 ** (minorDigits - boundDigits)
  const minor = fine / 10 ** (boundDigits - minorDigits)
  return kind === 'priceFloor' ? Math.ceil(minor) : Math.floor(minor)
}

export function isOff({ rules, learned }: Pick<GuardSettings, 'rules' | 'learned'>): boolean {
  return rules.length === 0 && !learned
}

const strength: Readonly<Record<RuleAction, number>> = { warn: 1, hold: 2, reject: 3 }

export function isStronger(verdict: Verdict, other: Verdict | undefined): boolean {
  return !other || strength[verdict.action] > strength[other.action]
}

/** The strongest of the rules that a new price breaks; undefined if it breaks none. `before`: `unset` if there was none. */
export function judgePrice(
  { prices, learned }: Pick<Guard, 'prices' | 'learned'>,
  field: number,
  before: number,
  after: number,
  bounds: LearnedBound | undefined,
): Verdict | undefined {
  if (after === unset) return undefined
  let worst: Verdict | undefined
  for (const rule of prices) {
    const bound = brokenBound(rule, field, before, after)
    if (bound === undefined) continue
    const verdict: Verdict = { reason: rule.kind, action: rule.action, bound }
    if (isStronger(verdict, worst)) worst = verdict
  }
  if (worst && worst.action !== 'warn') return worst
  const bound = learned && bounds && before > 0 ? beyondLearned(bounds, before, after) : undefined
  return bound === undefined ? worst : { reason: 'learned', action: 'hold', bound }
}

/**
 * The bound, if the price is beyond it. In integers: a price exactly at the bound never breaks the rule. Those of children
 * and infants may be anything from nothing on.
 */
function brokenBound(rule: PriceRule, field: number, before: number, after: number): number | undefined {
  switch (rule.kind) {
    case 'priceDrop': {
      const least = before * (100 - rule.percent)
      return before > 0 && after * 100 < least ? Math.ceil(least / 100) : undefined
    }
    case 'priceRise': {
      const most = before * (100 + rule.percent)
      return before > 0 && after * 100 > most ? Math.floor(most / 100) : undefined
    }
    case 'priceFloor':
      return !isSupplementField(field) && after < rule.bound ? rule.bound : undefined
    case 'priceCeiling':
      return !isSupplementField(field) && after > rule.bound ? rule.bound : undefined
  }
}

/** A price beyond what was learned may still move a little: on a holiday, all prices are. */
export const learnedFactor = 1.67

function beyondLearned({ lowest, highest }: LearnedBound, before: number, after: number): number | undefined {
  const most = before > highest ? Math.floor(before * learnedFactor) : highest
  if (after > most) return most
  const least = before < lowest ? Math.ceil(before / learnedFactor) : lowest
  return after < least ? least : undefined
}

/** Only more units than before are judged: none before means that the room wasn't sold by this number. */
export function judgeInventory(jumps: Guard['jumps'], before: number, after: number): Verdict | undefined {
  if (before === unset || after <= before) return undefined
  let worst: Verdict | undefined
  for (const { units, action } of jumps) {
    if (after <= before + units) continue
    const verdict: Verdict = { reason: 'inventoryJump', action, bound: before + units }
    if (isStronger(verdict, worst)) worst = verdict
  }
  return worst
}

/** The strongest of the rules that this many opened, or closed, nights break. */
export function judgeMass(reason: 'massOpen' | 'massClose', rules: readonly MassRule[], nights: number) {
  let worst: (Verdict & { bound: number }) | undefined
  for (const rule of rules) {
    if (nights <= rule.nights) continue
    const verdict = { reason, action: rule.action, bound: rule.nights }
    if (isStronger(verdict, worst)) worst = verdict
  }
  return worst
}

const looserIf = new Map<number, (before: number, after: number) => boolean>(
  restrictionNames.map((name) => {
    const { number, kind } = restrictions[name]
    if (kind === 'switch') return [number, (_before, after) => after === unset]
    if (kind === 'min') return [number, (before, after) => after === unset || after < before]
    return [number, (before, after) => after === unset || after > before]
  }),
)

/** Whether another value of a restriction allows more stays; the first one that is set never does. */
export function isLooser(field: number, before: number, after: number): boolean {
  return before !== unset && looserIf.get(field)?.(before, after) === true
}

/**
 * Whether a value may be held: with the stored value instead, no stay may be sold that the new one forbids, and
 * never more units. A price that is cleared is a closure, unless infants are free then, and without an inventory before, a new one may lower
 * that of the rate.
 */
export function mayBeHeld(field: number, before: number, after: number): boolean {
  if (after === before) return false
  if (isPriceField(field)) return after !== unset || (isInfantPriceField(field) && before > 0)
  if (field === fieldNumber.inventory) return before !== unset && after > before
  return isLooser(field, before, after)
}

/** Whether the value lets a closed night be sold again, or closes it. */
export function opens(field: number, before: number, after: number): boolean {
  if (field === fieldNumber.closed) return before !== unset && after === unset
  return field === fieldNumber.inventory && before === 0 && after > 0
}

export function closes(field: number, before: number, after: number): boolean {
  if (field === fieldNumber.closed) return before === unset && after !== unset
  return field === fieldNumber.inventory && before > 0 && after <= 0
}
