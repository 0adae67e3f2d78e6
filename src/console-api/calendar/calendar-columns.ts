import { setImmediate as breathe } from 'node:timers/promises'
import { unset } from '../../ari/blocks/block-codec.ts'
import type { Block } from '../../ari/blocks/block.ts'
import { fieldNumber } from '../../ari/fields.ts'
import { rateRestrictions } from '../../ari/restrictions.ts'
import { daysIn, firstDay, type DayNumber } from '../../base/calendar.ts'
import type { BookableRoomRate } from '../../offers/stays/booking-catalog.ts'
import { isFormerNight } from '../../offers/stays/former-nights.ts'
import { fits, type Parties, type Party } from '../../offers/party.ts'
import { RoomRateDays, type RowName } from '../../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import {
  unsellableReasons,
  type CalendarColumn,
  type CalendarLine,
  type CalendarRate,
  type CalendarRoom,
  type CalendarRow,
  type UnsellableReason,
} from './contract.ts'

/** What the calendars show of stored nights, column by column. */

export type CalendarWindow = { from: DayNumber; days: number; today: DayNumber; parties: Parties }

/** Rows processed before yielding the event loop to other requests. */
const rowsAtOnce = 20

/** Every room-rate of a hotel, night by night, grouped by room. */
export async function calendarRooms(stay: HotelStay, window: CalendarWindow): Promise<CalendarRoom[]> {
  const rooms = new Map<number, CalendarRoom>()
  const columns = new Columns(stay, window)
  for (const [index, roomRate] of stay.catalog.roomRates.entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) await breathe()
    columns.turnTo(roomRate)
    const room = rooms.get(roomRate.roomNo) ?? columns.room(roomRate)
    rooms.set(roomRate.roomNo, room)
    room.rates.push(columns.rate(roomRate))
  }
  return [...rooms.values()]
}

/** A hotel in one line: how many of its room-rates can be sold, from what price, and what is against the others. */
export async function calendarLine(stay: HotelStay, window: CalendarWindow): Promise<CalendarLine> {
  const columns = new Columns(stay, window)
  const sold = stay.catalog.roomRates.filter(({ isAvailable }) => isAvailable)
  const folded = new FoldedNights(window.days)
  for (const [index, roomRate] of sold.entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) await breathe()
    columns.turnTo(roomRate)
    columns.foldInto(folded, roomRate)
  }
  return { roomRates: sold.length, ...folded.columns() }
}

/** The room-rates of a hotel folded to one value a night. */
class FoldedNights {
  readonly sellable: Float64Array
  readonly price: Float64Array
  readonly unsellable: Float64Array

  constructor(days: number) {
    this.sellable = new Float64Array(days)
    this.price = new Float64Array(days).fill(unset)
    this.unsellable = new Float64Array(days)
  }

  add(night: number, price: number, reasons: number): void {
    this.unsellable[night] = (this.unsellable[night] ?? 0) | reasons
    if (reasons !== 0) return
    this.sellable[night] = (this.sellable[night] ?? 0) + 1
    const lowest = this.price[night] ?? unset
    if (lowest === unset || price < lowest) this.price[night] = price
  }

  columns(): Omit<CalendarLine, 'roomRates'> {
    const sellable = columnOf(this.sellable, 0)
    const price = columnOf(this.price, unset)
    const unsellable = columnOf(this.unsellable, 0)
    return {
      ...(sellable ? { sellable } : {}),
      ...(price ? { price } : {}),
      ...(unsellable ? { unsellable } : {}),
    }
  }
}

const reasonBit = Object.fromEntries(unsellableReasons.map((reason, position) => [reason, 1 << position]))

function bitOf(reason: UnsellableReason): number {
  return reasonBit[reason] ?? 0
}

class Columns {
  readonly #window: CalendarWindow
  readonly #days: RoomRateDays
  /** The same with prices in earlier currencies, if the hotel has had any. */
  readonly #former: RoomRateDays | undefined
  readonly #party: Party | undefined
  #roomRate: BookableRoomRate | undefined

  constructor(stay: HotelStay, window: CalendarWindow) {
    const { priceFields, distinct } = window.parties
    this.#window = window
    this.#days = new RoomRateDays(stay, window, priceFields)
    this.#former =
      stay.currencyRevision === 0
        ? undefined
        : new RoomRateDays({ ...stay, currencyRevision: 0 }, window, priceFields)
    this.#party = distinct[0]
  }

  turnTo(roomRate: BookableRoomRate): void {
    this.#roomRate = roomRate
    this.#days.turnTo(roomRate)
    this.#former?.turnTo(roomRate)
  }

