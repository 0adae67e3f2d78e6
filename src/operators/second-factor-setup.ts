import type { Operator } from '../http/call.ts'
import { notSignedIn } from '../http/admit.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import { audit } from './audit.ts'
import type { SecondFactorSetup, WayToSignIn } from './contract.ts'
import type { OpenedSession } from './door.ts'
import { attemptSucceeded, beginAttempt } from './lock-out.ts'
import { subjectOf } from './manage.ts'
import {
  beginSetup,
  codeMissing,
  codeRefused,
  finishSetup,
  proveSecondFactor,
  removeSecondFactor,
} from './second-factor.ts'
import { deleteSessionsOf, lockSession } from './session-store.ts'
import { tellRefused, type SignInNeeds, type Visiting } from './sign-in.ts'

/** What people do with their own second factor. */

type Asking = Visiting & { operator: Operator }

/** Whoever has a second factor shows it before another takes its place. */
export async function beginOwnSetup(
  needs: SignInNeeds & { issuer: string },
  code: string | undefined,
  asking: Asking,
): Promise<SecondFactorSetup> {
  const { operatorId, sessionId } = accountOf(asking.operator)
  await proveOwn(needs, operatorId, code, asking)
  const { issuer } = needs
  return beginSetup(needs, { operatorId, sessionId, issuer, name: asking.operator.name })
}

/** The operator's other sessions end, which did not show it. */
export async function finishOwnSetup(
  needs: SignInNeeds,
  code: string,
  asking: Asking,
): Promise<OpenedSession & { recoveryCodes: string[] }> {
  const { operatorId, sessionId } = accountOf(asking.operator)
  return transaction(needs.db, async (connection) => {
    if (!(await lockSession(connection, { operatorId, sessionId }))) throw notSignedIn()
    const recoveryCodes = await finishSetup(connection, needs, { operatorId, sessionId, code })
    const session = await openAnew(needs, connection, { ...asking, operatorId, hasSecondFactor: true })
    await told(connection, 'operator.second-factor', operatorId, asking)
    return { ...session, recoveryCodes }
  })
}

export async function removeOwn(
  needs: SignInNeeds,
  code: string | undefined,
  asking: Asking,
): Promise<OpenedSession> {
  const { operatorId, sessionId } = accountOf(asking.operator)
  await proveOwn(needs, operatorId, code, asking)
  return transaction(needs.db, async (connection) => {
    if (!(await lockSession(connection, { operatorId, sessionId }))) throw notSignedIn()
    await removeSecondFactor(connection, operatorId)
    const session = await openAnew(needs, connection, { ...asking, operatorId, hasSecondFactor: false })
    await told(connection, 'operator.second-factor-removed', operatorId, asking)
    return session
  })
}

/** Codes that somebody guesses at an open session count like those of a sign-in. */
async function proveOwn(
  needs: SignInNeeds,
  operatorId: number,
  code: string | undefined,
  { operator: { name }, visit, requestId }: Asking,
): Promise<void> {
  const attempt = code === undefined ? undefined : await beginAttempt(needs, { name, address: visit.address })
  const proof = await proveSecondFactor(needs, operatorId, code)
  if (proof === 'missing') throw codeMissing(403)
  if (proof === 'wrong') {
    const refused = { name, subject: '', why: { reason: 'code' } }
    await tellRefused(needs, { ...refused, action: 'operator.code-refused' }, { visit, requestId })
    throw codeRefused(403)
  }
  if (attempt) await attemptSucceeded(needs.db, attempt)
}

async function openAnew(
  needs: SignInNeeds,
  connection: Queryable,
  { operator, visit, operatorId, hasSecondFactor }: Asking & { operatorId: number; hasSecondFactor: boolean },
): Promise<OpenedSession> {
  const by: WayToSignIn = (await needs.door.signedInBy(operator)) ?? 'password'
  return needs.door.open(connection, visit, await deleteSessionsOf(connection, operatorId), {
    by,
    hasSecondFactor,
  })
}

function told(
  connection: Queryable,
  action: string,
  operatorId: number,
  { operator, requestId }: Asking,
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
