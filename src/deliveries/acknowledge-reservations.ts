import { rejectUnlessEnabled } from '../keys/account.ts'
import { answer, on } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'
import { rejectIfAny, shown, type Problem } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import { forgetCvvsOf } from '../cards/store.ts'
import { accountTime } from './store.ts'
import { deliveryFaults, deliveryRoutes } from './contract.ts'
import { readReservationId } from '../bookings/find-reservation.ts'

/** POST /push/webhook/pushbook/ack. */
export const acknowledgeReservations = ({ db, clock }: Needs) =>
  on(deliveryRoutes.acknowledgeReservations, async ({ body, caller: { supplierId } }) => {
    await rejectUnlessEnabled(db, supplierId, 'mayRetrieve')
    const sent = body.reservations.map((one) => ({
      id: readReservationId(one.reservation_id),
      version: readReservationId(one.reservation_version),
    }))
    const versions = await selectVersions(
      db,
      supplierId,
      sent.flatMap(({ id }) => id ?? []),
    )
    const unknown = sent.flatMap(({ id, version }, index) => {
      const last = id === undefined ? undefined : versions.get(id)
      const one = body.reservations[index]
      if (!one) return []
      if (last === undefined) return [problem('notFound', index, 'reservation_id', one.reservation_id)]
      if (version !== undefined && version <= last) return []
      return [problem('versionNotFound', index, 'reservation_version', one.reservation_version)]
    })
    rejectIfAny(unknown, 404)
    const nowMs = clock.now()
    const acknowledged = await transaction(db, (connection) => acknowledge(connection, sent, nowMs))
    return answer(200, { code: '200', message: 'Reservations acknowledged successfully', acknowledged })
  })

function problem(
  fault: 'notFound' | 'versionNotFound',
  index: number,
  member: string,
  value: string,
): Problem {
  return { ...deliveryFaults[fault], path: `/reservations/${index}/${member}`, value: shown(value) }
}

/** The last version of each of the supplier's reservations. */
async function selectVersions(
  db: Queryable,
  supplierId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ id: number; version: number }>(
    'select id, version from reservation where supplier_id = $1 and id = any($2::int8[])',
    [supplierId, numberArray(ids)],
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/**
 * Returns how many were undelivered. A delivery that is being sent right now counts as delivered too,
 * whatever its outcome.
 */
async function acknowledge(
  connection: Queryable,
  sent: readonly { id: number | undefined; version: number | undefined }[],
  nowMs: number,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `with acknowledged as (
       update delivery set status = 'delivered', leased_until = null,
         delivered_at = ${accountTime('$3', 'delivery.supplier_id')}
       where id = any(array(
         select id from delivery
         where (reservation_id, version) in (select * from unnest($1::int8[], $2::int[]))
           and status in ('queued', 'sending', 'dead')
         -- In a fixed order, so that two acknowledgements cannot deadlock.
         order by id for update))
       returning reservation_id, version, delivered_at
     ), cleared as (
       update delivery_alert set cleared_at = acknowledged.delivered_at from acknowledged
       where delivery_alert.reservation_id = acknowledged.reservation_id and delivery_alert.cleared_at is null
     ), forgotten as (
       ${forgetCvvsOf('acknowledged')}
     )
     select count(*)::int as count from acknowledged`,
    [
      numberArray(sent.map(({ id }) => id ?? null)),
      numberArray(sent.map(({ version }) => version ?? null)),
      nowMs,
    ],
  )
  return rows[0]?.count ?? 0
}
