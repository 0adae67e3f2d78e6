import type { Environment } from '../keys/secret.ts'
import type { Mounted } from '../http/calls/mount.ts'
import { Rejected } from '../http/rejected.ts'
import { sandboxErrors, testClock, hotelsRememberedMax } from './contract.ts'
import { dayMs, instantOf } from '../base/calendar.ts'
import { lockAccount } from '../hotels/hotel-clock.ts'
import { type Needs, type Queryable, numberArray } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import type { CardVault } from '../cards/card-vault.ts'
import { deleteJobsOf } from '../bulk/jobs/store.ts'
import { leap } from '../deliveries/worker/hourly-run.ts'
import type { CallbackFaults } from '../webhooks/callback-faults.ts'
import { numbersAfterMax } from '../products/accept-products.ts'

/** The endpoint in the sandbox; outside it every call is refused, whatever the shape of its request. */
export function inSandbox(environment: Environment, mounted: Mounted): Mounted {
  if (environment === 'sandbox') return mounted
  return {
    route: mounted.route,
    prepare: () => {},
    handle: () => Promise.reject(new Rejected(404, sandboxErrors.production)),
  }
}

export type TestClockNeeds = Needs & { vault: Pick<CardVault, 'openableKeyIds'> }
type AccountClock = { now: string; aheadBy: string }

/** `advanceBy` is an ISO 8601 duration of weeks, days, hours, minutes and seconds. */
export async function advanceClock(
  needs: TestClockNeeds,
  { supplierId, advanceBy }: { supplierId: number; advanceBy: string },
): Promise<{ clock: AccountClock; deliveriesDue: number }> {
  const byMs = readDuration(advanceBy)
  const { aheadMs, deliveriesDue } = await transaction(needs.db.unhurried, async (connection) => {
    const before = await lockAccount(connection, supplierId)
    const after = before + byMs
    if (after > testClock.aheadMaxDays * dayMs) throw refused(sandboxErrors.clockTooFar, advanceBy)
    await advanceHotels(connection, supplierId, after)
    const due = await leap(connection, {
      supplierId,
      aheadMs: before,
      byMs,
      nowMs: needs.clock.now(),
      openableKeys: needs.vault.openableKeyIds(),
    })
    return { aheadMs: after, deliveriesDue: due }
  })
  return { clock: renderClock(needs, aheadMs), deliveriesDue }
}

export async function readClock(needs: Needs, supplierId: number): Promise<AccountClock> {
  return renderClock(needs, await selectAheadMs(needs.db, supplierId))
}

export function renderClock({ clock }: Pick<Needs, 'clock'>, aheadMs: number): AccountClock {
  return {
    now: instantOf(clock.now() + aheadMs),
    aheadBy: Temporal.Duration.from({ milliseconds: aheadMs }).round({ largestUnit: 'days' }).toString(),
  }
}

