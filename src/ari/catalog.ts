import type { DayNumber } from '../base/calendar.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import {
  roomRateKey,
  selectHotelCatalogs,
  type HotelOfSupplier,
  type HotelWithCatalog,
  type RoomRate,
} from '../products/store.ts'
import { gather } from '../base/gather.ts'
import { minorDigits } from '../reference/currencies.ts'
import type { LockedHotel } from './store.ts'

/**
 * The hotel data needed to interpret a push. It is valid while the hotel's catalog version is `version`, in
 * the store with this stamp.
 */
export type HotelCatalog = {
  storeStamp: string
  supplierId: number
  hotelCode: string
  hotelId: number
  version: number
  timeZone: string
  aheadMs: number
  currency: string
  minorDigits: number
  roomNoByCode: ReadonlyMap<string, number>
  rateNoByCode: ReadonlyMap<string, number>
  /** The room-rate's product; undefined when the pair was never pushed. */
  productOf: (roomNo: number, rateNo: number) => RoomRate | undefined
  /** Absent if no tax takes a fixed amount out of a price. */
  priceFloor: PriceFloor | undefined
}

/** The lowest price, in minor units, that covers its included taxes: less can't be sold for any stay. */
export type PriceFloor = {
  /** The highest floor of any night. */
  highest: (roomNo: number, rateNo: number, persons: number) => number
  on: (night: DayNumber, roomNo: number, rateNo: number, persons: number) => number
}

/** How a hotel's taxes bound its prices: an SQL column of the hotel's row, and its interpretation. */
export type PriceFloors = {
  /** An SQL expression; null if any price is allowed. */
  column: (hotelId: string) => string
  of: (stored: unknown, minorDigits: number) => PriceFloor | undefined
}

export type Catalogs = {
  /** The catalog as last seen, maybe out of date: before applying, compare its version under the lock. */
  of: (hotel: HotelOfSupplier) => Promise<HotelCatalog | undefined>
  /** The catalog as the connection sees it now. */
  current: (connection: Queryable, hotel: HotelOfSupplier) => Promise<HotelCatalog | undefined>
  /** The catalog as the connection's transaction sees it; cached for later. */
  reload: (connection: Queryable, catalog: HotelCatalog) => Promise<HotelCatalog>
  /** Drops a hotel that no longer exists. */
  forget: (hotel: HotelOfSupplier) => void
}

/** Most entries cached in total; a catalog takes about as much memory as its rooms, rates and room-rates. */
const entriesKeptMax = 100_000
const catalogReads = { keysMax: 100, readsAtOnceMax: 4 }

export function catalogs({ db, telemetry }: Needs, priceFloors: PriceFloors): Catalogs {
  const hits = telemetry.cacheLookups.labels('catalogs', 'hit')
  const misses = telemetry.cacheLookups.labels('catalogs', 'miss')
  const cached = new Map<string, HotelCatalog>()
  let entries = 0
  db.epoch.onChange(() => {
    cached.clear()
    entries = 0
  })
  const forget = (text: string): void => {
    const known = cached.get(text)
    if (known) entries -= weight(known)
    cached.delete(text)
  }
  const keep = (text: string, catalog: HotelCatalog): void => {
    forget(text)
    cached.set(text, catalog)
    entries += weight(catalog)
    // Evict the oldest first: a Map iterates its keys in insertion order.
    for (const oldest of cached.keys()) {
      if (entries <= entriesKeptMax) break
      forget(oldest)
    }
  }
  const load = async (
    connection: Queryable,
    wanted: readonly HotelOfSupplier[],
  ): Promise<ReadonlyMap<HotelOfSupplier, HotelCatalog>> => {
    const rows = await selectHotelCatalogs(connection, wanted, priceFloors.column)
    const catalogByHotel = new Map<HotelOfSupplier, HotelCatalog>()
    for (const [index, hotel] of wanted.entries()) {
      const stored = rows[index]
      if (!stored) continue
      const catalog = catalogOf(hotel, stored, priceFloors)
      keep(keyText(hotel), catalog)
      catalogByHotel.set(hotel, catalog)
    }
    return catalogByHotel
  }
  const missing = gather((wanted: readonly HotelOfSupplier[]) => load(db, wanted), catalogReads)
  const current = async (connection: Queryable, hotel: HotelOfSupplier): Promise<HotelCatalog | undefined> =>
    (await load(connection, [hotel])).get(hotel)
  return {
    of: async (hotel) => {
      const known = cached.get(keyText(hotel))
      if (known) hits.inc()
      else misses.inc()
      return known ?? (await missing([hotel])).get(hotel)
    },
    current,
    reload: async (connection, known) => {
      const catalog = await current(connection, known)
      if (!catalog) throw new Error(`hotel ${known.hotelCode} is gone`)
      return catalog
    },
    forget: (hotel) => forget(keyText(hotel)),
  }
}

/** Whether the catalog matches the hotel as read under its lock. */
export function isCatalogOf(
  catalog: HotelCatalog,
  hotel: Pick<LockedHotel, 'storeStamp' | 'catalogVersion'> | undefined,
): boolean {
  return hotel?.storeStamp === catalog.storeStamp && hotel.catalogVersion === catalog.version
}

function weight({ roomNoByCode, rateNoByCode }: HotelCatalog): number {
  return 4 + roomNoByCode.size * (1 + rateNoByCode.size)
}

function keyText({ supplierId, hotelCode }: HotelOfSupplier): string {
  return `${supplierId}/${hotelCode}`
}

function catalogOf(
  { supplierId, hotelCode }: HotelOfSupplier,
  { storeStamp, hotel, catalog, beside }: HotelWithCatalog,
  priceFloors: PriceFloors,
): HotelCatalog {
  const digits = minorDigits(hotel.currency) ?? 2
  const { roomNoByCode, rateNoByCode, roomRateByKey } = catalog
  return {
    storeStamp,
    supplierId,
    hotelCode,
    hotelId: hotel.id,
    version: hotel.catalogVersion,
    timeZone: hotel.timeZone,
    aheadMs: hotel.aheadMs,
    currency: hotel.currency,
    minorDigits: digits,
    roomNoByCode,
    rateNoByCode,
    productOf: (roomNo, rateNo) => roomRateByKey.get(roomRateKey(roomNo, rateNo)),
    priceFloor: priceFloors.of(beside, digits),
  }
}
