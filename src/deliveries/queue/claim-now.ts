import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { textArray, type Database, type Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { accountTime, claimedColumns, type Claimed, type Lease } from './store.ts'
import { deliverWithinMs, type Lane } from '../../bookings/outbox/delivery-schedule.ts'
import { isWithheld } from '../../cards/store.ts'

/** A delivery claimed manually. */
export type ClaimedNow = Claimed & {
  /**
   * Its state before the claim; undefined: the delivery was created for this claim, because the reservation
   * is delivered already.
   */
  before: Before | undefined
}

type Before = {
  status: 'queued' | 'dead'
  lane: Lane
  /** null: in the next hourly run. */
  dueAtMs: number | null
  notBeforeMs: number | null
}

type Row = Claimed & { before: Before }

/** Claims the delivery of a reservation, whether or not it is due; undefined while it is being sent. */
export async function claimNow(
  db: Database,
  reservationId: number,
  lease: Lease & { endpoint: number },
): Promise<ClaimedNow | undefined> {
  try {
    return (
      (await claimOpen(db, reservationId, lease)) ??
      (await transaction(db, (connection) => claimRepeat(connection, reservationId, lease)))
    )
  } catch (error) {
    // Another process claimed it at the same moment.
    if (error instanceof pg.DatabaseError && error.constraint === 'delivery_under_way') return undefined
    throw error
  }
}

async function claimOpen(
  db: Queryable,
  reservationId: number,
  { nowMs, leasedUntilMs, openableKeys, endpoint }: Lease & { endpoint: number },
): Promise<ClaimedNow | undefined> {
  const { rows } = await db.query<Row>(
    `with open as (
       select id, jsonb_build_object('status', status, 'lane', lane,
         'dueAtMs', case when due_at <> 'infinity' then epoch_ms(due_at) end,
         'notBeforeMs', epoch_ms(not_before)) as before
       from delivery
       where reservation_id = $1 and status in ('queued', 'dead') and not is_outdated and not ${isWithheld('$5', '$4')}
         and not exists (select from delivery where reservation_id = $1 and leased_until is not null)
       order by version desc, created_at desc limit 1 for update
     )
     update delivery set status = 'sending', attempts = attempts + 1, trigger = 'manual', endpoint = $3,
       leased_until = instant($2)
     from open where delivery.id = open.id
     returning ${claimedColumns}, open.before`,
    [reservationId, leasedUntilMs, endpoint, nowMs, textArray(openableKeys)],
  )
  return rows[0]
}

/** Whether the open delivery has to carry a card that this process can't decrypt. */
export async function isWithheldNow(
  db: Queryable,
  reservationId: number,
  { nowMs, openableKeys }: Pick<Lease, 'nowMs' | 'openableKeys'>,
): Promise<boolean> {
  const { rows } = await db.query<{ is: boolean }>(
    `select exists (select from delivery where reservation_id = $1 and status in ('queued', 'dead')
       and not is_outdated and ${isWithheld('$3', '$2')}) as is`,
    [reservationId, nowMs, textArray(openableKeys)],
  )
  return rows[0]?.is ?? false
}

/** For a reservation whose present version is delivered: adds another delivery, which raises no alert. */
async function claimRepeat(
  connection: Queryable,
  reservationId: number,
  { nowMs, leasedUntilMs, endpoint }: Lease & { endpoint: number },
): Promise<ClaimedNow | undefined> {
  // Locked, so that between this check and the insert the reservation gets no new version and no second
  // resend.
  await connection.query('select from reservation where id = $1 for no key update', [reservationId])
  const { rows } = await connection.query<Claimed>(
    `insert into delivery (id, reservation_id, version, reservation_status, supplier_id, hotel_id, status, lane,
       endpoint, due_at, leased_until, attempts, trigger, is_repeat, arrives_at, created_at, undelivered_since,
       give_up_at, alerted_at)
     select $2, id, reservation.version, reservation.status, reservation.supplier_id, reservation.hotel_id, 'sending',
       'retry', $3, instant($4), instant($5), 1, 'manual', true,
       last.arrives_at, ${accountTime('$4', 'reservation.supplier_id')}, instant($4),
       instant($4::float8 + ${deliverWithinMs}), instant($4)
     from reservation cross join lateral (
       select arrives_at from delivery where reservation_id = reservation.id and version = reservation.version
         and status = 'delivered' limit 1
     ) as last
     where reservation.id = $1
       and not exists (select from delivery where reservation_id = $1 and status in ('queued', 'sending', 'dead'))
     returning ${claimedColumns}`,
    [reservationId, randomUUID(), endpoint, nowMs, leasedUntilMs],
  )
  const [claimed] = rows
  return claimed && { ...claimed, before: undefined }
}
