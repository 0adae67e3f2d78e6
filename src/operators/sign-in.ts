import type { Revocations } from '../keys/revocations.ts'
import { notSignedIn } from '../http/admit.ts'
import type { Visit } from '../http/call.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected, rejectIfAny } from '../http/rejected.ts'
import { transaction } from '../postgres/transaction.ts'
import { auditRefusal, type Refusal } from './audit-refusals.ts'
import { audit } from './audit.ts'
import { isCommonPassword, passwordProblems, type Passwords } from './password.ts'
import type { WayToSignIn } from './contract.ts'
import { signInRefused, type Door, type OpenedSession } from './door.ts'
import { attemptSucceeded, attemptTakenBack, beginAttempt, type Attempt } from './lock-out.ts'
import { subjectOf, type Doing } from './manage.ts'
import { deleteSessionsOf, lockSession, type Account } from './session-store.ts'
import type { MfaKeys } from './second-factor-secret.ts'
import { codeMissing, codeRefused, proveSecondFactor, type Proof } from './second-factor.ts'
import { deleteSignInLinks, selectOptionalLinkOwner, useOptionalLink } from './sign-in-link.ts'
import type { SignInRules } from './sign-in-rules.ts'
import {
  replacePasswordHash,
  selectOptionalOperator,
  selectOptionalPassword,
  updatePassword,
} from './store.ts'

/** How people get in, by each way, and how they change what opens the door. */

export type SignInNeeds = Needs & {
  door: Door
  passwords: Passwords
  rules: SignInRules
  mfaKeys: MfaKeys
  revocations: Revocations
}

export type Visiting = { visit: Visit; requestId: string }

/** A code of the second factor belongs to it where there is one; whoever sends none is asked for it. */
export async function signInByPassword(
  needs: SignInNeeds,
  { name, password, code }: { name: string; password: string; code: string | undefined },
  visiting: Visiting,
): Promise<OpenedSession> {
  const { known, attempt } = await passwordProved(needs, { name, password }, visiting.visit)
  if (!known) {
    await tellRefused(needs, { name, subject: 'unknown name', why: { reason: 'password' } }, visiting)
    throw signInRefused()
  }
  const proof = await proveSecondFactor(needs, known.operatorId, code)
  if (proof === 'missing') {
    await attemptTakenBack(needs.db, attempt)
    throw codeMissing(401)
  }
  if (proof === 'wrong') throw await wrongCode(needs, name, visiting)
  await attemptSucceeded(needs.db, attempt)
  if (needs.passwords.isDated(known.kept)) {
    const by = await needs.passwords.hash(password)
    if (!(await replacePasswordHash(needs.db, known.operatorId, { kept: known.kept, by })))
      throw signInRefused()
  }
  return signIn(needs, known, { by: 'password', proof }, visiting)
}

/** Stands in for the password, not for the second factor: whoever has one sends a code too. */
export async function signInByLink(
  needs: SignInNeeds,
  { token, code }: { token: string; code: string | undefined },
  visiting: Visiting,
): Promise<OpenedSession> {
  const { db, clock } = needs
  const owner = await selectOptionalLinkOwner(db, token, clock.now())
  const proof = owner === undefined ? 'none' : await proveForLink(needs, owner, code, visiting)
  const isUsed = owner !== undefined && (await useOptionalLink(db, token, clock.now())) !== undefined
  if (isUsed) return signIn(needs, owner, { by: 'link', proof }, visiting)
  await tellRefused(needs, { subject: 'unknown link', why: { reason: 'link' } }, visiting)
  throw new Rejected(401, {
    type: 'SIGN_IN_LINK_REFUSED',
    message: 'The sign-in link is not valid (any more)',
    hint: 'A link works once and for an hour; ask an admin for a new one, or run: npx ari operator sign-in-link NAME',
  })
}

