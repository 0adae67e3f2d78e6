import type { MonthNumber } from '../base/calendar.ts'
import type { BookingCatalog } from './booking-catalog.ts'
import { bytesOf, type HotelMonth } from './hotel-month.ts'
import { storeStamp as stampColumn } from '../postgres/store-epoch.ts'

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

  /** The catalog, if it is still at these versions. */
  catalog({ storeStamp, hotelId, catalogVersion }: HotelVersions): BookingCatalog | undefined {
    const kept = this.#kept.get(hotelId)
    if (kept?.storeStamp !== storeStamp) return undefined
    return kept.catalog?.version === catalogVersion ? kept.catalog : undefined
  }

  /** The months, if they are still at these versions. */
  months({
    storeStamp,
    hotelId,
    ariVersion,
  }: HotelVersions): ReadonlyMap<MonthNumber, HotelMonth> | undefined {
    const kept = this.#kept.get(hotelId)
    return kept?.storeStamp === storeStamp && kept.ariVersion === ariVersion ? kept.months : undefined
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
