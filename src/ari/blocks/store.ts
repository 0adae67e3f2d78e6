import pg from 'pg'
import { dayIn } from '../../base/calendar.ts'
import { numberArray, textArray, hideFromPlanner, type Queryable } from '../../postgres/postgres.ts'
import { storeStamp } from '../../postgres/connections/store-epoch.ts'

/** The location of a block: one row of ari_month. */
export type BlockKey = { hotelId: number; roomNo: number; rateNo: number; month: number }

export function blockKeyText({ hotelId, roomNo, rateNo, month }: BlockKey): string {
  return `${hotelId}/${roomNo}/${rateNo}/${month}`
}

/** Packs a key, without its hotel, into one number; the change feed stores it. */
export function packBlockKey({ roomNo, rateNo, month }: Omit<BlockKey, 'hotelId'>): number {
  return (roomNo * numbersMax + rateNo) * monthsMax + month
}

export function unpackBlockKey(hotelId: number, packed: number): BlockKey {
  const roomAndRate = Math.floor(packed / monthsMax)
  const roomNo = Math.floor(roomAndRate / numbersMax)
  return { hotelId, roomNo, rateNo: roomAndRate % numbersMax, month: packed % monthsMax }
}

// All three are smallints.
const numbersMax = 32_768
const monthsMax = 32_768

export type LockedHotel = {
  id: number
  /** Versions in one store say nothing about the contents of another. */
  storeStamp: string
  /** The new revision; every applied push raises it. */
  revision: number
  revisionBefore: number
  catalogVersion: number
  currencyRevision: number
  /** The revision of the last change of cells; null if it is from before their former values were stored. */
  cellsRevision: number | null
  /** Raised by every transaction that writes a block or a live answer of the hotel; validates what is cached of them. */
  ariVersion: number
  /** Until when the hotel may have live answers; null if it never had one. */
  liveUntilMs: number | null
}

const lockStatement = `select id, ${storeStamp} as "storeStamp", revision, revision as "revisionBefore", catalog_version as "catalogVersion", currency_revision as "currencyRevision",
    cells_revision as "cellsRevision", ari_version as "ariVersion", epoch_ms(live_until) as "liveUntilMs"
  from hotel where id = any($1::int[]) order by id for no key update`

/**
 * Locks the hotels in order of their id, so that two groups that share hotels can't deadlock, and returns the
 * columns that may have changed since they were cached. `skip` leaves out hotels that another transaction has
 * locked.
 */
