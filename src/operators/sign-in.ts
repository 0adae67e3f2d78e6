import type { Visit } from '../platform/mount.ts'
import type { Needs } from '../platform/needs.ts'
import { Rejected, rejectIfAny } from '../platform/rejected.ts'
import { transaction } from '../platform/transaction.ts'
import { auditRefusal, type Refusal } from './audit-refusals.ts'
import { audit } from './audit.ts'
import { isCommonPassword } from './common-passwords.ts'
import type { WayToSignIn } from './contract.ts'
import { signInRefused, type Door, type OpenedSession } from './door.ts'
import { attemptSucceeded, beginAttempt } from './lock-out.ts'
import { subjectOf, type Doing } from './manage.ts'
import { isDated, passwordProblems, type Passwords } from './password.ts'
import { deleteSessionsOf } from './session-store.ts'
import { deleteSignInLinks, useOptionalLink } from './sign-in-link.ts'
import type { SignInRules } from './sign-in-rules.ts'
import { selectOptionalOperator, selectOptionalPassword, updatePassword } from './store.ts'

/** How people get in, by each way, and how they change what opens the door. */

export type SignInNeeds = Needs & { door: Door; passwords: Passwords; rules: SignInRules }

export type Visiting = { visit: Visit; requestId: string }

export async function signInByPassword(
  needs: SignInNeeds,
  { name, password }: { name: string; password: string },
  visiting: Visiting,
): Promise<OpenedSession> {
  const known = await passwordProved(needs, { name, password }, visiting.visit)
  if (!known) {
    await tellRefused(needs, { name, subject: 'unknown name', why: { reason: 'password' } }, visiting)
    throw signInRefused()
  }
  if (known.isDated) await updatePassword(needs.db, known.operatorId, await needs.passwords.hash(password))
  return signIn(needs, known.operatorId, 'password', visiting)
}

export async function signInByLink(
  needs: SignInNeeds,
  token: string,
  visiting: Visiting,
): Promise<OpenedSession> {
  const operatorId = await useOptionalLink(needs.db, token, needs.clock.now())
  if (operatorId !== undefined) return signIn(needs, operatorId, 'link', visiting)
  await tellRefused(needs, { subject: 'unknown link', why: { reason: 'link' } }, visiting)
  throw new Rejected(401, {
    type: 'SIGN_IN_LINK_REFUSED',
    message: 'The sign-in link is not valid (any more)',
    hint: 'A link works once and for an hour; ask an admin for a new one, or run: npx ari operator sign-in-link NAME',
  })
}

/** In the audit log: a sign-in that failed, of whoever has the name. */
export async function tellRefused(
  { db }: Pick<SignInNeeds, 'db'>,
  {
    name,
    action = 'sign-in.refused',
    ...refused
  }: { name?: string; subject: string; why: Refusal['why']; action?: Refusal['action'] },
  { visit, requestId }: Visiting,
): Promise<void> {
  const known = name === undefined ? undefined : await selectOptionalOperator(db, name)
  await auditRefusal(db, {
    ...refused,
    ...(known ? { subject: subjectOf(known) } : {}),
    operator: known && { id: known.operatorId, name: known.name, role: known.role },
    action,
    address: visit.address,
    requestId,
  })
}

/** Opens a session for somebody whose identity is proved. */
export function signIn(
  needs: SignInNeeds,
  operatorId: number,
  by: WayToSignIn,
  { visit, requestId }: Visiting,
): Promise<OpenedSession> {
  return transaction(needs.db, async (connection) => {
    const session = await needs.door.open(connection, visit, operatorId, by)
    const operator = await selectOptionalOperator(connection, operatorId)
    if (!operator) throw signInRefused()
    const { name, role } = operator
    await audit(connection, {
      operator: { id: operatorId, name, role, sessionId: undefined, address: visit.address },
      requestId,
      action: 'operator.sign-in',
      subject: subjectOf(operator),
      after: { by },
    })
    return session
  })
}

/**
 * Ends every session of the operator and opens a new one. The old password is asked for, unless the operator has none
 * or came by a link, as those do who forgot it.
 */
export async function changePassword(
  needs: SignInNeeds,
  { current, next }: { current: string | undefined; next: string },
  { operator, requestId, visit }: Pick<Doing, 'operator'> & Visiting,
): Promise<OpenedSession> {
  const operatorId = operator.id
  if (operatorId === undefined) {
    throw new Rejected(403, {
      type: 'NO_PASSWORD_OF_TOKENS',
      message: 'A token has no password',
      hint: 'Sign in to the console',
    })
  }
  rejectIfAny(passwordProblems(next, operator.name, '/next'))
  if (await isCommonPassword(next, operator.name)) throw commonPassword()
  const held = await selectOptionalPassword(needs.db, operator.name)
  const isAsked = held?.passwordHash !== null && (await needs.door.signedInBy(operator)) !== 'link'
  if (isAsked && !(await passwordProved(needs, { name: operator.name, password: current ?? '' }, visit))) {
    const refused = { name: operator.name, subject: '', why: { reason: 'password' } }
    await tellRefused(needs, { ...refused, action: 'operator.password-refused' }, { visit, requestId })
    throw new Rejected(403, {
      type: 'CURRENT_PASSWORD_WRONG',
      message: 'The current password is wrong',
      path: '/current',
      hint: 'Whoever forgot it signs in by a link of an admin first',
    })
  }
  const passwordHash = await needs.passwords.hash(next)
  return transaction(needs.db, async (connection) => {
    await updatePassword(connection, operatorId, passwordHash)
    await deleteSessionsOf(connection, operatorId)
    await deleteSignInLinks(connection, operatorId)
    await audit(connection, {
      operator,
      requestId,
      action: 'operator.password',
      subject: subjectOf({ operatorId, name: operator.name }),
    })
    return needs.door.open(connection, visit, operatorId, 'password')
  })
}

function commonPassword(): Rejected {
  return new Rejected(400, {
    type: 'COMMON_PASSWORD',
    message: 'This password is among the first that others try',
    path: '/next',
    hint: 'Several words that do not belong together are good',
  })
}

/** Whose password it is; undefined when it is wrong, or nobody has the name, which takes as long. */
async function passwordProved(
  needs: SignInNeeds,
  { name, password }: { name: string; password: string },
  { address }: Visit,
): Promise<{ operatorId: number; isDated: boolean } | undefined> {
  const { db, passwords } = needs
  const attempt = await beginAttempt(needs, { name, address })
  const held = await selectOptionalPassword(db, name)
  const kept = held?.passwordHash ?? null
  if (!(await passwords.matches(password, kept)) || !held || kept === null) return undefined
  await attemptSucceeded(db, attempt)
  return { operatorId: held.operatorId, isDated: isDated(kept) }
}
