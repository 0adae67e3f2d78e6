import type { Queryable } from '../postgres/postgres.ts'
import { tokenNotFound } from './manage.ts'
import { checkChannel } from './names.ts'
import type { TokenRole } from './store.ts'

/** null: none. Returns the channel that the token had. */
export async function setTokenChannel(
  connection: Queryable,
  tokenId: number,
  channel: string | null,
): Promise<string | null> {
  const { rows } = await connection.query<{ role: TokenRole; channel: string | null }>(
    'select role, channel from access_token where id = $1 for no key update',
    [tokenId],
  )
  const [token] = rows
  if (!token) throw tokenNotFound(tokenId)
  if (channel !== null) checkChannel(token.role, channel)
  await connection.query('update access_token set channel = $2 where id = $1', [tokenId, channel])
  return token.channel
}
