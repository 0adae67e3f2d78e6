import { hash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import type { Queryable } from '../platform/postgres.ts'
import { isRecord } from '../platform/validate.ts'

/**
 * What was revoked, in a file outside the store: a restore brings back keys, tokens and operators that were revoked since the backup,
 * and the database alone can't know. A line of JSON each, appended and on disk before the revocation is committed; hashes only.
 */

const kinds = ['key', 'token', 'operator'] as const
type Kind = (typeof kinds)[number]

/** An operator who was disabled may be enabled again: the last line of a hash counts. */
type Line = { kind: Kind; hash: string; is: 'revoked' | 'enabled' }

export type Revocations = {
  keyRevoked: (connection: Queryable, keyId: number) => Promise<void>
  tokenRevoked: (connection: Queryable, tokenId: number) => Promise<void>
  operatorDisabled: (nameKey: string) => Promise<void>
  operatorEnabled: (nameKey: string) => Promise<void>
  /** Revokes again what came back. */
  enforce: (db: Queryable) => Promise<Enforced>
}

/** How many of each kind were revoked again. */
export type Enforced = { keys: number; tokens: number; operators: number }

/** Where no file is named. */
export const noRevocations: Revocations = {
  keyRevoked: async () => {},
  tokenRevoked: async () => {},
  operatorDisabled: async () => {},
  operatorEnabled: async () => {},
  enforce: async () => ({ keys: 0, tokens: 0, operators: 0 }),
}

export function revocationsIn(file: string | undefined): Revocations {
  if (file === undefined) return noRevocations
  const tell = async (kind: Kind, hashes: readonly string[], is: Line['is']) => {
    if (hashes.length > 0)
      await append(
        file,
        hashes.map((one) => ({ kind, hash: one, is })),
      )
  }
  return {
    keyRevoked: async (connection, keyId) => {
      const text = `select encode(hash, 'hex') as hash from api_key_secret where key_id = $1`
      await tell('key', await hashesOf(connection, text, keyId), 'revoked')
    },
    tokenRevoked: async (connection, tokenId) => {
      const text = `select encode(hash, 'hex') as hash from access_token where id = $1`
      await tell('token', await hashesOf(connection, text, tokenId), 'revoked')
    },
    operatorDisabled: (nameKey) => tell('operator', [hashOfName(nameKey)], 'revoked'),
    operatorEnabled: (nameKey) => tell('operator', [hashOfName(nameKey)], 'enabled'),
    enforce: async (db) => enforce(db, await read(file)),
  }
}

function hashOfName(nameKey: string): string {
  return hash('sha256', nameKey, 'hex')
}

async function hashesOf(connection: Queryable, text: string, id: number): Promise<string[]> {
  const { rows } = await connection.query<{ hash: string }>(text, [id])
  return rows.map((row) => row.hash)
}

/** One write a call, so that lines of several processes don't mix. */
async function append(file: string, lines: readonly Line[]): Promise<void> {
  const at = new Date().toISOString()
  const text = lines.map((line) => `${JSON.stringify({ at, ...line })}\n`).join('')
  try {
    const handle = await open(file, 'a+', 0o600)
    try {
      // Behind a line that a crash cut off, a new one begins.
      const begun = (await endsWithLine(handle)) ? '' : '\n'
      await handle.appendFile(begun + text)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (cause) {
    throw new Error(
      `Nothing was revoked, because ${file} can't be written: mend that, or take ARI_REVOCATIONS_FILE away`,
      { cause },
    )
  }
}

type File = Awaited<ReturnType<typeof open>>

async function endsWithLine(handle: File): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return true
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n'
}

/** What holds now, by kind. Makes the file where there is none, so that a wrong path is told at the start. */
async function read(file: string): Promise<Record<Kind, string[]>> {
  const handle = await open(file, 'a', 0o600).catch((cause: unknown) => {
    throw new Error(
      `ARI_REVOCATIONS_FILE ${file} can't be written: make its folder, and let this user write it`,
      { cause },
    )
  })
  await handle.close()
  const last = new Map<string, Line>()
  for (const text of (await readFile(file, 'utf8')).split('\n')) {
    const line = readLine(text)
    if (line) last.set(`${line.kind} ${line.hash}`, line)
  }
  const held = [...last.values()].filter(({ is }) => is === 'revoked')
  const ofKind = (kind: Kind) => held.filter((line) => line.kind === kind).map((line) => line.hash)
  return { key: ofKind('key'), token: ofKind('token'), operator: ofKind('operator') }
}

/** Undefined for a line that a crash cut off: what it was of was not committed. */
function readLine(text: string): Line | undefined {
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const kind = kinds.find((one) => one === value['kind'])
  const { hash: hashed, is } = value
  if (kind === undefined || typeof hashed !== 'string' || !/^[0-9a-f]{64}$/.test(hashed)) return undefined
  return is === 'revoked' || is === 'enabled' ? { kind, hash: hashed, is } : undefined
}

async function enforce(db: Queryable, revoked: Record<Kind, readonly string[]>): Promise<Enforced> {
  const { rows } = await db.query<Enforced>(
    `with keys as (
       update api_key set revoked_at = clock_timestamp() where revoked_at is null
         and id in (select key_id from api_key_secret where encode(hash, 'hex') = any($1)) returning id),
     tokens as (
       update access_token set revoked_at = clock_timestamp()
       where revoked_at is null and encode(hash, 'hex') = any($2) returning id),
     operators as (
       update operator set disabled_at = clock_timestamp() where disabled_at is null
         and encode(sha256(convert_to(name_key, 'UTF8')), 'hex') = any($3) returning id),
     sessions as (delete from operator_session where operator_id in (select id from operators)),
     links as (delete from operator_sign_in_link where operator_id in (select id from operators)),
     told as (
       insert into audit_log (operator_name, action, subject)
       select 'revocations file', 'key.revoke', 'key ' || id from keys
       union all select 'revocations file', 'token.revoke', 'token ' || id from tokens
       union all select 'revocations file', 'operator.disable', 'operator ' || id from operators)
     select (select count(*)::int from keys) as keys, (select count(*)::int from tokens) as tokens,
       (select count(*)::int from operators) as operators`,
    [revoked.key, revoked.token, revoked.operator],
  )
  return rows[0] ?? { keys: 0, tokens: 0, operators: 0 }
}
