import { sweep } from '../postgres/connections/queryable.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { Change, ChangeKind } from './contract.ts'
import type { eventMembers } from './event-contract.ts'
import { storeStamp } from '../postgres/connections/store-epoch.ts'
import type { FeedPosition, Position } from './cursor.ts'

export type ChangeRow = {
  position: FeedPosition
  kind: ChangeKind
  at: Date
  /** 0: none, for an event of the supplier as a whole. */
  hotelId: number
  hotelCode: string | null
  supplier: string
  revisionFrom: number
  revisionTo: number
  /** Rows of ari_month, packed as in ari/blocks/store.ts. */
  blocks: number[]
  /** The members of an event; null for a change of the hotel's revision. */
  event: ChangeEvent | null
}

type ChangeEvent = Pick<Change, keyof typeof eventMembers>

type Row = Omit<ChangeRow, 'place' | 'blocks'> & {
  turn: number | null
  id: number
  no: number
  blocks: string | null
  found: number
}
type Bounds = {
  epoch: string
  storeStamp: string
  horizonTurn: number
  horizonId: number
  horizonHotels: number
  nextTurn: number
}

export type Found = {
  rows: ChangeRow[]
  /** Whether more changes can be reported already. */
  hasMore: boolean
  storeStamp: string
  /** Everything up to this position may be deleted. */
  horizon: FeedPosition
  /** No transaction has this number yet. */
  nextTurn: number
}

/** True if no running transaction could still commit a row up to this one. */
const isTurnOver = 'turn < pg_snapshot_xmin(pg_current_snapshot())::text::int8'

/**
 * The changes after a position, one per hotel: at most `limit`, and only as many as name about `blocksMax`
 * blocks together (but at least one). A change is left out while a transaction with a lower number is
 * running, because that transaction may still commit a row that belongs before it.
 */
export async function selectChanges(
  db: Queryable,
  after: FeedPosition,
  { limit, blocksMax }: { limit: number; blocksMax: number },
): Promise<Found> {
  const { rows } = await db.query<Row & Bounds>({
    name: 'select-changes',
    text: `
      with next as (
        -- The first row may already have been reported, in whole or in part.
        select * from change where (turn, id) >= ($1::int8, $2::int8) and ${isTurnOver}
        order by turn, id limit $4 + 2
      ), reported as (
        select turn, id, kind, at, reported.*, coalesce(cardinality(string_to_array(reported.blocks, ' ')), 0) as block_count
        from next cross join unnest(hotel_ids, revisions_from, revisions_to, blocks, events) with ordinality
          as reported (hotel_id, revision_from, revision_to, blocks, event, no)
        where (turn, id, reported.no) > ($1, $2, $3)
        order by turn, id, reported.no limit $4 + 1
      ), counted as (
        select *, count(*) over ()::int as found,
          sum(block_count) over (order by turn, id, no) - block_count as blocks_before
        from reported
      ), page as (
        select turn, counted.id, no::int, kind, at, hotel_id as "hotelId", coalesce(hotel.code, removed.code) as "hotelCode",
          supplier.name as supplier, revision_from as "revisionFrom", revision_to as "revisionTo", blocks,
          event - 'supplierId' as event, found
        from counted
          left join hotel on hotel.id = hotel_id left join removed_hotel as removed on removed.id = hotel_id
          join supplier on supplier.id = coalesce(hotel.supplier_id, removed.supplier_id, (event->>'supplierId')::int)
        where blocks_before < $5
        order by turn, counted.id, counted.no limit $4
      )
      select store_epoch.id as epoch, ${storeStamp} as "storeStamp", horizon.turn as "horizonTurn",
        horizon.id as "horizonId", horizon.hotels as "horizonHotels",
        pg_snapshot_xmax(pg_current_snapshot())::text::int8 as "nextTurn", page.*
      from store_epoch cross join change_horizon as horizon left join page on true
      order by page.turn, page.id, page.no`,
    values: [after.turn, after.id, after.hotels, limit, blocksMax],
  })
  const [first] = rows
  if (!first) throw new Error('change_horizon has no row')
  const changes = rows.flatMap(changeOf)
  return {
    rows: changes,
    hasMore: first.turn !== null && first.found > changes.length,
    storeStamp: first.storeStamp,
    horizon: {
      epoch: first.epoch,
      turn: first.horizonTurn,
      id: first.horizonId,
      hotels: first.horizonHotels,
    },
    nextTurn: first.nextTurn,
  }
}

