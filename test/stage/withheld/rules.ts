import { minimumNames, switchNames } from '../models/naive-restrictions.ts'
import type { Value } from '../models/read-back-nights.ts'
import { isOfInfants, isPrice, type Line } from './lines.ts'
import { keyOf, type Night } from './night.ts'

/** The rules of the guard, as docs/guard.md states them. */

export type Action = 'hold' | 'reject'
export type Rule = {
  kind: string
  percent?: number
  amount?: number
  units?: number
  nights?: number
  action: Action | 'warn'
}
export type Settings = { rules: Rule[]; learned: boolean; expiryHours: number; onExpiry: 'discard' | 'apply' }

/**
 * What a party paid, and what it would pay. `isLast`: it isn't on sale any more, but was within a day. Undefined: the price
 * is compared with nothing.
 */
export type Compared = { price: number; isLast: boolean; to: number } | undefined

export function strictest(actions: readonly (Rule['action'] | undefined)[]): Action | undefined {
  return actions.includes('reject') ? 'reject' : actions.includes('hold') ? 'hold' : undefined
}

export function judgePrice(
  rules: readonly Rule[],
  field: string,
  compared: Compared,
  price: number,
): Action | undefined {
  const paid = compared?.to ?? price
  // What is on sale already is no change.
  if (compared && !compared.isLast && compared.price === paid) return undefined
  const before = compared?.price ?? 0
  const isFull = field === 'unit' || field.startsWith('adult')
  return strictest(
    rules.map(({ kind, percent = 0, amount = 0, action }) => {
      const isBroken =
        (kind === 'priceDrop' && before > 0 && paid * 100 < before * (100 - percent)) ||
        (kind === 'priceRise' && before > 0 && paid * 100 > before * (100 + percent)) ||
        (kind === 'priceFloor' && isFull && price < amount) ||
        (kind === 'priceCeiling' && isFull && price > amount)
      return isBroken ? action : undefined
    }),
  )
}

export function judgeUnits(
  rules: readonly Rule[],
  before: Value | undefined,
  units: number,
): Action | undefined {
  if (typeof before !== 'number') return undefined
  return strictest(
    rules.map(({ kind, units: more = 0, action }) =>
      kind === 'inventoryJump' && units > before + more ? action : undefined,
    ),
  )
}

export function judgeOpened(rules: readonly Rule[], opened: number): Action | undefined {
  return strictest(
    rules.map(({ kind, nights = 0, action }) =>
      kind === 'massOpen' && opened > nights ? action : undefined,
    ),
  )
}

/** Whether a value lets a closed night be sold again. */
export function opens(field: string, before: Value | undefined, after: Value | null): boolean {
  if (field === 'closed') return before === true && after === null
  return field === 'inventory' && before === 0 && Number(after) > 0
}

/** Only what lets more be sold than before may be held: a price, more units, an opening, a looser restriction. */
export function mayBeHeld(field: string, before: Value | undefined, after: Value | null): boolean {
  if (after === (before ?? null)) return false
  if (isPrice(field)) return after !== null || (isOfInfants(field) && Number(before ?? 0) > 0)
  if (before === undefined) return false
  if (field === 'inventory') return Number(after ?? -1) > Number(before)
  if (after === null || switchNames.some((name) => name === field)) return after === null
  return minimumNames.some((name) => name === field) ? after < before : after > before
}

/** The nights of rooms and room-rates that a push opens. */
export function openedBy(lines: readonly Line[], stored: ReadonlyMap<string, Night>): number {
  const opened = lines.filter(({ rate, date, fields }) => {
    const before = stored.get(keyOf(rate, date))?.values
    return [...fields].some(([field, value]) => opens(field, before?.get(field), value))
  })
  return new Set(opened.map(({ rate, date }) => keyOf(rate, date))).size
}
