import { todayIn } from '../../hotels/hotel-clock.ts'
import { commonLimits } from '../../keys/contract.ts'
import { partiesOf, fits, type Parties, type Party } from '../../offers/party.ts'
import { guestAgeMax, guestsPerRoomMax } from '../../offers/contract.ts'
import type { StayReader, HotelStay } from '../../offers/stays.ts'
import { formatNight, parseNight, daysIn, firstDay, type DayNumber } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { readId, judgeQuery } from '../../http/query.ts'
import { reportedValue, type Problem } from '../../http/rejected.ts'
import {
  calendarCellsMax,
  calendarNightsMax,
  calendarRoutes,
  type CalendarParty,
  unsellableReasons,
  type CalendarColumn,
  type CalendarRate,
  type CalendarRoom,
  type CalendarRow,
  type UnsellableReason,
} from './contract.ts'
import { selectOptionalCalendarHotel } from './store.ts'
import { hotelNotFound, readHotelStay } from '../hotels/store.ts'
import { setImmediate as breathe } from 'node:timers/promises'
import { unset } from '../../ari/block-codec.ts'
import type { Block } from '../../ari/block.ts'
import { fieldNumber } from '../../ari/fields.ts'
import { rateRestrictions } from '../../ari/restrictions.ts'
import type { BookableRoomRate } from '../../offers/booking-catalog.ts'
import { RoomRateDays, type RowName } from '../../offers/room-rate-days.ts'

export type CalendarNeeds = Needs & { stays: StayReader }

/** Nights before today that are shown by default, because their values can still be useful. */
const daysBackShown = 7

/** GET /hotels/{hotelId}/calendar. */
export const getCalendar = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(calendarRoutes.getCalendar, judge, async ({ params, query, read }) => {
    const { party } = read
    const hotel = await selectOptionalCalendarHotel(needs.db, readId(params.hotelId))
    if (!hotel) throw hotelNotFound(params.hotelId)
    const today = todayIn(hotel, needs.clock.now())
    const from = read.from ?? today - daysBackShown
    const to = read.to ?? today + commonLimits.ariDaysAhead
    const lastDay = Math.max(from, Math.min(to, from + calendarNightsMax - 1))
    const stay = await readHotelStay(needs.stays, params.hotelId, { firstDay: from, lastDay })
    const { catalog, revision } = stay
    const nightsMax = Math.floor(calendarCellsMax / Math.max(1, catalog.roomRates.length))
    const days = Math.min(lastDay - from + 1, Math.max(1, nightsMax))
    const partyKey = [party.adults, ...party.childAges].join('_')
    const version = [revision, catalog.version, today, from, days, partyKey].join('.')
    if (query.since === version) return answer(200, { isUnchanged: true, version })
    const window = { from, days, today, parties: partiesOf([party], catalog) }
    const { hotelId, supplier, hotelCode, currency, minorDigits, timeZone, isAvailable } = catalog
    const { minChildAge, maxChildAge } = catalog
    return answer(200, {
      isUnchanged: false,
      version,
      hotel: {
        hotelId,
        supplier,
        code: hotelCode,
        name: hotel.name,
        currency,
        minorDigits,
        timeZone,
        isAvailable,
        minChildAge,
        maxChildAge,
      },
      revision,
      today: formatNight(today),
      from: formatNight(from),
      to: formatNight(from + days - 1),
      party,
      rooms: await calendarRooms(stay, window),
    })
  })

const judge = judgeQuery(({ from, to, adults = '2', childAges = '' }, problems) => {
  const [first, last] = [parseNight(from ?? ''), parseNight(to ?? '')]
  if (first !== undefined && last !== undefined && last < first)
    problems.push({
      type: 'DATES_REVERSED',
      message: 'to must not be before from',
      path: '?to',
      value: reportedValue(to),
    })
  const party: CalendarParty = {
    adults: readNumber('adults', adults, { min: 1, max: guestsPerRoomMax }, problems),
    childAges: (childAges === '' ? [] : childAges.split(',')).map((age) =>
      readNumber('childAges', age, { min: 0, max: guestAgeMax }, problems),
    ),
  }
  return { from: first, to: last, party }
})

function readNumber(
  name: string,
  text: string,
  { min, max }: { min: number; max: number },
  problems: Problem[],
): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : -1
  if (number >= min && number <= max) return number
  const message = `${name} must be an integer from ${min} to ${max}${name === 'childAges' ? ', or several separated by commas' : ''}`
  problems.push({ type: 'INVALID_PARTY', message, path: `?${name}`, value: reportedValue(text) })
  return min
}

type CalendarWindow = { from: DayNumber; days: number; today: DayNumber; parties: Parties }

/** Rows processed before yielding the event loop to other requests. */
const rowsAtOnce = 20

/** Every room-rate of a hotel, night by night, grouped by room. */
async function calendarRooms(stay: HotelStay, window: CalendarWindow): Promise<CalendarRoom[]> {
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