/** Guesses count by themselves, so that nobody without the link can make its owner wait; the link stays until it is used. */
async function proveForLink(
  needs: SignInNeeds,
  { operatorId, name }: { operatorId: number; name: string },
  code: string | undefined,
  visiting: Visiting,
): Promise<Proof> {
  const { address } = visiting.visit
  // No name has a line break.
  const guessed = { name: `link of\n${operatorId}`, address }
  const attempt = code === undefined ? undefined : await beginAttempt(needs, guessed)
  const proof = await proveSecondFactor(needs, operatorId, code)
  if (proof === 'missing') throw codeMissing(401)
  if (proof === 'wrong') throw await wrongCode(needs, name, visiting)
  if (attempt) await attemptSucceeded(needs.db, attempt)
  return proof
}

async function wrongCode(needs: SignInNeeds, name: string, visiting: Visiting): Promise<Rejected> {
  await tellRefused(needs, { name, subject: '', why: { reason: 'code' } }, visiting)
  return codeRefused(401)
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

/** Opens a session for somebody whose identity is proved, of the account as it was when that began. */
export function signIn(
  needs: SignInNeeds,
  { operatorId, sessionsEnded }: Account,
  { by, proof = 'none' }: { by: WayToSignIn; proof?: Proof },
  { visit, requestId }: Visiting,
): Promise<OpenedSession> {
  const hasSecondFactor = proof !== 'none'
  return transaction(needs.db, async (connection) => {
    const session = await needs.door.open(
      connection,
      visit,
      { operatorId, sessionsEnded },
      { by, hasSecondFactor },
    )
    const operator = await selectOptionalOperator(connection, operatorId)
    if (!operator) throw signInRefused()
    const { name, role } = operator
    await audit(connection, {
      operator: { id: operatorId, name, role, sessionId: undefined, address: visit.address },
      requestId,
      action: 'operator.sign-in',
      subject: subjectOf(operator),
      after: hasSecondFactor ? { by, with: proof } : { by },
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
  const { id: operatorId, sessionId } = operator
  if (operatorId === undefined || sessionId === undefined) {
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
  if (isAsked) await proveCurrent(needs, operator.name, current ?? '', { visit, requestId })
  const passwordHash = await needs.passwords.hash(next)
  const hasSecondFactor = await needs.door.hasSecondFactor(operator)
  return transaction(needs.db, async (connection) => {
    if (!(await lockSession(connection, { operatorId, sessionId }))) throw notSignedIn()
    await needs.revocations.note(connection, 'password', operatorId)
    await updatePassword(connection, operatorId, passwordHash)
    const account = await deleteSessionsOf(connection, operatorId)
    await deleteSignInLinks(connection, operatorId)
    await audit(connection, {
      operator,
      requestId,
      action: 'operator.password',
      subject: subjectOf({ operatorId, name: operator.name }),
    })
    return needs.door.open(connection, visit, account, { by: 'password', hasSecondFactor })
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

async function proveCurrent(
  needs: SignInNeeds,
  name: string,
  password: string,
  visiting: Visiting,
): Promise<void> {
  const { known, attempt } = await passwordProved(needs, { name, password }, visiting.visit)
  if (known) return attemptSucceeded(needs.db, attempt)
  const refused = { name, subject: '', why: { reason: 'password' } }
  await tellRefused(needs, { ...refused, action: 'operator.password-refused' }, visiting)
  throw new Rejected(403, {
    type: 'CURRENT_PASSWORD_WRONG',
    message: 'The current password is wrong',
    path: '/current',
    hint: 'Whoever forgot it signs in by a link of an admin first',
  })
}

/** Whose password it is; undefined when it is wrong, or nobody has the name, which takes as long. */
async function passwordProved(
  needs: SignInNeeds,
  { name, password }: { name: string; password: string },
  { address }: Visit,
): Promise<{ known: (Account & { kept: string }) | undefined; attempt: Attempt }> {
  const { db, passwords } = needs
  const attempt = await beginAttempt(needs, { name, address })
  const held = await selectOptionalPassword(db, name)
  const kept = held?.passwordHash ?? null
  const isRight = await passwords.matches(password, kept)
  return { attempt, known: isRight && held && kept !== null ? { ...held, kept } : undefined }
}
