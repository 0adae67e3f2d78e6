import { gather } from '../base/gather.ts'
import { monthOf, type DayNumber, type MonthNumber } from '../base/calendar.ts'
import { numberArray, hideFromPlanner, type Database, type Queryable } from '../postgres/postgres.ts'
import { StoreChanged, storeStamp as stampColumn } from '../postgres/store-epoch.ts'
import {
  bookingCatalogColumn,
  bookingCatalogOf,
  type BookingCatalog,
  type BookingCatalogRow,
} from './booking-catalog.ts'
import {
  bytesOf,
  hotelBlocksColumn,
  hotelMonths,
  type HotelMonth,
  type HotelMonths,
} from './room-rate-days.ts'

/** Everything that decides about stays in a hotel, as of one moment. */
export type HotelStay = HotelMonths & { catalog: BookingCatalog; revision: number }

/** Days whose values are needed, both included: the day after a stay counts, for departures. */
export type StayRange = { firstDay: DayNumber; lastDay: DayNumber }

export type StayReader = {
  /** Hotels as committed at the time of the call or later. Hotels that don't exist are absent. */
  read: (hotelIds: readonly number[], range: StayRange) => Promise<Map<number, HotelStay>>
  /** A hotel as seen by a transaction that holds its lock and has read its versions under the lock. */
  readWithin: (
    connection: Queryable,
    versions: HotelVersions,
    range: StayRange,
  ) => Promise<HotelStay | undefined>
}

/** Number of uncached hotels read at once: a large one has megabytes. */
const hotelsLoadedAtOnce = 25
/** One read at a time: two would each answer half as many, and a one-hotel search takes a sixth longer. */
const versionReads = { keysMax: 20_000, readsAtOnceMax: 1 }

/**
 * Reads the data that stays need. It reads the versions of the hotels first; cached data of the same versions
 * is valid. Everything else of a hotel is read in one statement, versions included, so that its parts are
 * from one moment.
 */
export function stayReader(db: Database): StayReader {
  const cache = new StayCache()
  const versionsOf = gather((ids: readonly number[]) => selectVersions(db, ids), versionReads)
  db.epoch.onChange(() => cache.clear())
  return {
    read: async (hotelIds, range) => {
      const versions = await versionsOf(hotelIds)
      return readStays(db, hotelIds, { range, versions, cache, isKept: true })
    },
    // Not cached: the transaction may still be rolled back, and its versions would then be reused.
    readWithin: async (connection, held, range) => {
      const { hotelId } = held
      const versions = new Map([[hotelId, held]])
      const stays = await readStays(connection, [hotelId], { range, versions, cache, isKept: false })
      return stays.get(hotelId)
    },
  }
}

type Reading = {
  range: StayRange
  versions: ReadonlyMap<number, HotelVersions>
  cache: StayCache
  isKept: boolean
}

/** The cached data of a hotel at its versions. */
type Known = {
  versions: HotelVersions
  catalog: BookingCatalog | undefined
  months: ReadonlyMap<MonthNumber, HotelMonth>
}

const noMonths: ReadonlyMap<MonthNumber, HotelMonth> = new Map()

async function readStays(
  db: Queryable,
  hotelIds: readonly number[],
  { range, versions, cache, isKept }: Reading,
): Promise<Map<number, HotelStay>> {
  const [firstMonth, lastMonth] = [monthOf(range.firstDay), monthOf(range.lastDay)]
  const stays = new Map<number, HotelStay>()
  const completed = (known: Known): boolean => {
    const stay = stayOf(known, firstMonth, lastMonth)
    if (stay) stays.set(known.versions.hotelId, stay)
    return stay !== undefined
  }
  let incomplete: Known[] = []
  for (const hotelId of hotelIds) {
    const current = versions.get(hotelId)
    if (!current) continue
    const known = cache.get(current)
    if (completed(known)) cache.used(hotelId)
    else incomplete.push(known)
  }
  // If a hotel changes between the two reads, read all of it at once: that result is from one moment.
  for (const isWhole of [false, true]) {
    const wanted = incomplete
    incomplete = []
    for (let from = 0; from < wanted.length; from += hotelsLoadedAtOnce) {
      const some = wanted.slice(from, from + hotelsLoadedAtOnce)
      for (const loaded of await loadHotels(db, some, { firstMonth, lastMonth, isWhole })) {
        if (isKept) cache.keep(loaded.versions, loaded.catalog, loaded.months)
        if (!completed(loaded)) incomplete.push(loaded)
      }
    }
  }
  return stays
}

function stayOf(known: Known, firstMonth: MonthNumber, lastMonth: MonthNumber): HotelStay | undefined {
  const { versions, catalog, months } = known
  if (!catalog) return undefined
  const held: HotelMonth[] = []
  for (let number = firstMonth; number <= lastMonth; number++) {
    const month = months.get(number)
    if (!month) return undefined
    held.push(month)
  }
  const { revision, currencyRevision } = versions
  return { catalog, revision, currencyRevision, firstMonth, months: held }
}

async function selectVersions(
  db: Database,
  hotelIds: readonly number[],
): Promise<Map<number, HotelVersions>> {
  const { rows } = await db.query<HotelVersions>({
    name: 'select-hotel-versions',
    text: `select ${hotelVersionColumns} from hotel where id = any($1::int[])`,
    values: [numberArray(hotelIds)],
  })
  const [first] = rows
  if (first) db.epoch.saw(first.storeStamp)
  return new Map(rows.map((row) => [row.hotelId, row]))
}

type LoadedRow = HotelVersions & { catalog: BookingCatalogRow | null; blocks: Buffer | null }

