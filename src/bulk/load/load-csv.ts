import { isUtf8 } from 'node:buffer'
import { isSwitch, pushedRestrictions } from '../../ari/restrictions.ts'
import { repeatedText, type Problem } from '../../http/rejected.ts'
import { ageByLetter, ariColumns, currencyColumn } from '../csv/ari-columns.ts'
import { cellsOf, readCell } from '../csv/csv.ts'
import { refusedColumn, separatorOf } from './errors-file.ts'
import { bulkLimits, failures, lineErrors } from '../limits.ts'
import type { Line } from './lines.ts'
import { DataFault } from '../jobs/data-fault.ts'
import type { Unit, UnreadableLines } from './units.ts'

const neededColumns = ['hotelId', 'roomId', 'startDate', 'endDate']
/** Of an export, and of a file of errors. */
const ignoredColumns = ['revision', refusedColumn]

const priceColumn = /^([aci])(\d{1,3})$/

export type Header = { columns: readonly string[]; separator: string }

const columnShownMax = 40

/** The columns that the first line names. Throws if one is unknown, missing or named twice: then no line can be read. */
export function headerOf(line: Buffer): Header {
  const separator = separatorOf(line)
  const columns = (cellsOf(line.toString(), separator) ?? []).map((cell) => cell.trim())
  const unknown = columns.find((name) => !isColumn(name))
  if (unknown !== undefined)
    throw new DataFault(failures.unknownColumn(repeatedText(unknown, columnShownMax)))
  const missing = neededColumns.find((name) => !columns.includes(name))
  if (missing !== undefined) throw new DataFault(failures.missingColumn(missing))
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice !== undefined) throw new DataFault(failures.repeatedColumn(twice))
  return { columns, separator }
}

function isColumn(name: string): boolean {
  const isKnown = name === currencyColumn || ariColumns.some((known) => known === name)
  return isKnown || ignoredColumns.includes(name) || priceColumn.test(name)
}

/** Rows that are one push: its answer lists the problems of each. */
const rowsPerPushMax = 25

/** Rows of a hotel that follow each other are one push, with an item each. */
export function csvUnits(
  lines: readonly Line[],
  header: Header,
  isDryRun: boolean,
): (Unit | UnreadableLines)[] {
  const units: (Unit | UnreadableLines)[] = []
  let open: (RowHead & { lines: Line[]; items: Item[] }) | undefined
  const close = (): void => {
    if (!open) return
    const { hotelId, currency, items } = open
    const head = { hotelId, ...(currency === undefined ? {} : { currency }) }
    const body = { ...head, ...(isDryRun ? { dryRun: true } : {}), ari: items }
    units.push({ lines: open.lines, body, raw: Buffer.from(JSON.stringify(body)) })
    open = undefined
  }
  for (const line of lines) {
    const row = rowOf(line, header)
    if ('problems' in row) {
      close()
      units.push({ lines: [line], problems: row.problems })
      continue
    }
    const { hotelId, currency } = row
    const isSamePush = open?.hotelId === hotelId && open.currency === currency
    if (!isSamePush || (open && open.lines.length >= rowsPerPushMax)) close()
    open ??= { hotelId, currency, lines: [], items: [] }
    open.lines.push(line)
    open.items.push(row.item)
  }
  close()
  return units
}

type Item = Record<string, unknown>
/** What the rows of a push have in common. */
type RowHead = { hotelId: string; currency: string | undefined }

function rowOf(line: Line, header: Header): (RowHead & { item: Item }) | { problems: Problem[] } {
  if (line.isTooLong) return { problems: [lineErrors.tooLong(bulkLimits.lineBytesMax)] }
  if (!isUtf8(line.bytes)) return { problems: [lineErrors.notUtf8] }
  const cells = cellsOf(line.bytes.toString(), header.separator)
  if (!cells) return { problems: [lineErrors.openQuote] }
  if (cells.length !== header.columns.length)
    return { problems: [lineErrors.cells(cells.length, header.columns.length)] }
  const valueByColumn = new Map<string, string>()
  for (const [index, name] of header.columns.entries()) {
    const value = readCell(cells[index]?.trim() ?? '')
    if (value !== '' && !ignoredColumns.includes(name)) valueByColumn.set(name, value)
  }
  const missing = neededColumns.find((name) => !valueByColumn.has(name))
  if (missing !== undefined) return { problems: [lineErrors.empty(missing)] }
  const hotelId = valueByColumn.get('hotelId') ?? ''
  return { hotelId, currency: valueByColumn.get(currencyColumn), item: itemOf(valueByColumn) }
}

function itemOf(valueByColumn: ReadonlyMap<string, string>): Item {
  const text = (name: string): Item => {
    const value = valueByColumn.get(name)
    return value === undefined ? {} : { [name]: value }
  }
  const days = valueByColumn.get('daysOfWeek')
  const rateInventory = valueByColumn.get('rateInventory')
  const ofRate = {
    ...(rateInventory === undefined ? {} : { inventory: numberOf(rateInventory) }),
    ...restrictionsOf(valueByColumn),
    ...pricesOf(valueByColumn),
  }
  const inventory = valueByColumn.get('inventory')
  const item = {
    ...text('roomId'),
    ...text('startDate'),
    ...text('endDate'),
    ...(days === undefined ? {} : { daysOfWeek: days.split(/[\s|+]+/) }),
    ...(inventory === undefined ? {} : { inventory: numberOf(inventory) }),
  }
  return valueByColumn.has('rateId')
    ? { ...item, rates: [{ ...text('rateId'), ...ofRate }] }
    : { ...item, ...ofRate }
}

function restrictionsOf(valueByColumn: ReadonlyMap<string, string>): Item {
  const found: Item = {}
  for (const name of pushedRestrictions) {
    const value = valueByColumn.get(name)
    if (value !== undefined) found[name] = isSwitch(name) ? switchOf(value) : numberOf(value)
  }
  return found
}

/** `price` is the price of the room, `a2` that of two adults, `c1` that of one child, `i1` that of one infant. */
function pricesOf(valueByColumn: ReadonlyMap<string, string>): Item {
  const price = valueByColumn.get('price')
  const prices: Item[] = []
  for (const [name, value] of valueByColumn) {
    const [, letter = '', guests] = priceColumn.exec(name) ?? []
    const ageCategory = ageByLetter[letter]
    if (ageCategory) prices.push({ guests: Number(guests), ageCategory, amount: amountOf(value) })
  }
  return {
    ...(price === undefined ? {} : { pricingModel: 'unit', price: amountOf(price) }),
    ...(prices.length === 0 ? {} : { ...(price === undefined ? { pricingModel: 'guest' } : {}), prices }),
  }
}

function amountOf(value: string): string | null {
  return value === 'null' ? null : value
}

/** What is no number stays text: the endpoint refuses it by its name. */
function numberOf(value: string): unknown {
  if (value === 'null') return null
  return /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

/** Spreadsheets write TRUE. */
function switchOf(value: string): unknown {
  const lower = value.toLowerCase()
  if (lower === 'true' || lower === 'false') return lower === 'true'
  return value === 'null' ? null : value
}
