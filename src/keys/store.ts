import type { Caller, RateLimit } from '../http/calls/call.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { UnknownFields } from '../http/calls/request-members.ts'
import type { Environment } from './secret.ts'

type KeyLimits = Caller['limits']

/** The limits of a key that has none of its own. */
export const defaultLimits = {
  requestsPerMinute: 6_000,
  requestsBurst: 1_000,
  bodyBytesMax: 10 * 1024 * 1024,
  ariItemsMax: 1_000,
  ariCellsMax: 200_000,
} as const

export const limitNames = [
  'requestsPerMinute',
  'requestsBurst',
  'bodyBytesMax',
  'ariItemsMax',
  'ariCellsMax',
] as const
type LimitName = (typeof limitNames)[number]

/** A key's own limits, as stored: null means the default. */
export type OwnLimits = Record<LimitName, number | null>

/** The range of values for each limit. A rate of 0 is allowed; an unlimited body size is not. */
export const limitRanges: Readonly<Record<LimitName, { min: number; max: number }>> = {
  requestsPerMinute: { min: 0, max: 10_000_000 },
  requestsBurst: { min: 1, max: 10_000_000 },
  bodyBytesMax: { min: 1_024, max: 100 * 1024 * 1024 },
  ariItemsMax: { min: 1, max: 100_000 },
  ariCellsMax: { min: 1, max: 10_000_000 },
}

/** A key with its own rate but no burst of its own keeps the default's proportion: ten seconds' worth. */
const burstSeconds = (defaultLimits.requestsBurst / defaultLimits.requestsPerMinute) * 60

export function limitsOf(own: OwnLimits): KeyLimits {
  return {
    rate: rateOf(own, defaultLimits.requestsPerMinute),
    bodyBytesMax: own.bodyBytesMax ?? defaultLimits.bodyBytesMax,
    ariItemsMax: own.ariItemsMax ?? defaultLimits.ariItemsMax,
    ariCellsMax: own.ariCellsMax ?? defaultLimits.ariCellsMax,
  }
}

function rateOf(own: TokenLimits, usual: number): RateLimit | undefined {
  const perMinute = own.requestsPerMinute ?? usual
  const burst = own.requestsBurst ?? Math.max(1, Math.ceil((perMinute * burstSeconds) / 60))
  return perMinute === 0 ? undefined : { perMinute, burst }
}

/** A token's own limits, as stored: null means the default, which is no rate limit. */
export type TokenLimits = Pick<OwnLimits, 'requestsPerMinute' | 'requestsBurst'>
export const tokenLimitNames = ['requestsPerMinute', 'requestsBurst'] as const satisfies readonly LimitName[]

/** Of a platform's token: a single program searches for all guests. */
function rateOfToken(own: TokenLimits): RateLimit | undefined {
  return rateOf(own, 0)
}

/** Queries of the running service for stored keys and tokens; manage.ts creates and changes them. */

export const tokenRoles = ['platform', 'operator'] as const
export type TokenRole = (typeof tokenRoles)[number]

export type KnownKey = { caller: Caller; isRevoked: boolean; expiresAtMs: number | null }
export type KnownToken = {
  id: number
  role: TokenRole
  rate: RateLimit | undefined
  expiresAtMs: number | null
}

type KeyRow = OwnLimits & {
  unknownFields: UnknownFields
  echo: boolean
  keyId: number
  supplierId: number
  supplier: string
  channelManager: string
  expiresAtMs: number | null
}

/** The key of a secret. The caller checks the expiry, by its own clock. */
export async function selectOptionalKey(db: Queryable, hash: string): Promise<KnownKey | undefined> {
  const { rows } = await db.query<KeyRow & { isRevoked: boolean }>({
    name: 'select-optional-key',
    text: `
      select k.id as "keyId", s.id as "supplierId", s.name as supplier, k.channel_manager as "channelManager",
        k.unknown_fields as "unknownFields", k.echo,
        k.revoked_at is not null as "isRevoked",
        -- least() ignores nulls: the earlier of the two ends, or null if neither is set.
        epoch_ms(least(k.expires_at, ks.expires_at)) as "expiresAtMs",
        k.requests_per_minute as "requestsPerMinute", k.requests_burst as "requestsBurst",
        k.body_bytes_max as "bodyBytesMax", k.ari_items_max as "ariItemsMax", k.ari_cells_max as "ariCellsMax"
      from api_key_secret ks join api_key k on k.id = ks.key_id join supplier s on s.id = k.supplier_id
      where ks.hash = $1`,
    values: [Buffer.from(hash, 'hex')],
  })
  const [row] = rows
  if (!row) return undefined
  const { keyId, supplierId, supplier, channelManager, unknownFields, echo, isRevoked, expiresAtMs } = row
  const limits = limitsOf(row)
  const caller = { keyId, supplierId, supplier, channelManager, unknownFields, echo, limits }
  return { caller, isRevoked, expiresAtMs }
}

