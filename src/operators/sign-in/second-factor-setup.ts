import type { Operator } from '../../http/calls/call.ts'
import { notSignedIn } from '../../http/server/operator-refusals.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { audit } from '../accounts/audit.ts'
import type { AuditAction, SecondFactorSetup, SignInMethod } from '../contract.ts'
import type { OpenedSession } from '../sessions/sessions.ts'
import { attemptTakenBack, beginAttempt, checked } from './lock-out.ts'
import { subjectOf } from '../accounts/manage.ts'
import {
  beginSetup,
  codeMissing,
  codeRefused,
  finishSetup,
  proveSecondFactor,
  removeSecondFactor,
} from '../accounts/second-factor.ts'
import { deleteSessionsOf, lockSession } from '../sessions/session-store.ts'
import { auditSignInRefusal, type SignInNeeds, type SignInContext } from './sign-in.ts'

/** Operators setting up and removing their own second factor. */

type OperatorContext = SignInContext & { operator: Operator }

/** An existing second factor must be proved before another replaces it. */
export async function beginOwnSetup(
  needs: SignInNeeds & { issuer: string },
  code: string | undefined,
  context: OperatorContext,
): Promise<SecondFactorSetup> {
  const { operatorId, sessionId } = accountOf(context.operator)
  await proveOwnSecondFactor(needs, operatorId, code, context)
  const { issuer } = needs
  return beginSetup(needs, { operatorId, sessionId, issuer, name: context.operator.name })
}

/** Ends the operator's other sessions, which have not proved it. */
export async function finishOwnSetup(
  needs: SignInNeeds,
  code: string,
  context: OperatorContext,
): Promise<OpenedSession & { recoveryCodes: string[] }> {
  const { operatorId, sessionId } = accountOf(context.operator)
  return transaction(needs.db, async (connection) => {
    if (!(await lockSession(connection, { operatorId, sessionId }))) throw notSignedIn()
    const recoveryCodes = await finishSetup(connection, needs, { operatorId, sessionId, code })
    const session = await replaceSessions(needs, connection, {
      ...context,
      operatorId,
      hasSecondFactor: true,
    })
    await auditOwnChange(connection, 'operator.second-factor', operatorId, context)
    return { ...session, recoveryCodes }
  })
}

export async function removeOwnSecondFactor(
  needs: SignInNeeds,
  code: string | undefined,
  context: OperatorContext,
): Promise<OpenedSession> {
  const { operatorId, sessionId } = accountOf(context.operator)
  await proveOwnSecondFactor(needs, operatorId, code, context)
  return transaction(needs.db, async (connection) => {
    if (!(await lockSession(connection, { operatorId, sessionId }))) throw notSignedIn()
    await removeSecondFactor(connection, operatorId)
    const session = await replaceSessions(needs, connection, {
      ...context,
      operatorId,
      hasSecondFactor: false,
    })
    await auditOwnChange(connection, 'operator.second-factor-removed', operatorId, context)
    return session
  })
}

/** Wrong codes in an open session count like those at sign-in; a right one forgives no wrong password. */
async function proveOwnSecondFactor(
  needs: SignInNeeds,
  operatorId: number,
  code: string | undefined,
  { operator: { name }, visit, requestId }: OperatorContext,
): Promise<void> {
  const attempt = code === undefined ? undefined : await beginAttempt(needs, { name, address: visit.address })
  const proof = await checked(needs.db, attempt, () => proveSecondFactor(needs, operatorId, code))
  if (proof === 'missing') throw codeMissing(403)
  if (proof === 'wrong') {
    const refused = { name, subject: '', why: { reason: 'code' } }
    await auditSignInRefusal(needs, { ...refused, action: 'operator.code-refused' }, { visit, requestId })
    throw codeRefused(403)
  }
  if (attempt) await attemptTakenBack(needs.db, attempt)
}

async function replaceSessions(
  needs: SignInNeeds,
  connection: Queryable,
  {
    operator,
    visit,
    operatorId,
    hasSecondFactor,
  }: OperatorContext & { operatorId: number; hasSecondFactor: boolean },
): Promise<OpenedSession> {
  const by: SignInMethod = (await needs.sessions.signedInBy(operator)) ?? 'password'
  return needs.sessions.open(connection, visit, await deleteSessionsOf(connection, operatorId), {
    by,
    hasSecondFactor,
  })
}

function auditOwnChange(
  connection: Queryable,
  action: AuditAction,
  operatorId: number,
  { operator, requestId }: OperatorContext,
): Promise<void> {
  const subject = subjectOf({ operatorId, name: operator.name })
  return audit(connection, { operator, requestId, action, subject })
}

function accountOf({ id, sessionId }: Operator): { operatorId: number; sessionId: string } {
  if (id !== undefined && sessionId !== undefined) return { operatorId: id, sessionId }
  throw new Rejected(403, {
    type: 'NO_SECOND_FACTOR_OF_TOKENS',
    message: 'A token has no second factor',
    hint: 'Sign in to the console',
  })
}
