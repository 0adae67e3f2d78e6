import { hash } from 'node:crypto'
import { daysIn, firstDay, formatNight, type DayNumber, type MonthNumber } from '../base/calendar.ts'
import type { GuestsMax } from '../products/store.ts'
import type { Block } from './block.ts'
import { unset } from './block-codec.ts'
import { digestGroups, type DigestGroup } from './digest-contract.ts'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField, isPushedField } from './fields.ts'
import { isBeyond } from './read-back.ts'
import { isSwitch, pushedRestrictions, type PushedRestriction } from './restrictions.ts'

/**
 * The canonical lines of a night and their hashes, by which two sides compare what they have stored. Suppliers
 * compute the same in their own language (docs/differences.md), so the format is frozen: whatever a night gains
 * later is added so that it changes no line without it.
 */

/** A text for each group; empty where nothing is set. */
export type ByGroup = Readonly<Record<DigestGroup, string>>

export const nothingSet: ByGroup = { inv: '', res: '', pri: '' }

export function isNothing({ inv, res, pri }: ByGroup): boolean {
  return inv === '' && res === '' && pri === ''
}

/** In the order of a line. */
const lineRestrictions = [
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
const laterRestrictions = pushedRestrictions.filter((name) => !inLine.has(name))

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

type Column = { field: number; nights: readonly number[] }

/**
 * The lines of a month's nights without their dates, by the night's distance from the 1st; absent outside the
 * range and where nothing is set.
 */
export function linesOf(block: Block, month: MonthNumber, options: LineOptions): (ByGroup | undefined)[] {
  const columns = columnsOf(block, options)
  const first = firstDay(month)
  const lastNight = Math.min(daysIn(month) - 1, options.to - first)
  const lines: (ByGroup | undefined)[] = []
  let previous: ByGroup | undefined
  for (let night = Math.max(0, options.from - first); night <= lastNight; night++) {
    const isSame =
      previous !== undefined && columns.every(({ nights }) => nights[night] === nights[night - 1])
    previous = isSame ? previous : lineOf(columns, night, options.isRoom)
    if (previous && !isNothing(previous)) lines[night] = previous
  }
  return lines
}

function columnsOf(block: Block, { currencyRevision, guestsMax }: LineOptions): Column[] {
  const columns: Column[] = []
  for (const field of block.fields()) {
    const values = isPushedField(field) ? block.values(field) : undefined
    if (!values || (guestsMax && isBeyond(field, guestsMax))) continue
    const revisions = currencyRevision > 0 && isPriceField(field) ? block.revisions(field) : undefined
    const nights = revisions
      ? values.map((value, night) => ((revisions[night] ?? 0) > currencyRevision ? value : unset))
      : values
    columns.push({ field, nights })
  }
  return columns
}

function lineOf(columns: readonly Column[], night: number, isRoom: boolean): ByGroup {
  const valueByField = new Map<number, number>()
  const prices: string[] = []
  let model = 'guest'
  for (const { field, nights } of columns) {
    const value = nights[night] ?? unset
    if (value === unset) continue
    if (isGuestPriceField(field)) prices.push(`${bucketName(field)}=${value}`)
    else if (field === fieldNumber.unitPrice) {
      model = 'unit'
      prices.push(`u=${value}`)
    } else valueByField.set(field, value)
  }
  return {
    inv: String(valueByField.get(fieldNumber.inventory) ?? ''),
    res: restrictionsText(valueByField, isRoom),
    pri: prices.length === 0 ? '' : `${model}|${prices.sort().join()}`,
  }
}

function bucketName(field: number): string {
  const { ageCategory, guests } = guestBucket(field)
  return `${ageCategory.charAt(0)}${guests}`
}

function restrictionsText(valueByField: ReadonlyMap<number, number>, isRoom: boolean): string {
  const textOf = (name: PushedRestriction): string => {
    const value = valueByField.get(fieldNumber[name])
    return isSwitch(name) ? (value === undefined ? '0' : '1') : String(value ?? '')
  }
  const later = laterRestrictions.filter((name) => valueByField.has(fieldNumber[name]))
  const texts = [
    ...(isRoom ? [textOf('closed')] : lineRestrictions.map(textOf)),
    ...later.map((name) => `${name}=${textOf(name)}`),
  ]
  return texts.every((text) => text === '' || text === '0') ? '' : texts.join('|')
}

/** The hashes of a month from the lines of its nights. */
export function monthDigest(month: MonthNumber, lines: readonly (ByGroup | undefined)[]): ByGroup {
  const dates = datesOf(month)
  let [inv, res, pri] = ['', '', '']
  for (let night = 0; night < lines.length; night++) {
    const line = lines[night]
    if (!line) continue
    const date = dates[night]
    if (line.inv !== '') inv += `${date}|${line.inv}\n`
    if (line.res !== '') res += `${date}|${line.res}\n`
    if (line.pri !== '') pri += `${date}|${line.pri}\n`
  }
  return { inv: digestOf(inv), res: digestOf(res), pri: digestOf(pri) }
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

/** `YYYY-MM`. */
export function formatMonth(month: MonthNumber): string {
  return formatNight(firstDay(month)).slice(0, 7)
}

/** The name of a room, or of a room-rate, among a hotel's products. */
export function productKey(roomId: string, rateId: string | undefined): string {
  return rateId === undefined ? encoded(roomId) : `${encoded(roomId)}/${encoded(rateId)}`
}

/** What separates codes and lines is percent-encoded. */
function encoded(text: string): string {
  return text.replaceAll(/[%|/\p{Cc}]/gu, encodeURIComponent)
}
