import { roomRateKey } from '../../products/store.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import type { NightMask } from '../blocks/month.ts'
import { nightsMax, unset } from '../blocks/block-codec.ts'
import { isPriceField } from '../fields.ts'
import type { PlannedItem } from '../judge/plan.ts'

/** The blocks of a hotel before and after a push. Prices set at `currencyRevision` or before it can't be sold. */
export type States = { before: Blocks; after: Blocks; currencyRevision: number }

export type TouchedMonth = { roomNo: number; rateNo: number; month: number; mask: NightMask }

/** The nights that a push names, each row and month once, in order. */
export function touchedMonths(items: readonly PlannedItem[]): TouchedMonth[] {
  const byRow = new Map<number, Map<number, TouchedMonth>>()
  for (const { rows } of items) {
    for (const { roomNo, rateNo, months } of rows) {
      const key = roomRateKey(roomNo, rateNo)
      const byMonth = byRow.get(key) ?? new Map<number, TouchedMonth>()
      byRow.set(key, byMonth)
      for (const { month, mask } of months) {
        const known = byMonth.get(month)
        if (known) known.mask |= mask
        else byMonth.set(month, { roomNo, rateNo, month, mask })
      }
    }
  }
  const months = byRow.values().flatMap((byMonth) => byMonth.values())
  return months
    .toArray()
    .sort((one, other) => one.roomNo - other.roomNo || one.rateNo - other.rateNo || one.month - other.month)
}

/** Visits every value of a month that changed, by rising field and night; returns the nights. */
export function changedValues(
  { before, after, currencyRevision }: States,
  { roomNo, rateNo, month }: TouchedMonth,
  visit: (field: number, night: number, old: number, now: number) => void,
): NightMask {
  const [oldBlock, nowBlock] = [before.of(roomNo, rateNo, month), after.of(roomNo, rateNo, month)]
  if (oldBlock === nowBlock) return 0
  const fields = [...new Set([...oldBlock.fields(), ...nowBlock.fields()])].sort((one, other) => one - other)
  let changed = 0
  for (const field of fields) {
    const old = sellableValues(oldBlock, field, currencyRevision)
    const now = sellableValues(nowBlock, field, currencyRevision)
    for (let night = 0; night < nightsMax; night++) {
      const [oldValue, value] = [old?.[night] ?? unset, now?.[night] ?? unset]
      if (oldValue === value) continue
      changed |= 1 << night
      visit(field, night, oldValue, value)
    }
  }
  return changed
}

/** The values of a field, without prices in a former currency. */
export function sellableValues(
  block: Block,
  field: number,
  currencyRevision: number,
): readonly number[] | undefined {
  const values = block.values(field)
  if (!values || currencyRevision === 0 || !isPriceField(field)) return values
  const revisions = block.revisions(field)
  return values.map((value, night) => ((revisions?.[night] ?? unset) <= currencyRevision ? unset : value))
}
