import { hash } from 'node:crypto'
import type { Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { audit } from '../accounts/audit.ts'
import { operatorNameLengthMax } from '../contract.ts'
import { subjectOf } from '../accounts/manage.ts'
import type { Identity, SignInProvider } from './oidc.ts'
import type { SessionOwner } from '../sessions/session-store.ts'
import type { SignInNeeds, SignInContext } from './sign-in.ts'
import { insertOptionalOperator, nameKeyOf } from '../accounts/store.ts'

/**
 * The operator account for an identity of the provider: the account it is linked to; else the one named by its verified
 * e-mail address, which is now linked to it; else a new one, if newcomers have a role. Undefined: no account.
 */
export function optionalAccountOf(
  { db, clock }: SignInNeeds,
  identity: Identity,
  newcomerRole: SignInProvider['newcomerRole'],
  { visit, requestId }: SignInContext,
): Promise<SessionOwner | undefined> {
  return transaction(db, async (connection) => {
    const linked = await selectLinked(connection, identity)
    if (linked !== undefined) return linked.isDisabled ? undefined : linked
    const { email } = identity
    if (email === undefined) return undefined
    const byName = await linkByName(connection, email, identity)
    if (byName !== undefined || newcomerRole === undefined) return byName
    if (!isPlainAddress(email)) return undefined
    const newOperator = { name: email, role: newcomerRole, nowMs: clock.now() }
    const created = await insertOptionalOperator(connection, newOperator)
    // The name belongs to an operator who is linked to another identity, or disabled.
    if (created === undefined) return undefined
    await linkByName(connection, email, identity)
    await audit(connection, {
      operator: {
        id: created,
        name: email,
        role: newcomerRole,
        sessionId: undefined,
        address: visit.address,
      },
      requestId,
      action: 'operator.create',
      subject: subjectOf({ operatorId: created, name: email }),
      after: { name: email, role: newcomerRole, issuer: identity.issuer },
    })
    return { operatorId: created, sessionsEnded: 0 }
  })
}

/**
 * Whether an address may become a name: with other than visible ASCII characters it may look like another one, and
 * gets an account from an admin only.
 */
function isPlainAddress(email: string): boolean {
  return email.length <= operatorNameLengthMax && /^[\x21-\x7e]+$/.test(email)
}

/** False if a sign-in with this state has already succeeded: its cookie was copied. */
export async function useStateOnce(db: Queryable, flowState: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into oidc_state_used (hash) values ($1) on conflict do nothing',
    [hash('sha256', flowState, 'buffer')],
  )
  return rowCount === 1
}

const stateRetention = '7 days'

export async function deleteOldStates(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    'delete from oidc_state_used where at < clock_timestamp() - $1::interval',
    [stateRetention],
  )
  return rowCount ?? 0
}

async function selectLinked(
  db: Queryable,
  { issuer, subject }: Identity,
): Promise<(SessionOwner & { isDisabled: boolean }) | undefined> {
  const { rows } = await db.query<SessionOwner & { isDisabled: boolean }>(
    `select id as "operatorId", sessions_ended as "sessionsEnded", disabled_at is not null as "isDisabled" from operator
     where oidc_issuer = $1 and oidc_subject = $2`,
    [issuer, subject],
  )
  return rows[0]
}

/**
 * Only the case of ASCII letters is ignored in addresses: somebody with a verified look-alike address must not become
 * another operator. Nobody of a supplier: its managers choose the names of accounts, and could choose an operator's.
 */
async function linkByName(
  db: Queryable,
  email: string,
  { issuer, subject }: Identity,
): Promise<SessionOwner | undefined> {
  const { rows } = await db.query<SessionOwner>(
    `update operator set oidc_issuer = $2, oidc_subject = $3
     where name_key = $1 and lower(name collate "C") = lower($4::text collate "C")
       and oidc_subject is null and disabled_at is null and supplier_id is null
     returning id as "operatorId", sessions_ended as "sessionsEnded"`,
    [nameKeyOf(email), issuer, subject, email],
  )
  return rows[0]
}
