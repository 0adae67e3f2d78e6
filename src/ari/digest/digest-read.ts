import { setImmediate as breathe } from 'node:timers/promises'
import { monthOf, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { storeStamp } from '../../postgres/connections/store-epoch.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { Block } from '../blocks/block.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { digestBlocksMax } from './digest-contract.ts'
import { linesByNight, linesOf, type ByGroup, type LineOptions } from './digest.ts'
import { fieldNumber } from '../fields.ts'
import { MonthDigests } from './month-digests.ts'

/** Identifies what a hotel has stored: equal versions, equal digests. */
export type DigestVersions = {
  storeStamp: string
  revision: number
  currencyRevision: number
  catalogVersion: number
  ariVersion: number
}

/** As committed. */
export async function selectVersions(db: Queryable, hotelId: number): Promise<DigestVersions | undefined> {
  const { rows } = await db.query<DigestVersions>({
    name: 'select-digest-versions',
    text: `select ${storeStamp} as "storeStamp", revision, currency_revision as "currencyRevision",
        catalog_version as "catalogVersion", ari_version as "ariVersion"
      from hotel where id = $1`,
    values: [hotelId],
  })
  return rows[0]
}

export type DigestRange = {
  from: DayNumber
  to: DayNumber
  /** All, if undefined. */
  roomNos: readonly number[] | undefined
  rateNos: readonly number[] | undefined
}

/** Blocks read by one statement, between which other requests get a turn. */
const blocksAtOnce = 500

type BlockRow = { roomNo: number; rateNo: number; month: number; block: Buffer }

/** As one value: rows of their own would take longer to read than some blocks to hash. */
const blocksStatement = `select string_agg(int2send(room_no) || int2send(rate_no) || int2send(month)
    || int4send(octet_length(block)) || block, '' order by room_no, rate_no, month) as blocks
  from (
    select room_no, rate_no, month, block from ari_month
    where hotel_id = $1 and month between $2 and $3 and (room_no, rate_no, month) > ($4, $5, $6)
      and ($7::int[] is null or room_no = any($7)) and ($8::int[] is null or rate_no = any($8))
    order by room_no, rate_no, month limit ${blocksAtOnce}
  ) as page`

/** Each block after its room and rate number and its month, of two bytes each, and its length, of four. */
function blocksIn(bytes: Buffer): BlockRow[] {
  const rows: BlockRow[] = []
  for (let at = 0; at < bytes.length;) {
    const from = at + 10
    const to = from + bytes.readInt32BE(at + 6)
    rows.push({
      roomNo: bytes.readInt16BE(at),
      rateNo: bytes.readInt16BE(at + 2),
      month: bytes.readInt16BE(at + 4),
      block: bytes.subarray(from, to),
    })
    at = to
  }
  return rows
}

/** A month that has anything. */
export type MonthDigest = { month: MonthNumber; digest: ByGroup } & Partial<OfNights>
/** By the night's distance from the 1st, if they were requested. */
type OfNights = {
  lines: readonly (ByGroup | undefined)[]
  inventoryRevisions: readonly number[] | undefined
}
/** A room (rate 0) or room-rate that has anything. */
export type ProductDigest = { roomNo: number; rateNo: number; months: MonthDigest[] }

/** Reads a hotel's blocks, in one snapshot that the caller has opened. Undefined if there are too many. */
export async function readDigests(
  connection: Queryable,
  { hotelId, productOf }: HotelCatalog,
  { currencyRevision }: DigestVersions,
  { from, to, roomNos, rateNos }: DigestRange,
  { withLines }: { withLines: boolean },
): Promise<ProductDigest[] | undefined> {
  const products: ProductDigest[] = []
  const digests = new MonthDigests({ from, to, currencyRevision })
  const read = (after: Pick<BlockRow, 'roomNo' | 'rateNo' | 'month'>) =>
    connection.query<{ blocks: Buffer | null }>({
      name: 'select-digest-blocks',
      text: blocksStatement,
      values: [
        hotelId,
        monthOf(from),
        monthOf(to),
        after.roomNo,
        after.rateNo,
        after.month,
        roomNos ?? null,
        rateNos ?? null,
      ],
    })
  let reading = read({ roomNo: 0, rateNo: 0, month: 0 })
  for (let blocks = 0; blocks < digestBlocksMax; blocks += blocksAtOnce) {
    const [page] = (await reading).rows
    const rows = page?.blocks ? blocksIn(page.blocks) : []
    const last = rows.length < blocksAtOnce ? undefined : rows.at(-1)
    if (last) {
      // PostgreSQL reads on while these are hashed.
      reading = read(last)
      reading.catch(() => {})
    }
    for (const { roomNo, rateNo, month, block: bytes } of rows) {
      const product = productOf(roomNo, rateNo)
      const row = { isRoom: rateNo === 0, guestsMax: product && guestsMaxOf(product) }
      const block = Block.decode(bytes)
      const digest = digests.of(block, month, row)
      if (digest.inv + digest.res + digest.pri === '') continue
      const digested = {
        month,
        digest,
        ...(withLines ? nightsOf(block, month, { ...row, from, to, currencyRevision }) : {}),
      }
      const current = products.at(-1)
      if (current?.roomNo === roomNo && current.rateNo === rateNo) current.months.push(digested)
      else products.push({ roomNo, rateNo, months: [digested] })
    }
    if (!last) return products
    await breathe()
  }
  await reading
  return undefined
}

function nightsOf(block: Block, month: MonthNumber, options: LineOptions): OfNights {
  return {
    lines: linesByNight(linesOf(block, month, options)),
    inventoryRevisions: block.revisions(fieldNumber.inventory),
  }
}

/** With the codes that its digests are known by, and the digest of the whole. */
export type NamedProduct = ProductDigest & { roomId: string; rateId?: string; key: string; digest: ByGroup }

type Cached = {
  versions: DigestVersions
  from: DayNumber
  to: DayNumber
  products: readonly NamedProduct[]
  months: number
}

/** About 200 bytes each. */
const monthsCachedMax = 50_000

/** The digests of whole hotels, by their versions; the one that wasn't used for longest leaves first. */
export class DigestCache {
  readonly #hotels = new Map<number, Cached>()
  #months = 0

  get(
    hotelId: number,
    versions: DigestVersions,
    { from, to }: Pick<DigestRange, 'from' | 'to'>,
  ): readonly NamedProduct[] | undefined {
    const cached = this.#hotels.get(hotelId)
    if (!cached || cached.from !== from || cached.to !== to || !areEqual(cached.versions, versions))
      return undefined
    this.#hotels.delete(hotelId)
    this.#hotels.set(hotelId, cached)
    return cached.products
  }

  keep(hotelId: number, cached: Omit<Cached, 'months'>): void {
    this.#forget(hotelId)
    const months = cached.products.reduce((sum, product) => sum + 1 + product.months.length, 0)
    this.#hotels.set(hotelId, { ...cached, months })
    this.#months += months
    for (const oldest of this.#hotels.keys()) {
      if (this.#months <= monthsCachedMax) break
      this.#forget(oldest)
    }
  }

  clear(): void {
    this.#hotels.clear()
    this.#months = 0
  }

  #forget(hotelId: number): void {
    this.#months -= this.#hotels.get(hotelId)?.months ?? 0
    this.#hotels.delete(hotelId)
  }
}

function areEqual(one: DigestVersions, other: DigestVersions): boolean {
  return (
    one.storeStamp === other.storeStamp &&
    one.catalogVersion === other.catalogVersion &&
    one.ariVersion === other.ariVersion
  )
}