function changeOf({ epoch, turn, id, no, blocks, ...row }: Row & Bounds): ChangeRow[] {
  if (turn === null) return []
  const { kind, at, hotelId, hotelCode, supplier, revisionFrom, revisionTo, event } = row
  return [
    {
      position: { epoch, turn, id, hotels: no },
      kind,
      at,
      hotelId,
      hotelCode,
      supplier,
      revisionFrom,
      revisionTo,
      blocks: blocks === null ? [] : blocks.split(' ').map(Number),
      event,
    },
  ]
}

/**
 * The position after which all future commits appear. It is the position of the last row that can be
 * reported, not the number of the next transaction: after a crash, PostgreSQL reuses transaction numbers that
 * left nothing on disk.
 */
export async function selectCurrentPosition(
  db: Queryable,
): Promise<{ position: FeedPosition; storeStamp: string }> {
  const { rows } = await db.query<FeedPosition & { storeStamp: string }>(
    `select store_epoch.id as epoch, ${storeStamp} as "storeStamp", coalesce(last.turn, horizon.turn) as turn,
       coalesce(last.id, horizon.id) as id, coalesce(last.hotels, horizon.hotels) as hotels
     from store_epoch cross join change_horizon as horizon left join (${lastReportable}) as last on true`,
  )
  const [row] = rows
  if (!row) throw new Error('store_epoch has no row')
  const { storeStamp: stamp, ...position } = row
  return { position, storeStamp: stamp }
}

const lastReportable = `select turn, id, cardinality(hotel_ids) as hotels from change where ${isTurnOver}
  order by turn desc, id desc limit 1`

/** The position of the last change that can be reported. */
export async function selectOptionalEnd(db: Queryable): Promise<Position | undefined> {
  const { rows } = await db.query<Position>({ name: 'select-end-of-changes', text: lastReportable })
  return rows[0]
}

export type NumberedCode = { isRoom: boolean; hotelId: number; no: number; code: string }

/** The codes of rooms and rates, each identified by hotel and number. */
export async function selectCodes(
  db: Queryable,
  rooms: readonly { hotelId: number; no: number }[],
  rates: readonly { hotelId: number; no: number }[],
): Promise<NumberedCode[]> {
  const { rows } = await db.query<NumberedCode>({
    name: 'select-codes',
    text: `
      select true as "isRoom", hotel_id as "hotelId", room_no as no, code from room
      where (hotel_id, room_no) in (select * from unnest($1::int[], $2::int2[]))
      union all
      select false, hotel_id, rate_no, code from rate
      where (hotel_id, rate_no) in (select * from unnest($3::int[], $4::int2[]))`,
    values: [
      rooms.map(({ hotelId }) => hotelId),
      rooms.map(({ no }) => no),
      rates.map(({ hotelId }) => hotelId),
      rates.map(({ no }) => no),
    ],
  })
  return rows
}

/** Deletes changes older than `beforeMs` from the start of the feed and records how far. Returns how many. */
export function deleteOldChanges(db: Queryable, beforeMs: number): Promise<number> {
  return sweep(
    db,
    // Several processes may find the same rows; a later one finds them already deleted and stops.
    `with oldest as (
      select turn, id, at, cardinality(hotel_ids) as hotels from change order by turn, id limit $2
    ), gone as (
      delete from change using oldest
      where change.turn = oldest.turn and change.id = oldest.id and oldest.at < instant($1)
      returning oldest.turn, oldest.id, oldest.hotels
    ), moved as (
      update change_horizon
      set (turn, id, hotels) = (select turn, id, hotels from gone order by turn desc, id desc limit 1)
      where exists (select from gone)
    )
    select from gone`,
    beforeMs,
  )
}
