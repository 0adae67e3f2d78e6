import { hash } from 'node:crypto'
import { daysIn, firstDay, formatNight, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import type { GuestsMax } from '../../products/store.ts'
import type { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { digestGroups, type DigestGroup } from './digest-contract.ts'
import { fieldNumber, guestBucket, isPriceField, isPushedField } from '../fields.ts'
import { isBeyond } from '../read/read-back.ts'
import { isSwitch, pushedRestrictions, type PushedRestriction } from '../restrictions.ts'

/**
 * The canonical lines of a night and their hashes, by which two sides compare what they have stored. Suppliers
 * compute the same in their own language (docs/differences.md), so the format is frozen: whatever a night gains
 * later is added so that it changes no line without it.
 */

/** A text for each group; empty where nothing is set. */
export type ByGroup = Readonly<Record<DigestGroup, string>>

export const nothingSet: ByGroup = { inv: '', res: '', pri: '' }

/** In the order of a line. */
export const lineRestrictions = [
  'closed',
  'closedToArrival',
  'closedToDeparture',
  'minLengthStay',
  'maxLengthStay',
  'minStayArrival',
  'maxStayArrival',
  'minAdvanceDays',
  'maxAdvanceDays',
] as const satisfies readonly PushedRestriction[]
const inLine: ReadonlySet<string> = new Set(lineRestrictions)
/** Those added to the contract later: `name=value` after the others, where they are set. */
export const laterRestrictions = pushedRestrictions.filter((name) => !inLine.has(name))

export type LineOptions = {
  /** The nights, both included. */
  from: DayNumber
  to: DayNumber
  isRoom: boolean
  /** Prices set at this revision or before it are in a former currency. As in getAri, they don't count. */
  currencyRevision: number
  /** Nor do prices for more guests than this; undefined without a product. */
  guestsMax: GuestsMax | undefined
}

/** Nights with the same text of a group, by their distance from the 1st of the month, both included. */
type Run = { first: number; last: number; text: string }
/** The lines of a month's nights without their dates; no run where nothing is set. */
export type MonthLines = Readonly<Record<DigestGroup, readonly Run[]>>

/** The lines of a month, within the range. */
export function linesOf(block: Block, month: MonthNumber, options: LineOptions): MonthLines {
  return {
    inv: groupLines(block, 'inv', month, options),
    res: groupLines(block, 'res', month, options),
    pri: groupLines(block, 'pri', month, options),
  }
}

/** The lines of a group of a month, within the range. */
export function groupLines(
  block: Block,
  group: DigestGroup,
  month: MonthNumber,
  options: LineOptions,
): readonly Run[] {
  const columns = columnsOf(block, group, options)
  const firstNight = firstDay(month)
  const range = {
    first: Math.max(0, options.from - firstNight),
    last: Math.min(daysIn(month) - 1, options.to - firstNight),
  }
  return runsOf(columns, range, textByGroup[group](columns, options))
}

/** The group of a field's values that count; undefined for those that getAri leaves out as well. */
export function groupOf(
  field: number,
  { guestsMax }: Pick<LineOptions, 'guestsMax'>,
): DigestGroup | undefined {
  if (field === fieldNumber.inventory) return 'inv'
  if (isPriceField(field)) return guestsMax && isBeyond(field, guestsMax) ? undefined : 'pri'
  return isPushedField(field) ? 'res' : undefined
}

/** The lines by night; absent where nothing is set. */
export function linesByNight(lines: MonthLines): (ByGroup | undefined)[] {
  const byNight: (Record<DigestGroup, string> | undefined)[] = []
  for (const group of digestGroups)
    for (const { first, last, text } of lines[group])
      for (let night = first; night <= last; night++) (byNight[night] ??= { ...nothingSet })[group] = text
  return byNight
}

type Column = { field: number; nights: readonly number[] }

function columnsOf(block: Block, group: DigestGroup, options: LineOptions): Column[] {
  const { currencyRevision } = options
  const columns: Column[] = []
  for (const field of block.fields()) {
    const values = groupOf(field, options) === group ? block.values(field) : undefined
    if (!values) continue
    const revisions = currencyRevision > 0 && isPriceField(field) ? block.revisions(field) : undefined
    const nights = revisions
      ? values.map((value, night) => ((revisions[night] ?? 0) > currencyRevision ? value : unset))
      : values
    columns.push({ field, nights })
  }
  return columns
}

/** What a group says of a night by its columns; empty where nothing is set. */
type TextOf = (columns: readonly Column[], night: number) => string

function runsOf(
  columns: readonly Column[],
  { first, last }: { first: number; last: number },
  nightText: TextOf,
): Run[] {
  const runs: Run[] = []
  if (columns.length === 0) return runs
  let before: Run | undefined
  // What a week's nights have often returns after its weekend: the text of the run before last does, too.
  let beforeLast: Run | undefined
  for (let night = first; night <= last;) {
    let end = night
    while (end < last && areEqual(columns, end, end + 1)) end++
    const returning = beforeLast && areEqual(columns, beforeLast.first, night) ? beforeLast : undefined
    const text = returning?.text ?? nightText(columns, night)
    if (text === '') before = undefined
    else if (before?.text === text) before.last = end
    else {
      beforeLast = before
      runs.push((before = { first: night, last: end, text }))
    }
    night = end + 1
  }
  return runs
}

/** Whether two nights have the same values. */
function areEqual(columns: readonly Column[], one: number, other: number): boolean {
  for (const { nights } of columns) if (nights[one] !== nights[other]) return false
  return true
}

const textByGroup: Readonly<
  Record<DigestGroup, (columns: readonly Column[], options: LineOptions) => TextOf>
> = {
  inv: () => inventoryText,
  res: (_, { isRoom }) => restrictionsText(isRoom),
  pri: (columns) => pricesText(columns),
}

const inventoryText: TextOf = ([column], night) => {
  const value = column?.nights[night] ?? unset
  return value === unset ? '' : String(value)
}

const restrictionsText =
  (isRoom: boolean): TextOf =>
  (columns, night) => {
    const valueOf = (name: PushedRestriction): number =>
      columns.find(({ field }) => field === fieldNumber[name])?.nights[night] ?? unset
    const textOf = (name: PushedRestriction): string => {
      const value = valueOf(name)
      if (isSwitch(name)) return value === unset ? '0' : '1'
      return value === unset ? '' : String(value)
    }
    const later = laterRestrictions.filter((name) => valueOf(name) !== unset)
    const texts = [
      ...(isRoom ? [textOf('closed')] : lineRestrictions.map(textOf)),
      ...later.map((name) => `${name}=${textOf(name)}`),
    ]
    const named = isRoom ? (['closed'] as const) : pushedRestrictions
    return named.every((name) => valueOf(name) === unset) ? '' : texts.join('|')
  }

function pricesText(columns: readonly Column[]): TextOf {
  // The texts of a night are sorted; since their names differ, so are the names.
  const named = columns
    .map(({ field, nights }) => ({ field, nights, name: priceName(field) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  return (_, night) => {
    let model = 'guest'
    let texts = ''
    for (const { field, nights, name } of named) {
      const value = nights[night] ?? unset
      if (value === unset) continue
      if (field === fieldNumber.unitPrice) model = 'unit'
      texts += texts === '' ? `${name}${value}` : `,${name}${value}`
    }
    return texts === '' ? '' : `${model}|${texts}`
  }
}

const priceNames = new Map<number, string>()

function priceName(field: number): string {
  const known = priceNames.get(field)
  if (known) return known
  const name = field === fieldNumber.unitPrice ? 'u=' : guestPriceName(field)
  priceNames.set(field, name)
  return name
}

function guestPriceName(field: number): string {
  const { ageCategory, guests } = guestBucket(field)
  return `${ageCategory.charAt(0)}${guests}=`
}

/** The hash of a group of a month. */
export function groupDigest(month: MonthNumber, runs: readonly Run[]): string {
  const dates = datesOf(month)
  let lines = ''
  for (const { first, last, text } of runs) {
    const rest = `|${text}\n`
    for (let night = first; night <= last; night++) lines += dates[night] + rest
  }
  return digestOf(lines)
}

const datesByMonth = new Map<MonthNumber, readonly string[]>()

/** The dates of a month; only months for which ARI is stored get here. */
function datesOf(month: MonthNumber): readonly string[] {
  const known = datesByMonth.get(month)
  if (known) return known
  const first = firstDay(month)
  const dates = Array.from({ length: daysIn(month) }, (_, night) => formatNight(first + night))
  datesByMonth.set(month, dates)
  return dates
}

/** The hashes of a whole from those of its named parts (a product's months, a hotel's products), in their order. */
export function digestOfParts(parts: Iterable<readonly [name: string, digests: ByGroup]>): ByGroup {
  const texts = { inv: '', res: '', pri: '' }
  for (const [name, digests] of parts)
    for (const group of digestGroups) if (digests[group] !== '') texts[group] += `${name}:${digests[group]}\n`
  return { inv: digestOf(texts.inv), res: digestOf(texts.res), pri: digestOf(texts.pri) }
}

/** 32 hex digits; nothing for nothing. */
function digestOf(text: string): string {
  return text === '' ? '' : hash('sha256', text).slice(0, 32)
}

/** The name of a room, or of a room-rate, among a hotel's products. */
export function productKey(roomId: string, rateId: string | undefined): string {
  return rateId === undefined ? encoded(roomId) : `${encoded(roomId)}/${encoded(rateId)}`
}

/** What separates codes and lines is percent-encoded. */
function encoded(text: string): string {
  return text.replaceAll(/[%|/\p{Cc}]/gu, encodeURIComponent)
}
