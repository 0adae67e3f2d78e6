import { hotelNotFound } from '../hotels/hotel-not-found.ts'
import { unknownHotelFault } from '../push-log/contract.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import { answer, on, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, rejectIfAny, shown } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import { hasCallback } from '../webhooks/store.ts'
import { deliveryListFaults, deliveryListRoutes, sentAgainMax, type DeliveryState } from './list-contract.ts'
import { deliveryIdOf, parseDeliveryId } from '../bookings/delivery-queue.ts'
import { stateOf } from './store.ts'
import { sendFailedAgain } from './send-again.ts'

/** POST /push/deliveries/sendAgain. */
export const sendDeliveriesAgain = ({ db, clock }: Needs): Mounted =>
  on(deliveryListRoutes.sendDeliveriesAgain, async ({ body, caller: { supplierId } }) => {
    const nowMs = clock.now()
    const hotel =
      body.hotelId === undefined ? undefined : await selectOptionalHotel(db, supplierId, body.hotelId)
    if (body.hotelId !== undefined && !hotel)
      throw new Rejected(404, hotelNotFound(body.hotelId, unknownHotelFault))
    const own = { supplierId, hotelId: hotel?.id }
    const named = body.deliveryIds && (await namedOf(db, own, body.deliveryIds))
    if (!(await hasCallback(db, supplierId, 'pushbook', nowMs)))
      throw new Rejected(409, deliveryListFaults.notRegistered)
    const chosen = named ?? (await selectFailed(db, own, sentAgainMax.failed + 1))
    const ids = chosen.slice(0, sentAgainMax.failed)
    const sent = await transaction(db, (connection) => sendFailedAgain(connection, ids, nowMs))
    const isSent = new Set(sent)
    const left = named?.filter((id) => !isSent.has(id)) ?? []
    const stateById = await selectStates(db, left)
    return answer(200, {
      code: '200',
      message: sent.length === 0 ? 'No delivery is sent again' : 'Deliveries are sent again',
      sentAgain: sent.length,
      deliveryIds: sent.map(deliveryIdOf),
      left: left.map((id) => ({ deliveryId: deliveryIdOf(id), status: stateById.get(id) ?? 'superseded' })),
      isMore: chosen.length > ids.length,
    })
  })

type Own = { supplierId: number; hotelId: number | undefined }

/** Refuses all of them if any is not the supplier's. */
async function namedOf(
  db: Queryable,
  { supplierId, hotelId }: Own,
  deliveryIds: readonly string[],
): Promise<string[]> {
  const ids = deliveryIds.map(parseDeliveryId)
  const { rows } = await db.query<{ id: string }>(
    `select id from delivery where id = any($1::uuid[]) and supplier_id = $2 and ($3::int is null or hotel_id = $3)`,
    [ids.flatMap((id) => id ?? []), supplierId, hotelId ?? null],
  )
  const known = new Set(rows.map(({ id }) => id))
  const unknown = deliveryIds.flatMap((sent, index) =>
    known.has(ids[index] ?? '')
      ? []
      : [{ ...deliveryListFaults.deliveryUnknown, path: `/deliveryIds/${index}`, value: shown(sent) }],
  )
  rejectIfAny(unknown, 404)
  return [...known]
}

async function selectFailed(db: Queryable, { supplierId, hotelId }: Own, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select delivery.id from delivery join reservation
       on reservation.id = delivery.reservation_id and reservation.version = delivery.version
     where delivery.supplier_id = $1 and ($2::int is null or delivery.hotel_id = $2)
       and not delivery.is_outdated and (delivery.status = 'dead'
         or delivery.status = 'queued' and delivery.first_failed_at is not null and delivery.trigger <> 'again')
     order by delivery.created_at, delivery.id limit $3`,
    [supplierId, hotelId ?? null, limit],
  )
  return rows.map(({ id }) => id)
}

async function selectStates(db: Queryable, ids: readonly string[]): Promise<Map<string, DeliveryState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{ id: string; state: DeliveryState }>(
    `select id, ${stateOf('delivery')} as state from delivery where id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(({ id, state }) => [id, state]))
}
