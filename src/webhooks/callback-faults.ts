import { setTimeout as wait } from 'node:timers/promises'
import { Memory } from '../postgres/memory.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import type { Called } from '../outbound/call.ts'
import type { CallbackFault, SpoilableCalls } from './callback-contract.ts'

/**
 * Injects faults into calls in the sandbox. Few accounts order any, so the set of those that do is cached for
 * a moment, and calls of other accounts cost nothing. Another process sees an order once its cache expires,
 * this one at once.
 */
export type CallbackFaults = {
  /** The fault to inject into a call; undefined if none. Never throws: a failing store spoils nothing. */
  take: (call: SpoiledCall) => Promise<CallbackFault | undefined>
  /** To be called after this process changed orders. */
  forget: () => void
}

const memory = { trustedMs: 200, entriesMax: 1 }
const onlyKey = 'all'

export function callbackFaults({ db, clock, log }: Needs): CallbackFaults {
  const remembered = new Memory<ReadonlySet<number>>(db.epoch, memory)
  const keysWithFaults = () =>
    remembered.get(onlyKey, async () => new Set(await selectKeysWithFaults(db, clock.now())))
  return {
    take: async (call) => {
      try {
        return (await keysWithFaults()).has(call.keyId) ? await takeFault(db, call, clock.now()) : undefined
      } catch (error) {
        log.warn({ err: error }, 'faults of the sandbox could not be read')
        return undefined
      }
    },
    forget: () => remembered.forget(onlyKey),
  }
}

type Spoiled = { withinMs: number; signal?: AbortSignal | undefined; call: () => Promise<Called> }

/** The platform's result of a spoiled call. Only with a lost reply does the call reach the supplier. */
export const spoil: Readonly<Record<CallbackFault, (spoiled: Spoiled) => Promise<Called>>> = {
  timeout: async ({ withinMs, signal }) => {
    const startedMs = performance.now()
    const isGivenUp = await wait(withinMs, false, { signal }).catch(() => true)
    const durationMs = Math.round(performance.now() - startedMs)
    return isGivenUp
      ? failed('cancelled', 'we gave up on the call', durationMs)
      : failed('timeout', `no whole answer within ${withinMs} ms`, durationMs)
  },
  status500: async () => {
    const body = Buffer.from('{"code":"500","message":"Ordered with POST /push/sandbox/faults"}')
    return { kind: 'answered', status: 500, body, headers: {}, durationMs: 0 }
  },
  lostReply: async ({ call }) => {
    const { durationMs } = await call()
    return failed('reset', 'the connection broke before the answer came', durationMs)
  },
  garbage: async () => failed('malformed', 'the answer is not HTTP', 0),
}

function failed(
  reason: 'cancelled' | 'timeout' | 'reset' | 'malformed',
  message: string,
  durationMs: number,
): Called {
  return {
    kind: 'failed',
    reason,
    bytesSent: true,
    durationMs,
    message: `${message} (ordered in the sandbox)`,
  }
}

/** Faults that suppliers ordered for the calls of their own URLs. */

export type OrderedFault = {
  calls: SpoilableCalls
  fault: CallbackFault
  /** Null means any hotel of the account. */
  hotelId: string | null
  timesLeft: number
  expiresAtMs: number
}

/** `hotelId` is the platform's number for the hotel. */
export type FaultToOrder = {
  calls: SpoilableCalls
  fault: CallbackFault
  times: number
  hotelId: number | null
}

const isOpen = (now: string): string =>
  `sandbox_fault.times_left > 0 and sandbox_fault.expires_at > instant(${now})`

/** Replaces all faults that the account ordered before. The account must be locked. */
export async function replaceFaults(
  connection: Queryable,
  supplierId: number,
  faults: readonly FaultToOrder[],
  expiresAtMs: number,
): Promise<void> {
  await connection.query('delete from sandbox_fault where supplier_id = $1', [supplierId])
  await connection.query(
    `insert into sandbox_fault (supplier_id, calls, fault, times_left, hotel_id, expires_at)
     select $1, calls, fault, times, hotel_id, instant($6)
     from unnest($2::text[], $3::text[], $4::int[], $5::int[]) with ordinality
       as ordered (calls, fault, times, hotel_id, place) order by place`,
    [
      supplierId,
      faults.map(({ calls }) => calls),
      faults.map(({ fault }) => fault),
      faults.map(({ times }) => times),
      faults.map(({ hotelId }) => hotelId),
      expiresAtMs,
    ],
  )
}

/** The remaining faults, in the order in which they apply. */
export async function selectFaults(
  db: Queryable,
  supplierId: number,
  nowMs: number,
): Promise<OrderedFault[]> {
  const { rows } = await db.query<OrderedFault>(
    `select calls, fault, hotel.code as "hotelId", times_left as "timesLeft",
       epoch_ms(expires_at) as "expiresAtMs"
     from sandbox_fault left join hotel on hotel.id = hotel_id
     where sandbox_fault.supplier_id = $1 and ${isOpen('$2')} order by sandbox_fault.id`,
    [supplierId, nowMs],
  )
  return rows
}

/** The keys of accounts that have ordered faults. */
export async function selectKeysWithFaults(db: Queryable, nowMs: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'select-keys-with-faults',
    text: `select id from api_key where supplier_id in (select supplier_id from sandbox_fault where ${isOpen('$1')})`,
    values: [nowMs],
  })
  return rows.map(({ id }) => id)
}

/** A call about to be made: the key of its URL, its purpose and its hotel. */
export type SpoiledCall = { keyId: number; calls: SpoilableCalls; hotelId: number }

/** The first fault waiting for such a call; uses it up once. */
export async function takeFault(
  db: Queryable,
  { keyId, calls, hotelId }: SpoiledCall,
  nowMs: number,
): Promise<CallbackFault | undefined> {
  const { rows } = await db.query<{ fault: CallbackFault }>(
    // Lock all waiting faults: a concurrent call waits, and gets what is left.
    `with waiting as materialized (
       select id from sandbox_fault
       where supplier_id = (select supplier_id from api_key where id = $1) and calls = $2
         and (hotel_id is null or hotel_id = $3) and ${isOpen('$4')}
       order by id for update
     )
     update sandbox_fault set times_left = times_left - 1
     where id = (select min(id) from waiting) returning fault`,
    [keyId, calls, hotelId, nowMs],
  )
  return rows[0]?.fault
}

export async function deletePastFaults(db: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await db.query(`delete from sandbox_fault where not (${isOpen('$1')})`, [nowMs])
  return rowCount ?? 0
}