/** The caller of work that a key has ordered, unless the key is revoked or has expired. */
export async function selectOptionalCaller(
  db: Queryable,
  keyId: number,
  nowMs: number,
): Promise<Caller | undefined> {
  const { rows } = await db.query<Omit<KeyRow, 'expiresAtMs' | 'echo'>>({
    name: 'select-optional-caller',
    text: `
      select k.id as "keyId", s.id as "supplierId", s.name as supplier, k.channel_manager as "channelManager",
        k.unknown_fields as "unknownFields",
        k.requests_per_minute as "requestsPerMinute", k.requests_burst as "requestsBurst",
        k.body_bytes_max as "bodyBytesMax", k.ari_items_max as "ariItemsMax", k.ari_cells_max as "ariCellsMax"
      from api_key k join supplier s on s.id = k.supplier_id
      where k.id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > instant($2))`,
    values: [keyId, nowMs],
  })
  const [row] = rows
  if (!row) return undefined
  const { supplierId, supplier, channelManager, unknownFields } = row
  // Nobody reads the answers of its pushes.
  const echo = false
  return { keyId, supplierId, supplier, channelManager, unknownFields, echo, limits: limitsOf(row) }
}

export async function selectOptionalToken(db: Queryable, hash: string): Promise<KnownToken | undefined> {
  const { rows } = await db.query<Omit<KnownToken, 'rate'> & TokenLimits>({
    name: 'select-optional-token',
    text: `
      select id, role, epoch_ms(expires_at) as "expiresAtMs", requests_per_minute as "requestsPerMinute",
        requests_burst as "requestsBurst"
      from access_token where hash = $1 and revoked_at is null`,
    values: [Buffer.from(hash, 'hex')],
  })
  const [row] = rows
  if (!row) return undefined
  const { id, role, expiresAtMs } = row
  return { id, role, expiresAtMs, rate: rateOfToken(row) }
}

/** Where a token's owner sells, unless a booking says otherwise. */
export async function selectOptionalChannel(db: Queryable, tokenId: number): Promise<string | undefined> {
  const { rows } = await db.query<{ channel: string | null }>({
    name: 'select-optional-channel',
    text: 'select channel from access_token where id = $1',
    values: [tokenId],
  })
  return rows[0]?.channel ?? undefined
}

/** Where the times are kept at which keys and tokens came, and keys in vain. */
const useColumns = {
  key: { table: 'api_key', column: 'last_used_at' },
  refusedKey: { table: 'api_key', column: 'last_refused_at' },
  token: { table: 'access_token', column: 'last_used_at' },
} as const
export type Use = keyof typeof useColumns
export const uses = ['key', 'refusedKey', 'token'] as const satisfies readonly Use[]

export async function updateLastUses(
  db: Queryable,
  use: Use,
  atMsById: ReadonlyMap<number, number>,
): Promise<void> {
  const { table, column } = useColumns[use]
  await db.query(
    `with used as (select * from unnest($1::int[], $2::float8[]) as used (id, at_ms)),
     -- Locked in a fixed order, because several processes write at once.
     locked as (select id from ${table} where id in (select id from used) order by id for no key update)
     update ${table} t set ${column} = greatest(t.${column}, instant(used.at_ms))
     from used join locked using (id) where t.id = used.id`,
    [[...atMsById.keys()], [...atMsById.values()]],
  )
}

/** The environment of this database; undefined before the first start. */
export async function selectOptionalEnvironment(db: Queryable): Promise<Environment | undefined> {
  const { rows } = await db.query<{ name: Environment }>('select name from environment')
  return rows[0]?.name
}

/** Gives a new database its environment and returns the actual one: another process may have been first. */
export async function claimEnvironment(db: Queryable, wanted: Environment): Promise<Environment> {
  await db.query('insert into environment (name) values ($1) on conflict do nothing', [wanted])
  return (await selectOptionalEnvironment(db)) ?? wanted
}
