import { rateRestrictions, type RateRestriction } from '../../../../../src/ari/restrictions.ts'
import type {
  Calendar,
  CalendarColumn,
  CalendarHotel,
  CalendarRate,
  CalendarRoom,
  UnsellableReason,
} from '../../../../../src/console-api/calendar/contract.ts'

/**
 * The rows of the calendar: rooms, each followed by its rates; of several hotels, each begins with a line of its own.
 * Columns are expanded when a row becomes visible.
 */

export const unset = -1

/** The currency of prices. */
export type Money = { currency: string; minorDigits: number }

/** Cells in words, for screen readers and for the line that describes the cell under the pointer. */
export type CellWords = {
  reason: (reason: CellReason) => string
  restriction: (name: RateRestriction, value: number) => string
  /** A cell in one line; without its row if that is already read out. */
  cell: (row: Row, night: number, withRow: boolean) => string
}

/** The hotel of a row, if the calendar has several. */
export type RowHotel = { hotelId: number; cells: CellContext; words: CellWords; money: Money }
export type HotelRow = { kind: 'hotel'; key: string; hotel: CalendarHotel; isOpen: boolean; of: RowHotel }
export type RoomRow = { kind: 'room'; key: string; room: CalendarRoom; of?: RowHotel | undefined }
export type RateRow = {
  kind: 'rate'
  key: string
  room: CalendarRoom
  rate: CalendarRate
  of?: RowHotel | undefined
}
/** A row of one hotel, which has an address in it. */
export type ProductRow = RoomRow | RateRow
export type Row = HotelRow | ProductRow

/** Rows whose room or rate has the text in its name or code; a matching room includes all its rates, if rates are shown. */
export function rowsOf(calendar: Calendar, search: string, isRoomsOnly = false, of?: RowHotel): ProductRow[] {
  const sought = search.trim().toLowerCase()
  const has = (...texts: readonly string[]): boolean =>
    sought === '' || texts.some((text) => text.toLowerCase().includes(sought))
  return calendar.rooms.flatMap((room): ProductRow[] => {
    const isRoomFound = has(room.roomId, room.name)
    const rates = room.rates.filter((rate) => isRoomFound || has(rate.rateId, rate.name))
    if (rates.length === 0) return []
    const visibleRates = isRoomsOnly ? [] : rates
    return [
      { kind: 'room', key: rowKey(room.roomId, undefined, of?.hotelId), room, of },
      ...visibleRates.map((rate): RateRow => ({
        kind: 'rate',
        key: rowKey(room.roomId, rate.rateId, of?.hotelId),
        room,
        rate,
        of,
      })),
    ]
  })
}

export function rowKey(roomId: string, rateId: string | undefined, hotelId?: number): string {
  return JSON.stringify([hotelId, roomId, ...(rateId === undefined ? [] : [rateId])])
}

const spelled = new WeakMap<object, Float64Array>()

/** The values of a column, night by night; undefined if no night has one. */
export function valuesOf(column: CalendarColumn | undefined, nights: number): Float64Array | undefined {
  if (column === undefined) return undefined
  const known = spelled.get(column)
  if (known) return known
  const values = new Float64Array(nights).fill(unset)
  if ('runs' in column) {
    let night = 0
    for (let at = 0; at + 1 < column.runs.length; at += 2) {
      const end = night + (column.runs[at + 1] ?? 0)
      values.fill(column.runs[at] ?? unset, night, end)
      night = end
    }
  } else values.set(column.slice(0, nights))
  spelled.set(column, values)
  return values
}

/** In bit order; the compiler checks it against the contract. */
const reasonByBit: readonly UnsellableReason[] = [
  'past',
  'inventory',
  'price',
  'formerCurrency',
  'closedRoom',
  'closedRate',
  'stopSellRoom',
  'stopSellRate',
]

export type Restricted = { name: RateRestriction; value: number }

export type Cell = {
  /** The price of a rate for the party, if any. */
  price: number | undefined
  /** The units of a room, or the own units of a rate. */
  units: number | undefined
  isClosed: boolean
  isStopped: boolean
  restricted: Restricted[]
  /** Reasons why nothing can be sold, most important first; for a room, those that apply to all its rates. */
  reasons: CellReason[]
  revision: number | undefined
  /** Of a hotel: how many of its room-rates can't be sold while others can, and why. */
  partly?: { unsold: number; reasons: CellReason[] }
}

/** `unpushed`: no inventory has been pushed. */
export type CellReason = UnsellableReason | 'hotel' | 'product' | 'party' | 'unpushed'

