import { instantOf } from '../../base/calendar.ts'
import { hashSecret } from '../../keys/secret.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { OperatorRole } from '../../http/route.ts'
import type { SignInMethod, SignInLink } from '../contract.ts'
import type { SignInRules } from '../sign-in-rules.ts'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The SQL of sessions. An expired session counts as none; housekeeping deletes it. */

/** Even if it is in use. */
const sessionEndsAfterMs = 12 * 60 * 60 * 1000

export type StoredSession = {
  operatorId: number
  name: string
  role: OperatorRole
  /** Of people of a supplier; else null. */
  supplierId: number | null
  supplier: string | null
  signedInBy: SignInMethod
  hasSecondFactor: boolean
  createdAtMs: number
  lastSeenAtMs: number
}

/** The session behind the hash of a cookie, unless its operator is disabled. The caller checks whether it has expired. */
export async function selectOptionalSession(db: Queryable, hash: string): Promise<StoredSession | undefined> {
  const { rows } = await db.query<StoredSession>({
    name: 'select-optional-session',
    text: `
      select o.id as "operatorId", o.name, o.role, o.supplier_id as "supplierId",
        (select name from supplier where id = o.supplier_id) as supplier, s.signed_in_by as "signedInBy",
        s.has_second_factor as "hasSecondFactor",
        epoch_ms(s.created_at) as "createdAtMs",
        epoch_ms(s.last_seen_at) as "lastSeenAtMs"
      from operator_session s join operator o on o.id = s.operator_id
      where s.hash = $1 and o.disabled_at is null`,
    values: [Buffer.from(hash, 'hex')],
  })
  return rows[0]
}

/** The owner of sessions, and how often all of them have been ended so far. */
export type SessionOwner = { operatorId: number; sessionsEnded: number }

/**
 * False if the operator was disabled or all sessions were ended in the meantime: every one of these statements locks the
 * row, so no session outlives that.
 */
export async function insertSession(
  db: Queryable,
  session: SessionOwner & {
    hash: string
    signedInBy: SignInMethod
    hasSecondFactor: boolean
    nowMs: number
  },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with signed_in as (
       update operator set last_sign_in_at = instant($4)
       where id = $2 and disabled_at is null and sessions_ended = $6 returning id, last_sign_in_at as at)
     insert into operator_session (hash, operator_id, signed_in_by, has_second_factor, created_at, last_seen_at)
     select $1, id, $3, $5, at, at from signed_in`,
    [
      Buffer.from(session.hash, 'hex'),
      session.operatorId,
      session.signedInBy,
      session.nowMs,
      session.hasSecondFactor,
      session.sessionsEnded,
    ],
  )
  return rowCount === 1
}

export async function updateLastSeen(db: Queryable, hash: string, nowMs: number): Promise<void> {
  await db.query(
    `update operator_session set last_seen_at = greatest(last_seen_at, instant($2))
     where hash = $1`,
    [Buffer.from(hash, 'hex'), nowMs],
  )
}

export async function deleteSession(db: Queryable, hash: string): Promise<void> {
  await db.query('delete from operator_session where hash = $1', [Buffer.from(hash, 'hex')])
}

/** Sign-ins that are under way open none any more, but by what this answers. */
export async function deleteSessionsOf(db: Queryable, operatorId: number): Promise<SessionOwner> {
  // First, by itself: what was opened while this waited for the row is seen by the next statement only.
  const { rows } = await db.query<{ sessionsEnded: number }>(
    'update operator set sessions_ended = sessions_ended + 1 where id = $1 returning sessions_ended as "sessionsEnded"',
    [operatorId],
  )
  await db.query('delete from operator_session where operator_id = $1', [operatorId])
  return { operatorId, sessionsEnded: rows[0]?.sessionsEnded ?? 0 }
}

/** Whether a session is still there; its operator is locked to the end of the transaction, so that it stays. */
export async function lockSession(
  db: Queryable,
  { operatorId, sessionId }: { operatorId: number; sessionId: string },
): Promise<boolean> {
  await db.query('select from operator where id = $1 for no key update', [operatorId])
  const { rowCount } = await db.query('select from operator_session where hash = $1 for update', [
    Buffer.from(sessionId, 'hex'),
  ])
  return rowCount === 1
}

export function isExpired(
  { createdAtMs, lastSeenAtMs }: StoredSession,
  nowMs: number,
  { idleEndsAfterMs }: Pick<SignInRules, 'idleEndsAfterMs'>,
): boolean {
  return nowMs >= createdAtMs + sessionEndsAfterMs || nowMs >= lastSeenAtMs + idleEndsAfterMs
}

export async function deleteOldSessions(
  db: Queryable,
  nowMs: number,
  { idleEndsAfterMs }: Pick<SignInRules, 'idleEndsAfterMs'>,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from operator_session where created_at <= instant($1)
       or last_seen_at <= instant($2)`,
    [nowMs - sessionEndsAfterMs, nowMs - idleEndsAfterMs],
  )
  return rowCount ?? 0
}

