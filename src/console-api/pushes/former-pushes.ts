import type { Queryable } from '../../postgres/postgres.ts'
import type { Archive } from '../../push-log/bodies/archive.ts'
import { bodyColumns, readBodies, type BodySource } from '../../push-log/bodies/bodies.ts'
import { hasId, hasOneOfIds, isBeforeId, newestFirst } from '../../push-log/conditions.ts'
import {
  isInRange,
  rangeAround,
  rangesOf,
  rangeValues,
  readNewest,
} from '../../push-log/bodies/day-ranges.ts'
import { requestIdOfRow } from '../../push-log/request-ids.ts'
import type { LoggedPush } from './store.ts'

export type FormerPush = { pushId: number; requestId: string; at: string; body: Buffer }

const formerMax = 20
const formerBytesMax = 8 * 1024 * 1024

/**
 * Earlier pushes of the same kind, newest first, for the same hotels (or the key's URLs): the first few, up to a total
 * size.
 */
export async function selectFormerPushes(
  db: Queryable,
  push: LoggedPush,
  archive: Archive,
): Promise<FormerPush[]> {
  const ids = await selectFormerIds(db, push)
  const found: (BodySource & { pushId: number; requestId: string; at: Date })[] = []
  // A moment more at both ends, because instants are rounded to milliseconds.
  for (const range of rangesOf(ids.flatMap(({ atMs }) => [atMs - 1, atMs + 1]))) {
    const { rows } = await db.query<(typeof found)[number]>(
      `select id as "pushId", ${requestIdOfRow} as "requestId", at, ${bodyColumns} from push_log
       where supplier_id = $1 and ${hasOneOfIds('$2')} and ${isInRange('$3', '$4')}`,
      [push.supplierId, ids.map(({ pushId }) => pushId), ...rangeValues(range)],
    )
    found.push(...rows)
  }
  found.sort((one, other) => other.pushId - one.pushId)
  const bodies = await readBodies(db, found, archive)
  return found.flatMap(({ pushId, requestId, at }, index) => {
    const body = bodies[index]
    return body ? [{ pushId, requestId, at: at.toISOString(), body }] : []
  })
}

type FormerId = { pushId: number; atMs: number; bodyBytes: number }

async function selectFormerIds(db: Queryable, push: LoggedPush): Promise<FormerId[]> {
  const former = (condition: string): string => `
    select id, at, body_bytes from push_log
    where ${condition} and kind = $2 and ${isBeforeId('$3')} and outcome in ('applied', 'unchanged')
      and ${isInRange('$5', '$6')}
    order by ${newestFirst} limit ${formerMax}`
  const isOfKey = push.kind === 'availabilityWebhook' || push.kind === 'pushbookWebhook'
  const of = isOfKey ? push.keyId : await hotelIdsOf(db, push)
  const page = { limit: formerMax, idOf: ({ pushId }: FormerId) => pushId, beforeMs: push.atMs }
  const rows = await readNewest<FormerId>(db, page, async (range) => {
    const read = await db.query<FormerId>(
      `select id as "pushId", epoch_ms(at) as "atMs", body_bytes as "bodyBytes" from (
         ${
           isOfKey
             ? former('supplier_id = $1 and key_id = $4')
             : `(${former('supplier_id = $1 and hotel_id = any($4::int[])')}) union all
                (${former('hotel_ids && $4::int[]')})`
         }
       ) as former order by id desc limit ${formerMax}`,
      [push.supplierId, push.kind, push.pushId, of, ...rangeValues(range)],
    )
    return read.rows
  })
  let bytes = 0
  const first = rows.findIndex(({ bodyBytes }) => (bytes += bodyBytes) > formerBytesMax)
  return first === -1 ? rows : rows.slice(0, first)
}

async function hotelIdsOf(db: Queryable, push: LoggedPush): Promise<number[]> {
  if (push.hotelId !== null) return [push.hotelId]
  const { rows } = await db.query<{ hotel_ids: number[] | null }>(
    `select hotel_ids from push_log where ${hasId('$1')} and supplier_id = $2
       and ${isInRange('$3', '$4')}`,
    [push.pushId, push.supplierId, ...rangeValues(rangeAround(push.atMs))],
  )
  return rows[0]?.hotel_ids ?? []
}