/** Loads the missing parts of hotels: their catalogs and their months. */
async function loadHotels(
  db: Queryable,
  hotels: readonly Known[],
  { firstMonth, lastMonth, isWhole }: { firstMonth: MonthNumber; lastMonth: MonthNumber; isWhole: boolean },
): Promise<Known[]> {
  const wanted = new Map(
    hotels.map((known) => [
      known.versions.hotelId,
      {
        known,
        catalog: isWhole || !known.catalog,
        ...(isWhole ? { first: firstMonth, last: lastMonth } : missingMonths(known, firstMonth, lastMonth)),
      },
    ]),
  )
  const all = [...wanted.values()]
  const { rows } = await db.query<LoadedRow>({
    name: 'load-hotels-for-stays',
    text: `select ${hotelVersionColumns},
        case when wanted.catalog then ${bookingCatalogColumn} end as catalog,
        ${hotelBlocksColumn} as blocks
      from unnest(${hideFromPlanner('$1::int[]')}, $2::boolean[], $3::int[], $4::int[])
        as wanted (id, catalog, first_month, last_month)
      join hotel on hotel.id = wanted.id`,
    values: [
      numberArray([...wanted.keys()]),
      all.map(({ catalog }) => catalog),
      numberArray(all.map(({ first }) => first)),
      numberArray(all.map(({ last }) => last)),
    ],
  })
  return rows.map(({ catalog, blocks, ...versions }): Known => {
    const { hotelId, catalogVersion, ariVersion } = versions
    const asked = wanted.get(hotelId)
    if (!asked) throw new Error(`hotel ${hotelId} was read without being requested`)
    const { known, first, last } = asked
    // Cached data from one store and data read from another must not be combined.
    if (versions.storeStamp !== known.versions.storeStamp) throw new StoreChanged()
    const read = hotelMonths(blocks, first, last)
    return {
      versions,
      catalog: catalog
        ? bookingCatalogOf(hotelId, catalogVersion, catalog)
        : known.catalog?.version === catalogVersion
          ? known.catalog
          : undefined,
      months: known.versions.ariVersion === ariVersion ? new Map([...known.months, ...read]) : read,
    }
  })
}

/** From the first to the last missing month; an empty range if none is missing. */
function missingMonths({ months }: Known, firstMonth: MonthNumber, lastMonth: MonthNumber) {
  let [first, last] = [lastMonth + 1, lastMonth]
  for (let month = lastMonth; month >= firstMonth; month--) if (!months.has(month)) first = month
  while (last >= first && months.has(last)) last--
  return { first, last }
}

type Kept = {
  storeStamp: string
  catalog: BookingCatalog | undefined
  ariVersion: number
  months: Map<MonthNumber, HotelMonth>
  bytes: number
}

const bytesKeptMax = 32 * 1024 * 1024
const entryBytes = 500

/** The last data read for each hotel, evicted least recently used first; use it only with its versions. */
export class StayCache {
  readonly #kept = new Map<number, Kept>()
  #bytes = 0

  /** The catalog and the months, as far as they are still at these versions. */
  get(versions: HotelVersions): Known {
    const { storeStamp, hotelId, catalogVersion, ariVersion } = versions
    const kept = this.#kept.get(hotelId)
    const current = kept?.storeStamp === storeStamp ? kept : undefined
    return {
      versions,
      catalog: current?.catalog?.version === catalogVersion ? current.catalog : undefined,
      months: current?.ariVersion === ariVersion ? current.months : noMonths,
    }
  }

  used(hotelId: number): void {
    const kept = this.#kept.get(hotelId)
    if (!kept) return
    // Re-inserting makes the hotel the youngest entry: a Map iterates its keys in insertion order.
    this.#kept.delete(hotelId)
    this.#kept.set(hotelId, kept)
  }

  keep(
    { storeStamp, hotelId, ariVersion }: HotelVersions,
    catalog: BookingCatalog | undefined,
    months: ReadonlyMap<MonthNumber, HotelMonth>,
  ): void {
    const before = this.#kept.get(hotelId)
    if (before) this.#bytes -= before.bytes
    const kept: Kept =
      before?.storeStamp === storeStamp
        ? before
        : { storeStamp, catalog: undefined, ariVersion, months: new Map(), bytes: entryBytes }
    if (catalog && (kept.catalog?.version ?? -1) < catalog.version) {
      kept.bytes += catalog.bytes - (kept.catalog?.bytes ?? 0)
      kept.catalog = catalog
    }
    if (kept.ariVersion < ariVersion) {
      for (const month of kept.months.values()) kept.bytes -= bytesOf(month)
      kept.months.clear()
      kept.ariVersion = ariVersion
    }
    if (kept.ariVersion === ariVersion) {
      for (const [number, month] of months) {
        if (kept.months.has(number)) continue
        kept.months.set(number, month)
        kept.bytes += bytesOf(month)
      }
    }
    this.#kept.delete(hotelId)
    this.#kept.set(hotelId, kept)
    this.#bytes += kept.bytes
    for (const [oldestId, oldest] of this.#kept) {
      if (this.#bytes <= bytesKeptMax) break
      this.#bytes -= oldest.bytes
      this.#kept.delete(oldestId)
    }
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }
}

/** The columns of a hotel's row that validate everything cached about it. */
export type HotelVersions = {
  /** Versions in one store say nothing about the contents of another. */
  storeStamp: string
  hotelId: number
  revision: number
  catalogVersion: number
  ariVersion: number
  /** Prices set at this revision or before it are in a former currency. */
  currencyRevision: number
}

/** Columns of table `hotel`. */
export const hotelVersionColumns = `${stampColumn} as "storeStamp", hotel.id as "hotelId", hotel.revision, hotel.catalog_version as "catalogVersion",
  hotel.ari_version as "ariVersion", hotel.currency_revision as "currencyRevision"`
