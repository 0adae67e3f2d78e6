import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { defaultLimits, type OwnLimits } from '../../keys/store.ts'
import { selectAccount } from '../../keys/suppliers.ts'
import { managedSecretsPerDayMax } from './contract.ts'

/** The limits within which a supplier's own managers make and rotate its keys. */

/** Of keys of an account that may have few hotels. */
const smallBodyBytes = 1024 * 1024

/** The limits of a new key, if there may be one more; locks the account, so that two managers don't make it twice. */
export async function limitsOfManaged(
  connection: Queryable,
  supplierId: number,
  nowMs: number,
): Promise<Partial<OwnLimits>> {
  await connection.query('select from supplier where id = $1 for no key update', [supplierId])
  const {
    managedKeysMax: keysMax,
    managedKeyRateMax: perMinute,
    hotelsMax,
  } = await selectAccount(connection, supplierId)
  if ((await countActiveKeys(connection, supplierId, nowMs)) >= keysMax) throw enoughKeys(keysMax)
  await refuseManySecrets(connection, supplierId)
  return {
    ...(perMinute === defaultLimits.requestsPerMinute ? {} : { requestsPerMinute: perMinute }),
    ...(hotelsMax > 0 ? { bodyBytesMax: smallBodyBytes } : {}),
  }
}

async function countActiveKeys(connection: Queryable, supplierId: number, nowMs: number): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from api_key
     where supplier_id = $1 and revoked_at is null and (expires_at is null or expires_at > instant($2))`,
    [supplierId, nowMs],
  )
  return rows[0]?.count ?? 0
}

/** Keys and their secrets are stored for good, so their number has a limit that no person reaches. */
export async function refuseManySecrets(connection: Queryable, supplierId: number): Promise<void> {
  // So that several at the same moment don't each count without the others.
  await connection.query('select from supplier where id = $1 for no key update', [supplierId])
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from api_key_secret join api_key on api_key.id = key_id
     where supplier_id = $1 and api_key_secret.created_at > now() - interval '24 hours'`,
    [supplierId],
  )
  if ((rows[0]?.count ?? 0) < managedSecretsPerDayMax) return
  throw new Rejected(409, {
    type: 'TOO_MANY_KEYS_TODAY',
    message: `${managedSecretsPerDayMax} keys were created or rotated within 24 hours`,
    hint: 'Create the next one tomorrow, or ask the platform',
  })
}

function enoughKeys(keysMax: number): Rejected {
  return new Rejected(409, {
    type: 'ENOUGH_KEYS',
    message:
      keysMax === 0
        ? 'Only the platform can create keys for this supplier'
        : `At most ${keysMax} keys may be active`,
    hint: 'Revoke one that nobody uses, or ask the platform for another key or a higher limit',
  })
}
