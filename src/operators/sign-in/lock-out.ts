import { hash } from 'node:crypto'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { networkOf } from '../../http/server/http-server.ts'
import { Rejected } from '../../http/rejected.ts'
import type { SignInRules } from '../sign-in-rules.ts'
import { nameKeyOf } from '../accounts/store.ts'

/**
 * Every wrong guess makes the next wait longer, counted by name (whether it exists or not) and by address. An attempt
 * counts as failed before it is checked, so that simultaneous guesses count too, on every process.
 */

export const lockOutLimits = {
  /** Wrong attempts before the first wait. */
  freeOfName: 5,
  /** More, because an office has one address. */
  freeOfAddress: 25,
  /** Doubles each time, up to the lock-out time of the rules; a sign-in link works in the meantime. */
  firstWaitMs: 10_000,
  /** From this attempt on, a name is locked for the whole lock-out time. */
  lockedOutFrom: 10,
  forgottenAfterMs: 24 * 60 * 60 * 1000,
}

/** The keys that `attemptSucceeded` resets. */
export type Attempt = { name: Buffer; address: Buffer }

/** Throws while the name or the address is locked. */
export async function beginAttempt(
  { db, clock, telemetry, rules }: Pick<Needs, 'db' | 'clock' | 'telemetry'> & { rules: SignInRules },
  { name, address }: { name: string; address: string },
): Promise<Attempt> {
  const nowMs = clock.now()
  const attempt = { name: keyOf('name', nameKeyOf(name)), address: keyOf('address', networkOf(address)) }
  const { rows } = await db.query<{ began: number; lockedUntilMs: number | null }>(
    `with attempt (key, waits_ms) as (values ($1::bytea, $2::float8[]), ($3::bytea, $4::float8[])),
     moment as (select instant($5) as at),
     locked as (
       select max(locked_until) as until from failed_sign_in, moment
       where key in (select key from attempt) and locked_until > moment.at),
     began as (
       insert into failed_sign_in as held (key, attempts, last_at, locked_until)
       -- Always in the same order, because several processes write at once.
       select key, 1, moment.at, moment.at from attempt, moment, locked where locked.until is null order by key
       on conflict (key) do update set (attempts, last_at, locked_until) = (
         select counted.attempts, excluded.last_at,
           excluded.last_at + waits_ms[least(counted.attempts, cardinality(waits_ms))] * interval '1 ms'
         from attempt, lateral (
           select case when held.last_at < instant($6) then 1 else held.attempts + 1 end as attempts) as counted
         where attempt.key = held.key)
       -- A concurrent attempt may have locked it a moment ago.
       where held.locked_until <= excluded.last_at
       returning key)
     select (select count(*)::int from began) as began,
       epoch_ms(until) as "lockedUntilMs" from locked`,
    [
      attempt.name,
      waitsMs(rules, lockOutLimits.freeOfName, lockOutLimits.lockedOutFrom),
      attempt.address,
      // Never the whole lock-out time at once: many people can share an address.
      waitsMs(rules, lockOutLimits.freeOfAddress, Infinity),
      nowMs,
      nowMs - lockOutLimits.forgottenAfterMs,
    ],
  )
  const [row] = rows
  if (row?.began === 2) return attempt
  telemetry.limited.inc({ limit: 'sign_in' })
  throw locked(row?.lockedUntilMs ?? nowMs + lockOutLimits.firstWaitMs, nowMs)
}

/** From this many attempts on, every wait is the longest one. */
const attemptsWithOwnWait = lockOutLimits.freeOfAddress + 20

/** The waits after the first wrong attempt, the second and so on; the last one applies to all further attempts. */
function waitsMs({ lockOutMs }: SignInRules, free: number, lockedOutFrom: number): number[] {
  return Array.from({ length: attemptsWithOwnWait }, (_, index) => {
    const attempts = index + 1
    if (attempts < free) return 0
    if (attempts >= lockedOutFrom) return lockOutMs
    return Math.min(lockOutMs, lockOutLimits.firstWaitMs * 2 ** (attempts - free))
  })
}

/** Resets the count of the name; the address gets back this attempt only, or one success could hide guesses at others. */
export async function attemptSucceeded(db: Queryable, { name, address }: Attempt): Promise<void> {
  await db.query(
    `with forgotten as (delete from failed_sign_in where key = $1)
     update failed_sign_in set attempts = greatest(attempts - 1, 0), locked_until = last_at where key = $2`,
    [name, address],
  )
}

/** Undoes the attempt: neither a failure nor a success, which would reset the count for a guesser. */
export async function attemptTakenBack(db: Queryable, { name, address }: Attempt): Promise<void> {
  await db.query(
    `with held as (select key from failed_sign_in where key = any($1::bytea[]) order by key for update)
     update failed_sign_in f set attempts = greatest(attempts - 1, 0), locked_until = last_at
     from held where f.key = held.key`,
    [[name, address]],
  )
}

/** What the check says; an attempt that the service couldn't check doesn't count. */
export async function checked<Result>(
  db: Queryable,
  attempt: Attempt | undefined,
  check: () => Promise<Result>,
): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    // Why it couldn't be checked says more than a second error.
    if (attempt) await attemptTakenBack(db, attempt).catch(() => undefined)
    throw error
  }
}

export async function deleteOldFailedSignIns(db: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await db.query('delete from failed_sign_in where last_at < instant($1)', [
    nowMs - lockOutLimits.forgottenAfterMs,
  ])
  return rowCount ?? 0
}

function keyOf(kind: 'name' | 'address', text: string): Buffer {
  return hash('sha256', `${kind}\n${text}`, 'buffer')
}

function locked(untilMs: number, nowMs: number): Rejected {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
  return new Rejected(
    429,
    {
      type: 'SIGN_IN_LOCKED',
      message: `Too many wrong attempts: wait ${seconds} s`,
      hint: 'An admin can give you a sign-in link, which works at once',
    },
    { headers: { 'retry-after': String(seconds) } },
  )
}
