import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteCache } from '../base/byte-cache.ts'
import type { MonthNumber } from '../base/calendar.ts'
import { bookingCatalogOf, type BookingCatalog } from './booking-catalog.ts'
import { blocksOf, bytesOf, hotelMonths, type HotelMonth } from './room-rate-days.ts'

/** What is known of a hotel: its catalog and some of its months, each valid for one version. */
export type HotelParts = {
  /** Versions in one store say nothing about the contents of another. */
  storeStamp: string
  catalog: BookingCatalog
  ariVersion: number
  months: ReadonlyMap<MonthNumber, HotelMonth>
}

type Opened = HotelParts & { bytes: number }

/** Of both tiers: how much memory each may take. */
export type CacheLimits = { openedBytesMax: number; packedBytesMax: number }
const cacheLimits: CacheLimits = {
  openedBytesMax: 12 * 1024 * 1024,
  packedBytesMax: 128 * 1024 * 1024,
}
/** Memory of an opened hotel besides its catalog and months. */
const openedBytes = 500

/**
 * The last data read for each hotel, evicted least recently used first. Hotels in use are objects; those that
 * must make room for others are packed, which takes a tenth of the memory, and opened again when they are
 * wanted: that costs less than to read them.
 */
export class StayCache {
  readonly #limits: CacheLimits
  readonly #opened = new Map<number, Opened>()
  #bytes = 0
  readonly #packed: ByteCache
  /** The store that the packed hotels were read from. */
  #packedStamp = ''

  constructor(limits = cacheLimits) {
    this.#limits = limits
    this.#packed = new ByteCache(limits.packedBytesMax)
  }

  /** What was read of the hotel last. */
  get(hotelId: number): HotelParts | undefined {
    const opened = this.#opened.get(hotelId)
    if (!opened) return this.#open(hotelId)
    // Re-inserting makes the hotel the youngest entry: a Map iterates its keys in insertion order.
    this.#opened.delete(hotelId)
    this.#opened.set(hotelId, opened)
    return opened
  }

  /** Adds what was read; of the cached parts, those of the same versions stay, and newer ones. */
  add(read: HotelParts): void {
    const { hotelId } = read.catalog
    const cached = this.get(hotelId)
    this.#packed.delete(hotelId)
    if (cached?.storeStamp !== read.storeStamp) return this.#put(read)
    const catalog = read.catalog.version < cached.catalog.version ? cached.catalog : read.catalog
    if (read.ariVersion === cached.ariVersion)
      this.#put({ ...read, catalog, months: new Map([...cached.months, ...read.months]) })
    else this.#put({ ...(read.ariVersion < cached.ariVersion ? cached : read), catalog })
  }

  clear(): void {
    this.#opened.clear()
    this.#bytes = 0
    this.#packed.clear()
  }

  #put(parts: HotelParts): void {
    const { catalog, months } = parts
    this.#bytes -= this.#opened.get(catalog.hotelId)?.bytes ?? 0
    let bytes = openedBytes + catalog.bytes
    for (const month of months.values()) bytes += bytesOf(month)
    this.#opened.delete(catalog.hotelId)
    this.#opened.set(catalog.hotelId, { ...parts, bytes })
    this.#bytes += bytes
    for (const [oldestId, oldest] of this.#opened) {
      if (this.#bytes <= this.#limits.openedBytesMax) break
      this.#bytes -= oldest.bytes
      this.#opened.delete(oldestId)
      if (!this.#packed.has(oldestId)) this.#pack(oldest)
    }
  }

  #pack(parts: HotelParts): void {
    if (parts.storeStamp !== this.#packedStamp) this.#packed.clear()
    this.#packedStamp = parts.storeStamp
    this.#packed.set(parts.catalog.hotelId, packedOf(parts))
  }

  #open(hotelId: number): HotelParts | undefined {
    const packed = this.#packed.get(hotelId)
    if (!packed) return undefined
    const parts = partsOf(packed, hotelId, this.#packedStamp)
    this.#put(parts)
    return parts
  }
}

type PackedHead = { catalogVersion: number; catalogBytes: number; ariVersion: number; months: MonthNumber[] }

/** The length of the head, the head and the catalog as JSON, and the blocks; all compressed. */
function packedOf({ catalog, ariVersion, months }: HotelParts): Buffer {
  const json = Buffer.from(catalog.json)
  const head: PackedHead = {
    catalogVersion: catalog.version,
    catalogBytes: json.length,
    ariVersion,
    months: [...months.keys()],
  }
  const headJson = Buffer.from(JSON.stringify(head))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(headJson.length)
  return deflateRawSync(Buffer.concat([length, headJson, json, blocksOf(months)]), { level: 1 })
}

function partsOf(packed: Buffer, hotelId: number, storeStamp: string): HotelParts {
  const bytes = inflateRawSync(packed)
  const headEnd = 4 + bytes.readUInt32LE(0)
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: packedOf wrote it.
  const head: PackedHead = JSON.parse(bytes.toString('utf8', 4, headEnd))
  const catalogEnd = headEnd + head.catalogBytes
  return {
    storeStamp,
    catalog: bookingCatalogOf(hotelId, head.catalogVersion, bytes.toString('utf8', headEnd, catalogEnd)),
    ariVersion: head.ariVersion,
    months: hotelMonths(bytes.subarray(catalogEnd), head.months),
  }
}
