import { gather } from '../../base/gather.ts'
import { monthOf, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import { numberArray, hideFromPlanner, type Database, type Queryable } from '../../postgres/postgres.ts'
import { StoreChanged, storeStamp as stampColumn } from '../../postgres/connections/store-epoch.ts'
import type { Telemetry } from '../../base/telemetry.ts'
import { liveAnswersColumn, liveAnswersOf, type LiveAnswer } from './live-answers.ts'
import { bookingCatalogColumn, bookingCatalogOf, type BookingCatalog } from './booking-catalog.ts'
import { hotelBlocksColumn, hotelMonths, type HotelMonth, type HotelMonths } from './room-rate-days.ts'
import { StayCache, type HotelParts } from './stay-cache.ts'

/** Everything that decides about stays in a hotel, as of one moment. */
export type HotelStay = HotelMonths & {
  catalog: BookingCatalog
  revision: number
  /** What the supplier said when it was asked, past answers too. */
  live: readonly LiveAnswer[]
}

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

/** One read at a time: two would each answer half as many, and a one-hotel search takes a sixth longer. */
const versionReads = { keysMax: 20_000, readsAtOnceMax: 1 }
/** Few hotels at once: a large one has megabytes. */
const hotelReads = { keysMax: 25, readsAtOnceMax: 2 }

/**
 * Reads the data that stays need, by at most two statements for all callers of one moment. The first reads
 * the versions of their hotels; what is cached at the same versions is valid. The second reads what else they
 * need of a hotel, versions included, so that all of it is from one moment.
 */
export function stayReader(db: Database, { cacheLookups }: Pick<Telemetry, 'cacheLookups'>): StayReader {
  const cache = new StayCache()
  const hits = cacheLookups.labels('offers', 'hit')
  const misses = cacheLookups.labels('offers', 'miss')
  const versionsOf = gather((ids: readonly number[]) => selectVersions(db, ids), versionReads)
  const load = gather(async (keys: readonly string[]) => {
    const read = await readHotels(db, keys, cache)
    for (const { versions, ...parts } of read.values()) cache.add({ ...versions, ...parts })
    return read
  }, hotelReads)
  db.epoch.onChange(() => cache.clear())
  return {
    read: async (hotelIds, range) => {
      const versions = await versionsOf(hotelIds)
      const months = monthsOf(range)
      const stays = new Map<number, HotelStay>()
      const missing: number[] = []
      for (const id of hotelIds) {
        const current = versions.get(id)
        if (!current) continue
        const cached = cache.get(id)
        // Another store: nothing that was read from the former one is of use.
        if (cached && cached.storeStamp !== current.storeStamp) cache.clear()
        const stay = cachedStay(cached, current, months)
        if (stay) stays.set(id, stay)
        else missing.push(id)
      }
      hits.inc(stays.size)
      if (missing.length === 0) return stays
      misses.inc(missing.length)
      const reads: Promise<void>[] = []
      for (let from = 0; from < missing.length; from += hotelReads.keysMax) {
        const some = new Map(
          missing.slice(from, from + hotelReads.keysMax).map((id) => [id, keyOf(id, months)]),
        )
        reads.push(
          load([...some.values()]).then((read) => {
            for (const [id, key] of some) {
              const hotel = read.get(key)
              if (hotel) stays.set(id, stayOf(hotel, hotel.versions, months))
            }
          }),
        )
      }
      await Promise.all(reads)
      return stays
    },
    // Not cached: the transaction may still be rolled back, and its versions would then be reused.
    readWithin: async (connection, versions, range) => {
      const { hotelId } = versions
      const months = monthsOf(range)
      const cached = cachedStay(cache.get(hotelId), versions, months)
      if (cached) return cached
      const key = keyOf(hotelId, months)
      const hotel = (await readHotels(connection, [key], cache)).get(key)
      return hotel && stayOf(hotel, hotel.versions, months)
    },
  }
}

type Months = { first: MonthNumber; last: MonthNumber }

function monthsOf({ firstDay, lastDay }: StayRange): Months {
  return { first: monthOf(firstDay), last: monthOf(lastDay) }
}

/** Names the hotel and the months that are needed. */
function keyOf(hotelId: number, { first, last }: Months): string {
  return `${hotelId} ${first} ${last}`
}

/** Undefined if something is not cached, or not at these versions. */
function cachedStay(
  cached: HotelParts | undefined,
  versions: HotelVersions,
  months: Months,
): HotelStay | undefined {
  if (cached?.storeStamp !== versions.storeStamp) return undefined
  if (cached.catalog.version !== versions.catalogVersion || cached.ariVersion !== versions.ariVersion)
    return undefined
  for (let month = months.first; month <= months.last; month++)
    if (!cached.months.has(month)) return undefined
  return stayOf(cached, versions, months)
}

function stayOf(
  { catalog, months, live }: Pick<HotelParts, 'catalog' | 'months' | 'live'>,
  { revision, currencyRevision }: HotelVersions,
  { first, last }: Months,
): HotelStay {
  const ofStay: HotelMonth[] = []
  for (let number = first; number <= last; number++) {
    const month = months.get(number)
    if (!month) throw new Error(`month ${number} of hotel ${catalog.hotelId} was not read`)
    ofStay.push(month)
  }
  return { catalog, revision, live, currencyRevision, firstMonth: first, months: ofStay }
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

type ReadHotel = Pick<HotelParts, 'catalog' | 'months' | 'live'> & { versions: HotelVersions }
type HotelRow = HotelVersions & {
  position: number
  catalog: string | null
  blocks: Buffer | null
  live: string | null
}

/** Hotels with the months that their keys name: what is cached at their versions, and what else is read. */
async function readHotels(
  db: Queryable,
  keys: readonly string[],
  cache: StayCache,
): Promise<Map<string, ReadHotel>> {
  const wanted = keys.map((key) => {
    const [hotelId = 0, first = 0, last = 0] = key.split(' ').map(Number)
    const cached = cache.get(hotelId)
    return { key, hotelId, first, last, cached, missing: missingMonths(cached?.months, { first, last }) }
  })
  const column = (read: (one: (typeof wanted)[number]) => number | null) => numberArray(wanted.map(read))
  const { rows } = await db.query<HotelRow>({
    name: 'read-hotels-for-stays',
    text: `select wanted.position, ${hotelVersionColumns},
        case when hotel.catalog_version is distinct from wanted.catalog_version
          then ${bookingCatalogColumn} end as catalog,
        ${hotelBlocksColumn} as blocks,
        case when hotel.live_until is not null and hotel.ari_version is distinct from wanted.ari_version
          then ${liveAnswersColumn} end as live
      from unnest(${hideFromPlanner('$1::int[]')}, $2::int8[], $3::int8[], $4::int[], $5::int[], $6::int[], $7::int[])
          with ordinality
        as wanted (id, catalog_version, ari_version, first_month, last_month, first_missing, last_missing, position)
      join hotel on hotel.id = wanted.id`,
    values: [
      column(({ hotelId }) => hotelId),
      column(({ cached }) => cached?.catalog.version ?? null),
      column(({ cached }) => cached?.ariVersion ?? null),
      column(({ first }) => first),
      column(({ last }) => last),
      column(({ missing }) => missing.first),
      column(({ missing }) => missing.last),
    ],
  })
  const read = new Map<string, ReadHotel>()
  for (const { position, catalog: json, blocks, live: liveJson, ...versions } of rows) {
    const one = wanted[position - 1]
    if (!one) throw new Error(`hotel ${versions.hotelId} was read without being requested`)
    const { key, cached } = one
    // Cached data from one store and data read from another must not be combined.
    if (cached && cached.storeStamp !== versions.storeStamp) throw new StoreChanged()
    const catalog =
      json === null ? cached?.catalog : bookingCatalogOf(versions.hotelId, versions.catalogVersion, json)
    if (!catalog) throw new Error(`the catalog of hotel ${versions.hotelId} was not read`)
    const isSame = cached?.ariVersion === versions.ariVersion
    const { first, last } = isSame ? one.missing : one
    const months = hotelMonths(
      blocks ?? Buffer.alloc(0),
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    )
    const live = isSame ? cached.live : liveAnswersOf(liveJson)
    read.set(key, {
      versions,
      catalog,
      live,
      months: isSame ? new Map([...cached.months, ...months]) : months,
    })
  }
  return read
}

/** From the first to the last missing month; an empty range if none is missing. */
function missingMonths(cached: HotelParts['months'] | undefined, { first, last }: Months): Months {
  const isCached = (month: MonthNumber): boolean => cached?.has(month) === true
  const missing = { first, last }
  while (missing.first <= last && isCached(missing.first)) missing.first++
  while (missing.last >= missing.first && isCached(missing.last)) missing.last--
  return missing
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
