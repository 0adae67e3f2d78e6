import type { Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import { newSigningSecret } from '../outbound/signature.ts'
import { keyNotFound } from './manage.ts'

/**
 * Gives a key another secret for signing calls of its URLs. During the overlap both sign, so that the
 * supplier can switch at any time. A secret that had already been replaced before stops signing.
 */
export async function rotateSigningSecret(
  db: Queryable,
  keyId: number,
  oldUntilMs: number,
): Promise<{ signingSecret: string }> {
  const signingSecret = newSigningSecret()
  const { rowCount } = await db.query(
    `update api_key set signing_secret = $2, signing_secret_previous = signing_secret,
       signing_secret_previous_until = instant($3)
     where id = $1 and signing_secret is not null`,
    [keyId, signingSecret, oldUntilMs],
  )
  if (rowCount === 1) return { signingSecret }
  const { rowCount: count } = await db.query('select from api_key where id = $1', [keyId])
  if (count === 0) throw keyNotFound(keyId)
  throw new Rejected(409, {
    type: 'NO_SIGNING_SECRET',
    message: `Key ${keyId} has no signing secret`,
    hint: 'A key gets one when its first webhook is registered',
  })
}
