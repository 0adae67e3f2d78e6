import { setImmediate as breathe } from 'node:timers/promises'
import { firstDay, type DayNumber } from '../../base/calendar.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber, isGuestPriceField, isPriceField } from '../fields.ts'
import { countNights, nightsIn, type NightMask } from '../blocks/month.ts'
import type { BlockKey } from '../blocks/store.ts'
import type { UndoBlock, UndoPlan } from './undo-plan.ts'
import { UndoneUnits } from './undone-units.ts'

/** Compares what a push wrote with what is stored now: the values to put back, and the conflicts. */

/** Consecutive nights of a row with the same values of a field. */
export type UndoRange = {
  roomNo: number
  rateNo: number
  field: number
  from: DayNumber
  to: DayNumber
  /** The value now. */
  now: number
  /** Of a value to put back: the new one. Of a conflict: what the push wrote. */
  other: number
  /** Of a conflict: the revision of the newest change since the push. */
  changedAt: number
}

/** The values to put back in a block: a field, and for each night of the mask its new value. */
export type Restored = {
  key: BlockKey
  block: Block
  sets: { field: number; mask: NightMask; nights: number[] }[]
}

export type JudgedUndo = {
  restored: Restored[]
  changes: UndoRange[]
  conflicts: UndoRange[]
  cellsChanged: number
  cellsInConflict: number
  inventoryLeftOut: number
  pastNights: number
}

/** Work between two turns of other requests. */
const blocksAtOnce = 200

type UndoContext = {
  /** The first night that can be changed. */
  firstNight: DayNumber
  ratesOf: (roomNo: number) => readonly number[]
}

export async function judgeUndo(
  plan: UndoPlan,
  stored: Blocks,
  { firstNight, ratesOf }: UndoContext,
): Promise<JudgedUndo> {
  const judged: JudgedUndo = {
    restored: [],
    changes: [],
    conflicts: [],
    cellsChanged: 0,
    cellsInConflict: 0,
    inventoryLeftOut: plan.inventoryLeftOut,
    pastNights: 0,
  }
  const lastChange = new Map<string, UndoRange>()
  const lastConflict = new Map<string, UndoRange>()
  const units = new UndoneUnits(plan.blocks, stored, ratesOf)
  for (const [index, wanted] of plan.blocks.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const { roomNo, rateNo, month } = wanted.key
    const nights = judgeBlock(wanted, stored.of(roomNo, rateNo, month), firstNight, units)
    judged.cellsChanged += countNights(maskOf(nights.restored))
    judged.cellsInConflict += countNights(maskOf(nights.conflicts))
    judged.inventoryLeftOut += countNights(nights.inventoryKept)
    judged.pastNights += countNights(nights.past)
    if (nights.restored.length > 0) judged.restored.push(setsOf(wanted.key, nights))
    for (const night of nights.restored) addNight(judged.changes, lastChange, wanted.key, night)
    for (const night of nights.conflicts) addNight(judged.conflicts, lastConflict, wanted.key, night)
  }
  return judged
}

type Night = { field: number; night: number; now: number; other: number; changedAt: number }

type JudgedBlock = {
  block: Block
  restored: Night[]
  conflicts: Night[]
  inventoryKept: NightMask
  past: NightMask
}

function judgeBlock(wanted: UndoBlock, block: Block, firstNight: DayNumber, units: UndoneUnits): JudgedBlock {
  const judged: JudgedBlock = { block, restored: [], conflicts: [], inventoryKept: 0, past: 0 }
  const first = firstDay(wanted.key.month)
  for (const { field, mask, values, written } of wanted.fields) {
    const present = block.values(field)
    const changedAt = wanted.changedAt.get(field)
    for (const [index, night] of nightsIn(mask).entries()) {
      const [before, pushed] = [values[index] ?? unset, written[index] ?? unset]
      // The push itself changed it back.
      if (before === pushed) continue
      const now = present?.[night] ?? unset
      if (first + night < firstNight) judged.past |= 1 << night
      else if (now !== pushed)
        judged.conflicts.push({ field, night, now, other: pushed, changedAt: changedAt?.[night] ?? 0 })
      // Units that are back on sale may be booked elsewhere by now.
      else if (
        field === fieldNumber.inventory &&
        (before > now || (before === unset && units.areMoreWithout(wanted.key, night)))
      )
        judged.inventoryKept |= 1 << night
      else judged.restored.push({ field, night, now, other: before, changedAt: 0 })
    }
  }
  return withOneModel(judged, wanted)
}

