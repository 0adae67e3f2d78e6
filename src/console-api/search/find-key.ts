import { instantOf, optionalInstant } from '../../base/calendar.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { hashSecret, recogniseSecret, secretIn, type Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { keySubject } from '../suppliers/rules.ts'
import { foundMax, searchRoutes, type FoundKey, type FoundSecret } from './contract.ts'

/**
 * POST /search/key: whose a pasted key or token is, so that a leaked one can be revoked. The pasted text is in a body, not
 * in an address, and nothing of it is answered or stored: only its hash is looked up.
 */
export const searchKey = ({ db, clock, environment }: Needs & { environment: Environment }): Mounted =>
  on(searchRoutes.searchKey, async ({ body, operator, requestId }) => {
    const secret = secretIn(body.pasted)
    const meaning = secret === undefined ? undefined : recogniseSecret(secret)
    if (secret === undefined || !meaning) return answer(200, { is: 'incomplete' as const })
    if (meaning.environment !== environment) return answer(200, { is: 'otherEnvironment' as const })
    const found = await selectOptionalSecret(db, hashSecret(secret), clock.now())
    if (!found) return answer(200, { is: 'unknown' as const })
    const subject =
      found.is === 'key' ? keySubject(found.key.keyId, found.key) : `token ${found.token.tokenId}`
    const lookUp = { operator, requestId, action: 'key.look-up', subject } as const
    if (!(await wasLookedUp(db, lookUp))) await audit(db, lookUp)
    return answer(200, found)
  })

/** The log is kept forever: one line an hour is enough of the same operator and key. */
async function wasLookedUp(
  db: Queryable,
  { operator, action, subject }: { operator: { name: string }; action: string; subject: string },
): Promise<boolean> {
  const { rows } = await db.query(
    `select from audit_log where operator_name = $1 and action = $2 and subject = $3
       and at > clock_timestamp() - interval '1 hour' limit 1`,
    [operator.name, action, subject],
  )
  return rows.length > 0
}

type FoundOne = Exclude<FoundSecret, { is: 'incomplete' | 'otherEnvironment' | 'unknown' }>

async function selectOptionalSecret(
  db: Queryable,
  secretHash: string,
  nowMs: number,
): Promise<FoundOne | undefined> {
  const [key] = await selectFoundKeys(db, 'hash = $2', Buffer.from(secretHash, 'hex'), nowMs)
  if (key) return { is: 'key', key }
  type Token = Extract<FoundOne, { is: 'token' }>['token']
  const { rows } = await db.query<Omit<Token, 'lastUsedAt'> & { lastUsedAtMs: number | null }>(
    `select id as "tokenId", name, role, ${statusOf('access_token')} as status, epoch_ms(last_used_at) as "lastUsedAtMs"
     from access_token where hash = $2`,
    [nowMs, Buffer.from(secretHash, 'hex')],
  )
  const [row] = rows
  if (!row) return undefined
  const { lastUsedAtMs, ...token } = row
  return { is: 'token', token: { ...token, lastUsedAt: optionalInstant(lastUsedAtMs) } }
}

/** A shown ending, with the dots before it or without. */
const shownEnding = /^(?:…|\.{2,3})?([0-9A-Za-z]{4})$/

export async function findKeysByEnding({ db, clock }: Needs, typed: string): Promise<FoundKey[]> {
  const [, ending] = shownEnding.exec(typed) ?? []
  return ending === undefined ? [] : selectFoundKeys(db, 'tail = $2', ending, clock.now())
}

async function selectFoundKeys(
  db: Queryable,
  condition: string,
  value: string | Buffer,
  nowMs: number,
): Promise<FoundKey[]> {
  type Row = Omit<FoundKey, 'kind' | 'lastUsedAt' | 'createdAt' | 'worksUntil'> & {
    lastUsedAtMs: number | null
    createdAtMs: number
    worksUntilMs: number | null
  }
  const { rows } = await db.query<Row>(
    `select api_key.id as "keyId", supplier.id as "supplierId", supplier.name as supplier,
       channel_manager as "channelManager", tail, ${statusOf('api_key')} as status,
       epoch_ms(api_key.created_at) as "createdAtMs", epoch_ms(last_used_at) as "lastUsedAtMs",
       epoch_ms(least(secret.expires_at, api_key.expires_at)) as "worksUntilMs",
       revoked_at is null and coalesce(least(secret.expires_at, api_key.expires_at) > instant($1), true) as works
     from api_key_secret as secret join api_key on api_key.id = secret.key_id
       join supplier on supplier.id = api_key.supplier_id
     where secret.${condition} order by works desc, secret.created_at desc limit $3`,
    [nowMs, value, foundMax],
  )
  return rows.map(({ lastUsedAtMs, createdAtMs, worksUntilMs, ...row }) => ({
    kind: 'key',
    ...row,
    createdAt: instantOf(createdAtMs),
    lastUsedAt: optionalInstant(lastUsedAtMs),
    worksUntil: optionalInstant(worksUntilMs),
  }))
}

/** $1 is the current time. */
const statusOf = (table: string): string => `case when ${table}.revoked_at is not null then 'revoked'
  when ${table}.expires_at <= instant($1) then 'expired' else 'active' end`
