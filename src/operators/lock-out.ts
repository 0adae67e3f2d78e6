import { hash } from 'node:crypto'
import type { Needs } from '../postgres/needs.ts'
import { networkOf } from '../http/network-of.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import type { SignInRules } from './sign-in-rules.ts'
import { nameKeyOf } from './store.ts'

/**
 * Guessing takes longer with every wrong guess: by the name, whether anybody has it or not, and by the address. An
 * attempt counts as failed before it is judged, so that guesses at the same moment count too, on every process.
 */

export const lockOutLimits = {
  /** Wrong attempts before there is a wait at all. */
  freeOfName: 5,
  /** More, because an office has one address. */
  freeOfAddress: 25,
  /** Doubled each time, up to the lock-out of the rules; a sign-in link works meanwhile. */
  firstWaitMs: 10_000,
  /** From this one on a name waits for the whole lock-out. */
  lockedOutFrom: 10,
  forgottenAfterMs: 24 * 60 * 60 * 1000,
}

/** Enough for the longest wait; PostgreSQL refuses powers beyond its numbers. */
const doublingsMax = 20

/** For what `attemptSucceeded` takes back. */
export type Attempt = { name: Buffer; address: Buffer }

/** Throws while the name or the address has to wait. */
export async function beginAttempt(
  { db, clock, telemetry, rules }: Pick<Needs, 'db' | 'clock' | 'telemetry'> & { rules: SignInRules },
  { name, address }: { name: string; address: string },
): Promise<Attempt> {
  const nowMs = clock.now()
  const attempt = { name: keyOf('name', nameKeyOf(name)), address: keyOf('address', networkOf(address)) }
  const { freeOfName, freeOfAddress, firstWaitMs, lockedOutFrom, forgottenAfterMs } = lockOutLimits
  const { rows } = await db.query<{ began: number; lockedUntilMs: number | null }>(
    `with asked as (select * from unnest($1::bytea[], $2::int[], $8::int[]) as asked (key, free, locked_from)),
     moment as (select instant($3) as at),
     locked as (
       select max(locked_until) as until from failed_sign_in, moment
       where key in (select key from asked) and locked_until > moment.at),
     began as (
       insert into failed_sign_in as held (key, attempts, last_at, locked_until)
       -- In one order, because several processes write at once.
       select key, 1, moment.at, moment.at from asked, moment, locked where locked.until is null order by key
       on conflict (key) do update set
         attempts = case when held.last_at < excluded.last_at - $6::float8 * interval '1 ms' then 1
           else held.attempts + 1 end,
         last_at = excluded.last_at,
         locked_until = excluded.last_at + case
           when held.last_at < excluded.last_at - $6::float8 * interval '1 ms' then interval '0'
           else coalesce((select case when held.attempts + 1 >= locked_from then $5::float8
               else least($5::float8, $4::float8 * 2 ^ least(held.attempts + 1 - free, $7)) end * interval '1 ms'
             from asked where asked.key = held.key and held.attempts + 1 >= free), interval '0') end
       -- One that was let through a moment ago may have locked it.
       where held.locked_until <= excluded.last_at
       returning key)
     select (select count(*)::int from began) as began,
       epoch_ms(until) as "lockedUntilMs" from locked`,
    [
      [attempt.name, attempt.address],
      [freeOfName, freeOfAddress],
      nowMs,
      firstWaitMs,
      rules.lockOutMs,
      forgottenAfterMs,
      doublingsMax,
      // An address is many people's.
      [lockedOutFrom, null],
    ],
  )
  const [row] = rows
  if (row?.began === 2) return attempt
  telemetry.limited.inc({ limit: 'sign_in' })
  throw locked(row?.lockedUntilMs ?? nowMs + firstWaitMs, nowMs)
}

/** The name starts anew; of the address only this attempt is taken back, or guesses of one could hide behind another. */
export async function attemptSucceeded(db: Queryable, { name, address }: Attempt): Promise<void> {
  await db.query(
    `with forgotten as (delete from failed_sign_in where key = $1)
     update failed_sign_in set attempts = greatest(attempts - 1, 0), locked_until = last_at where key = $2`,
    [name, address],
  )
}

/** As if it had not been: neither a failure nor a success, which would let a guesser begin anew. */
export async function attemptTakenBack(db: Queryable, { name, address }: Attempt): Promise<void> {
  await db.query(
    `with held as (select key from failed_sign_in where key = any($1::bytea[]) order by key for update)
     update failed_sign_in f set attempts = greatest(attempts - 1, 0), locked_until = last_at
     from held where f.key = held.key`,
    [[name, address]],
  )
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
