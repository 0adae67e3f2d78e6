import type { Revocations } from '../../keys/revocations.ts'
import { notSignedIn } from '../../http/server/operator-refusals.ts'
import type { Visit } from '../../http/calls/call.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { Rejected, rejectIfAny } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { auditRefusal, type Refusal, audit } from '../accounts/audit.ts'
import { isCommonPassword, passwordProblems, type Passwords } from './password.ts'
import type { SignInMethod } from '../contract.ts'
import { signInRefused, type Sessions, type OpenedSession } from '../sessions/sessions.ts'
import { attemptSucceeded, attemptTakenBack, beginAttempt, checked, type Attempt } from './lock-out.ts'
import { subjectOf, type ChangeContext } from '../accounts/manage.ts'
import {
  deleteSessionsOf,
  lockSession,
  type SessionOwner,
  deleteSignInLinks,
  selectOptionalLinkOwner,
  useOptionalLink,
} from '../sessions/session-store.ts'
import {
  type MfaKeys,
  codeMissing,
  codeRefused,
  proveSecondFactor,
  type Proof,
} from '../accounts/second-factor.ts'
import type { SignInRules } from '../sign-in-rules.ts'
import {
  replacePasswordHash,
  selectOptionalOperator,
  selectOptionalPassword,
  updatePassword,
} from '../accounts/store.ts'

/** Signing in with each method, and changing the password. */

export type SignInNeeds = Needs & {
  sessions: Sessions
  passwords: Passwords
  rules: SignInRules
  mfaKeys: MfaKeys
  revocations: Revocations
  /** Makes the account of a sign-up by its token, and returns that of a sign-in link; undefined for any other token. */
  confirmSignUp: (token: string, requestId: string) => Promise<string | undefined>
}

export type SignInContext = { visit: Visit; requestId: string }

/** Operators with a second factor also send its code; without one they are asked for it. */
export async function signInByPassword(
  needs: SignInNeeds,
  { name, password, code }: { name: string; password: string; code: string | undefined },
  context: SignInContext,
): Promise<OpenedSession> {
  const { known, attempt } = await checkPassword(needs, { name, password }, context.visit)
  if (!known) {
    await auditSignInRefusal(needs, { name, subject: 'unknown name', why: { reason: 'password' } }, context)
    throw signInRefused()
  }
  const proof = await checked(needs.db, attempt, () => proveSecondFactor(needs, known.operatorId, code))
  if (proof === 'missing') {
    await attemptTakenBack(needs.db, attempt)
    throw codeMissing(401)
  }
  if (proof === 'wrong') throw await wrongCode(needs, name, context)
  await attemptSucceeded(needs.db, attempt)
  if (needs.passwords.isOutdated(known.passwordHash)) {
    const by = await needs.passwords.hash(password)
    if (!(await replacePasswordHash(needs.db, known.operatorId, { passwordHash: known.passwordHash, by })))
      throw signInRefused()
  }
  return signIn(needs, known, { by: 'password', proof }, context)
}

/**
 * The link replaces the password, not the second factor: operators who have one also send a code. That of a sign-up
 * makes the account first.
 */
export async function signInByLink(
  needs: SignInNeeds,
  { token: sent, code }: { token: string; code: string | undefined },
  context: SignInContext,
): Promise<OpenedSession> {
  const { db, clock } = needs
  const token = (await needs.confirmSignUp(sent, context.requestId)) ?? sent
  const owner = await selectOptionalLinkOwner(db, token, clock.now())
  const proof = owner === undefined ? 'none' : await proveForLink(needs, owner, code, context)
  const isUsed = owner !== undefined && (await useOptionalLink(db, token, clock.now())) !== undefined
  if (isUsed) return signIn(needs, owner, { by: 'link', proof }, context)
  await auditSignInRefusal(needs, { subject: 'unknown link', why: { reason: 'link' } }, context)
  throw new Rejected(401, {
    type: 'SIGN_IN_LINK_REFUSED',
    message: 'The sign-in link is not valid or has expired',
    hint: 'A link works once and for a limited time; ask whoever gave it to you for another',
  })
}

/** Wrong codes are counted per link, so that only somebody with the link can lock it; the link stays until it is used. */
async function proveForLink(
  needs: SignInNeeds,
  { operatorId, name }: { operatorId: number; name: string },
  code: string | undefined,
  context: SignInContext,
): Promise<Proof> {
  const { address } = context.visit
  // Names have no line breaks, so this can't be one.
  const guess = { name: `link of\n${operatorId}`, address }
  const attempt = code === undefined ? undefined : await beginAttempt(needs, guess)
  const proof = await checked(needs.db, attempt, () => proveSecondFactor(needs, operatorId, code))
  if (proof === 'missing') throw codeMissing(401)
  if (proof === 'wrong') throw await wrongCode(needs, name, context)
  if (attempt) await attemptSucceeded(needs.db, attempt)
  return proof
}

