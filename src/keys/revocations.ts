import { sqlIsoMillis, type Database, type Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import { operatorRoles } from '../http/route.ts'
import { appendNote, FileFault, readNotes, type Noted, type NoteKind } from './revocations-file.ts'

/**
 * Revocations, in a file outside the store: a restore brings back keys, tokens and operators that were
 * revoked since the backup, and the database alone can't know that. Each note is a line of JSON, appended and
 * synced to disk. It contains hashes only; for each hash, the last note applies, unless the store says that access was given
 * back later: another machine may have a file of its own.
 *
 * A revocation is noted before it is committed, and refused if it can't be noted, so no acknowledged
 * revocation is lost. Restoring access is noted after it is committed: until then the file grants less access
 * than the store, never more. All instants are of the store's clock.
 */

/** Subjects whose access can be restored: the file records their state in the store. */
type Restorable = 'key' | 'operator'
/** The others never become valid again; an old value is noted before the new one replaces it. */
type Subject = Restorable | 'token' | 'password' | 'signing secret'

export type Revocations = {
  /** Within the transaction that revokes access. */
  note: (connection: Queryable, subject: Subject, id: number) => Promise<void>
  /** For restored access, after its own transaction. */
  noteGivenBack: (db: Database, subject: Restorable, id: number) => Promise<void>
  /** Revokes again what came back. `unreadable`: number of lines that can't be read; a crash cuts one off. */
  enforce: (db: Queryable) => Promise<{ enforced: Enforced; unreadable: number }>
}

/** Used if no file is configured. */
export const noRevocations: Revocations = {
  note: async () => {},
  noteGivenBack: (db, subject, id) =>
    transaction(db, (connection) => storeGivenBack(connection, subject, id)),
  enforce: async (db) => ({ enforced: await enforceRevoked(db, []), unreadable: 0 }),
}

export function revocationsIn(file: string | undefined): Revocations {
  if (file === undefined) return noRevocations
  const append = async (connection: Queryable, subject: Subject, id: number) => {
    const { rows } = await connection.query<Omit<Noted, 'at'>>(statements[subject], [id])
    if (rows.length > 0) await appendNote(file, await storeTime(connection), rows)
  }
  return {
    note: (connection, subject, id) =>
      append(connection, subject, id).catch((cause: unknown) => {
        throw unwritable(cause, 'Nothing was changed')
      }),
    noteGivenBack: (db, subject, id) =>
      transaction(db, async (connection) => {
        // Its lock also prevents a revocation between reading the state and writing the line.
        await storeGivenBack(connection, subject, id)
        await append(connection, subject, id)
      }).catch((cause: unknown) => {
        throw unwritable(cause, 'It was done, but a restart will take it back')
      }),
    enforce: async (db) => {
      const { noted, unreadable } = await readNotes(file)
      return { enforced: await enforceRevoked(db, noted), unreadable }
    },
  }
}

/** The hash of a text column, in hexadecimal digits. */
const hashOf = (column: string): string => `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`

const statements: Readonly<Record<Subject, string>> = {
  key: `select 'key' as kind, encode(secret.hash, 'hex') as hash, case when key.revoked_at is not null then 'revoked'
      else coalesce(${sqlIsoMillis('key.expires_at')}, 'enabled') end as is
    from api_key as key join api_key_secret as secret on secret.key_id = key.id where key.id = $1
    union all
    select 'secret', encode(hash, 'hex'), ${sqlIsoMillis('expires_at')}
    from api_key_secret where key_id = $1 and expires_at is not null`,
  token: `select 'token' as kind, encode(hash, 'hex') as hash, 'revoked' as is
    from access_token where id = $1 and revoked_at is not null`,
  operator: `select 'operator' as kind, ${hashOf('name_key')} as hash,
      case when disabled_at is null then 'enabled' else 'revoked' end as is from operator where id = $1
    union all select 'role', ${hashOf('name_key')}, role from operator where id = $1`,
  password: `select 'password' as kind, ${hashOf('password_hash')} as hash, 'revoked' as is
    from operator where id = $1 and password_hash is not null`,
  'signing secret': `select 'signing' as kind, ${hashOf('signing_secret')} as hash, 'revoked' as is
    from api_key where id = $1 and signing_secret is not null`,
}

/** A token's access is never given back. */
const givenBack: Readonly<Record<Restorable, string>> = {
  key: 'update api_key set given_back_at = clock_timestamp() where id = $1',
  operator: 'update operator set given_back_at = clock_timestamp() where id = $1',
}

async function storeGivenBack(connection: Queryable, subject: Restorable, id: number): Promise<void> {
  await connection.query(givenBack[subject], [id])
}

async function storeTime(connection: Queryable): Promise<string> {
  const { rows } = await connection.query<{ at: string }>(`select ${sqlIsoMillis('clock_timestamp()')} as at`)
  const [now] = rows
  if (!now) throw new Error('the store gave no time')
  return now.at
}

/** Other errors keep their own answer. */
function unwritable(cause: unknown, done: string): unknown {
  if (!(cause instanceof FileFault)) return cause
  return new Rejected(503, {
    type: 'REVOCATIONS_FILE_UNWRITABLE',
    message: `${done}: the file of ARI_REVOCATIONS_FILE can't be written (${cause.message})`,
    hint: 'Let the service write the file, or make room on its disk, then do the same again; without this line, a restore of an earlier backup would undo the revocation',
  })
}

/** How many of each were revoked again. */
export type Enforced = Record<keyof typeof none, number>

const none = {
  keys: 0,
  tokens: 0,
  operators: 0,
  /** Operators reset to their lower role. */
  roles: 0,
  /** Passwords that had been replaced: their operators need a new link. */
  passwords: 0,
  /** Keys and key secrets reset to their earlier end. */
  ends: 0,
  /** Keys that sign with a replaced secret. The newer one is lost, so they must be rotated once more. */
  signingSecrets: 0,
}

export async function enforceRevoked(db: Queryable, noted: readonly Noted[]): Promise<Enforced> {
  if (noted.length === 0) return none
  const ofKind = (kind: NoteKind, applies: (is: string) => boolean): string =>
    JSON.stringify(noted.filter((one) => one.kind === kind && applies(one.is)))
  const isRevoked = (is: string): boolean => is === 'revoked'
  const isInstant = (is: string): boolean => Number.isFinite(Date.parse(is))
  const { rows } = await db.query<Enforced>(statement, [
    ofKind('key', isRevoked),
    ofKind('token', isRevoked),
    ofKind('operator', isRevoked),
    ofKind('role', (is) => operatorRoles.some((role) => role === is)),
    ofKind('password', isRevoked),
    ofKind('key', isInstant),
    ofKind('secret', isInstant),
    ofKind('signing', isRevoked),
    operatorRoles,
  ])
  return rows[0] ?? none
}

const notes = (parameter: string): string =>
  `jsonb_to_recordset(${parameter}::jsonb) as note (hash text, "is" text, at timestamptz)`
/** Notes have milliseconds; of the same one, less access holds. */
const isNotGivenBack = (table: string): string =>
  `(${table}.given_back_at is null or date_trunc('milliseconds', ${table}.given_back_at) <= note.at)`

/**
 * Only one of these may write a row: a revoked key's end or a disabled operator's role waits for the next
 * run.
 */
const statement = `
  with keys as (
    update api_key set revoked_at = clock_timestamp() where revoked_at is null
      and id in (select key_id from api_key_secret where encode(hash, 'hex') in (select hash from ${notes('$1')})) returning id),
  tokens as (
    update access_token set revoked_at = clock_timestamp()
    where revoked_at is null and encode(hash, 'hex') in (select hash from ${notes('$2')}) returning id),
  disabled as (
    select operator.id from operator join ${notes('$3')} on note.hash = ${hashOf('operator.name_key')}
    where disabled_at is null and ${isNotGivenBack('operator')}),
  lowered as (
    select operator.id, note."is" as role from operator
    join ${notes('$4')} on note.hash = ${hashOf('operator.name_key')}
    where array_position($9::text[], note."is") < array_position($9::text[], operator.role)
      and ${isNotGivenBack('operator')}),
  forgotten as (select id from operator where ${hashOf('password_hash')} in (select hash from ${notes('$5')})),
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
    update api_key set expires_at = noted.ends_at from (
      select secret.key_id, min(note."is"::timestamptz) as ends_at
      from ${notes('$6')} join api_key_secret as secret on encode(secret.hash, 'hex') = note.hash
      join api_key as key on key.id = secret.key_id
      where ${isNotGivenBack('key')} group by secret.key_id
    ) as noted
    where id = noted.key_id and revoked_at is null and (expires_at is null or expires_at > noted.ends_at)
      and id not in (select id from keys) returning id),
  secrets as (
    update api_key_secret set expires_at = note."is"::timestamptz from ${notes('$7')}
    where encode(api_key_secret.hash, 'hex') = note.hash
      and (expires_at is null or expires_at > note."is"::timestamptz) returning key_id),
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
    (select count(*)::int from api_key where revoked_at is null and ${hashOf('signing_secret')} in (select hash from ${notes('$8')})) as "signingSecrets"`
