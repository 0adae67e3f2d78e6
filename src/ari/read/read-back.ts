import { setImmediate as breathe } from 'node:timers/promises'
import {
  daysIn,
  firstDay,
  formatNight,
  weekdayOf,
  weekdays,
  type DayNumber,
  type MonthNumber,
} from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import type { GuestsMax } from '../../products/store.ts'
import type { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import type { AriItem, PriceLine, PricingModel, RateLine } from '../item-contract.ts'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField, isPushedField } from '../fields.ts'
import { everyWeekday, type WeekdayMask } from '../blocks/month.ts'
import { isSwitch, pushedRestrictions } from '../restrictions.ts'
import type { BlockKey } from '../blocks/store.ts'

type FieldValues = readonly (readonly [field: number, value: number])[]

/** The values of a row (a room or a room-rate) on the nights of a range that fall on the weekdays. */
export type Run = {
  roomNo: number
  rateNo: number
  from: DayNumber
  to: DayNumber
  onDays: WeekdayMask
  fieldValues: FieldValues
}

export type ReadOptions = {
  from: DayNumber
  to: DayNumber
  /** Prices set at this revision or before it are in a former currency and are left out. */
  currencyRevision: number
  /** Prices for more guests than the room-rate accepts are left out; undefined for the room itself. */
  guestsMaxOf: (roomNo: number, rateNo: number) => GuestsMax | undefined
  /**
   * Whether an infant's price of a former currency is written as `formerAmount`, with all that night's prices in an item of
   * their own: left out, infants would be free elsewhere. No push takes such an item.
   */
  marksFormerInfants?: boolean
}

export const formerAmount = 'FORMER_CURRENCY'
/** In the place of such a price; no field has it as a value. */
const former = -2

/** Number of nights of room-rates with a price that is left out, by reason. */
export type LeftOut = { formerCurrency: number; beyondOccupancy: number }

type Night = { fieldValues: FieldValues; /** Equal text means equal values. */ signature: string }
type Nights = (Night | undefined)[]
type Row = {
  roomNo: number
  rateNo: number
  nights: Nights
  /** Prices that no push takes. */ marked: Nights
}

/** Amount of work before other requests get a turn of the event loop. */
const blocksAtOnce = 200
const rowsAtOnce = 20

/** The fewest ranges found that together describe the rows; empty nights are left out. */
export async function runsOf(
  blocks: readonly { key: BlockKey; block: Block }[],
  options: ReadOptions,
): Promise<{ runs: Run[]; leftOut: LeftOut }> {
  const rows = new Map<string, Row>()
  const leftOut: LeftOut = { formerCurrency: 0, beyondOccupancy: 0 }
  for (const [index, { key, block }] of blocks.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const { roomNo, rateNo, month } = key
    const row = rows.get(`${roomNo}/${rateNo}`) ?? { roomNo, rateNo, nights: [], marked: [] }
    rows.set(`${roomNo}/${rateNo}`, row)
    readNights({ month, block, guestsMax: options.guestsMaxOf(roomNo, rateNo) }, options, row, leftOut)
  }
  const runs: Run[] = []
  for (const [index, row] of [...rows.values()].entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) await breathe()
    const { roomNo, rateNo, nights, marked } = row
    for (const ofRow of [nights, marked])
      runs.push(...rangesOf({ roomNo, rateNo, nights: ofRow }, options.from))
  }
  return { runs, leftOut }
}

