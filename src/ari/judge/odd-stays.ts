import { daysIn, firstDay, monthOf, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import type { Blocks } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber } from '../fields.ts'
import {
  pushedRestrictions,
  restrictions,
  type PushedRestriction,
  type Restriction,
} from '../restrictions.ts'
import type { Limit } from './odd-value-warnings.ts'
import type { RowChange } from './plan.ts'

/**
 * Arrivals on which no stay can begin, because a minimum and a maximum of different nights contradict each other. The
 * shortest stay that the minimums allow includes certain nights, whatever else is true of it, and their minimums may
 * make it longer; only a maximum of the arrival or of those nights counts. Nights that were not read have no limits: what
 * is told is certain.
 */

/** Where both values are of one night, they are told of as such. */
type Cell = { name: PushedRestriction; night: DayNumber; value: number }

const lengths = pushedRestrictions.flatMap((name) => {
  const rule: Restriction = restrictions[name]
  if (rule.kind === 'switch' || rule.compares !== 'length' || rule.tests === 'departure') return []
  return [{ name, field: fieldNumber[name], isMin: rule.kind === 'min', isThrough: rule.tests === 'nights' }]
})
const limits = lengths
  .filter(({ isMin }) => isMin)
  .flatMap((min) =>
    lengths
      .filter(({ isMin }) => !isMin)
      .map((max): Limit => ({ min: min.name, max: max.name, isApart: true })),
  )
const closures = [fieldNumber.closed, fieldNumber.closedToArrival]
const fields = [...closures, ...lengths.map(({ field }) => field)]

/** Arrivals so many nights before a changed night are judged again. */
const nightsBack = 14

type Sets = Pick<RowChange, 'rateNo' | 'months' | 'sets'>

function lengthsSet({ rateNo, sets }: Pick<Sets, 'rateNo' | 'sets'>) {
  if (rateNo === 0) return []
  return lengths.flatMap((rule) => {
    const value = sets.find(({ field }) => field === rule.field)?.value ?? unset
    return value === unset ? [] : [{ ...rule, value }]
  })
}

/** Names the months of the row that are read besides its own. */
export function monthsOfStays(row: Sets, name: (month: MonthNumber) => void): void {
  const set = lengthsSet(row)
  if (set.length === 0) return
  const isThrough = set.some((one) => one.isThrough)
  // A stay that is longer than its maximum contradicts it, and then no further night matters.
  const ahead = Math.max(...set.map(({ value, isMin }) => (isMin ? value - 1 : value)))
  for (const { month, mask } of row.months) {
    const [first, last] = [31 - Math.clz32(mask & -mask), 31 - Math.clz32(mask)]
    if (isThrough && first < nightsBack) name(month - 1)
    if (last + ahead >= daysIn(month)) name(month + 1)
  }
}

/** How many arrivals from today on can't be begun because of a value of the row, by the limits that contradict each other. */
export function impossibleArrivals(
  row: RowChange,
  blocks: Blocks,
  today: DayNumber,
): ReadonlyMap<Limit, number> {
  const found = new Map<Limit, number>()
  const set = lengthsSet(row)
  if (set.length === 0) return found
  const nights = nightsRead(row, blocks)
  if (!nights) return found
  const isSet = ({ name, night, value }: Cell): boolean =>
    set.some((one) => one.name === name && one.value === value) && isIn(row, night)
  for (const arrival of arrivalsOf(
    row,
    set.some(({ isThrough }) => isThrough),
  )) {
    if (arrival < today || closures.some((field) => nights.at(field, arrival) !== unset)) continue
    const pair = contradictionOf(arrival, nights)
    if (!pair) continue
    const { mins, max } = pair
    const min = mins.at(-1)
    if (!min || min.night === max.night || ![...mins, max].some(isSet)) continue
    const limit = limits.find((one) => one.min === min.name && one.max === max.name)
    if (limit) found.set(limit, (found.get(limit) ?? 0) + 1)
  }
  return found
}

type Nights = { at: (field: number, night: DayNumber) => number }

/** The values of a row in the months that were read; undefined if it has no minimum or no maximum there. */
function nightsRead(row: RowChange, blocks: Blocks): Nights | undefined {
  const months = new Set(row.months.map(({ month }) => month))
  monthsOfStays(row, (month) => months.add(month))
  const first = firstDay(Math.min(...months))
  const length = firstDay(Math.max(...months) + 1) - first
  const columns = new Map<number, Int32Array>()
  for (const month of months) {
    const block = blocks.of(row.roomNo, row.rateNo, month)
    for (const field of fields) {
      const values = block.values(field)
      if (!values) continue
      const column = columns.get(field) ?? new Int32Array(length).fill(unset)
      columns.set(field, column)
      for (let night = 0; night < daysIn(month); night++)
        column[firstDay(month) - first + night] = values[night] ?? unset
    }
  }
  const hasBoth = [true, false].every((wanted) =>
    lengths.some(({ field, isMin }) => isMin === wanted && columns.has(field)),
  )
  return hasBoth ? { at: (field, night) => columns.get(field)?.[night - first] ?? unset } : undefined
}

function isIn({ months }: Pick<RowChange, 'months'>, night: DayNumber): boolean {
  const index = night - firstDay(monthOf(night))
  return months.some(({ month, mask }) => month === monthOf(night) && ((mask >>> index) & 1) === 1)
}

function arrivalsOf({ months }: Pick<RowChange, 'months'>, isThrough: boolean): Set<DayNumber> {
  const arrivals = new Set<DayNumber>()
  for (const { month, mask } of months) {
    for (let index = 0; index < daysIn(month); index++) {
      if (((mask >>> index) & 1) === 0) continue
      for (let back = 0; back <= (isThrough ? nightsBack : 0); back++)
        arrivals.add(firstDay(month) + index - back)
    }
  }
  return arrivals
}

/** The first maximum that no stay from the arrival can keep, and the minimums that make it too long, the longest last. */
function contradictionOf(arrival: DayNumber, nights: Nights): { mins: Cell[]; max: Cell } | undefined {
  const mins: Cell[] = []
  let max: Cell | undefined
  for (let night = arrival; night < arrival + (mins.at(-1)?.value ?? 1); night++) {
    for (const { name, field, isMin, isThrough } of lengths) {
      const value = isThrough || night === arrival ? nights.at(field, night) : unset
      if (value === unset) continue
      if (isMin && value > (mins.at(-1)?.value ?? 0)) mins.push({ name, night, value })
      if (!isMin && value < (max?.value ?? Infinity)) max = { name, night, value }
    }
    if (max && (mins.at(-1)?.value ?? 0) > max.value) return { mins, max }
  }
  return undefined
}
