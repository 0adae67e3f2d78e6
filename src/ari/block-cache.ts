/**
 * Blocks as last committed, so that the next push for a hotel need not read them again. A hotel's blocks hold as long
 * as its ari_version in one store, which every transaction that writes one of them raises: whoever uses them compares it under the
 * hotel's lock, so other processes may write as they like.
 */

/** The bytes of a row; null where it is known that there is none. */
export type HeldBlock = Buffer | null

/**
 * A character for each byte: small Buffers share memory with whatever else was made at that moment, and one that is kept
 * would keep 64 KB of it from being freed.
 */
type KeptBlock = string | null
const spelling = 'latin1'

/** What the blocks of a hotel are held at. */
export type BlocksAt = { storeStamp: string; ariVersion: number }

type HotelBlocks = BlocksAt & { bytes: number; blockByKey: Map<string, KeptBlock> }

const bytesKeptMax = 20 * 1024 * 1024
/** What an entry costs beside its block: keys and the objects around them. */
const entryBytes = 250

export class BlockCache {
  readonly #hotels = new Map<number, HotelBlocks>()
  #bytes = 0

  has(hotelId: number, key: string): boolean {
    return this.#hotels.get(hotelId)?.blockByKey.has(key) === true
  }

  /** Undefined when it is not known. Whether it still holds is for `isCurrent` to say. */
  get(hotelId: number, key: string): HeldBlock | undefined {
    const kept = this.#hotels.get(hotelId)?.blockByKey.get(key)
    return typeof kept === 'string' ? Buffer.from(kept, spelling) : kept
  }

  clear(): void {
    this.#hotels.clear()
    this.#bytes = 0
  }

  isCurrent(hotelId: number, { storeStamp, ariVersion }: BlocksAt): boolean {
    const known = this.#hotels.get(hotelId)
    return known?.storeStamp === storeStamp && known.ariVersion === ariVersion
  }

  /** Keeps blocks read or written at a version; what was kept of the hotel at `basedOn` still holds, of any other is dropped. */
  keep(
    hotelId: number,
    { storeStamp, basedOn, now }: { storeStamp: string; basedOn: number; now: number },
    blocks: Iterable<readonly [key: string, HeldBlock]>,
  ): void {
    const known = this.#hotels.get(hotelId)
    const isOfThisStore = known?.storeStamp === storeStamp
    if (known && isOfThisStore && known.ariVersion > now) return
    const hotel: HotelBlocks =
      known && isOfThisStore && known.ariVersion === basedOn
        ? known
        : { storeStamp, ariVersion: now, bytes: 0, blockByKey: new Map() }
    if (known) this.#bytes -= known.bytes
    hotel.ariVersion = now
    for (const [key, block] of blocks) {
      const before = hotel.blockByKey.get(key)
      hotel.bytes += (block?.length ?? 0) - (before === undefined ? -entryBytes : (before?.length ?? 0))
      hotel.blockByKey.set(key, block && block.toString(spelling))
    }
    // Set anew, it becomes the youngest: a Map remembers the order in which its keys came.
    this.#hotels.delete(hotelId)
    this.#hotels.set(hotelId, hotel)
    this.#bytes += hotel.bytes
    for (const [oldestId, oldest] of this.#hotels) {
      if (this.#bytes <= bytesKeptMax) break
      this.#bytes -= oldest.bytes
      this.#hotels.delete(oldestId)
    }
  }
}