export async function lockHotels(
  connection: Queryable,
  hotelIds: readonly number[],
  locking: 'skip' | 'wait',
): Promise<Map<number, LockedHotel>> {
  const statement =
    locking === 'skip'
      ? { name: 'lock-free-hotels', text: `${lockStatement} skip locked` }
      : { name: 'lock-hotels', text: lockStatement }
  const { rows } = await connection.query<LockedHotel>({ ...statement, values: [numberArray(hotelIds)] })
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Locks the hotels if each of them still has the given versions, in the given store, and is free. Otherwise the
 * statement fails (`isMissedClaim`), and its transaction with it: the commit may already be on its way.
 */
export async function claimHotels(connection: Queryable, hotels: readonly LockedHotel[]): Promise<void> {
  const numbers = (read: (hotel: LockedHotel) => number): string => numberArray(hotels.map(read))
  await connection.query({
    name: 'claim-hotels',
    // A row that another transaction changed while this statement ran is compared again as it is then. It never
    // waits for a lock, so the order of the hotels doesn't matter.
    text: `select 1 / (count(*) = cardinality($1::int[]))::int from (
        select from unnest(${hideFromPlanner('$1::int[]')}, $2::int8[], $3::int8[], $4::int8[], $5::int8[])
            as cached (id, revision, catalog_version, currency_revision, ari_version)
          join hotel using (id, revision, catalog_version, currency_revision, ari_version)
        where $6 = ${storeStamp}
        for no key update skip locked
      ) as claimed`,
    values: [
      numbers(({ id }) => id),
      numbers(({ revisionBefore }) => revisionBefore),
      numbers(({ catalogVersion }) => catalogVersion),
      numbers(({ currencyRevision }) => currencyRevision),
      numbers(({ ariVersion }) => ariVersion),
      hotels[0]?.storeStamp,
    ],
  })
}

/** Whether `claimHotels` failed because a hotel was locked, or is not what was known of it. */
export function isMissedClaim(error: unknown): boolean {
  const divisionByZero = '22012'
  return error instanceof pg.DatabaseError && error.code === divisionByZero
}

/** The blocks stored under the keys, by the keys' text; keys without a row are absent from the result. */
export async function selectBlocks(
  connection: Queryable,
  keys: readonly BlockKey[],
): Promise<Map<string, Buffer>> {
  if (keys.length === 0) return new Map()
  const { rows } = await connection.query<BlockRow>({
    name: 'select-blocks',
    // A lateral subquery that can't be flattened: one index probe per key, whatever the planner assumes.
    text: `select held.* from unnest($1::int[], $2::int2[], $3::int2[], $4::int2[]) as key (hotel_id, room_no, rate_no, month)
      cross join lateral (
        select hotel_id as "hotelId", room_no as "roomNo", rate_no as "rateNo", month, block from ari_month
        where hotel_id = key.hotel_id and room_no = key.room_no and rate_no = key.rate_no and month = key.month
        offset 0
      ) as held`,
    values: keyColumns(keys),
  })
  return new Map(rows.map((row) => [blockKeyText(row), row.block]))
}

type BlockRow = BlockKey & { block: Buffer }

function keyColumns(keys: readonly BlockKey[]): string[] {
  return [
    numberArray(keys.map((key) => key.hotelId)),
    numberArray(keys.map((key) => key.roomNo)),
    numberArray(keys.map((key) => key.rateNo)),
    numberArray(keys.map((key) => key.month)),
  ]
}

/** The new contents of a block. `isStored`: whether its row already exists. */
export type WrittenBlock = { key: BlockKey; text: string; bytes: Buffer; isStored: boolean }

/**
 * Writes blocks. Their hotels must be locked. `changedAtMs`: when the ARI changed; null for what is not ARI, such as an
 * operator's stop-sell.
 */
export async function writeBlocks(
  connection: Queryable,
  written: readonly WrittenBlock[],
  changedAtMs: number | null,
): Promise<void> {
  const stored = written.filter(({ isStored }) => isStored)
  const added = written.filter(({ isStored }) => !isStored)
  await Promise.all([
    stored.length > 0 &&
      connection.query({ ...updateBlocks, values: [changedAtMs, ...blockColumns(stored)] }),
    added.length > 0 && connection.query({ ...insertBlocks, values: [changedAtMs, ...blockColumns(added)] }),
  ])
}

const updateBlocks = {
  name: 'update-blocks',
  text: `update ari_month as held
    set block = substring($2::bytea from block_from for block_length), written_at = coalesce(instant($1), written_at)
    from unnest(${hideFromPlanner('$3::int[]')}, $4::int2[], $5::int2[], $6::int2[], $7::int[], $8::int[])
      as changed (hotel_id, room_no, rate_no, month, block_from, block_length)
    where held.hotel_id = changed.hotel_id and held.room_no = changed.room_no and held.rate_no = changed.rate_no
      and held.month = changed.month`,
}

const insertBlocks = {
  name: 'insert-blocks',
  text: `insert into ari_month (hotel_id, room_no, rate_no, month, written_at, block)
    select hotel_id, room_no, rate_no, month, coalesce(instant($1), '-infinity'), substring($2::bytea from block_from for block_length)
    from unnest($3::int[], $4::int2[], $5::int2[], $6::int2[], $7::int[], $8::int[])
      as added (hotel_id, room_no, rate_no, month, block_from, block_length)`,
}

/** Blocks are sent as one byte string that the server splits: arrays of bytes would be sent as text. */
function blockColumns(blocks: readonly WrittenBlock[]): unknown[] {
  const from: number[] = []
  let next = 1
  for (const { bytes } of blocks) {
    from.push(next)
    next += bytes.length
  }
  return [
    Buffer.concat(blocks.map(({ bytes }) => bytes)),
    ...keyColumns(blocks.map(({ key }) => key)),
    numberArray(from),
    numberArray(blocks.map(({ bytes }) => bytes.length)),
  ]
}

/** A hotel with its rows of ari_month that are written. */
export type WrittenHotel = {
  hotel: Pick<LockedHotel, 'id' | 'revision' | 'revisionBefore'>
  keys: BlockKey[]
}

/**
 * Writes the revisions of the hotels whose blocks are written, raises their ari_version, and adds the hotels
 * whose revision rose to the change feed.
 */
export async function writeVersions(
  connection: Queryable,
  hotels: readonly WrittenHotel[],
  kind: 'ari' | 'reservation' | 'stopSell',
  nowMs: number,
): Promise<void> {
  if (hotels.length === 0) return
  const risen = hotels.filter(({ hotel }) => hotel.revision > hotel.revisionBefore)
  await connection.query({
    name: 'write-versions',
    text: `with noted as (
        insert into change (kind, hotel_ids, revisions_from, revisions_to, blocks)
        select $4, $5, $6, $7, $8 where cardinality($5::int[]) > 0
      )
      update hotel set revision = written.revision, ari_version = ari_version + 1,
        cells_revision = case when written.revision > hotel.revision then written.revision else cells_revision end,
        -- The time of the supplier's last push, by its own clock.
        ari_at = case when $4 = 'ari' then instant($1::float8 + clock_ahead_ms) else ari_at end,
        ari_day = case when $4 = 'ari' then $10::int else ari_day end,
        ari_until_month = case when $4 = 'ari' then greatest(ari_until_month, last_month) else ari_until_month end
      from unnest($2::int[], $3::int8[], $9::int2[]) as written (id, revision, last_month) where hotel.id = written.id`,
    values: [
      nowMs,
      numberArray(hotels.map(({ hotel }) => hotel.id)),
      numberArray(hotels.map(({ hotel }) => hotel.revision)),
      kind,
      numberArray(risen.map(({ hotel }) => hotel.id)),
      numberArray(risen.map(({ hotel }) => hotel.revisionBefore + 1)),
      numberArray(risen.map(({ hotel }) => hotel.revision)),
      textArray(risen.map(({ keys }) => keys.map(packBlockKey).join(' '))),
      numberArray(hotels.map(({ keys }) => lastMonth(keys))),
      dayIn('UTC', nowMs),
    ],
  })
}

function lastMonth(keys: readonly BlockKey[]): number | null {
  let last: number | null = null
  for (const { month } of keys) last = Math.max(last ?? month, month)
  return last
}

export type ModelChange = { hotelId: number; roomNo: number; rateNo: number; pricingModel: 'unit' | 'guest' }

/** Stores the last pushed pricing model of room-rates: rare enough to invalidate cached catalogs. */
export async function writePricingModels(
  connection: Queryable,
  changes: readonly ModelChange[],
): Promise<void> {
  if (changes.length === 0) return
  await connection.query({
    name: 'write-pricing-models',
    text: `with changed as (
        select * from unnest($1::int[], $2::int[], $3::int[], $4::text[]) as changed (hotel_id, room_no, rate_no, pricing_model)
      ), updated as (
        update room_rate set pricing_model = changed.pricing_model from changed
        where room_rate.hotel_id = changed.hotel_id and room_rate.room_no = changed.room_no and room_rate.rate_no = changed.rate_no
        returning room_rate.hotel_id
      )
      update hotel set catalog_version = catalog_version + 1 where id in (select hotel_id from updated)`,
    values: [
      changes.map((change) => change.hotelId),
      changes.map((change) => change.roomNo),
      changes.map((change) => change.rateNo),
      changes.map((change) => change.pricingModel),
    ],
  })
}