export type CellContext = { nights: number; isHotelAvailable: boolean; today: number; from: number }

/** Most important first: deliberate actions, then missing data. */
export const cellReasons: readonly CellReason[] = [
  'stopSellRoom',
  'stopSellRate',
  'hotel',
  'product',
  'closedRoom',
  'closedRate',
  'inventory',
  'unpushed',
  'formerCurrency',
  'price',
  'party',
  'past',
]

export function cellOf(row: Row, night: number, context: CellContext): Cell {
  if (row.kind === 'hotel') return hotelCell(row.hotel, night, context)
  const { nights } = context
  const columns = row.kind === 'room' ? row.room : row.rate
  const at = (column: CalendarColumn | undefined): number | undefined => {
    const value = valuesOf(column, nights)?.[night]
    return value === undefined || value === unset ? undefined : value
  }
  return {
    price: row.kind === 'rate' ? at(row.rate.price) : undefined,
    units: at(columns.units),
    isClosed: at(columns.closed) !== undefined,
    isStopped: at(columns.stopSell) !== undefined,
    restricted:
      row.kind === 'room'
        ? []
        : rateRestrictions.flatMap((name) => {
            const value = at(row.rate[name])
            return value === undefined ? [] : [{ name, value }]
          }),
    reasons: reasonsOf(row, night, context),
    revision: at(columns.revision),
  }
}

/** A whole hotel on a night: from the lowest price, as bad as the worst of what keeps its room-rates from being sold. */
function hotelCell(hotel: CalendarHotel, night: number, { nights }: CellContext): Cell {
  const valueOf = (column: CalendarColumn | undefined): number => valuesOf(column, nights)?.[night] ?? unset
  const [price, sellable] = [valueOf(hotel.price), Math.max(0, valueOf(hotel.sellable))]
  const found = new Set(reasonsIn(Math.max(0, valueOf(hotel.unsellable))))
  if (!hotel.isAvailable) found.add('hotel')
  if (hotel.roomRates === 0) found.add('product')
  const reasons = cellReasons.filter((reason) => found.has(reason))
  const isSold = sellable > 0 && hotel.isAvailable
  const unsold = isSold ? hotel.roomRates - sellable : 0
  return {
    price: price === unset ? undefined : price,
    units: undefined,
    isClosed: found.has('closedRoom') || found.has('closedRate'),
    isStopped: found.has('stopSellRoom') || found.has('stopSellRate'),
    restricted: [],
    reasons: isSold ? [] : reasons,
    revision: undefined,
    ...(unsold > 0 ? { partly: { unsold, reasons } } : {}),
  }
}

function reasonsIn(bits: number): CellReason[] {
  return reasonByBit.filter((_, bit) => (bits >> bit) & 1)
}

function reasonsOf(row: ProductRow, night: number, context: CellContext): CellReason[] {
  const { nights, isHotelAvailable, today, from } = context
  const found = new Set<CellReason>()
  if (!isHotelAvailable) found.add('hotel')
  if (row.kind === 'rate') {
    const bits = valuesOf(row.rate.unsellable, nights)?.[night] ?? 0
    for (const reason of reasonsIn(bits)) found.add(reason)
    const isPushed = isOn(row.rate.units, night, nights) || isOn(row.room.units, night, nights)
    if (!isPushed && found.delete('inventory')) found.add('unpushed')
    if (!row.rate.isAvailable) found.add('product')
    if (!row.rate.takesParty) found.add('party')
  } else {
    if (from + night < today) found.add('past')
    const units = valuesOf(row.room.units, nights)?.[night] ?? unset
    if (units === 0) found.add('inventory')
    const hasRateUnits = row.room.rates.some((rate) => isOn(rate.units, night, nights))
    if (units === unset && !hasRateUnits) found.add('unpushed')
    if (isOn(row.room.closed, night, nights)) found.add('closedRoom')
    if (isOn(row.room.stopSell, night, nights)) found.add('stopSellRoom')
  }
  return cellReasons.filter((reason) => found.has(reason))
}

function isOn(column: CalendarColumn | undefined, night: number, nights: number): boolean {
  return (valuesOf(column, nights)?.[night] ?? unset) !== unset
}

/** Minor units as text, without the fraction if space is short. */
export function priceText(minor: number, minorDigits: number, isShort: boolean): string {
  if (isShort) return String(Math.round(minor / 10 ** minorDigits))
  return (minor / 10 ** minorDigits).toFixed(minorDigits)
}
