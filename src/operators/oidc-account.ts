import { hash } from 'node:crypto'
import type { Queryable } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import { audit } from './audit.ts'
import { subjectOf } from './manage.ts'
import type { Identity, SignInProvider } from './oidc.ts'
import type { Account } from './session-store.ts'
import type { SignInNeeds, Visiting } from './sign-in.ts'
import { insertOptionalOperator, nameKeyOf } from './store.ts'

/**
 * Whose account an identity of the provider is: the one that it was tied to; else the one whose name is its verified
 * e-mail address, which is tied to it now; else a new one, where newcomers have a role. Undefined: nobody's.
 */
export function optionalAccountOf(
  { db, clock }: SignInNeeds,
  identity: Identity,
  newcomerRole: SignInProvider['newcomerRole'],
  { visit, requestId }: Visiting,
): Promise<Account | undefined> {
  return transaction(db, async (connection) => {
    const tied = await selectTied(connection, identity)
    if (tied !== undefined) return tied.isDisabled ? undefined : tied
    const { email } = identity
    if (email === undefined) return undefined
    const named = await tieByName(connection, email, identity)
    if (named !== undefined || newcomerRole === undefined) return named
    // It would have the name of another address, to whoever reads it.
    if (email.normalize('NFKC') !== email) return undefined
    const wanted = { name: email, role: newcomerRole, nowMs: clock.now() }
    const created = await insertOptionalOperator(connection, wanted)
    // Somebody has the name who is tied to another identity, or disabled.
    if (created === undefined) return undefined
    await tieByName(connection, email, identity)
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

/** False when a sign-in with this state succeeded before: its cookie was copied. */
export async function useStateOnce(db: Queryable, kept: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into oidc_state_used (hash) values ($1) on conflict do nothing',
    [hash('sha256', kept, 'buffer')],
  )
  return rowCount === 1
}

const statesKept = '7 days'

export async function deleteOldStates(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    'delete from oidc_state_used where at < clock_timestamp() - $1::interval',
    [statesKept],
  )
  return rowCount ?? 0
}

async function selectTied(
  db: Queryable,
  { issuer, subject }: Identity,
): Promise<(Account & { isDisabled: boolean }) | undefined> {
  const { rows } = await db.query<Account & { isDisabled: boolean }>(
    `select id as "operatorId", sessions_ended as "sessionsEnded", disabled_at is not null as "isDisabled" from operator
     where oidc_issuer = $1 and oidc_subject = $2`,
    [issuer, subject],
  )
  return rows[0]
}

/**
 * Addresses are the same whatever the case of their ASCII letters, and in no other way: whoever can have a look-alike
 * verified must not become somebody else.
 */
async function tieByName(
  db: Queryable,
  email: string,
  { issuer, subject }: Identity,
): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    `update operator set oidc_issuer = $2, oidc_subject = $3
     where name_key = $1 and lower(name collate "C") = lower($4::text collate "C")
       and oidc_subject is null and disabled_at is null
     returning id as "operatorId", sessions_ended as "sessionsEnded"`,
    [nameKeyOf(email), issuer, subject, email],
  )
  return rows[0]
}