/** Fills in the block's nights, counted from the first requested one; counts nights with a price left out. */
function readNights(
  { month, block, guestsMax }: { month: MonthNumber; block: Block; guestsMax: GuestsMax | undefined },
  { from, to, currencyRevision, marksFormerInfants = false }: ReadOptions,
  { nights, marked }: Row,
  leftOut: LeftOut,
): void {
  const columns = block
    .fields()
    .filter(isPushedField)
    .sort((left, right) => left - right)
    .map((field) => ({
      field,
      values: block.values(field) ?? [],
      revisions: block.revisions(field) ?? [],
      isBeyond: guestsMax !== undefined && isBeyond(field, guestsMax),
    }))
  const first = firstDay(month)
  const last = Math.min(daysIn(month) - 1, to - first)
  for (let night = Math.max(0, from - first); night <= last; night++) {
    const fieldValues: [number, number][] = []
    const found = { beyondOccupancy: 0, formerCurrency: 0 }
    for (const { field, values, revisions, isBeyond: isUnsold } of columns) {
      const value = values[night] ?? unset
      if (value === unset) continue
      if (isUnsold) found.beyondOccupancy = 1
      else if (isPriceField(field) && (revisions[night] ?? 0) <= currencyRevision) {
        found.formerCurrency = 1
        if (marksFormerInfants && isInfantPrice(field)) fieldValues.push([field, former])
      } else fieldValues.push([field, value])
    }
    leftOut.beyondOccupancy += found.beyondOccupancy
    leftOut.formerCurrency += found.formerCurrency
    const index = first + night - from
    if (fieldValues.some(([, value]) => value === former)) {
      const prices = fieldValues.filter(([field]) => isPriceField(field))
      marked[index] = nightOf(prices)
      nights[index] = nightOf(fieldValues.filter((one) => !prices.includes(one)))
    } else nights[index] = nightOf(fieldValues)
  }
}

function nightOf(fieldValues: FieldValues): Night | undefined {
  return fieldValues.length > 0 ? { fieldValues, signature: fieldValues.join(';') } : undefined
}

function isInfantPrice(field: number): boolean {
  return isGuestPriceField(field) && guestBucket(field).ageCategory === 'infant'
}

/** Whether the price is for more guests than any party can have. */
export function isBeyond(field: number, guestsMax: GuestsMax): boolean {
  if (!isGuestPriceField(field)) return false
  const { ageCategory, guests } = guestBucket(field)
  return guests > guestsMax[ageCategory]
}

/** Fewer nights don't make a pattern: plain ranges are easier to read. */
const weeklyFromNights = 14

/**
 * Covers a row's nights greedily. From the first uncovered night it takes either the following nights with
 * equal values, or the weekdays of that week with equal values for as many weeks as they last, whichever
 * covers more.
 */
function rangesOf({ roomNo, rateNo, nights }: Omit<Row, 'marked'>, firstNight: DayNumber): Run[] {
  const runs: Run[] = []
  const isCovered: boolean[] = []
  for (let from = 0; from < nights.length; from++) {
    const night = nights[from]
    if (!night || isCovered[from]) continue
    const isSame = (index: number): boolean =>
      nights[index]?.signature === night.signature && !isCovered[index]
    const plain = extent(from, everyWeekday, firstNight, isSame)
    const weekly = extent(from, sameWeekdays(from, firstNight, isSame), firstNight, isSame)
    const repeats = (weekly.at(-1) ?? from) - from >= weeklyFromNights
    const chosen = repeats && weekly.length > plain.length ? weekly : plain
    for (const index of chosen) isCovered[index] = true
    const to = chosen.at(-1) ?? from
    const isWhole = chosen.length === to - from + 1
    const onDays = isWhole ? everyWeekday : weekdaysOf(chosen, firstNight)
    runs.push({
      roomNo,
      rateNo,
      from: firstNight + from,
      to: firstNight + to,
      onDays,
      fieldValues: night.fieldValues,
    })
  }
  return runs
}

/** The nights from one on that fall on the weekdays, up to the first one that differs. */
function extent(
  from: number,
  onDays: WeekdayMask,
  firstNight: DayNumber,
  isSame: (index: number) => boolean,
): number[] {
  const covered: number[] = []
  let daysSinceLast = 0
  for (let index = from; daysSinceLast < 7; index++, daysSinceLast++) {
    if (((onDays >> weekdayOf(firstNight + index)) & 1) === 0) continue
    if (!isSame(index)) break
    covered.push(index)
    daysSinceLast = -1
  }
  return covered
}

