import { audit } from '../operators/accounts/audit.ts'
import { subjectOf, type ChangeContext } from '../operators/accounts/manage.ts'
import { removeSecondFactor } from '../operators/accounts/second-factor.ts'
import { deleteSessionsOf, deleteSignInLinks } from '../operators/sessions/session-store.ts'
import { signUpItself } from './sign-up.ts'
import { signUpLimits } from '../operators/sign-up-contract.ts'
import { updateDisabled } from '../operators/accounts/store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import { dayMs } from '../base/calendar.ts'
import { revokeKey } from '../keys/manage.ts'
import { resetAccount, type ResetNeeds } from './account.ts'

type AbandonedNeeds = ResetNeeds & Pick<ChangeContext, 'revocations'>
type Account = { signUpId: number; supplierId: number; supplier: string }

/**
 * Ends accounts that developers made themselves and have not used for so long: keys revoked, people shut out, hotels
 * removed. Their name stays theirs: who signs up again with the same address goes on under it. Returns how many were ended.
 */
export async function endAbandonedAccounts(needs: AbandonedNeeds, untilMs: number): Promise<number> {
  const at = { lastMs: untilMs - signUpLimits.abandonedDays * dayMs, nowMs: untilMs }
  const { rows } = await needs.db.query<Account>(
    `select sign_up.id as "signUpId", supplier.id as "supplierId", supplier.name as supplier
     ${unusedSince} order by sign_up.id limit 100`,
    [at.lastMs],
  )
  let ended = 0
  for (const account of rows) if (await endAccess(needs, account, at)) ended++
  await removeLeftHotels(needs)
  return ended
}

/** Of ended accounts that nobody uses again, those too whose end was interrupted. */
async function removeLeftHotels(needs: AbandonedNeeds): Promise<void> {
  const { rows } = await needs.db.query<{ supplierId: number }>(
    `select operator.supplier_id as "supplierId" ${isLeft}
       and exists (select from hotel where hotel.supplier_id = operator.supplier_id)
     order by sign_up.id limit 100`,
  )
  for (const { supplierId } of rows) {
    try {
      await resetAccount(needs, supplierId, isStillLeft)
    } catch (error) {
      // The others must not wait for this one.
      needs.log.error(
        { err: error, supplierId },
        'an ended account could not be emptied; this will be repeated',
      )
    }
  }
}

const isLeft = `
  from sign_up join operator on operator.id = operator_id
  where operator.disabled_at = ended_at
    and not exists (
      select from operator as person where person.supplier_id = operator.supplier_id and person.disabled_at is null)
    and not exists (
      select from api_key where api_key.supplier_id = operator.supplier_id and revoked_at is null)`

/**
 * Somebody may have come back since the accounts were listed. Whoever comes back later finds the account empty: the lock
 * keeps new keys and hotels waiting, because they refer to the account.
 */
async function isStillLeft(connection: Queryable, supplierId: number): Promise<boolean> {
  await connection.query('select from supplier where id = $1 for update', [supplierId])
  const { rowCount } = await connection.query(`select ${isLeft} and operator.supplier_id = $1`, [supplierId])
  return rowCount !== 0
}

/** $1: the moment in milliseconds. */
const unusedSince = `
  from sign_up join operator on operator.id = sign_up.operator_id join supplier on supplier.id = operator.supplier_id
  where sign_up.ended_at is null and sign_up.confirmed_at <= instant($1)
    and not exists (
      select from operator as person where person.supplier_id = supplier.id and person.last_sign_in_at > instant($1))
    and not exists (
      select from api_key where api_key.supplier_id = supplier.id and api_key.last_used_at > instant($1))`

/** False if it was used in the meantime. */
function endAccess(
  { db, revocations }: AbandonedNeeds,
  { signUpId, supplierId, supplier }: Account,
  { lastMs, nowMs }: { lastMs: number; nowMs: number },
): Promise<boolean> {
  return transaction(db.unhurried, async (connection) => {
    const { rowCount } = await connection.query(
      `update sign_up as one set ended_at = instant($3) where id = $2 and id in (select sign_up.id ${unusedSince})`,
      [lastMs, signUpId, nowMs],
    )
    if (rowCount === 0) return false
    for (const keyId of await activeKeys(connection, supplierId)) {
      await revokeKey(connection, keyId, nowMs)
      await revocations.note(connection, 'key', keyId)
    }
    for (const person of await activePeople(connection, supplierId)) {
      const { operatorId } = person
      await updateDisabled(connection, operatorId, { atMs: nowMs, byPlatform: false })
      await removeSecondFactor(connection, operatorId)
      await deleteSessionsOf(connection, operatorId)
      await deleteSignInLinks(connection, operatorId)
      await revocations.note(connection, 'operator', operatorId)
      await audit(connection, { ...byItself, action: 'operator.disable', subject: subjectOf(person) })
    }
    const subject = `supplier ${supplierId} "${supplier}"`
    await audit(connection, { ...byItself, action: 'supplier.abandoned', subject })
    return true
  })
}

const byItself = { operator: signUpItself, requestId: undefined } as const

async function activeKeys(connection: Queryable, supplierId: number): Promise<number[]> {
  const { rows } = await connection.query<{ id: number }>(
    'select id from api_key where supplier_id = $1 and revoked_at is null order by id',
    [supplierId],
  )
  return rows.map(({ id }) => id)
}

async function activePeople(
  connection: Queryable,
  supplierId: number,
): Promise<{ operatorId: number; name: string }[]> {
  const { rows } = await connection.query<{ operatorId: number; name: string }>(
    'select id as "operatorId", name from operator where supplier_id = $1 and disabled_at is null order by id',
    [supplierId],
  )
  return rows
}
