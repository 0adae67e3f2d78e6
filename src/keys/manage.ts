import { sqlIsoSeconds, type Database, type Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import type { UnknownFields } from '../http/calls/request-members.ts'
import { transaction } from '../postgres/transaction.ts'
import { limitNames, tokenLimitNames, type OwnLimits, type TokenLimits, type TokenRole } from './store.ts'
import { hashSecret, makeSecret, tailOf, type Environment } from './secret.ts'
import { insertOptionalSupplier, refuseUnknownSupplier, rejectUnlessCertified } from './suppliers.ts'
import { checkChannel, checkName, refuseInvisible } from './names.ts'

/** Operators' actions on keys and tokens. The current time is a parameter, as everywhere. */

export type NewKey = {
  supplier: string
  channelManager: string
  expiresAtMs: number | null
  limits: Partial<OwnLimits>
  /** Defaults to `warn`. */
  unknownFields?: UnknownFields | undefined
  /** Defaults to false. */
  echo?: boolean | undefined
}

export type CreatedKey = { apiKey: string; keyId: number; supplierIsNew: boolean }

/** Creates a key, and its supplier if there is none of that name. The key itself can't be retrieved later. */
export function createKey(db: Database, environment: Environment, wanted: NewKey): Promise<CreatedKey> {
  return transaction(db, (connection) => insertKey(connection, environment, wanted))
}

/**
 * Creates the first key of an empty database; undefined if a supplier exists already. If several processes
 * start at once, only one creates it.
 */
export function createFirstKey(
  db: Database,
  environment: Environment,
  wanted: NewKey,
): Promise<CreatedKey | undefined> {
  return transaction(db, async (connection) => {
    await connection.query('lock table supplier in share row exclusive mode')
    const { rows } = await connection.query('select from supplier limit 1')
    return rows.length > 0 ? undefined : insertKey(connection, environment, wanted)
  })
}

/** The same within an open transaction. */
export async function insertKey(
  connection: Queryable,
  environment: Environment,
  wanted: NewKey,
): Promise<CreatedKey> {
  checkName('Supplier', wanted.supplier)
  const createdId = await insertOptionalSupplier(connection, wanted.supplier)
  return { ...(await insertKeyOf(connection, environment, wanted)), supplierIsNew: createdId !== undefined }
}

/** The same for a supplier that there is. */
export async function insertKeyOf(
  connection: Queryable,
  environment: Environment,
  wanted: NewKey,
): Promise<Omit<CreatedKey, 'supplierIsNew'>> {
  checkName('Channel manager', wanted.channelManager)
  refuseInvisible('Channel manager', wanted.channelManager)
  if (environment === 'production') await rejectUnlessCertified(connection, wanted.supplier)
  const { rows } = await connection.query<{ id: number }>(
    `insert into api_key (supplier_id, channel_manager, expires_at, requests_per_minute, requests_burst,
       body_bytes_max, ari_items_max, ari_cells_max, unknown_fields, echo)
     select id, $2, instant($3), $4, $5, $6, $7, $8, $9, $10 from supplier where name = $1
     returning id`,
    [
      wanted.supplier,
      wanted.channelManager,
      wanted.expiresAtMs,
      ...limitNames.map((name) => wanted.limits[name] ?? null),
      wanted.unknownFields ?? 'warn',
      wanted.echo ?? false,
    ],
  )
  const [row] = rows
  if (!row) throw new Error(`Supplier "${wanted.supplier}" was removed meanwhile`)
  const apiKey = await insertSecret(connection, environment, row.id)
  return { apiKey, keyId: row.id }
}

async function insertSecret(connection: Queryable, environment: Environment, keyId: number): Promise<string> {
  const apiKey = makeSecret('supplier', environment)
  await connection.query('insert into api_key_secret (hash, key_id, tail) values ($1, $2, $3)', [
    Buffer.from(hashSecret(apiKey), 'hex'),
    keyId,
    tailOf(apiKey),
  ])
  return apiKey
}

export type ListedKey = {
  keyId: number
  supplier: string
  channelManager: string
  status: 'active' | 'expired' | 'revoked'
  /** The last characters of its valid secrets: two during a rotation, the newest first. */
  tails: string[]
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  lastRefusedAt: string | null
  unknownFields: UnknownFields
  /** Whether its pushes of ARI are answered with readings by default. */
  echo: boolean
  /** Limits that equal the default are null. */
  limits: OwnLimits
}

/** All keys, or those of one supplier; refuses an unknown supplier name. */
export async function selectKeys(
  db: Queryable,
  nowMs: number,
  supplier: string | undefined,
): Promise<ListedKey[]> {
  const { rows } = await db.query<ListedKey>(
    `select k.id as "keyId", s.name as supplier, k.channel_manager as "channelManager",
       ${statusOf('k')} as status,
       array(select tail from api_key_secret ks where ks.key_id = k.id
         and (ks.expires_at is null or ks.expires_at > instant($1))
         order by ks.created_at desc) as tails,
       ${sqlIsoSeconds('k.created_at')} as "createdAt", ${sqlIsoSeconds('k.expires_at')} as "expiresAt",
       ${sqlIsoSeconds('k.revoked_at')} as "revokedAt", ${sqlIsoSeconds('k.last_used_at')} as "lastUsedAt",
       ${sqlIsoSeconds('k.last_refused_at')} as "lastRefusedAt", k.unknown_fields as "unknownFields", k.echo,
       json_build_object('requestsPerMinute', k.requests_per_minute, 'requestsBurst', k.requests_burst,
         'bodyBytesMax', k.body_bytes_max, 'ariItemsMax', k.ari_items_max, 'ariCellsMax', k.ari_cells_max) as limits
     from api_key k join supplier s on s.id = k.supplier_id
     where $2::text is null or s.name = $2
     order by s.name, k.id`,
    [nowMs, supplier ?? null],
  )
  if (supplier !== undefined && rows.length === 0) await refuseUnknownSupplier(db, supplier)
  return rows
}

/** Revokes permanently, from now on. Revoking twice keeps the first time. */
export async function revokeKey(db: Queryable, keyId: number, nowMs: number): Promise<void> {
  const revoke = `update api_key set revoked_at = coalesce(revoked_at, instant($2)) where id = $1`
  const { rowCount } = await db.query(revoke, [keyId, nowMs])
  if (rowCount === 0) throw keyNotFound(keyId)
}

/** Sets when the key and all its secrets expire; null means never. */
export async function expireKey(db: Queryable, keyId: number, atMs: number | null): Promise<void> {
  const { rowCount } = await db.query('update api_key set expires_at = instant($2) where id = $1', [
    keyId,
    atMs,
  ])
  if (rowCount === 0) throw keyNotFound(keyId)
}

/** Gives the key a new secret; its old secrets stay valid during the overlap. Nothing else changes. */
export function rotateKey(
  db: Database,
  environment: Environment,
  keyId: number,
  at: { nowMs: number; oldUntilMs: number },
): Promise<string> {
  return transaction(db, (connection) => replaceSecret(connection, environment, keyId, at))
}

/** The same within an open transaction. */
export async function replaceSecret(
  connection: Queryable,
  environment: Environment,
  keyId: number,
  at: { nowMs: number; oldUntilMs: number },
): Promise<string> {
  const { rows } = await connection.query<{ status: ListedKey['status'] }>(
    `select ${statusOf('k')} as status from api_key k where id = $2 for update`,
    [at.nowMs, keyId],
  )
  const [row] = rows
  if (!row) throw keyNotFound(keyId)
  if (row.status !== 'active') {
    throw new Rejected(409, {
      type: 'KEY_NOT_ACTIVE',
      message: `Key ${keyId} is ${row.status} and can't be rotated`,
      hint: row.status === 'expired' ? `Set another end first: key expire ${keyId}` : 'Create a new key',
    })
  }
  await connection.query(
    // least() ignores null, which means "no end".
    `update api_key_secret set expires_at = least(expires_at, instant($2)) where key_id = $1`,
    [keyId, at.oldUntilMs],
  )
  return insertSecret(connection, environment, keyId)
}

export type NewToken = {
  role: TokenRole
  name: string
  expiresAtMs: number | null
  /** Where its owner sells: of a platform's token. */
  channel?: string | undefined
  /** Of a platform's token. */
  limits?: Partial<TokenLimits>
}

export async function createToken(
  db: Queryable,
  environment: Environment,
  wanted: NewToken,
): Promise<{ token: string; tokenId: number }> {
  checkName('Token', wanted.name)
  refuseInvisible('Token', wanted.name)
  if (wanted.channel !== undefined) checkChannel(wanted.role, wanted.channel)
  const token = makeSecret(wanted.role, environment)
  const { rows } = await db.query<{ id: number }>(
    `insert into access_token (hash, role, name, tail, expires_at, channel, requests_per_minute, requests_burst)
     values ($1, $2, $3, $4, instant($5), $6, $7, $8) returning id`,
    [
      Buffer.from(hashSecret(token), 'hex'),
      wanted.role,
      wanted.name,
      tailOf(token),
      wanted.expiresAtMs,
      wanted.channel ?? null,
      ...tokenLimitNames.map((name) => wanted.limits?.[name] ?? null),
    ],
  )
  const [row] = rows
  if (!row) throw new Error('The token was not stored')
  return { token, tokenId: row.id }
}

export type ListedToken = {
  tokenId: number
  role: TokenRole
  name: string
  /** Where its owner sells, unless a booking says otherwise. */
  channel: string | null
  status: ListedKey['status']
  tail: string
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  /** Limits that equal the default are null. */
  limits: TokenLimits
}

export async function selectTokens(db: Queryable, nowMs: number): Promise<ListedToken[]> {
  const { rows } = await db.query<ListedToken>(
    `select id as "tokenId", role, name, channel, ${statusOf('t')} as status, tail,
       ${sqlIsoSeconds('created_at')} as "createdAt", ${sqlIsoSeconds('expires_at')} as "expiresAt",
       ${sqlIsoSeconds('revoked_at')} as "revokedAt", ${sqlIsoSeconds('last_used_at')} as "lastUsedAt",
       json_build_object('requestsPerMinute', requests_per_minute, 'requestsBurst', requests_burst) as limits
     from access_token t order by id`,
    [nowMs],
  )
  return rows
}

export async function revokeToken(db: Queryable, tokenId: number, nowMs: number): Promise<void> {
  const { rowCount } = await db.query(
    `update access_token set revoked_at = coalesce(revoked_at, instant($2)) where id = $1`,
    [tokenId, nowMs],
  )
  if (rowCount === 0) throw tokenNotFound(tokenId)
}

export function tokenNotFound(tokenId: number): Rejected {
  return new Rejected(404, {
    type: 'TOKEN_NOT_FOUND',
    message: `Token ${tokenId} not found`,
    hint: 'token list shows the ids',
  })
}

export function keyNotFound(keyId: number): Rejected {
  return new Rejected(404, {
    type: 'KEY_NOT_FOUND',
    message: `Key ${keyId} not found`,
    hint: 'key list shows the ids',
  })
}

/** $1 is the current time. */
function statusOf(alias: string): string {
  return `case when ${alias}.revoked_at is not null then 'revoked'
    when ${alias}.expires_at <= instant($1) then 'expired' else 'active' end`
}
