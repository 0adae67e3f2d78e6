import type { Operator } from '../../http/calls/call.ts'
import type { HotelClock } from '../../hotels/hotel-clock.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { Setter } from '../../offers/explain/set-by.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { bodyColumns, readBodies, type BodySource } from '../../push-log/bodies/bodies.ts'
import { isInRange, rangeValues, readBack } from '../../push-log/bodies/day-ranges.ts'
import { hasOneOfRequestIds, requestIdLists, requestIdOfRow } from '../../push-log/request-ids.ts'
import { nameFor } from '../operators/name-for.ts'
import type { CellSetter } from './explain-contract.ts'

export async function selectOptionalCalendarHotel(
  db: Queryable,
  hotelId: number | undefined,
): Promise<({ name: string } & HotelClock) | undefined> {
  if (hotelId === undefined) return undefined
  const { rows } = await db.query<{ name: string } & HotelClock>(
    'select name, time_zone as "timeZone", clock_ahead_ms as "aheadMs" from hotel where id = $1',
    [hotelId],
  )
  return rows[0]
}

/** The channel managers of keys, by id. */
async function selectKeyNames(
  db: Queryable,
  keyIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (keyIds.length === 0) return new Map()
  const { rows } = await db.query<{ id: number; name: string }>(
    'select id, channel_manager as name from api_key where id = any($1::int[])',
    [keyIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Records the operator of a revision, for as long as its closures are in force. */
export async function insertStopSell(
  connection: Queryable,
  made: { hotelId: number; revision: number; operator: string; requestId: string; atMs: number },
): Promise<void> {
  await connection.query(
    `insert into stop_sell (hotel_id, revision, at, operator, request_id)
     values ($1, $2, instant($3), $4, $5)`,
    [made.hotelId, made.revision, made.atMs, made.operator, made.requestId],
  )
}

export async function selectHotelSupplier(db: Queryable, hotelId: number): Promise<number> {
  const { rows } = await db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from hotel where id = $1',
    [hotelId],
  )
  const [hotel] = rows
  if (!hotel) throw new Error(`hotel ${hotelId} is gone`)
  return hotel.supplierId
}

/** The origins of values of a hotel, with the names that the reader may know and stop-sell reasons, in the order requested. */
export async function namedSetters(
  db: Queryable,
  hotelId: number,
  setters: readonly (Setter | undefined)[],
  reader: Operator,
): Promise<(CellSetter | null)[]> {
  const keyIds = new Set(setters.flatMap((setter) => setter?.push?.keyId ?? []))
  const nameById = await selectKeyNames(db, [...keyIds])
  const reasonOf = await readReasons(db, hotelId, requestsOf(setters))
  return setters.map((setter) => {
    if (setter === undefined) return null
    if (setter.push) {
      const { id, requestId, at, keyId } = setter.push
      const key = keyId === null ? null : (nameById.get(keyId) ?? null)
      return { by: 'push', pushId: id, requestId, at, item: setter.item ?? null, keyId, key }
    }
    if (setter.reservationId !== undefined)
      return { by: 'reservation', reservationId: setter.reservationId, at: setter.at }
    const { requestId, at } = setter
    const operator = nameFor(reader, setter.operator)
    return { by: 'operator', operator, requestId, at, reason: reasonOf.get(requestId) ?? null }
  })
}

/** The request ids of stop-sells. */
function requestsOf(setters: readonly (Setter | undefined)[]): string[] {
  return [
    ...new Set(
      setters.flatMap((setter) =>
        setter === undefined || setter.push || setter.reservationId !== undefined ? [] : setter.requestId,
      ),
    ),
  ]
}

/** Stop-sell reasons by request id, from the push log. */
async function readReasons(
  db: Queryable,
  hotelId: number,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (requestIds.length === 0) return new Map()
  const wanted = new Set(requestIds)
  const rows = await readBack<BodySource & { requestId: string }>(
    db,
    async (range) => {
      const read = await db.query<BodySource & { requestId: string }>(
        // By hotel and kind: there is an index on these for pushes other than ARI.
        `select ${requestIdOfRow} as "requestId", ${bodyColumns} from push_log
         where hotel_id = $1 and kind = 'stopSell' and kind <> 'ari' and ${hasOneOfRequestIds('$2', '$3')}
           and ${isInRange('$4', '$5')} order by id desc`,
        [hotelId, ...requestIdLists(requestIds), ...rangeValues(range)],
      )
      return read.rows
    },
    (found) => new Set(found.map(({ requestId }) => requestId)).size === wanted.size,
  )
  const bodies = await readBodies(db, rows)
  const reasons = rows.flatMap(({ requestId }, index): [string, string][] => {
    const body = bodies[index]
    const sent: unknown = body?.length ? JSON.parse(body.toString()) : undefined
    return isRecord(sent) && typeof sent['reason'] === 'string' ? [[requestId, sent['reason']]] : []
  })
  // The newest of one request id counts.
  return new Map(reasons.reverse())
}
