import { randomUUID } from 'node:crypto'
import { throttledWarning } from '../../base/log.ts'
import { raiseFindings, resolveFindings } from '../../findings/store.ts'
import type { Push } from '../../http/calls/call.ts'
import { noWarnings } from '../../http/calls/warnings.ts'
import { sweep } from '../../postgres/connections/queryable.ts'
import { sqlIsoSeconds, type Queryable } from '../../postgres/postgres.ts'
import type { AriNeeds } from '../push/accept-ari.ts'
import { holdIdOf } from '../guard/hold-id.ts'
import type { Reason } from '../guard/contract.ts'
import { submitRelease } from './submit-release.ts'

const everyMs = 60 * 1000
/** The rest is left to the next minute. */
const expiredAtOnceMax = 1_000
/** Holds that ended are listed this long. */
export const endedHoldsKeptDays = 30

export type HoldWatch = { look: () => Promise<void>; close: () => Promise<void> }

/** Ends holds when their time is over, and says which hotels have any. Several processes may do so. */
export function startHoldWatch(needs: AriNeeds): HoldWatch {
  const warn = throttledWarning(
    needs.log,
    'expired holds could not be ended; this will be repeated in a minute',
  )
  let looking: Promise<void> | undefined
  const look = (): Promise<void> => {
    looking ??= watchHolds(needs)
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)))
      .finally(() => (looking = undefined))
    return looking
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  return {
    look,
    close: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

/** Nothing ends while the clocks of this machine and the database disagree. */
export async function watchHolds(needs: AriNeeds): Promise<void> {
  const { db, clock, log } = needs
  if (db.clock.isSkewed()) return
  const nowMs = clock.now()
  const discarded = await discardExpired(db, nowMs)
  if (discarded > 0) log.info({ discarded }, 'held values expired')
  for (const due of await selectDue(db, nowMs)) {
    try {
      await submitRelease(needs, pushOf(due, nowMs), { ...due, by: 'expiry' })
    } catch (error) {
      // Somebody else ended one of them; the others are due again in a minute.
      log.warn({ err: error, hotel: due.hotelCode }, 'holds could not be applied at their end')
    }
  }
  await tellOpen(db, nowMs)
}

/** By the clock of the account. */
const isOver = `state = 'open' and expires_at <= instant($1::float8 + hotel.clock_ahead_ms)`

async function discardExpired(db: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await db.query(
    `update hold set state = 'expired', resolved_at = instant($1), resolved_by = 'expiry'
     where state = 'open' and id in (
       select hold.id from hold join hotel on hotel.id = hold.hotel_id
       where ${isOver} and on_expiry = 'discard' order by expires_at limit ${expiredAtOnceMax}
       for no key update of hold skip locked
     )`,
    [nowMs],
  )
  return rowCount ?? 0
}

type Due = {
  hotelCode: string
  supplierId: number
  supplier: string
  keyId: number
  holdIds: string[]
}

/** The holds that are to be applied now, by hotel. */
async function selectDue(db: Queryable, nowMs: number): Promise<Due[]> {
  const { rows } = await db.query<Omit<Due, 'holdIds'> & { ids: string[] }>(
    `select hotel.code as "hotelCode", hotel.supplier_id as "supplierId", supplier.name as supplier,
       min(due.key_id) as "keyId", array_agg(due.id order by due.at, due.id) as ids
     from (
       select hold.* from hold join hotel on hotel.id = hold.hotel_id
       where ${isOver} and on_expiry = 'apply' order by expires_at limit ${expiredAtOnceMax}
     ) as due join hotel on hotel.id = due.hotel_id join supplier on supplier.id = hotel.supplier_id
     group by hotel.id, supplier.id`,
    [nowMs],
  )
  return rows.map(({ ids, ...rest }) => ({ ...rest, holdIds: ids.map(holdIdOf) }))
}

/** The push log shows the release with the key whose values it applies. */
function pushOf({ hotelCode, holdIds, supplierId, supplier, keyId }: Due, nowMs: number): Push {
  return {
    kind: 'release',
    requestId: randomUUID(),
    caller: {
      keyId,
      supplierId,
      supplier,
      channelManager: '',
      unknownFields: 'warn',
      echo: false,
      limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
    },
    rawBody: Buffer.from(JSON.stringify({ hotelId: hotelCode, holdIds, onExpiry: 'apply' })),
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings: noWarnings(),
  }
}

type OpenByRule = {
  supplierId: number
  hotelId: number
  subject: Reason
  holds: number
  cells: number
  expiresAt: string
}

/** A finding for each hotel and rule with open holds; it is resolved when the last of them ends. */
async function tellOpen(db: Queryable, nowMs: number): Promise<void> {
  const { rows: open } = await db.query<OpenByRule>(
    `select hotel.supplier_id as "supplierId", hotel.id as "hotelId", hold.reason as subject, count(*)::int as holds,
       sum(cells)::int as cells,
       ${sqlIsoSeconds('min(expires_at)')} as "expiresAt"
     from hold join hotel on hotel.id = hold.hotel_id
     where state = 'open' group by hotel.id, hold.reason`,
  )
  const { rows: over } = await db.query<{ supplierId: number; hotelId: number; subject: string }>(
    `select supplier_id as "supplierId", hotel_id as "hotelId", subject from finding
     where kind = 'guard.held' and state <> 'resolved' and not exists (
       select from hold where hold.hotel_id = finding.hotel_id and hold.reason = finding.subject and hold.state = 'open'
     )`,
  )
  await raiseFindings(
    db,
    open.map(({ holds, cells, expiresAt, ...name }) => ({
      ...name,
      kind: 'guard.held' as const,
      count: holds,
      evidence: { rule: name.subject, cells, expiresAt },
    })),
    nowMs,
  )
  await resolveFindings(
    db,
    over.map((name) => ({ ...name, kind: 'guard.held' as const })),
    nowMs,
  )
}

/** Housekeeping: holds that ended before the instant. */
export function deleteEndedHolds(db: Queryable, beforeMs: number): Promise<number> {
  return sweep(
    db,
    `delete from hold where id in (
       select id from hold where state <> 'open' and resolved_at < instant($1)
       order by resolved_at limit $2 for update skip locked)`,
    beforeMs,
  )
}
