import { setImmediate as breathe } from 'node:timers/promises'
import { monthOf, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import type { Blocks } from '../../ari/blocks/block.ts'
import { impactLimits, type Impact } from '../../ari/impact/contract.ts'
import type { States } from '../../ari/impact/changed-cells.ts'
import type { ConcernedRoomRate, ReadSoldHotel } from '../../ari/impact/impact.ts'
import { numbersOfKey, roomRateKey } from '../../products/store.ts'
import { bookingCatalogColumn, bookingCatalogOf, roomRateOf } from '../stays/booking-catalog.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { formerNightsIn } from '../stays/former-nights.ts'
import { isOffered, quoteOf, wantedStay } from './evaluate.ts'
import { partiesOf, type Parties } from '../party.ts'
import { RoomRateDays, type HotelMonth, type HotelMonths } from '../stays/room-rate-days.ts'

const { arrivalDays, stayNightsMax, parties: partySizes } = impactLimits
/** From the first arrival to the last departure, both included. */
const windowDays = arrivalDays + stayNightsMax
const lengthsByArrival = Array.from({ length: arrivalDays * stayNightsMax }, (_, index) => ({
  arrival: Math.floor(index / stayNightsMax),
  length: (index % stayNightsMax) + 1,
}))
const staysOfRoomRate = lengthsByArrival.length * partySizes.length
/**
 * Stays to evaluate twice, before and after: well below 50 ms of work. It is a number and no time, so that a push
 * finds what its dry run announced.
 */
const staysEvaluatedMax = 2_000
/** Before other requests get a turn. */
const roomRatesAtOnce = 10

/** What is sold in a hotel, for the impact of pushes. */
export const readSoldHotel: ReadSoldHotel = async (connection, hotelId) => {
  const { rows } = await connection.query<{ catalog: string }>({
    name: 'select-booking-catalog',
    text: `select ${bookingCatalogColumn} as catalog from hotel where id = $1`,
    values: [hotelId],
  })
  const [row] = rows
  if (!row) throw new Error(`hotel ${hotelId} is gone`)
  // The catalog is used for this push only, so its version doesn't matter.
  const catalog = bookingCatalogOf(hotelId, 0, row.catalog)
  return {
    roomRates: catalog.roomRates,
    isFormerNight: formerNightsIn(catalog),
    monthsOfStays,
    compareStays: (states, today, concerned) => compareStays(catalog, states, today, concerned),
  }
}

/**
 * Which stays can be booked before a push, and which after it. A stay without a changed day, its departure included,
 * remains as it is and isn't evaluated.
 */
async function compareStays(
  catalog: BookingCatalog,
  states: States,
  today: DayNumber,
  concerned: readonly ConcernedRoomRate[],
): Promise<Impact['stays']> {
  const roomRates = concerned.flatMap(({ roomNo, rateNo, changed }) => {
    const roomRate = roomRateOf(catalog, roomRateKey(roomNo, rateNo))
    return roomRate ? [{ roomRate, changesUntil: changesUntilEach(changed, today) }] : []
  })
  const changedStays = roomRates.reduce((sum, { changesUntil }) => sum + countChanged(changesUntil), 0)
  const step = stepFor(changedStays)
  const compared = new ComparedStays(catalog, states, today, concerned)
  let stays = 0
  for (const { roomRate, changesUntil } of roomRates) {
    if (stays % (staysOfRoomRate * roomRatesAtOnce) === 0) await breathe()
    compared.turnTo(roomRate)
    for (const { arrival, length } of lengthsByArrival) {
      const isChanged = isAnyChanged(changesUntil, arrival, length)
      for (const party of compared.parties)
        if (stays++ % step === 0) compared.test({ arrival, length, party, isChanged })
    }
  }
  return compared.impactOf(stays)
}

/** For each day of the window, and the one after it: how many days before it change. */
function changesUntilEach(changed: ReadonlySet<DayNumber>, today: DayNumber): Uint8Array {
  const until = new Uint8Array(windowDays + 1)
  for (let day = 0; day < windowDays; day++)
    until[day + 1] = (until[day] ?? 0) + (changed.has(today + day) ? 1 : 0)
  return until
}

function isAnyChanged(changesUntil: Uint8Array, arrival: number, length: number): boolean {
  return changesUntil[arrival] !== changesUntil[arrival + length + 1]
}

function countChanged(changesUntil: Uint8Array): number {
  let changed = 0
  for (const { arrival, length } of lengthsByArrival)
    if (isAnyChanged(changesUntil, arrival, length)) changed += partySizes.length
  return changed
}

/** Every how many-th stay is tested: a number that reaches all lengths and parties alike. */
function stepFor(changedStays: number): number {
  let step = Math.max(1, Math.ceil(changedStays / staysEvaluatedMax))
  while (step % 2 === 0 || step % stayNightsMax === 0) step++
  return step
}

type Guests = { adults: number; parties: Parties; tested: number; lost: number; gained: number }
type TestedStay = { arrival: number; length: number; party: Guests; isChanged: boolean }

class ComparedStays {
  readonly parties: readonly Guests[]
  readonly #catalog: BookingCatalog
  readonly #today: DayNumber
  readonly #before: RoomRateDays
  readonly #after: RoomRateDays
  #roomRate: BookableRoomRate | undefined

  constructor(
    catalog: BookingCatalog,
    { before, after, currencyRevision }: States,
    today: DayNumber,
    concerned: readonly ConcernedRoomRate[],
  ) {
    this.#catalog = catalog
    this.#today = today
    this.parties = partySizes.map((adults) => ({
      adults,
      parties: partiesOf([{ adults, childAges: [] }], catalog),
      tested: 0,
      lost: 0,
      gained: 0,
    }))
    const priceFields = this.parties.flatMap(({ parties }) => parties.priceFields)
    const daysOf = (blocks: Blocks): RoomRateDays =>
      new RoomRateDays(
        { ...monthsOf(blocks, concerned, today), currencyRevision },
        { from: today, days: windowDays },
        priceFields,
      )
    this.#before = daysOf(before)
    this.#after = daysOf(after)
  }

  turnTo(roomRate: BookableRoomRate): void {
    this.#roomRate = roomRate
    this.#before.turnTo(roomRate)
    this.#after.turnTo(roomRate)
  }

  test({ arrival, length, party, isChanged }: TestedStay): void {
    party.tested++
    const roomRate = this.#roomRate
    if (!isChanged || !roomRate) return
    const from = this.#today + arrival
    const wanted = wantedStay({ arrival: from, departure: from + length }, this.#today, party.parties)
    if (!isOffered(this.#catalog, roomRate, wanted)) return
    const wasBookable = quoteOf(this.#before, roomRate, wanted) !== undefined
    const isBookable = quoteOf(this.#after, roomRate, wanted) !== undefined
    if (wasBookable && !isBookable) party.lost++
    if (isBookable && !wasBookable) party.gained++
  }

  impactOf(stays: number): Impact['stays'] {
    const sum = (read: (party: Guests) => number): number =>
      this.parties.reduce((total, party) => total + read(party), 0)
    const tested = sum((party) => party.tested)
    return {
      tested,
      ...(tested < stays ? { of: stays } : {}),
      lost: sum(({ lost }) => lost),
      gained: sum(({ gained }) => gained),
      party: this.parties.map(({ parties: _parties, ...counts }) => counts),
    }
  }
}

/** The blocks of room-rates, and those of their rooms, packed as offers read them. */
function monthsOf(
  blocks: Blocks,
  concerned: readonly ConcernedRoomRate[],
  today: DayNumber,
): Pick<HotelMonths, 'firstMonth' | 'months'> {
  const keys = concerned.flatMap(({ roomNo, rateNo }) => [
    roomRateKey(roomNo, 0),
    roomRateKey(roomNo, rateNo),
  ])
  const rows = [...new Set(keys)].sort((one, other) => one - other)
  const { first, last } = monthsOfStays(today)
  const months: HotelMonth[] = []
  for (let month = first; month <= last; month++) months.push(monthOfRows(blocks, rows, month))
  return { firstMonth: first, months }
}

function monthOfRows(blocks: Blocks, keys: readonly number[], month: MonthNumber): HotelMonth {
  const parts: Buffer[] = []
  const index: number[] = []
  let end = 0
  for (const key of keys) {
    const { roomNo, rateNo } = numbersOfKey(key)
    const bytes = blocks.of(roomNo, rateNo, month).encode()
    index.push(key, end, end + bytes.length)
    end += bytes.length
    parts.push(bytes)
  }
  return { bytes: Buffer.concat(parts), index: Int32Array.from(index) }
}

function monthsOfStays(today: DayNumber): { first: MonthNumber; last: MonthNumber } {
  return { first: monthOf(today), last: monthOf(today + windowDays - 1) }
}
