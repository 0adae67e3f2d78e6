import type { Queryable } from '../postgres/postgres.ts'
import { operatorRoles } from '../http/route.ts'

/** Revokes again what a restore brought back, according to the revocations file. */

export const notedKinds = ['key', 'secret', 'token', 'operator', 'role', 'password', 'signing'] as const
type NotedKind = (typeof notedKinds)[number]

/** `is`: `revoked`, `enabled`, an operator's role, or the instant at which a key or a secret of it ends. */
export type Noted = { kind: NotedKind; hash: string; is: string }

/** How many of each were revoked again. */
export type Enforced = {
  keys: number
  tokens: number
  operators: number
  /** Operators reset to their lower role. */
  roles: number
  /** Passwords that had been replaced: their operators need a new link. */
  passwords: number
  /** Keys and key secrets reset to their earlier end. */
  ends: number
  /** Keys that sign with a replaced secret. The newer one is lost, so they must be rotated once more. */
  signingSecrets: number
}

const none: Enforced = {
  keys: 0,
  tokens: 0,
  operators: 0,
  roles: 0,
  passwords: 0,
  ends: 0,
  signingSecrets: 0,
}

export async function enforceRevoked(db: Queryable, noted: readonly Noted[]): Promise<Enforced> {
  if (noted.length === 0) return none
  const revoked = (kind: NotedKind): string[] =>
    noted.flatMap((one) => (one.kind === kind && one.is === 'revoked' ? [one.hash] : []))
  const ends = (kind: NotedKind): Noted[] =>
    noted.filter((one) => one.kind === kind && Number.isFinite(Date.parse(one.is)))
  const roles = noted.filter(({ kind, is }) => kind === 'role' && operatorRoles.some((role) => role === is))
  const columns = (some: readonly Noted[]): string[][] => [
    some.map(({ hash }) => hash),
    some.map(({ is }) => is),
  ]
  const { rows } = await db.query<Enforced>(statement, [
    revoked('key'),
    revoked('token'),
    revoked('operator'),
    ...columns(roles),
    revoked('password'),
    ...columns(ends('key')),
    ...columns(ends('secret')),
    revoked('signing'),
    operatorRoles,
  ])
  return rows[0] ?? none
}

/** The hash of a text column, in hexadecimal digits. */
export const hashOf = (column: string): string => `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`

/**
 * Only one of these may write a row: a revoked key's end or a disabled operator's role waits for the next
 * run.
 */
const statement = `
  with keys as (
    update api_key set revoked_at = clock_timestamp() where revoked_at is null
      and id in (select key_id from api_key_secret where encode(hash, 'hex') = any($1)) returning id),
  tokens as (
    update access_token set revoked_at = clock_timestamp()
    where revoked_at is null and encode(hash, 'hex') = any($2) returning id),
  disabled as (select id from operator where disabled_at is null and ${hashOf('name_key')} = any($3)),
  lowered as (
    select operator.id, noted.role from operator
    join unnest($4::text[], $5::text[]) as noted (hash, role) on noted.hash = ${hashOf('operator.name_key')}
    where array_position($12::text[], noted.role) < array_position($12::text[], operator.role)),
  forgotten as (select id from operator where ${hashOf('password_hash')} = any($6)),
  operators as (
    update operator set
      disabled_at = case when id in (select id from disabled) then clock_timestamp() else disabled_at end,
      role = coalesce((select lowered.role from lowered where lowered.id = operator.id), role),
      password_hash = case when id in (select id from forgotten) then null else password_hash end
    where id in (select id from disabled union select id from lowered union select id from forgotten)
    returning id),
  sessions as (delete from operator_session where operator_id in (select id from operators)),
  links as (delete from operator_sign_in_link where operator_id in (select id from operators)),
  ended as (
    update api_key set expires_at = noted.at from (
      select secret.key_id, min(noted.at::timestamptz) as at
      from unnest($7::text[], $8::text[]) as noted (hash, at)
      join api_key_secret as secret on encode(secret.hash, 'hex') = noted.hash group by secret.key_id
    ) as noted
    where id = noted.key_id and revoked_at is null and (expires_at is null or expires_at > noted.at)
      and id not in (select id from keys) returning id),
  secrets as (
    update api_key_secret set expires_at = noted.at::timestamptz
    from unnest($9::text[], $10::text[]) as noted (hash, at)
    where encode(api_key_secret.hash, 'hex') = noted.hash
      and (expires_at is null or expires_at > noted.at::timestamptz) returning key_id),
  told as (
    insert into audit_log (operator_name, action, subject)
    select 'revocations file', 'key.revoke', 'key ' || id from keys
    union all select 'revocations file', 'token.revoke', 'token ' || id from tokens
    union all select 'revocations file', 'operator.disable', 'operator ' || id from disabled
    union all select 'revocations file', 'operator.role', 'operator ' || id from lowered
    union all select 'revocations file', 'operator.password', 'operator ' || id from forgotten
    union all select 'revocations file', 'key.expire', 'key ' || id from ended
    union all select 'revocations file', 'key.rotate', 'key ' || key_id from secrets)
  select (select count(*)::int from keys) as keys, (select count(*)::int from tokens) as tokens,
    (select count(*)::int from disabled) as operators, (select count(*)::int from lowered) as roles,
    (select count(*)::int from forgotten) as passwords,
    ((select count(*) from ended) + (select count(*) from secrets))::int as ends,
    (select count(*)::int from api_key where revoked_at is null and ${hashOf('signing_secret')} = any($11)) as "signingSecrets"`
