import { gather } from '../base/gather.ts'
import { monthOf, type DayNumber, type MonthNumber } from '../base/calendar.ts'
import { numberArray, unseen, type Database, type Queryable } from '../postgres/postgres.ts'
import { StoreChanged } from '../postgres/store-epoch.ts'
import {
  bookingCatalogColumn,
  bookingCatalogOf,
  type BookingCatalog,
  type BookingCatalogRow,
} from './booking-catalog.ts'
import { hotelBlocksColumn, hotelMonths, type HotelMonth } from './hotel-month.ts'
import { hotelVersionColumns, type HotelVersions, StayCache } from './stay-cache.ts'

/** All that decides about stays in a hotel, as of one moment. */
export type HotelStay = {
  catalog: BookingCatalog
  revision: number
  currencyRevision: number
  firstMonth: MonthNumber
  /** From the first month on, one after another. */
  months: readonly HotelMonth[]
}

/** Days of which the values are needed, both included: the night after a stay counts, for departures. */
export type StayRange = { firstDay: DayNumber; lastDay: DayNumber }

export type StayReader = {
  /** Hotels as committed when they are asked for, or later; those that there are not are absent. */
  read: (hotelIds: readonly number[], range: StayRange) => Promise<Map<number, HotelStay>>
  /** A hotel as a transaction sees it that holds its lock, and has read its versions under it. */
  readWithin: (
    connection: Queryable,
    versions: HotelVersions,
    range: StayRange,
  ) => Promise<HotelStay | undefined>
}

/** Cold hotels are read so many at once: a large one has megabytes. */
const hotelsLoadedAtOnce = 25
/** One read at once: each of two would answer half as many, which costs a search for one hotel a sixth more. */
const versionReads = { keysMax: 20_000, readsAtOnceMax: 1 }

/**
 * Reads what stays need. First the versions of the hotels: what is cached of these versions holds. All else of a hotel
 * is read in one statement, versions included, so that its parts are of one moment.
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
    // Not kept: the transaction may yet be undone, and its versions come a second time.
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

/** What is known of a hotel at its versions. */
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
    const known = {
      versions: current,
      catalog: cache.catalog(current),
      months: cache.months(current) ?? noMonths,
    }
    if (completed(known)) cache.used(hotelId)
    else incomplete.push(known)
  }
  // What changes between the two readings of a hotel is read whole: that is of one moment, whatever follows.
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

function stayOf(
  { versions, catalog, months }: Known,
  firstMonth: MonthNumber,
  lastMonth: MonthNumber,
): HotelStay | undefined {
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

/** Hotels with what is not known of them: their catalogs, their months. */
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
      from unnest(${unseen('$1::int[]')}, $2::boolean[], $3::int[], $4::int[])
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
    const { known, first, last } = wanted.get(hotelId) ?? unasked(hotelId)
    // What is known of the one store and what was read of the other one make no hotel.
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

/** From the first to the last of the months that are not known; an empty range where all are. */
function missingMonths(
  { months }: Known,
  firstMonth: MonthNumber,
  lastMonth: MonthNumber,
): { first: MonthNumber; last: MonthNumber } {
  let [first, last] = [lastMonth + 1, lastMonth]
  for (let month = lastMonth; month >= firstMonth; month--) if (!months.has(month)) first = month
  while (last >= first && months.has(last)) last--
  return { first, last }
}

function unasked(hotelId: number): never {
  throw new Error(`hotel ${hotelId} was read without being asked for`)
}
