import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { MonthNumber } from '../../base/calendar.ts'
import { bytesOfLive, type LiveAnswer } from './live-answers.ts'
import { bookingCatalogOf, type BookingCatalog } from './booking-catalog.ts'
import { packedMonths, bytesOf, hotelMonths, type HotelMonth } from './room-rate-days.ts'

/** What is known of a hotel: its catalog and some of its months, each valid for one version. */
export type HotelParts = {
  /** Versions in one store say nothing about the contents of another. */
  storeStamp: string
  catalog: BookingCatalog
  ariVersion: number
  months: ReadonlyMap<MonthNumber, HotelMonth>
  /** Of the same version as the months. */
  live: readonly LiveAnswer[]
}

type Opened = HotelParts & { bytes: number }

/** Of both tiers: how much memory each may take. */
type CacheLimits = { openedBytesMax: number; packedBytesMax: number }
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
    const { catalog, months, live } = parts
    this.#bytes -= this.#opened.get(catalog.hotelId)?.bytes ?? 0
    let bytes = openedBytes + catalog.bytes + bytesOfLive(live)
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

type PackedHead = Pick<HotelParts, 'ariVersion' | 'live'> & {
  catalogVersion: number
  catalogBytes: number
  months: MonthNumber[]
}

/** The length of the head, the head and the catalog as JSON, and the blocks; all compressed. */
function packedOf({ catalog, ariVersion, months, live }: HotelParts): Buffer {
  const json = Buffer.from(catalog.json)
  const head: PackedHead = {
    catalogVersion: catalog.version,
    catalogBytes: json.length,
    ariVersion,
    live,
    months: [...months.keys()],
  }
  const headJson = Buffer.from(JSON.stringify(head))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(headJson.length)
  return deflateRawSync(Buffer.concat([length, headJson, json, packedMonths(months)]), { level: 1 })
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
    live: head.live,
    months: hotelMonths(bytes.subarray(catalogEnd), head.months),
  }
}

const slabBytes = 4 * 1024 * 1024
/** An entry's key and length, and whether it was read since it was written. */
const headBytes = 9
const usedAt = 8

/**
 * Bytes by number, in a few large buffers outside the heap: they take exactly the memory of the buffers, and
 * cost the garbage collector nothing. When all buffers are full, the oldest is overwritten; what was read
 * since it was written stays, up to half of the buffer.
 */
export class ByteCache {
  readonly #slabsMax: number
  readonly #slabs: { bytes: Buffer; end: number }[] = []
  /** Where each entry begins, counted through all buffers. */
  readonly #positions = new Map<number, number>()
  #current = -1

  constructor(bytesMax: number) {
    this.#slabsMax = Math.ceil(bytesMax / slabBytes)
  }

  has(key: number): boolean {
    return this.#positions.has(key)
  }

  /** Valid until the next `set`. */
  get(key: number): Buffer | undefined {
    const position = this.#positions.get(key)
    const slab = position === undefined ? undefined : this.#slabs[Math.floor(position / slabBytes)]
    if (position === undefined || !slab) return undefined
    const at = position % slabBytes
    slab.bytes[at + usedAt] = 1
    const begin = at + headBytes
    return slab.bytes.subarray(begin, begin + slab.bytes.readUInt32LE(at + 4))
  }

  /** An entry that is larger than half of a buffer is not cached. */
  set(key: number, value: Buffer): void {
    this.#positions.delete(key)
    const length = headBytes + value.length
    if (length > slabBytes / 2) return
    let slab = this.#slabs[this.#current]
    if (!slab || slab.end + length > slabBytes) slab = this.#nextSlab()
    const { bytes, end: at } = slab
    bytes.writeUInt32LE(key, at)
    bytes.writeUInt32LE(value.length, at + 4)
    bytes[at + usedAt] = 0
    value.copy(bytes, at + headBytes)
    slab.end += length
    this.#positions.set(key, this.#current * slabBytes + at)
  }

  delete(key: number): void {
    this.#positions.delete(key)
  }

  clear(): void {
    this.#positions.clear()
    this.#slabs.length = 0
    this.#current = -1
  }

  #nextSlab(): { bytes: Buffer; end: number } {
    this.#current = (this.#current + 1) % this.#slabsMax
    const oldest = this.#slabs[this.#current]
    if (oldest) {
      oldest.end = this.#compact(oldest)
      return oldest
    }
    const added = { bytes: Buffer.allocUnsafeSlow(slabBytes), end: 0 }
    this.#slabs.push(added)
    return added
  }

  /** Moves the used entries of the current buffer to its beginning, and drops the others. */
  #compact({ bytes, end }: { bytes: Buffer; end: number }): number {
    const first = this.#current * slabBytes
    let kept = 0
    for (let at = 0; at < end;) {
      const key = bytes.readUInt32LE(at)
      const length = headBytes + bytes.readUInt32LE(at + 4)
      const isCurrent = this.#positions.get(key) === first + at
      if (isCurrent && bytes[at + usedAt] === 1 && kept + length <= slabBytes / 2) {
        bytes.copyWithin(kept, at, at + length)
        bytes[kept + usedAt] = 0
        this.#positions.set(key, first + kept)
        kept += length
      } else if (isCurrent) this.#positions.delete(key)
      at += length
    }
    return kept
  }
}
