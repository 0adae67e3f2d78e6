import type { Queryable } from '../../postgres/postgres.ts'
import { isBeforeId, newestFirst } from '../../push-log/conditions.ts'
import { isInRange, rangeValues, readNewest } from '../../push-log/bodies/day-ranges.ts'
import { requestIdOfRow } from '../../push-log/request-ids.ts'
import { decodeBefore, type BlockBefore } from '../blocks/before-values.ts'
import type { ChangedBy } from './history-contract.ts'

/** Reads the changes of a hotel's ARI back from the newest one, with the values that each of them replaced. */

/** A hotel as one snapshot has it. */
export type HotelPast = {
  id: number
  revision: number
  /** The revision of its last change of ARI; null if that is unknown. */
  cellsRevision: number | null
  currencyRevision: number
  /** When its currency last changed. */
  currencySinceMs: number | null
  aheadMs: number
}

export async function selectHotelPast(connection: Queryable, hotelId: number): Promise<HotelPast> {
  const { rows } = await connection.query<HotelPast>(
    `select id, revision, cells_revision as "cellsRevision", currency_revision as "currencyRevision",
       epoch_ms(currency_changed_at) as "currencySinceMs", clock_ahead_ms as "aheadMs" from hotel where id = $1`,
    [hotelId],
  )
  const [row] = rows
  if (!row) throw new Error(`hotel ${hotelId} is gone`)
  return row
}

/** A position between two changes: the next one back, and the row of the push log before which it is. */
export type PastPosition = { revision: number; beforeId: number | undefined }

export type ChangeBack = {
  revision: number
  atMs: number
  by: ChangedBy
  /** Of the push; of a booking, the id of the reservation. */
  source: string
  blocks: readonly BlockBefore[]
  /** The position after it. Its revision is that of the hotel's previous change; 0 if there was none. */
  next: PastPosition
}

type Row = { id: number; revision: number; atMs: number; by: ChangedBy; source: string; before: Buffer }

/** Rows read at once: few for a state that is not far back, then as many as have about this many bytes. */
const rowsAtFirst = 20
const rowsAtOnceMax = 1_000
const bytesAtOnce = 4 * 1024 * 1024

/**
 * The changes from a position back. Ends before the first one whose values are not stored: each change names the
 * one before it, so none is missed.
 */
export async function* changesBack(
  connection: Queryable,
  { id: hotelId, aheadMs }: HotelPast,
  from: PastPosition,
): AsyncGenerator<ChangeBack, void, void> {
  let { revision: wanted, beforeId } = from
  const pushes = rowsInPortions((limit) => selectPushes(connection, hotelId, beforeId, limit))
  const bookings = rowsInPortions((limit) => selectBookings(connection, hotelId, wanted, aheadMs, limit))
  while (wanted > 0) {
    const push = await pushes.at(wanted)
    const row = push ?? (await bookings.at(wanted))
    if (!row) return
    if (push) beforeId = push.id
    const { revisionsSince, blocks } = decodeBefore(row.before)
    // Unknown after an update of the service: only the state just before this change is known.
    wanted = row.revision - Math.max(1, revisionsSince)
    const { revision, atMs, by, source } = row
    yield { revision, atMs, by, source, blocks, next: { revision: wanted, beforeId } }
  }
}

function rowsInPortions(read: (limit: number) => Promise<Row[]>) {
  let rows: Row[] = []
  let next = 0
  let limit = rowsAtFirst
  let isAtEnd = false
  return {
    /** The row of the revision; revisions are requested in falling order. */
    at: async (revision: number): Promise<Row | undefined> => {
      for (;;) {
        while ((rows[next]?.revision ?? 0) > revision) next++
        const row = rows[next]
        if (row) return row.revision === revision ? row : undefined
        if (isAtEnd) return undefined
        rows = await read(limit)
        next = 0
        isAtEnd = rows.length < limit
        const bytes = rows.reduce((sum, { before }) => sum + before.length, 0)
        limit = Math.max(
          rowsAtFirst,
          Math.min(rowsAtOnceMax, Math.floor((rows.length * bytesAtOnce) / (bytes + 1))),
        )
      }
    },
  }
}

const makerOfRow = "case kind when 'stopSell' then 'stop' when 'undo' then 'undo' else 'push' end"

/** In order of id, which is that of the hotel's revisions: a hotel is locked while its rows are written. */
async function selectPushes(
  connection: Queryable,
  hotelId: number,
  beforeId: number | undefined,
  limit: number,
): Promise<Row[]> {
  return readNewest<Row>(connection, { limit, idOf: ({ id }) => id }, async (range) => {
    const { rows } = await connection.query<Row>(
      `select id, revision, epoch_ms(at) as "atMs", ${makerOfRow} as by, ${requestIdOfRow} as source, before from push_log
     where hotel_id = $1 and before is not null and ($2::bigint is null or ${isBeforeId('$2')})
       and ${isInRange('$4', '$5')}
     order by ${newestFirst} limit $3`,
      [hotelId, beforeId ?? null, limit, ...rangeValues(range)],
    )
    return rows
  })
}

async function selectBookings(
  connection: Queryable,
  hotelId: number,
  fromRevision: number,
  aheadMs: number,
  limit: number,
): Promise<Row[]> {
  const { rows } = await connection.query<Row>(
    // Its time is that of the account's test clock.
    `select reservation_id as id, revision, epoch_ms(at) - $3::float8 as "atMs", 'booking' as by,
       reservation_id::text as source, before from reservation_version
     where hotel_id = $1 and revision <= $2 and before is not null order by revision desc limit $4`,
    [hotelId, fromRevision, aheadMs, limit],
  )
  return rows
}
