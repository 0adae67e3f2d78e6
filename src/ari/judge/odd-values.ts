import { firstDay, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import type { Problem } from '../../http/rejected.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import type { PriceFloor } from '../catalog/catalog.ts'
import {
  fieldNumber,
  guestBucket,
  guestPriceField,
  isGuestPriceField,
  isPriceField,
  type FieldValue,
} from '../fields.ts'
import { countNights, type MonthNights, nightsWhere, nightsWith, type NightMask } from '../blocks/month.ts'
import { impossibleArrivals, monthsOfStays } from './odd-stays.ts'
import { warningOf, type Limit, type Oddity } from './odd-value-warnings.ts'
import type { RowChange } from './plan.ts'
import { pushedRestrictions, restrictions, type Restriction } from '../restrictions.ts'

/**
 * Odd values that were applied. They are judged after all items of the push, by the final values: a value
 * that a later item corrects, or that a newer sequence supersedes, causes no warning.
 */
type OddNights = Map<Oddity, number>

const limits: readonly Limit[] = pushedRestrictions.flatMap((min) =>
  pushedRestrictions
    .filter((max) => areBounds(restrictions[min], restrictions[max]))
    .map((max) => ({ min, max })),
)

function areBounds(min: Restriction, max: Restriction): boolean {
  if (min.kind !== 'min' || max.kind !== 'max') return false
  if (min.compares !== max.compares) return false
  return min.tests === max.tests || (min.tests !== 'departure' && max.tests !== 'departure')
}

const leaps = { tenfold: 10, hundredfold: 100 } as const
const leapNames = ['tenfold', 'hundredfold'] as const

/** A price that was ten or a hundred times, or such a part of, the stored price when its item was applied. */
export type Leap = {
  row: RowChange
  month: MonthNumber
  set: FieldValue
  name: keyof typeof leaps
  nights: NightMask
}

/**
 * The blocks after the push, and `before` it if its items may have changed a night more than once.
 * `priceFloor` is absent if any price is allowed.
 */
export type AfterPush = {
  blocks: Blocks
  before: Blocks | undefined
  priceFloor: PriceFloor | undefined
  today: DayNumber
}

const single = guestPriceField('adult', 1)
const double = guestPriceField('adult', 2)

/** Adds the leaps of new prices against the stored ones. */
export function noteLeaps(row: RowChange, { month, mask }: MonthNights, before: Block, found: Leap[]): void {
  for (const set of row.sets) {
    if (!isPriceField(set.field)) continue
    for (const name of leapNames) {
      const nights = leapNights(before, set, mask, leaps[name])
      if (nights !== 0) found.push({ row, month, set, name, nights })
    }
  }
}

function leapNights(
  before: Block,
  { field, value }: FieldValue,
  nights: NightMask,
  factor: number,
): NightMask {
  if (value === unset || value === 0) return 0
  const stored = before.values(field)
  if (!stored) return 0
  const above = nightsWith(value * factor, stored, nights)
  return value % factor === 0 ? above | nightsWith(value / factor, stored, nights) : above
}

/**
 * Names the months needed to judge a change besides its own: the room's, for a departure the night before, and those
 * of stays whose length it limits.
 */
export function monthsBeside(
  row: RowChange,
  name: (roomNo: number, rateNo: number, month: MonthNumber) => void,
): void {
  const { roomNo, rateNo, months, sets, pricingModel } = row
  monthsOfStays(row, (month) => name(roomNo, rateNo, month))
  const isPriced = pricingModel !== undefined
  const forbidsDeparture = sets.some(isNoDeparture)
  if (!isPriced && !forbidsDeparture) return
  for (const { month, mask } of months) {
    name(roomNo, 0, month)
    if (!forbidsDeparture || (mask & 1) === 0) continue
    name(roomNo, 0, month - 1)
    name(roomNo, rateNo, month - 1)
  }
}

/** The warnings of an item. A night of several rates counts once per rate. */
export function oddWarnings(
  rows: readonly RowChange[],
  found: readonly Leap[],
  index: number,
  after: AfterPush,
): Problem[] {
  const odd: OddNights = new Map()
  for (const { row, month, set, name, nights } of found) {
    const { roomNo, rateNo } = row
    const holding = nightsHolding(after.blocks.of(roomNo, rateNo, month), set, nights)
    const before = after.before?.of(roomNo, rateNo, month)
    note(odd, name, before ? leapNights(before, set, holding, leaps[name]) : holding)
  }
  for (const row of rows) {
    if (row.rateNo === 0) continue
    for (const month of row.months) noteNights(row, month, after, odd)
    noteDepartures(row, after.blocks, odd)
    noteToday(row, after, odd)
    for (const [limit, arrivals] of impossibleArrivals(row, after.blocks, after.today))
      odd.set(limit, (odd.get(limit) ?? 0) + arrivals)
  }
  return odd.size === 0 ? [] : [...odd].map(([oddity, count]) => warningOf(oddity, count, `/ari/${index}`))
}

function noteNights(row: RowChange, { month, mask }: MonthNights, after: AfterPush, odd: OddNights): void {
  const { roomNo, rateNo, sets, pricingModel } = row
  const block = after.blocks.of(roomNo, rateNo, month)
  // Find odd values first, because they are rare; then check whether this row set them.
  const noteAbove = (oddity: Oddity, one: number, other: number): void => {
    const [setOne, setOther] = [setOf(sets, one), setOf(sets, other)]
    const above = setOne || setOther ? nightsAbove(block, one, other, mask) : 0
    if (above !== 0)
      note(odd, oddity, nightsHolding(block, setOne, above) | nightsHolding(block, setOther, above))
  }
  for (const limit of limits) noteAbove(limit, fieldNumber[limit.min], fieldNumber[limit.max])
  if (pricingModel === undefined) return
  noteAbove('singleAboveDouble', single, double)
  // The stored price says the same already.
  if (!odd.has('hundredfold'))
    for (const set of sets)
      if (isPriceField(set.field)) note(odd, 'beside', nightsFarFromBeside(block, set, mask))
  const empty = mask & ~stocked(after.blocks, row, block, month, mask)
  if (empty === 0 && !after.priceFloor) return
  let priced = 0
  let below = 0
  for (const set of sets) {
    if (!isPriceField(set.field)) continue
    priced |= nightsHolding(block, set, empty)
    if (after.priceFloor)
      below |= nightsBelow(after.priceFloor, row, set, month, nightsHolding(block, set, mask))
  }
  note(odd, 'withoutInventory', priced)
  note(odd, 'belowTaxes', below)
}

const lastNightOfBlock = 30

/** All of a set's nights, if its price is a hundred times, or a hundredth of, that of the next night on either side. */
function nightsFarFromBeside(block: Block, set: FieldValue, nights: NightMask): NightMask {
  const { field, value } = set
  const stored = value === unset || value === 0 ? undefined : block.values(field)
  if (!stored) return 0
  const priced = (night: number): number => stored[night] ?? unset
  let before = 31 - Math.clz32(nights & -nights) - 1
  while (before >= 0 && priced(before) === unset) before--
  let after = 32 - Math.clz32(nights)
  while (after <= lastNightOfBlock && priced(after) === unset) after++
  const isFar = [before, after].some((night) => {
    const beside = night < 0 ? unset : priced(night)
    if (beside === unset || beside === 0) return false
    return beside * leaps.hundredfold === value || value * leaps.hundredfold === beside
  })
  return isFar ? nightsHolding(block, set, nights) : 0
}

function setOf(sets: readonly FieldValue[], field: number): FieldValue | undefined {
  for (const set of sets) if (set.field === field) return set
  return undefined
}

/** The nights of the mask that still have the pushed value; none if it was cleared. */
function nightsHolding(block: Block, set: FieldValue | undefined, nights: NightMask): NightMask {
  if (!set || set.value === unset || nights === 0) return 0
  const stored = block.values(set.field)
  return stored ? nightsWith(set.value, stored, nights) : 0
}

/** The nights on which both fields have a value and the first is greater than the second. */
function nightsAbove(block: Block, one: number, other: number, nights: NightMask): NightMask {
  const above = block.values(one)
  const below = above && block.values(other)
  if (!below) return 0
  return nightsWhere(nights, (night) => {
    const least = below[night] ?? unset
    return least !== unset && (above[night] ?? unset) > least
  })
}

/** The nights of the mask for which the room or the rate has an inventory, even if it is zero. */
function stocked(
  blocks: Blocks,
  { roomNo }: RowChange,
  ofRate: Block,
  month: MonthNumber,
  nights: NightMask,
): NightMask {
  const ofRoom = blocks.of(roomNo, 0, month).nightsWithValue(fieldNumber.inventory, nights)
  return ofRoom | ofRate.nightsWithValue(fieldNumber.inventory, nights & ~ofRoom)
}

/**
 * Judges a unit price as if one guest stayed, and an adult price as if that many adults stayed. Other prices
 * are not judged: a child price may be enough together with the adult price, and nothing is taken for
 * infants.
 */
function nightsBelow(
  floor: PriceFloor,
  { roomNo, rateNo }: RowChange,
  { field, value }: FieldValue,
  month: MonthNumber,
  nights: NightMask,
): NightMask {
  const bucket = isGuestPriceField(field) ? guestBucket(field) : { ageCategory: 'adult', guests: 1 }
  if (bucket.ageCategory !== 'adult' || value >= floor.highest(roomNo, rateNo, bucket.guests)) return 0
  const first = firstDay(month)
  return nightsWhere(nights, (night) => value < floor.on(first + night, roomNo, rateNo, bucket.guests))
}

/** A closed-to-departure rule is odd if it has no effect: guests could leave on none of its days. */
function noteDepartures(row: RowChange, blocks: Blocks, odd: OddNights): void {
  const set = row.sets.find(isNoDeparture)
  if (!set) return
  let days = 0
  for (const { month, mask } of row.months) {
    const standing = nightsHolding(blocks.of(row.roomNo, row.rateNo, month), set, mask)
    if (onSale(blocks, row, month, standing >>> 1) !== 0) return
    if ((standing & 1) !== 0 && onSale(blocks, row, month - 1, lastNight(month - 1)) !== 0) return
    days += countNights(standing)
  }
  if (days > 0) odd.set('departureUnused', (odd.get('departureUnused') ?? 0) + days)
}

/** Many mean no limit by 0. That tonight or tomorrow night is sold on its day alone is less odd. */
function noteToday(row: RowChange, { blocks, today }: AfterPush, odd: OddNights): void {
  const set = row.sets.find(({ field, value }) => field === fieldNumber.maxAdvanceDays && value === 0)
  if (!set) return
  for (const { month, mask } of row.months) {
    const first = firstDay(month)
    const later = nightsWhere(mask, (night) => first + night > today + 1)
    note(odd, 'todayOnly', nightsHolding(blocks.of(row.roomNo, row.rateNo, month), set, later))
  }
}

function isNoDeparture({ field, value }: FieldValue): boolean {
  return field === fieldNumber.closedToDeparture && value !== unset
}

function lastNight(month: MonthNumber): NightMask {
  return 1 << (firstDay(month + 1) - firstDay(month) - 1)
}

/** The nights of the mask that have a price and an inventory. */
function onSale(blocks: Blocks, row: RowChange, month: MonthNumber, nights: NightMask): NightMask {
  const block = blocks.of(row.roomNo, row.rateNo, month)
  let priced = 0
  for (const field of nights === 0 ? [] : block.fields())
    if (isPriceField(field)) priced |= block.nightsWithValue(field, nights)
  return priced === 0 ? 0 : stocked(blocks, row, block, month, priced)
}

function note(odd: OddNights, oddity: Oddity, nights: NightMask): void {
  if (nights !== 0) odd.set(oddity, (odd.get(oddity) ?? 0) + countNights(nights))
}
