import { instantOf } from '../base/calendar.ts'
import { lockAccount } from '../hotels/hotel-clock.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import type { CardVault } from '../cards/card-vault.ts'
import { leap } from '../deliveries/hourly-run.ts'
import { sandboxErrors, testClock } from './contract.ts'

export type TestClockNeeds = Needs & { vault: Pick<CardVault, 'openableKeyIds'> }
type AccountClock = { now: string; aheadBy: string }

const dayMs = 86_400_000

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