/** A night never has prices of both models: where it would, its prices stay, as a conflict. */
function withOneModel(judged: JudgedBlock, wanted: UndoBlock): JudgedBlock {
  const both = nightsOfBothModels(judged)
  if (both === 0) return judged
  const isKept = ({ field, night }: Night): boolean => isPriceField(field) && (both & (1 << night)) !== 0
  const writtenOn = (field: number, night: number): number => {
    const of = wanted.fields.find((one) => one.field === field)
    return of?.written[countNights(of.mask & ((1 << night) - 1))] ?? unset
  }
  const kept = judged.restored.filter(isKept).map((one) => ({
    ...one,
    other: writtenOn(one.field, one.night),
    changedAt: pricesChangedAt(wanted, one.night),
  }))
  const conflicts = [...judged.conflicts, ...kept].sort(
    (left, right) => left.field - right.field || left.night - right.night,
  )
  return { ...judged, conflicts, restored: judged.restored.filter((one) => !isKept(one)) }
}

/** The nights with a value to put back that would then have a price for the unit and one for guests. */
function nightsOfBothModels({ block, restored }: JudgedBlock): NightMask {
  const priced = restored.filter(({ field }) => isPriceField(field))
  if (priced.length === 0) return 0
  const valueByCell = new Map(priced.map(({ field, night, other }) => [field * 32 + night, other]))
  const fields = new Set([...block.fields().filter(isPriceField), ...priced.map(({ field }) => field)])
  const nights = nightsIn(maskOf(priced))
  let [unit, guest] = [0, 0]
  for (const field of fields) {
    const present = block.values(field)
    for (const night of nights) {
      const value = valueByCell.get(field * 32 + night) ?? present?.[night] ?? unset
      if (value === unset) continue
      if (isGuestPriceField(field)) guest |= 1 << night
      else unit |= 1 << night
    }
  }
  return unit & guest
}

function pricesChangedAt({ changedAt }: UndoBlock, night: number): number {
  let newest = 0
  for (const [field, nights] of changedAt)
    if (isPriceField(field)) newest = Math.max(newest, nights[night] ?? 0)
  return newest
}

function maskOf(nights: readonly Night[]): NightMask {
  let mask = 0
  for (const { night } of nights) mask |= 1 << night
  return mask
}

function setsOf(key: BlockKey, { block, restored }: JudgedBlock): Restored {
  const byField = new Map<number, { field: number; mask: NightMask; nights: number[] }>()
  for (const { field, night, other } of restored) {
    const set = byField.get(field) ?? { field, mask: 0, nights: [] }
    byField.set(field, set)
    set.mask |= 1 << night
    set.nights[night] = other
  }
  return { key, block, sets: [...byField.values()] }
}

function addNight(
  ranges: UndoRange[],
  lastByRow: Map<string, UndoRange>,
  { roomNo, rateNo, month }: BlockKey,
  { field, night, now, other, changedAt }: Night,
): void {
  const day = firstDay(month) + night
  const row = `${roomNo}/${rateNo}/${field}`
  const last = lastByRow.get(row)
  if (last?.to === day - 1 && last.now === now && last.other === other && last.changedAt === changedAt) {
    last.to = day
    return
  }
  const range = { roomNo, rateNo, field, from: day, to: day, now, other, changedAt }
  lastByRow.set(row, range)
  ranges.push(range)
}
