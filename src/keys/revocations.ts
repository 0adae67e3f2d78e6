import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { sqlIsoMillis, type Database, type Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import { isRecord } from '../http/validate.ts'
import { operatorRoles } from '../http/route.ts'

/**
 * Revocations, in a file outside the store: a restore brings back keys, tokens and operators that were
 * revoked since the backup, and the database alone can't know that. Each note is a line of JSON, appended and
 * synced to disk. It contains hashes only; for each hash, the last note applies.
 *
 * A revocation is noted before it is committed, and refused if it can't be noted, so no acknowledged
 * revocation is lost. Restoring access is noted after it is committed: until then the file grants less access
 * than the store, never more.
 */

/** Subjects whose access can be restored: the file records their state in the store. */
type Revocable = 'key' | 'token' | 'operator'
/** Subjects whose old value never becomes valid again: it is noted before the new one replaces it. */
type Subject = Revocable | 'password' | 'signing secret'

export type Revocations = {
  /** Within the transaction that revokes access. */
  note: (connection: Queryable, subject: Subject, id: number) => Promise<void>
  /** For restored access, after its own transaction. */
  noteGivenBack: (db: Database, subject: Revocable, id: number) => Promise<void>
  /** Revokes again what came back. `unreadable`: number of lines that can't be read; a crash cuts one off. */
  enforce: (db: Queryable) => Promise<{ enforced: Enforced; unreadable: number }>
}

/** Used if no file is configured. */
export const noRevocations: Revocations = {
  note: async () => {},
  noteGivenBack: async () => {},
  enforce: async (db) => ({ enforced: await enforceRevoked(db, []), unreadable: 0 }),
}

export function revocationsIn(file: string | undefined): Revocations {
  if (file === undefined) return noRevocations
  const append = async (connection: Queryable, subject: Subject, id: number) => {
    const { rows } = await connection.query<Noted>(statements[subject], [id])
    if (rows.length > 0) await appendNote(file, rows)
  }
  return {
    note: (connection, subject, id) =>
      append(connection, subject, id).catch((cause: unknown) => {
        throw unwritable(cause, 'Nothing was changed')
      }),
    noteGivenBack: (db, subject, id) =>
      transaction(db, async (connection) => {
        // Prevents a revocation between reading the state and writing the line.
        await connection.query(locks[subject], [id])
        await append(connection, subject, id)
      }).catch((cause: unknown) => {
        throw unwritable(cause, 'It was done, but a restart will take it back')
      }),
    enforce: async (db) => {
      const { noted, unreadable } = await read(file)
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

const locks: Readonly<Record<Revocable, string>> = {
  key: 'select from api_key where id = $1 for update',
  token: 'select from access_token where id = $1 for update',
  operator: 'select from operator where id = $1 for update',
}

class FileFault extends Error {}

/** Other errors keep their own answer. */
function unwritable(cause: unknown, done: string): unknown {
  if (!(cause instanceof FileFault)) return cause
  return new Rejected(503, {
    type: 'REVOCATIONS_FILE_UNWRITABLE',
    message: `${done}: the file of ARI_REVOCATIONS_FILE can't be written (${cause.message})`,
    hint: 'Let the service write the file, or make room on its disk, and do the same again; without ARI_REVOCATIONS_FILE a restore brings back what was taken away since the backup',
  })
}

/**
 * Each note is one line in one write, so notes of several processes don't mix, and a line that a crash or a
 * full disk cut off has no effect.
 */
async function appendNote(file: string, noted: readonly Noted[]): Promise<void> {
  const text = `${JSON.stringify({ at: new Date().toISOString(), noted })}\n`
  try {
    const handle = await opened(file)
    try {
      // Start a new line after one that a crash cut off.
      const begun = (await endsWithLine(handle)) ? '' : '\n'
      await handle.appendFile(begun + text)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (cause) {
    throw new FileFault(causeOf(cause), { cause })
  }
}

type File = Awaited<ReturnType<typeof open>>

/**
 * Creates a missing file. Accepts only regular files: a pipe would block with rows locked, and /dev/null
 * keeps nothing.
 */
async function opened(file: string): Promise<File> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK } = constants
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error('it is no file')
}

function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause ? String(cause.code) : cause.message
}

async function endsWithLine(handle: File): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return true
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n'
}

/** The notes in force. Creates the file if missing, so that a wrong path is reported at startup. */
async function read(file: string): Promise<{ noted: Noted[]; unreadable: number }> {
  const last = new Map<string, Noted>()
  let unreadable = 0
  for (const line of (await textOf(file)).split('\n')) {
    const noted = line === '' ? [] : readLine(line)
    for (const one of noted ?? []) last.set(`${one.kind} ${one.hash}`, one)
    if (!noted) unreadable++
  }
  return { noted: [...last.values()], unreadable }
}

async function textOf(file: string): Promise<string> {
  try {
    const handle = await opened(file)
    try {
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (cause) {
    const hint = 'name a file in a folder that there is, and let this user read and write it'
    throw new Error(`ARI_REVOCATIONS_FILE ${file} can't be read and written: ${hint} (${causeOf(cause)})`, {
      cause,
    })
  }
}

/** Undefined for a line that was cut off: its revocation was not committed. */
function readLine(line: string): Noted[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  const noted = isRecord(value) && Array.isArray(value['noted']) ? value['noted'].map(readNoted) : [undefined]
  return noted.every((one) => one !== undefined) ? noted : undefined
}

function readNoted(value: unknown): Noted | undefined {
  if (!isRecord(value)) return undefined
  const kind = noteKinds.find((one) => one === value['kind'])
  const { hash: hashed, is } = value
  if (kind === undefined || typeof hashed !== 'string' || !/^[0-9a-f]{64}$/.test(hashed)) return undefined
  return typeof is === 'string' ? { kind, hash: hashed, is } : undefined
}

export const noteKinds = ['key', 'secret', 'token', 'operator', 'role', 'password', 'signing'] as const
type NoteKind = (typeof noteKinds)[number]

/** `is`: `revoked`, `enabled`, an operator's role, or the instant at which a key or a secret of it ends. */
export type Noted = { kind: NoteKind; hash: string; is: string }

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
  const revoked = (kind: NoteKind) =>
    noted.flatMap((one) => (one.kind === kind && one.is === 'revoked' ? [one.hash] : []))
  const ends = (kind: NoteKind): Noted[] =>
    noted.filter((one) => one.kind === kind && Number.isFinite(Date.parse(one.is)))
  const roles = noted.filter(({ kind, is }) => kind === 'role' && operatorRoles.some((role) => role === is))
  const columns = (some: readonly Noted[]) => [some.map(({ hash }) => hash), some.map(({ is }) => is)]
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
