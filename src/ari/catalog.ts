import type { DayNumber } from '../base/calendar.ts'
import type { Database, Queryable } from '../postgres/postgres.ts'
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

/** What a push must know of its hotel to be understood. Holds as long as the hotel's catalog version is `version`, in the store of the stamp. */
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
  /** Absent where no tax takes a fixed amount from a price. */
  priceFloor: PriceFloor | undefined
}

/** What a price must be for the taxes included in it, in minor units: less can't be sold, however long the stay. */
export type PriceFloor = {
  /** On any night. */
  highest: (roomNo: number, rateNo: number, persons: number) => number
  on: (night: DayNumber, roomNo: number, rateNo: number, persons: number) => number
}

/** How the taxes of a hotel bound its prices: their column beside the hotel's, and what it means. */
export type PriceFloors = {
  /** As SQL; null where any price will do. */
  column: (hotelId: string) => string
  of: (held: unknown, minorDigits: number) => PriceFloor | undefined
}

export type Catalogs = {
  /** The catalog as last seen, perhaps out of date: whoever applies something compares the version under the lock. */
  of: (hotel: HotelOfSupplier) => Promise<HotelCatalog | undefined>
  /** The catalog as the connection sees it now. */
  current: (connection: Queryable, hotel: HotelOfSupplier) => Promise<HotelCatalog | undefined>
  /** The catalog as the connection's transaction sees it, kept for later. */
  reload: (connection: Queryable, catalog: HotelCatalog) => Promise<HotelCatalog>
  /** Of a hotel that is not there any more. */
  forget: (hotel: HotelOfSupplier) => void
}

/** Entries cost about as much memory as their rooms, rates and room-rates; together at most this many are kept. */
const entriesKeptMax = 100_000
const catalogReads = { keysMax: 100, readsAtOnceMax: 4 }

export function catalogs(db: Database, priceFloors: PriceFloors): Catalogs {
  const kept = new Map<string, HotelCatalog>()
  let entries = 0
  db.epoch.onChange(() => {
    kept.clear()
    entries = 0
  })
  const forget = (text: string): void => {
    const known = kept.get(text)
    if (known) entries -= weight(known)
    kept.delete(text)
  }
  const keep = (text: string, catalog: HotelCatalog): void => {
    forget(text)
    kept.set(text, catalog)
    entries += weight(catalog)
    // The oldest first: a Map remembers the order in which its keys came.
    for (const oldest of kept.keys()) {
      if (entries <= entriesKeptMax) break
      forget(oldest)
    }
  }
  const load = async (
    connection: Queryable,
    wanted: readonly HotelOfSupplier[],
  ): Promise<ReadonlyMap<HotelOfSupplier, HotelCatalog>> => {
    const found = await selectHotelCatalogs(connection, wanted, priceFloors.column)
    const catalogByHotel = new Map<HotelOfSupplier, HotelCatalog>()
    for (const [index, hotel] of wanted.entries()) {
      const held = found[index]
      if (!held) continue
      const catalog = catalogOf(hotel, held, priceFloors)
      keep(keyText(hotel), catalog)
      catalogByHotel.set(hotel, catalog)
    }
    return catalogByHotel
  }
  const missing = gather((wanted: readonly HotelOfSupplier[]) => load(db, wanted), catalogReads)
  const current = async (connection: Queryable, hotel: HotelOfSupplier): Promise<HotelCatalog | undefined> =>
    (await load(connection, [hotel])).get(hotel)
  return {
    of: async (hotel) => kept.get(keyText(hotel)) ?? (await missing([hotel])).get(hotel),
    current,
    reload: async (connection, known) => {
      const catalog = await current(connection, known)
      if (!catalog) throw new Error(`hotel ${known.hotelCode} is gone`)
      return catalog
    },
    forget: (hotel) => forget(keyText(hotel)),
  }
}

/** Whether a catalog is that of the hotel as it is under its lock. */
export function isCatalogOf(catalog: HotelCatalog, hotel: LockedHotel | undefined): boolean {
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
