import type { DayNumber } from '../../base/calendar.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { hotelWithCatalog, selectHotelCatalogs, type HotelOfSupplier } from '../../products/hotel-catalogs.ts'
import { roomRateKey, type RoomRate } from '../../products/store.ts'
import { BoundedMap } from '../../base/bounded-map.ts'
import { gather } from '../../base/gather.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { readGuard, storedGuardColumn } from '../guard/rules/stored-guard.ts'
import type { Guard } from '../guard/rules/rules.ts'
import type { LockedHotel } from '../blocks/store.ts'

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
  /** Absent if the guard is off and nothing is held. */
  guard: Guard | undefined
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

/** What reading stored ARI takes. */
export type CatalogNeeds = Needs & { catalogs: Catalogs }

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

/** Catalogs are cached as texts: some 100,000 of hotels with two rooms and two rates. */
const textBytesMax = 40 * 1024 * 1024
/** Memory of a text besides its characters: its key and the headers of both. */
const textBytes = 100
/** Reading a text of this length takes some 10 µs; catalogs with longer ones are cached decoded as well. */
const quickTextMax = 2_000
const decodedBytesMax = 10 * 1024 * 1024
/** A decoded catalog takes this many times the memory of its text. */
const decodedFactor = 8
const catalogReads = { keysMax: 100, readsAtOnceMax: 4 }

export function catalogs({ db, telemetry }: Needs, priceFloors: PriceFloors): Catalogs {
  const hits = telemetry.cacheLookups.labels('catalogs', 'hit')
  const misses = telemetry.cacheLookups.labels('catalogs', 'miss')
  const texts = new BoundedMap<string, string>(textBytesMax, (text) => text.length + textBytes)
  const decoded = new BoundedMap<string, { catalog: HotelCatalog; bytes: number }>(
    decodedBytesMax,
    ({ bytes }) => bytes,
  )
  db.epoch.onChange(() => {
    texts.clear()
    decoded.clear()
  })
  const decode = (key: string, hotel: HotelOfSupplier, text: string): HotelCatalog => {
    const catalog = catalogOf(hotel, text, priceFloors)
    if (text.length > quickTextMax) decoded.set(key, { catalog, bytes: text.length * decodedFactor })
    return catalog
  }
  const load = async (
    connection: Queryable,
    wanted: readonly HotelOfSupplier[],
  ): Promise<ReadonlyMap<HotelOfSupplier, HotelCatalog>> => {
    const read = await selectHotelCatalogs(
      connection,
      wanted,
      (hotelId) => `json_build_array(${priceFloors.column(hotelId)}, ${storedGuardColumn(hotelId)})`,
    )
    const catalogByHotel = new Map<HotelOfSupplier, HotelCatalog>()
    for (const [index, hotel] of wanted.entries()) {
      const text = read[index]
      if (text === undefined) continue
      const key = keyText(hotel)
      texts.set(key, text)
      decoded.delete(key)
      catalogByHotel.set(hotel, decode(key, hotel, text))
    }
    return catalogByHotel
  }
  const missing = gather((wanted: readonly HotelOfSupplier[]) => load(db, wanted), catalogReads)
  const current = async (connection: Queryable, hotel: HotelOfSupplier): Promise<HotelCatalog | undefined> =>
    (await load(connection, [hotel])).get(hotel)
  return {
    of: async (hotel) => {
      const key = keyText(hotel)
      const text = texts.get(key)
      if (text === undefined) {
        misses.inc()
        return (await missing([hotel])).get(hotel)
      }
      hits.inc()
      return decoded.get(key)?.catalog ?? decode(key, hotel, text)
    },
    current,
    reload: async (connection, known) => {
      const catalog = await current(connection, known)
      if (!catalog) throw new Error(`hotel ${known.hotelCode} is gone`)
      return catalog
    },
    forget: (hotel) => {
      const key = keyText(hotel)
      texts.delete(key)
      decoded.delete(key)
    },
  }
}

/** Whether the catalog matches the hotel as read under its lock. */
export function isCatalogOf(
  catalog: HotelCatalog,
  hotel: Pick<LockedHotel, 'storeStamp' | 'catalogVersion'> | undefined,
): boolean {
  return hotel?.storeStamp === catalog.storeStamp && hotel.catalogVersion === catalog.version
}

/** The rates with which a room was ever pushed. */
export function ratesOfRoom(
  { rateNoByCode, productOf }: Pick<HotelCatalog, 'rateNoByCode' | 'productOf'>,
  roomNo: number,
): number[] {
  return [...rateNoByCode.values()].filter((rateNo) => productOf(roomNo, rateNo) !== undefined)
}

function keyText({ supplierId, hotelCode }: HotelOfSupplier): string {
  return `${supplierId}/${hotelCode}`
}

function catalogOf(
  { supplierId, hotelCode }: HotelOfSupplier,
  text: string,
  priceFloors: PriceFloors,
): HotelCatalog {
  const { storeStamp, hotel, catalog, beside } = hotelWithCatalog(text)
  const digits = minorDigits(hotel.currency) ?? 2
  const { roomNoByCode, rateNoByCode, roomRateByKey } = catalog
  const columns: readonly unknown[] = Array.isArray(beside) ? beside : []
  const [floors, guard] = columns
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
    priceFloor: priceFloors.of(floors, digits),
    guard: readGuard(guard, { currency: hotel.currency, minorDigits: digits }),
  }
}
