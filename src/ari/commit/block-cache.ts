import { BoundedMap } from '../../base/bounded-map.ts'
import type { LockedHotel } from '../blocks/store.ts'

/**
 * Blocks as last committed, so that the next push for a hotel need not read them again. A hotel's blocks are
 * valid for one ari_version in one store. Every transaction that writes a block raises the ari_version, and
 * every reader compares it under the hotel's lock, so other processes can write freely.
 */

/** The bytes of a row; null if the row is known not to exist. */
export type StoredBlock = Buffer | null

/**
 * A string with one character per byte. Small Buffers share memory with unrelated allocations made at the
 * same moment, so a cached Buffer would keep 64 KB of it from being freed.
 */
type CachedBlock = string | null
const spelling = 'latin1'

/** The store and version for which the cached blocks of a hotel are valid. */
export type BlocksAt = { storeStamp: string; ariVersion: number }

type HotelBlocks = BlocksAt & {
  bytes: number
  blockByKey: Map<string, CachedBlock>
  /** Undefined while its versions aren't known. */
  row: LockedHotel | undefined
}

const bytesKeptMax = 20 * 1024 * 1024
/** Memory of an entry besides its block: keys and the objects around them. */
const entryBytes = 250

export class BlockCache {
  readonly #hotels = new BoundedMap<number, HotelBlocks>(bytesKeptMax, ({ bytes }) => bytes)

  has(hotelId: number, key: string): boolean {
    return this.#hotels.get(hotelId)?.blockByKey.has(key) === true
  }

  /** Undefined when the block isn't cached. `isCurrent` tells whether the cached block is still valid. */
  get(hotelId: number, key: string): StoredBlock | undefined {
    const kept = this.#hotels.get(hotelId)?.blockByKey.get(key)
    return typeof kept === 'string' ? Buffer.from(kept, spelling) : kept
  }

  /**
   * A copy of the hotel's row as the last group of this process left it, at the version of the cached blocks.
   * Other transactions may have changed it since.
   */
  hotel(hotelId: number): LockedHotel | undefined {
    const row = this.#hotels.get(hotelId)?.row
    return row && { ...row }
  }

  /** Whether the hotel is cached, but not as it was just locked; `locked` is undefined if that was impossible. */
  isOutdated(hotelId: number, locked: LockedHotel | undefined): boolean {
    const row = this.#hotels.get(hotelId)?.row
    if (!row) return false
    return (
      row.storeStamp !== locked?.storeStamp ||
      row.revision !== locked.revision ||
      row.catalogVersion !== locked.catalogVersion ||
      row.currencyRevision !== locked.currencyRevision ||
      row.ariVersion !== locked.ariVersion
    )
  }

  clear(): void {
    this.#hotels.clear()
  }

  isCurrent(hotelId: number, { storeStamp, ariVersion }: BlocksAt): boolean {
    const known = this.#hotels.get(hotelId)
    return known?.storeStamp === storeStamp && known.ariVersion === ariVersion
  }

  /**
   * Keeps blocks read or written at a version. Blocks cached at `basedOn` stay valid; blocks cached at any
   * other version are dropped.
   */
  keep(
    hotelId: number,
    { storeStamp, basedOn, now }: { storeStamp: string; basedOn: number; now: number },
    blocks: Iterable<readonly [key: string, StoredBlock]>,
    row: LockedHotel | undefined,
  ): void {
    const known = this.#hotels.get(hotelId)
    const isOfThisStore = known?.storeStamp === storeStamp
    if (known && isOfThisStore && known.ariVersion > now) return
    const hotel: HotelBlocks =
      known && isOfThisStore && known.ariVersion === basedOn
        ? known
        : { storeStamp, ariVersion: now, bytes: 0, blockByKey: new Map(), row }
    this.#hotels.delete(hotelId)
    hotel.row = row
    hotel.ariVersion = now
    for (const [key, block] of blocks) {
      const before = hotel.blockByKey.get(key)
      hotel.bytes += (block?.length ?? 0) - (before === undefined ? -entryBytes : (before?.length ?? 0))
      hotel.blockByKey.set(key, block && block.toString(spelling))
    }
    this.#hotels.set(hotelId, hotel)
  }
}

const groupsUntilTrusted = 16
const groupsUntilUseless = 3

/**
 * How far groups rely on the cache. A group that relies on an outdated hotel without reading it wastes a
 * transaction and leaves an error in PostgreSQL's log, so after one such failure the cache must prove for some
 * groups that it would have been right. Where other processes write the same hotels, it rarely is.
 */
export class CacheTrust {
  #currentInARow = groupsUntilTrusted
  #outdatedInARow = 0

  /** Whether groups need not read the hotels that are cached. */
  get isGiven(): boolean {
    return this.#currentInARow >= groupsUntilTrusted
  }

  /**
   * Whether groups read all of their blocks with the locks of their hotels. Otherwise they read the outdated
   * ones afterwards, in another round trip.
   */
  get isUseless(): boolean {
    return this.#outdatedInARow >= groupsUntilUseless
  }

  /** Counts a group: whether any of its cached hotels was outdated. */
  observe(wasOutdated: boolean): void {
    this.#currentInARow = wasOutdated ? 0 : this.#currentInARow + 1
    this.#outdatedInARow = wasOutdated ? this.#outdatedInARow + 1 : 0
  }
}