async function wrongCode(needs: SignInNeeds, name: string, context: SignInContext): Promise<Rejected> {
  await auditSignInRefusal(needs, { name, subject: '', why: { reason: 'code' } }, context)
  return codeRefused(401)
}

/** Writes a failed sign-in to the audit log, under the operator who has the name. */
export async function auditSignInRefusal(
  { db }: Pick<SignInNeeds, 'db'>,
  {
    name,
    action = 'sign-in.refused',
    ...refused
  }: { name?: string; subject: string; why: Refusal['why']; action?: Refusal['action'] },
  { visit, requestId }: SignInContext,
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
  { operatorId, sessionsEnded }: SessionOwner,
  { by, proof = 'none' }: { by: SignInMethod; proof?: Proof },
  { visit, requestId }: SignInContext,
): Promise<OpenedSession> {
  const hasSecondFactor = proof !== 'none'
  return transaction(needs.db, async (connection) => {
    const session = await needs.sessions.open(
      connection,
      visit,
      { operatorId, sessionsEnded },
      { by, hasSecondFactor },
    )
    // Another link for the account, made meanwhile, must not outlive this.
    await deleteSignInLinks(connection, operatorId)
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
 * Ends every session of the operator and opens a new one. The current password is required, except after a sign-in by
 * link, as people use who have none yet or forgot it. A session of the OpenID provider is not enough for a first
 * password: it would still admit people whom the provider no longer does, and without its second factor.
 */
export async function changePassword(
  needs: SignInNeeds,
  { current, next }: { current: string | undefined; next: string },
  { operator, requestId, visit }: Pick<ChangeContext, 'operator'> & SignInContext,
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
  const stored = await selectOptionalPassword(needs.db, operator.name)
  const signedInBy = await needs.sessions.signedInBy(operator)
  if (stored?.passwordHash === null && signedInBy === 'oidc') throw signedInByProvider()
  const isRequired = stored?.passwordHash !== null && signedInBy !== 'link'
  if (isRequired) await requireCurrentPassword(needs, operator.name, current ?? '', { visit, requestId })
  const passwordHash = await needs.passwords.hash(next)
  const hasSecondFactor = await needs.sessions.hasSecondFactor(operator)
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
    return needs.sessions.open(connection, visit, account, { by: 'password', hasSecondFactor })
  })
}

function signedInByProvider(): Rejected {
  return new Rejected(403, {
    type: 'SIGNED_IN_BY_PROVIDER',
    message: 'A first password can only be set after signing in with a link, not by OpenID',
    hint: "You don't need a password to sign in by OpenID; if you want one, ask an admin for a sign-in link",
  })
}

function commonPassword(): Rejected {
  return new Rejected(400, {
    type: 'COMMON_PASSWORD',
    message: 'This password is too easy to guess',
    path: '/next',
    hint: 'Several unrelated words work well',
  })
}

async function requireCurrentPassword(
  needs: SignInNeeds,
  name: string,
  password: string,
  context: SignInContext,
): Promise<void> {
  const { known, attempt } = await checkPassword(needs, { name, password }, context.visit)
  // Wrong codes in the same session count too: the password alone must not forgive them.
  if (known) return attemptTakenBack(needs.db, attempt)
  const refused = { name, subject: '', why: { reason: 'password' } }
  await auditSignInRefusal(needs, { ...refused, action: 'operator.password-refused' }, context)
  throw new Rejected(403, {
    type: 'CURRENT_PASSWORD_WRONG',
    message: 'The current password is wrong',
    path: '/current',
    hint: 'If you forgot it, ask an admin for a sign-in link and sign in with that first',
  })
}

/** The operator with this password; undefined if it is wrong or the name is unknown, which takes just as long. */
async function checkPassword(
  needs: SignInNeeds,
  { name, password }: { name: string; password: string },
  { address }: Visit,
): Promise<{ known: (SessionOwner & { passwordHash: string }) | undefined; attempt: Attempt }> {
  const { db, passwords } = needs
  const attempt = await beginAttempt(needs, { name, address })
  const known = await checked(db, attempt, async () => {
    const stored = await selectOptionalPassword(db, name)
    const passwordHash = stored?.passwordHash ?? null
    const isRight = await passwords.matches(password, passwordHash)
    return isRight && stored && passwordHash !== null ? { ...stored, passwordHash } : undefined
  })
  return { attempt, known }
}
