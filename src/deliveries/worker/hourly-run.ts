import { type Needs, numberArray, textArray, type Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { forgetCvvsOf, isWithheld } from '../../cards/store.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import { noEndpoint } from '../../bookings/outbox/delivery-queue.ts'
import { hoursToRun, runAfter, hourOf } from '../../bookings/outbox/delivery-schedule.ts'
import { insertEvents } from '../../changes/write-events.ts'
import { deliveryEvents } from '../queue/events.ts'
import { areHeld } from '../queue/hold.ts'
import { accountTime } from '../queue/store.ts'

type HourlyNeeds = Pick<Needs, 'db' | 'clock'> & { vault: Pick<CardVault, 'openableKeyIds'> }

export type HourlyRun = { hours: number[]; deliveries: number }

/**
 * Runs the hourly run for the hours that have not had one: everything waiting for it becomes due. One
 * transaction writes the hour and does its work. The row replaces a lease: a second process waits for it and
 * then finds the hour done, and a crash leaves neither row nor work. One run makes up for several missed
 * hours.
 */
export async function runHourly(needs: HourlyNeeds): Promise<HourlyRun> {
  const nowMs = needs.clock.now()
  return await transaction(needs.db.unhurried, async (connection) => {
    const hours = await takeHours(connection, nowMs)
    if (hours.length === 0) return { hours, deliveries: 0 }
    await giveUpWithheld(connection, {
      openableKeys: needs.vault.openableKeyIds(),
      nowMs,
      nextRunMs: runAfter(nowMs),
      supplierId: undefined,
    })
    const deliveries = await makeDue(connection, nowMs, undefined)
    await connection.query('update hourly_run set deliveries = $2 where hour = instant($1)', [
      hours.at(-1),
      deliveries,
    ])
    return { hours, deliveries }
  })
}

/** The hours that this transaction has to run. */
async function takeHours(connection: Queryable, nowMs: number): Promise<number[]> {
  const { rows } = await connection.query<{ lastRunMs: number | null }>(
    `select epoch_ms(max(hour)) as "lastRunMs" from hourly_run
     where hour <= instant($1)`,
    [nowMs],
  )
  const wanted = hoursToRun(rows[0]?.lastRunMs ?? undefined, nowMs)
  if (wanted.length === 0) return []
  const { rows: taken } = await connection.query<{ hourMs: number }>(
    `insert into hourly_run (hour, at, deliveries)
     select instant(hour), instant($2), 0 from unnest($1::float8[]) as hour order by hour
     on conflict do nothing returning epoch_ms(hour) as "hourMs"`,
    [numberArray(wanted), nowMs],
  )
  return taken.map(({ hourMs }) => hourMs).sort((left, right) => left - right)
}

/**
 * Gives up deliveries past their deadline that still have no endpoint, or carry a card that no process
 * opened, and destroys the CVV, which is no longer needed. Other deliveries are given up when their last
 * attempt fails.
 */
export async function giveUpWithheld(
  connection: Queryable,
  asOf: {
    openableKeys: readonly string[]
    nowMs: number
    nextRunMs: number
    /** Absent: all suppliers. */
    supplierId: number | undefined
  },
): Promise<void> {
  const { openableKeys, nowMs, nextRunMs, supplierId } = asOf
  await connection.query(
    `with dead as (
       update delivery set status = 'dead', dead_at = ${accountTime('$2', 'delivery.supplier_id')}
       where status = 'queued' and ($4::int is null or supplier_id = $4) and not ${areHeld} and (
         (lane = 'hourly' and endpoint = ${noEndpoint} and give_up_at < instant($1))
         or (give_up_at < instant($2) and ${isWithheld('$3', '$2')}))
       returning reservation_id, version, hotel_id, status, is_repeat
     ), told as (
       ${insertEvents('delivery', deliveryEvents('dead', 'not is_repeat'))}
     )
     ${forgetCvvsOf('dead')}`,
    [nextRunMs, nowMs, textArray(openableKeys), supplierId ?? null],
  )
}

/** Makes the waiting deliveries of one supplier, or of all, due. */
export async function makeDue(
  connection: Queryable,
  nowMs: number,
  supplierId: number | undefined,
): Promise<number> {
  const { rowCount } = await connection.query(
    `update delivery set due_at = greatest(instant($1), not_before)
     where status = 'queued' and lane = 'hourly' and endpoint <> ${noEndpoint} and due_at = 'infinity'
       and ($2::int is null or supplier_id = $2)`,
    [nowMs, supplierId ?? null],
  )
  return rowCount ?? 0
}

/** A sandbox account whose clock is advanced from `aheadMs` by `byMs`. */
export type Leap = {
  supplierId: number
  aheadMs: number
  byMs: number
  nowMs: number
  openableKeys: readonly string[]
}

/**
 * Moves everything that the account waits for closer by the same amount: attempts, the end of their three
 * days, alerts, and the expiry of stored cards. If its clock passes one or more full hours, the hourly run is
 * made for it once. Its hotels must be locked. Returns how many deliveries are due now.
 */
export async function leap(connection: Queryable, advance: Leap): Promise<number> {
  const { supplierId, aheadMs, byMs, nowMs, openableKeys } = advance
  const by = 'make_interval(secs => $2::float8 / 1000)'
  // In a fixed order, so that two transactions that lock several rows can't deadlock.
  await connection.query(
    `select from delivery where supplier_id = $1 and status in ('queued', 'sending', 'dead')
     order by id for no key update`,
    [supplierId],
  )
  await connection.query(
    `update delivery set due_at = due_at - ${by}, not_before = not_before - ${by}, give_up_at = give_up_at - ${by},
       undelivered_since = undelivered_since - ${by}, arrives_at = arrives_at - ${by}
     where supplier_id = $1 and status in ('queued', 'sending', 'dead')`,
    [supplierId, byMs],
  )
  await connection.query(
    `update reservation_card set keep_until = keep_until - ${by}, cvv_until = cvv_until - ${by}
     from reservation
     where reservation.supplier_id = $1 and reservation.id = reservation_card.reservation_id and card is not null`,
    [supplierId, byMs],
  )
  const hour = hourOf(nowMs + aheadMs + byMs)
  if (hour > hourOf(nowMs + aheadMs)) {
    await giveUpWithheld(connection, { openableKeys, nowMs, nextRunMs: runAfter(nowMs), supplierId })
    await makeDue(connection, nowMs, supplierId)
  }
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from delivery
     where supplier_id = $1 and status = 'queued' and endpoint <> ${noEndpoint}
       and due_at <= instant($2)`,
    [supplierId, nowMs],
  )
  return rows[0]?.count ?? 0
}
