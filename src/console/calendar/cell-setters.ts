import type { Setter } from '../../offers/set-by.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validate.ts'
import { bodyColumns, readBodies, type BodySource } from '../../push-log/bodies.ts'
import type { CellSetter } from './contract.ts'
import { selectKeyNames } from './store.ts'

/** The origins of values of a hotel, with key names and stop-sell reasons, in the order requested. */
export async function namedSetters(
  db: Queryable,
  hotelId: number,
  setters: readonly (Setter | undefined)[],
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
    const { operator, requestId, at } = setter
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
  const { rows } = await db.query<BodySource & { requestId: string }>(
    // By hotel and kind: there is an index on these for pushes other than ARI.
    `select request_id as "requestId", ${bodyColumns} from push_log
     where hotel_id = $1 and kind = 'stopSell' and request_id = any($2::text[]) order by id`,
    [hotelId, requestIds],
  )
  const bodies = await readBodies(db, rows)
  return new Map(
    rows.flatMap(({ requestId }, index): [string, string][] => {
      const body = bodies[index]
      const sent: unknown = body?.length ? JSON.parse(body.toString()) : undefined
      return isRecord(sent) && typeof sent['reason'] === 'string' ? [[requestId, sent['reason']]] : []
    }),
  )
}