/**
 * The secret of a session is in the cookie only; the store has its SHA-256. What a page must send with every change is
 * derived from it: another site can make a browser send the cookie, but can't read it, and nothing more is kept.
 */

const secretBytes = 32
const csrfPurpose = 'csrf token of the console'
const secretText = /^[A-Za-z0-9_-]{43}$/

export function makeRandomSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Whether it can be a secret made here: anything else is refused without a query. */
export function looksLikeSecret(text: string): boolean {
  return secretText.test(text)
}

export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update(csrfPurpose).digest('base64url')
}

export function isCsrfTokenOf(secret: string, presented: unknown): boolean {
  if (typeof presented !== 'string') return false
  const expected = Buffer.from(csrfTokenOf(secret))
  const given = Buffer.from(presented)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** One-time links that sign in one operator: for the first sign-in, and after a forgotten password. */

const linkValidMs = 60 * 60 * 1000

/** Replaces earlier links of the operator, which stop working. */
export async function createSignInLink(
  db: Queryable,
  operatorId: number,
  nowMs: number,
): Promise<SignInLink> {
  const token = makeRandomSecret()
  const expiresAtMs = nowMs + linkValidMs
  await deleteSignInLinks(db, operatorId)
  await db.query(
    `insert into operator_sign_in_link (hash, operator_id, expires_at)
     values ($1, $2, instant($3))`,
    [Buffer.from(hashSecret(token), 'hex'), operatorId, expiresAtMs],
  )
  return { token, expiresAt: instantOf(expiresAtMs) }
}

/** The owner of the link, if it is valid. */
export async function selectOptionalLinkOwner(
  db: Queryable,
  token: string,
  nowMs: number,
): Promise<(SessionOwner & { name: string }) | undefined> {
  if (!looksLikeSecret(token)) return undefined
  const { rows } = await db.query<SessionOwner & { name: string }>(
    `select o.id as "operatorId", o.sessions_ended as "sessionsEnded", o.name from operator_sign_in_link l join operator o on o.id = l.operator_id
     where l.hash = $1 and l.expires_at > instant($2) and o.disabled_at is null`,
    [Buffer.from(hashSecret(token), 'hex'), nowMs],
  )
  return rows[0]
}

/** Uses the link up; of several at once, one. Undefined when it is no good (any more). */
export async function useOptionalLink(
  db: Queryable,
  token: string,
  nowMs: number,
): Promise<number | undefined> {
  if (!looksLikeSecret(token)) return undefined
  const { rows } = await db.query<{ operatorId: number; isGood: boolean }>(
    `with used as (delete from operator_sign_in_link where hash = $1 returning operator_id, expires_at)
     select o.id as "operatorId", used.expires_at > instant($2) as "isGood"
     from used join operator o on o.id = used.operator_id where o.disabled_at is null`,
    [Buffer.from(hashSecret(token), 'hex'), nowMs],
  )
  return rows.find(({ isGood }) => isGood)?.operatorId
}

export async function deleteSignInLinks(db: Queryable, operatorId: number): Promise<void> {
  await db.query('delete from operator_sign_in_link where operator_id = $1', [operatorId])
}

export async function deleteOldLinks(db: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await db.query('delete from operator_sign_in_link where expires_at <= instant($1)', [
    nowMs,
  ])
  return rowCount ?? 0
}

/** The URL of a link. The token is in the fragment (#), which browsers never send, so no log contains it. */
export function signInUrl(consoleUrl: string, token: string): string {
  return `${consoleUrl}/console/sign-in#token=${token}`
}