  room({ room }: BookableRoomRate): CalendarRoom {
    return { roomId: room.code, name: room.name, ...this.#row('room'), rates: [] }
  }

  rate(roomRate: BookableRoomRate): CalendarRate {
    const { rate, mealPlan, isAvailable, pricingModel } = roomRate
    const restricted: Partial<Record<string, CalendarColumn>> = {}
    for (const name of rateRestrictions) {
      const column = this.#stored('rate', fieldNumber[name])
      if (column) restricted[name] = column
    }
    const price = this.#column((day) => this.#priceOn(day))
    const unsellable = this.#column((day) => this.#reasonsOn(day), 0)
    return {
      rateId: rate.code,
      name: rate.name,
      mealPlan,
      isAvailable,
      pricingModel,
      takesParty: this.#party !== undefined && fits(this.#party, roomRate),
      ...this.#row('rate'),
      ...restricted,
      ...(price ? { price } : {}),
      ...(unsellable ? { unsellable } : {}),
    }
  }

  /** Adds the nights of this room-rate; one that the party doesn't fit in can't be sold to it. */
  foldInto(folded: FoldedNights, roomRate: BookableRoomRate): void {
    const { from, days } = this.#window
    const takesParty = this.#party !== undefined && fits(this.#party, roomRate)
    for (let night = 0; night < days; night++) {
      const reasons = this.#reasonsOn(from + night)
      const priced = takesParty ? reasons : reasons | bitOf('price')
      folded.add(night, this.#priceOn(from + night), priced)
    }
  }

  #row(row: RowName): CalendarRow {
    const units = this.#stored(row, fieldNumber.inventory)
    const closed = this.#stored(row, fieldNumber.closed)
    const stopSell = this.#stored(row, fieldNumber.stopSell)
    const revision = this.#revisions(row)
    return {
      ...(units ? { units } : {}),
      ...(closed ? { closed } : {}),
      ...(stopSell ? { stopSell } : {}),
      ...(revision ? { revision } : {}),
    }
  }

  #stored(row: RowName, field: number): CalendarColumn | undefined {
    return this.#days.holds(row, field) ? this.#column((day) => this.#days.at(row, field, day)) : undefined
  }

  #priceOn(day: DayNumber): number {
    return this.#party ? this.#days.priceOn(this.#party, day) : unset
  }

  #reasonsOn(day: DayNumber): number {
    const days = this.#days
    const isSet = (row: RowName, field: number): boolean => days.at(row, field, day) !== unset
    let reasons = day < this.#window.today ? bitOf('past') : 0
    if (days.unitsOn(day) <= 0) reasons |= bitOf('inventory')
    if (this.#priceOn(day) === unset) {
      const isFormer = this.#party && (this.#former?.priceOn(this.#party, day) ?? unset) !== unset
      reasons |= bitOf(isFormer ? 'formerCurrency' : 'price')
    }
    if (this.#roomRate && isFormerNight(this.#roomRate, day)) reasons |= bitOf('formerCurrency')
    if (isSet('room', fieldNumber.closed)) reasons |= bitOf('closedRoom')
    if (isSet('rate', fieldNumber.closed)) reasons |= bitOf('closedRate')
    if (isSet('room', fieldNumber.stopSell)) reasons |= bitOf('stopSellRoom')
    if (isSet('rate', fieldNumber.stopSell)) reasons |= bitOf('stopSellRate')
    return reasons
  }

  #revisions(row: RowName): CalendarColumn | undefined {
    const { from, days } = this.#window
    const newest = new Float64Array(days).fill(unset)
    for (const [index, block] of this.#days.blocks(row).entries()) {
      if (block) noteRevisions(block, newest, this.#days.firstMonth + index, from)
    }
    return columnOf(newest, unset)
  }

  #column(valueOn: (day: DayNumber) => number, nothing: number = unset): CalendarColumn | undefined {
    const { from, days } = this.#window
    const values = new Float64Array(days)
    for (let index = 0; index < days; index++) values[index] = valueOn(from + index)
    return columnOf(values, nothing)
  }
}

function noteRevisions(block: Block, newest: Float64Array, month: number, from: DayNumber): void {
  const first = firstDay(month)
  const begin = Math.max(0, from - first)
  const end = Math.min(daysIn(month), from + newest.length - first)
  for (const field of block.fields()) {
    const values = block.values(field) ?? []
    const revisions = block.revisions(field) ?? []
    for (let night = begin; night < end; night++) {
      const position = first + night - from
      const revision = revisions[night] ?? unset
      if (values[night] !== unset && revision > (newest[position] ?? unset)) newest[position] = revision
    }
  }
}

/** Undefined if no night has a value. */
function columnOf(values: Float64Array, nothing: number): CalendarColumn | undefined {
  const runs: number[] = []
  for (let night = 0; night < values.length;) {
    const value = values[night] ?? nothing
    let end = night + 1
    while (end < values.length && values[end] === value) end++
    runs.push(value, end - night)
    night = end
  }
  if (runs.length === 2 && runs[0] === nothing) return undefined
  return runs.length < values.length ? { runs } : [...values]
}
