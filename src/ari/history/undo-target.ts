import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected, reportedValue, type RejectedStatus } from '../../http/rejected.ts'
import { newestFirst } from '../../push-log/conditions.ts'
import type { PushKind } from '../../push-log/contract.ts'
import { isInRange, rangeValues, readNewest } from '../../push-log/bodies/day-ranges.ts'
import { hasRequestId, requestIdOfRow } from '../../push-log/request-ids.ts'
import { decodeBefore, type BlockBefore } from '../blocks/before-values.ts'
import type { ChangeBack, HotelPast } from './changes-back.ts'
import { walkBackTo } from './history.ts'
import { undoErrors } from './undo-contract.ts'

/** Finds the push that an undo names, with the values that it replaced; none of a push that the guard holds whole. */

/** Exactly one of the two. */
export type PushReference = { requestId?: string; revision?: number }

export type UndoTarget = {
  requestId: string
  revision: number
  atMs: number
  blocks: readonly BlockBefore[]
}

type Row = {
  id: number
  atMs: number
  kind: PushKind
  requestId: string
  revision: number | null
  cellsChanged: number
  before: Buffer | null
  /** Whether the guard still holds a part of it. */
  isHeld: boolean
}

const undoableKinds: readonly PushKind[] = ['ari', 'undo', 'release']

/** Throws 404, 409 or 410 unless the hotel has one such push whose values are stored. */
export async function readUndoTarget(
  connection: Queryable,
  supplierId: number,
  hotel: HotelPast,
  named: PushReference,
): Promise<UndoTarget> {
  const row =
    named.requestId === undefined
      ? await rowOfRevision(connection, supplierId, hotel, named.revision ?? 0)
      : await rowOfRequest(connection, supplierId, hotel, named.requestId)
  const { requestId, revision, atMs, before, isHeld } = row
  if (revision === null || !(before || isHeld))
    throw new Error(`push ${row.id} was chosen without its values`)
  return { requestId, revision, atMs, blocks: before ? decodeBefore(before).blocks : [] }
}

async function rowOfRevision(
  connection: Queryable,
  supplierId: number,
  hotel: HotelPast,
  revision: number,
): Promise<Row> {
  const rows = await selectRows(
    connection,
    { supplierId, hotelId: hotel.id, limit: 1 },
    'revision = $3',
    revision,
  )
  const [row] = rows
  if (row && undoableKinds.includes(row.kind)) return row
  // Either its values are no longer stored, which is thrown here, or something else made the revision.
  let by: ChangeBack['by'] | undefined = row ? 'stop' : undefined
  const visit = (change: ChangeBack): 'go on' => {
    if (change.revision === revision) by = change.by
    return 'go on'
  }
  if (!row) await walkBackTo(connection, hotel, { revision: revision - 1 }, { path: '/revision', visit })
  const maker = by === undefined ? 'not a push that changed ARI' : makerText[by]
  throw refused(409, undoErrors.notUndoable, `Revision ${revision} is ${maker}`, '/revision', revision)
}

const makerText: Readonly<Record<ChangeBack['by'], string>> = {
  push: 'a push whose values are not stored',
  undo: 'an undo whose values are not stored',
  booking: 'a booking',
  stop: 'a stop-sell of the platform',
}

/** Rows with one request id that are looked at: a client may send it with every push. */
const rowsOfRequestMax = 500

async function rowOfRequest(
  connection: Queryable,
  supplierId: number,
  hotel: HotelPast,
  requestId: string,
): Promise<Row> {
  const path = '/requestId'
  const search = { supplierId, hotelId: hotel.id, limit: rowsOfRequestMax }
  const rows = await selectRows(connection, search, hasRequestId(requestId, '$3'), requestId)
  const changing = rows.filter(
    ({ before, isHeld, kind }) => (before ?? isHeld) && undoableKinds.includes(kind),
  )
  const [row, ...others] = changing
  if (row && others.length === 0) return row
  if (row) {
    const message = `${changing.length} pushes of this hotel that changed ARI have that request id`
    throw refused(409, undoErrors.requestIdShared, message, path, requestId)
  }
  const [newest] = rows
  if (!newest) throw refused(404, undoErrors.pushNotFound, undoErrors.pushNotFound.message, path, requestId)
  const { kind, revision, cellsChanged } = newest
  if (kind === 'ari' && revision !== null && cellsChanged > 0) {
    // From before its values were stored: this throws.
    await walkBackTo(connection, hotel, { revision: revision - 1 }, { path, visit: () => 'go on' })
  }
  const message = undoableKinds.includes(kind) ? 'That push changed nothing' : `That is ${kindText(kind)}`
  throw refused(409, undoErrors.notUndoable, message, path, requestId)
}

function kindText(kind: PushKind): string {
  return kind === 'stopSell' ? makerText.stop : `a push of ${kind}`
}

function refused(
  status: RejectedStatus,
  { type, hint }: { type: string; hint: string },
  message: string,
  path: string,
  value: unknown,
): Rejected {
  return new Rejected(status, { type, message, path, value: reportedValue(value), hint })
}

/** The newest rows of a hotel that match `$3`; of a revision, only the one that made it. */
async function selectRows(
  connection: Queryable,
  { supplierId, hotelId, limit }: { supplierId: number; hotelId: number; limit: number },
  condition: string,
  value: string | number,
): Promise<Row[]> {
  const madeIt = typeof value === 'number' ? 'before is not null' : 'true'
  return readNewest<Row>(connection, { limit, idOf: ({ id }) => id }, async (range) => {
    const { rows } = await connection.query<Row>(
      `select id, epoch_ms(at) as "atMs", kind, ${requestIdOfRow} as "requestId", revision, cells_changed as "cellsChanged", before,
         exists (
           select from hold where hold.hotel_id = push_log.hotel_id and hold.state = 'open' and hold.at = push_log.at
             and hold.request_id = ${requestIdOfRow}
         ) as "isHeld"
       from push_log
       where supplier_id = $1 and hotel_id = $2 and ${condition} and ${madeIt} and ${isInRange('$5', '$6')}
       order by ${newestFirst} limit $4`,
      [supplierId, hotelId, value, limit, ...rangeValues(range)],
    )
    return rows
  })
}
