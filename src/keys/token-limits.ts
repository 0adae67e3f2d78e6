import type { Queryable } from '../postgres/postgres.ts'
import { tokenNotFound } from './manage.ts'
import { tokenLimitNames, type TokenLimits, type TokenRole } from './store.ts'

/** Limits of a token, as operators change them. */

const ownLimits = `requests_per_minute as "requestsPerMinute", requests_burst as "requestsBurst"`

type LimitedToken = { role: TokenRole; limits: TokenLimits }

/** Locked until the transaction ends. */
export async function lockToken(connection: Queryable, tokenId: number): Promise<LimitedToken> {
  const { rows } = await connection.query<TokenLimits & { role: TokenRole }>(
    `select role, ${ownLimits} from access_token where id = $1 for no key update`,
    [tokenId],
  )
  const [row] = rows
  if (!row) throw tokenNotFound(tokenId)
  const { role, ...limits } = row
  return { role, limits }
}

/** Absent limits stay unchanged; null restores the default. Returns the token's own limits afterwards. */
export async function changeTokenLimits(
  connection: Queryable,
  tokenId: number,
  changed: Partial<TokenLimits>,
): Promise<TokenLimits> {
  const { rows } = await connection.query<TokenLimits>(
    `update access_token set
       requests_per_minute = case when $2 then $3 else requests_per_minute end,
       requests_burst = case when $4 then $5 else requests_burst end
     where id = $1 returning ${ownLimits}`,
    [tokenId, ...tokenLimitNames.flatMap((name) => [changed[name] !== undefined, changed[name] ?? null])],
  )
  const [row] = rows
  if (!row) throw tokenNotFound(tokenId)
  return row
}
