import type { Queryable } from '../postgres/postgres.ts'
import type { SignInLink } from './contract.ts'
import { hashOf, looksLikeSecret, makeRandomSecret, type Account } from './session-store.ts'

/** One-time links that sign in one operator: for the first sign-in, and after a forgotten password. */

export const linkValidMs = 60 * 60 * 1000

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
    [Buffer.from(hashOf(token), 'hex'), operatorId, expiresAtMs],
  )
  return { token, expiresAt: new Date(expiresAtMs).toISOString() }
}

/** The owner of the link, if it is valid. */
export async function selectOptionalLinkOwner(
  db: Queryable,
  token: string,
  nowMs: number,
): Promise<(Account & { name: string }) | undefined> {
  if (!looksLikeSecret(token)) return undefined
  const { rows } = await db.query<Account & { name: string }>(
    `select o.id as "operatorId", o.sessions_ended as "sessionsEnded", o.name from operator_sign_in_link l join operator o on o.id = l.operator_id
     where l.hash = $1 and l.expires_at > instant($2) and o.disabled_at is null`,
    [Buffer.from(hashOf(token), 'hex'), nowMs],
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
    [Buffer.from(hashOf(token), 'hex'), nowMs],
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