/** Weeks, days, hours, minutes and seconds have a fixed length; months and years do not. */
const durationText =
  /^P(?=[\dT])(?:\d{1,9}W)?(?:\d{1,9}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/

/** A day is 24 hours. */
function readDuration(text: string): number {
  if (!durationText.test(text)) throw refused(sandboxErrors.durationInvalid, text)
  const { weeks, days, hours, minutes, seconds } = Temporal.Duration.from(text)
  const ms = (weeks * 7 + days) * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000
  if (ms === 0) throw refused(sandboxErrors.durationInvalid, text)
  return ms
}

function refused(fault: { type: string; message: string; hint: string }, value: string): Rejected {
  return new Rejected(400, { ...fault, path: '/advanceBy', value })
}

/** How far an account's test clock is ahead. */
export async function selectAheadMs(db: Queryable, supplierId: number): Promise<number> {
  const { rows } = await db.query<{ aheadMs: number }>(
    'select clock_ahead_ms as "aheadMs" from supplier where id = $1',
    [supplierId],
  )
  return rows[0]?.aheadMs ?? 0
}

/**
 * The account must be locked. The catalog's version tells every process that the account's time has changed.
 */
async function advanceHotels(connection: Queryable, supplierId: number, aheadMs: number): Promise<void> {
  await connection.query('select from hotel where supplier_id = $1 order by id for no key update', [
    supplierId,
  ])
  await connection.query('update supplier set clock_ahead_ms = $2 where id = $1', [supplierId, aheadMs])
  await connection.query(
    `update hotel set clock_ahead_ms = $2, catalog_version = catalog_version + 1,
       -- So long ago, by the clock of the service, was the last push of ARI.
       ari_day = case when ari_at is null then 0
         else floor((extract(epoch from ari_at) * 1000 - $2::int8) / 86400000) end
     where supplier_id = $1`,
    [supplierId, aheadMs],
  )
}

export type ResetNeeds = Needs & { callbackFaults?: CallbackFaults | undefined }

/**
 * Removes all hotels of an account and sets its clock back, all or nothing. `isWanted` judges first, in the same transaction;
 * it locks the account.
 */
export async function resetAccount(
  needs: ResetNeeds,
  supplierId: number,
  isWanted?: (connection: Queryable, supplierId: number) => Promise<boolean>,
): Promise<Removed> {
  const removed = await transaction(needs.db.unhurried, async (connection) => {
    if (isWanted && !(await isWanted(connection, supplierId))) return nothingRemoved
    await lockAccount(connection, supplierId)
    if ((await countHotelsKnown(connection, supplierId)) > hotelsRememberedMax)
      throw new Rejected(409, sandboxErrors.tooManyHotels)
    return removeAll(connection, supplierId)
  })
  needs.callbackFaults?.forget()
  return removed
}

type Removed = { hotels: number; roomRates: number; reservations: number; deliveries: number }
const nothingRemoved: Removed = { hotels: 0, roomRates: 0, reservations: 0, deliveries: 0 }

/** An account's hotels, and its removed hotels that have not come back. */
async function countHotelsKnown(connection: Queryable, supplierId: number): Promise<number> {
  const { rows } = await connection.query<{ known: number }>(
    `select (select count(*) from hotel where supplier_id = $1)::int
       + (select count(*) from removed_hotel where supplier_id = $1)::int as known`,
    [supplierId],
  )
  return rows[0]?.known ?? 0
}

/**
 * Removes an account's hotels with everything that belongs to them, its stored Idempotency-Keys and ordered
 * faults, and sets its clock back. The account must be locked. Waits for locks of other transactions in the
 * usual order: hotels, reservations, deliveries. Keys, URLs and the log of pushes stay.
 */
async function removeAll(connection: Queryable, supplierId: number): Promise<Removed> {
  const ofAccount = [supplierId]
  const { rows: hotels } = await connection.query<{ id: number }>(
    'select id from hotel where supplier_id = $1 order by id for update',
    ofAccount,
  )
  await connection.query('select from reservation where supplier_id = $1 order by id for update', ofAccount)
  await connection.query('select from delivery where supplier_id = $1 order by id for update', ofAccount)
  const ofDeliveries = 'using delivery where delivery.id = delivery_id and delivery.supplier_id = $1'
  await connection.query(`delete from delivery_attempt ${ofDeliveries}`, ofAccount)
  await connection.query(`delete from delivery_alert ${ofDeliveries}`, ofAccount)
  const deliveries = await count(connection, 'delete from delivery where supplier_id = $1', ofAccount)
  for (const table of ['card', 'guest', 'note', 'confirmation', 'report', 'version']) {
    await connection.query(
      `delete from reservation_${table} as part using reservation
       where reservation.id = part.reservation_id and reservation.supplier_id = $1`,
      ofAccount,
    )
  }
  const reservations = await count(connection, 'delete from reservation where supplier_id = $1', ofAccount)
  await connection.query('delete from finding where supplier_id = $1', ofAccount)
  await connection.query('delete from alert_message where supplier_id = $1', ofAccount)
  await connection.query('delete from sandbox_fault where supplier_id = $1', ofAccount)
  await connection.query(
    'delete from idempotency using api_key where api_key.id = key_id and supplier_id = $1',
    ofAccount,
  )
  await connection.query(
    // A supplier's test bookings are stored under minus the number of its key.
    'delete from booking_answer using api_key where token_id = -api_key.id and supplier_id = $1',
    ofAccount,
  )
  await connection.query(
    'delete from booking_call using api_key where token_id = -api_key.id and supplier_id = $1',
    ofAccount,
  )
  await deleteJobsOf(connection, supplierId)
  const ids = hotels.map(({ id }) => id)
  const roomRates = await removeHotels(connection, ids)
  await connection.query('update supplier set clock_ahead_ms = 0 where id = $1', ofAccount)
  return { hotels: ids.length, roomRates, reservations, deliveries }
}

/**
 * Removes hotels without reservations; data that has to outlive them stays in `removed_hotel`, and the change
 * feed reports them. Room and rate numbers continue after the previous ones and start over before they run
 * out: hundreds of resets later, nothing refers to the first ones.
 */
async function removeHotels(connection: Queryable, ids: readonly number[]): Promise<number> {
  const these = [numberArray(ids)]
  await connection.query(
    `with numbered as (
       select hotel.*, greatest(numbers_after, (select max(room_no) from room where hotel_id = hotel.id),
         (select max(rate_no) from rate where hotel_id = hotel.id)) as last_number
       from hotel where id = any($1::int[])
     ), kept as (
       insert into removed_hotel
         (supplier_id, code, id, revision, catalog_version, ari_version, numbers_after, numbers_epoch)
       select supplier_id, code, id, revision + 1, catalog_version + 1, ari_version + 1,
         case when last_number > $2 then 0 else last_number end, numbers_epoch
       from numbered
       returning id, revision
     )
     insert into change (kind, hotel_ids, revisions_from, revisions_to)
     select 'removed', array_agg(id order by id), array_agg(revision order by id), array_agg(revision order by id)
     from kept having count(*) > 0`,
    [...these, numbersAfterMax],
  )
  let roomRates = 0
  for (const table of hotelTables) {
    const removed = await count(connection, `delete from ${table} where hotel_id = any($1::int[])`, these)
    if (table === 'room_rate') roomRates = removed
  }
  await connection.query('delete from hotel where id = any($1::int[])', these)
  return roomRates
}

const hotelTables = [
  'tax',
  'room_rate',
  'room',
  'rate',
  'ari_month',
  'stop_sell',
  'stop_sell_order',
  'hold',
  'guard',
  'price_drift',
  'price_check',
  'hotel_search',
] as const

async function count(connection: Queryable, text: string, values: unknown[]): Promise<number> {
  const { rowCount } = await connection.query(text, values)
  return rowCount ?? 0
}
