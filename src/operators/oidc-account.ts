import type { Queryable } from '../platform/postgres.ts'
import { transaction } from '../platform/transaction.ts'
import { audit } from './audit.ts'
import { subjectOf } from './manage.ts'
import type { Identity, SignInProvider } from './oidc.ts'
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
): Promise<number | undefined> {
  return transaction(db, async (connection) => {
    const tied = await selectTied(connection, identity)
    if (tied !== undefined) return tied.isDisabled ? undefined : tied.operatorId
    const { email } = identity
    if (email === undefined) return undefined
    const named = await tieByName(connection, email, identity)
    if (named !== undefined || newcomerRole === undefined) return named
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
    return created
  })
}

async function selectTied(
  db: Queryable,
  { issuer, subject }: Identity,
): Promise<{ operatorId: number; isDisabled: boolean } | undefined> {
  const { rows } = await db.query<{ operatorId: number; isDisabled: boolean }>(
    `select id as "operatorId", disabled_at is not null as "isDisabled" from operator
     where oidc_issuer = $1 and oidc_subject = $2`,
    [issuer, subject],
  )
  return rows[0]
}

async function tieByName(
  db: Queryable,
  email: string,
  { issuer, subject }: Identity,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    `update operator set oidc_issuer = $2, oidc_subject = $3
     where name_key = $1 and oidc_subject is null and disabled_at is null returning id`,
    [nameKeyOf(email), issuer, subject],
  )
  return rows[0]?.id
}