function sameWeekdays(from: number, firstNight: DayNumber, isSame: (index: number) => boolean): WeekdayMask {
  const week = [0, 1, 2, 3, 4, 5, 6].map((day) => from + day)
  return weekdaysOf(week.filter(isSame), firstNight)
}

function weekdaysOf(indexes: readonly number[], firstNight: DayNumber): WeekdayMask {
  return indexes.reduce((mask, index) => mask | (1 << weekdayOf(firstNight + index)), 0)
}

export type Names = {
  roomCode: (roomNo: number) => string
  rateCode: (rateNo: number) => string
  minorDigits: number
}

/**
 * Turns runs into items of a push. Rows of a room with the same nights share an item, except those that no push takes. The push's pricing
 * model is that of most rate lines; a line in the other model states its own.
 */
export function itemsOf(
  runs: readonly Run[],
  names: Names,
): { pricingModel: PricingModel | undefined; ari: AriItem[] } {
  const pricingModel = commonModel(runs)
  const items = new Map<string, AriItem>()
  for (const run of runs) {
    const roomId = names.roomCode(run.roomNo)
    const isMarked = run.fieldValues.some(([, value]) => value === former)
    const text = `${run.roomNo}/${run.from}/${run.to}/${run.onDays}/${isMarked ? run.rateNo : ''}`
    const item = items.get(text) ?? { roomId, ...datesOf(run) }
    items.set(text, item)
    if (run.rateNo === 0) Object.assign(item, plainMembers(run))
    else item.rates = [...(item.rates ?? []), rateLine(run, names, pricingModel)]
  }
  const ari = [...items.values()].sort(
    (left, right) =>
      compare(left.roomId, right.roomId) ||
      compare(left.startDate ?? '', right.startDate ?? '') ||
      compare(left.endDate ?? '', right.endDate ?? ''),
  )
  return { pricingModel, ari }
}

function datesOf({ from, to, onDays }: Run): Pick<AriItem, 'startDate' | 'endDate' | 'daysOfWeek'> {
  const range = { startDate: formatNight(from), endDate: formatNight(to) }
  if (onDays === everyWeekday) return range
  return { ...range, daysOfWeek: weekdays.filter((_, day) => (onDays >> day) & 1) }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function modelOf(run: Run): PricingModel | undefined {
  if (run.fieldValues.some(([field]) => field === fieldNumber.unitPrice)) return 'unit'
  return run.fieldValues.some(([field]) => isGuestPriceField(field)) ? 'guest' : undefined
}

function commonModel(runs: readonly Run[]): PricingModel | undefined {
  const models = runs.map(modelOf)
  const unit = models.filter((model) => model === 'unit').length
  const guest = models.filter((model) => model === 'guest').length
  return unit + guest === 0 ? undefined : unit > guest ? 'unit' : 'guest'
}

function plainMembers({ fieldValues }: Run): Partial<RateLine> {
  const values = new Map(fieldValues)
  const members: Partial<RateLine> = {}
  const inventory = values.get(fieldNumber.inventory)
  if (inventory !== undefined) members.inventory = inventory
  for (const name of pushedRestrictions) {
    const value = values.get(fieldNumber[name])
    if (value === undefined) continue
    if (isSwitch(name)) members[name] = true
    else members[name] = value
  }
  return members
}

function rateLine(run: Run, names: Names, common: PricingModel | undefined): RateLine {
  const model = modelOf(run)
  const prices: PriceLine[] = []
  for (const [field, value] of run.fieldValues) {
    if (!isPriceField(field)) continue
    const amount = value === former ? formerAmount : fromMinor(value, names.minorDigits)
    prices.push(isGuestPriceField(field) ? { ...guestBucket(field), amount } : { amount })
  }
  return {
    rateId: names.rateCode(run.rateNo),
    ...(model !== undefined && model !== common ? { pricingModel: model } : {}),
    ...plainMembers(run),
    ...(prices.length > 0 ? { prices } : {}),
  }
}
