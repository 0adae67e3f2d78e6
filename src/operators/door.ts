import type { Operator, Visit } from '../http/call.ts'
import { Memory } from '../postgres/memory.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import type { OperatorRole } from '../http/route.ts'
import type { WayToSignIn } from './contract.ts'
import {
  csrfTokenOf,
  hashOf,
  isCsrfTokenOf,
  looksLikeSecret,
  makeRandomSecret,
  deleteSession,
  insertSession,
  isOver,
  selectOptionalSession,
  updateLastSeen,
  type Account,
  type KnownSession,
} from './session-store.ts'
import type { SignInRules } from './sign-in-rules.ts'
import {
  endedCookie,
  refuseForeignSite,
  sessionCookie,
  sessionSecretOf,
  type ConsoleAddress,
} from './visit.ts'

/** A session just opened: the cookie for the browser, and what its pages must send with every change. */
export type OpenedSession = { headers: { 'set-cookie': string }; csrfToken: string }

/** How somebody proved who they are, and whether a second factor was shown. */
export type Proved = { by: WayToSignIn; hasSecondFactor: boolean }

export type Door = {
  /** Who stands behind the session or the token of a request; refuses changes that another site may have caused. */
  operatorOf: (visit: Visit) => Promise<Operator | undefined>
  /** How the operator of this session signed in; undefined for a token. */
  signedInBy: (operator: Operator) => Promise<WayToSignIn | undefined>
  /** Whether this session began with a second factor, or set one up. */
  hasSecondFactor: (operator: Operator) => Promise<boolean>
  /** For the session of the request; undefined for a token. */
  csrfTokenOf: (visit: Visit) => string | undefined
  /** A new session, with a new secret whatever the browser brought; the one that it brought ends. */
  open: (db: Queryable, visit: Visit, account: Account, proof: Proved) => Promise<OpenedSession>
  /** Ends the session; its cookie goes too. */
  end: (visit: Visit, operator: Operator) => Promise<{ 'set-cookie': string }>
  /** Waits for what is still to be written. */
  close: () => Promise<void>
}

/** A session that ended must be unknown everywhere within a second: half for what is remembered, half for the query. */
const memory = { trustedMs: 500, entriesMax: 1_000 }
/** Not with every request; a session ends that much earlier than its idle time at most. */
const lastSeenWrittenEveryMs = 60_000

type TokenOf = (authorization: string | undefined) => Promise<{ id: number; role: string } | undefined>

export function operatorDoor(
  needs: Needs & { rules: SignInRules },
  address: ConsoleAddress,
  tokenOf: TokenOf,
): Door {
  const sessions = new Memory<KnownSession | undefined>(needs.db.epoch, memory)
  const writing = new Set<Promise<void>>()

  const sessionOf = async (hash: string): Promise<KnownSession | undefined> => {
    const session = await sessions.get(hash, () => selectOptionalSession(needs.db.signIn, hash))
    return session && !isOver(session, needs.clock.now(), needs.rules) ? session : undefined
  }
  const seen = (hash: string, session: KnownSession): void => {
    const nowMs = needs.clock.now()
    if (nowMs - session.lastSeenAtMs < lastSeenWrittenEveryMs) return
    // Of the remembered session, so that requests meanwhile don't write it again.
    session.lastSeenAtMs = nowMs
    const write = updateLastSeen(needs.db, hash, nowMs)
      // The request does not depend on it, and the next one tries again.
      .catch((error: unknown) => needs.log.warn({ err: error }, 'when a session was seen was not written'))
      .finally(() => writing.delete(write))
    writing.add(write)
  }

  return {
    operatorOf: async (visit) => {
      if (visit.headers.authorization !== undefined) return operatorOfToken(visit, tokenOf)
      const secret = sessionSecretOf(visit, address)
      if (secret === undefined || !looksLikeSecret(secret)) return undefined
      const hash = hashOf(secret)
      const session = await sessionOf(hash)
      if (!session) return undefined
      if (visit.method !== 'GET') {
        refuseForeignSite(visit, address)
        refuseWithoutCsrfToken(secret, visit)
      }
      seen(hash, session)
      const { operatorId: id, name, role } = session
      const isMissing = needs.rules.requiresSecondFactor && !isProvedTwice(session)
      const lacks = isMissing ? { lacksSecondFactor: true as const } : {}
      return { id, name, role, sessionId: hash, address: visit.address, ...lacks }
    },
    signedInBy: async ({ sessionId }) =>
      sessionId === undefined ? undefined : (await sessionOf(sessionId))?.signedInBy,
    hasSecondFactor: async ({ sessionId }) =>
      sessionId !== undefined && (await sessionOf(sessionId))?.hasSecondFactor === true,
    csrfTokenOf: (visit) => {
      const secret = sessionSecretOf(visit, address)
      return secret === undefined ? undefined : csrfTokenOf(secret)
    },
    open: async (db, visit, account, proved) => {
      const brought = sessionSecretOf(visit, address)
      if (brought !== undefined && looksLikeSecret(brought)) {
        await deleteSession(db, hashOf(brought))
        sessions.forget(hashOf(brought))
      }
      const { secret, csrfToken } = await openSession(db, account, proved, needs.clock.now())
      return { headers: { 'set-cookie': sessionCookie(secret, visit, address) }, csrfToken }
    },
    end: async (visit, { sessionId }) => {
      if (sessionId !== undefined) {
        await deleteSession(needs.db, sessionId)
        sessions.forget(sessionId)
      }
      return { 'set-cookie': endedCookie(visit, address) }
    },
    close: async () => void (await Promise.all(writing)),
  }
}

/** A provider of OpenID asks for a second factor itself. */
function isProvedTwice({ hasSecondFactor, signedInBy }: KnownSession): boolean {
  return hasSecondFactor || signedInBy === 'oidc'
}

/** Makes a session; the secret is for the cookie, and can't be had again. */
export async function openSession(
  db: Queryable,
  account: Account,
  { by, hasSecondFactor }: Proved,
  nowMs: number,
): Promise<{ secret: string; csrfToken: string }> {
  const secret = makeRandomSecret()
  if (
    !(await insertSession(db, { hash: hashOf(secret), ...account, signedInBy: by, hasSecondFactor, nowMs }))
  )
    throw signInRefused()
  return { secret, csrfToken: csrfTokenOf(secret) }
}

/** The same whatever is wrong, so that nobody learns which names there are. */
export function signInRefused(): Rejected {
  return new Rejected(401, {
    type: 'SIGN_IN_REFUSED',
    message: 'Name or password is wrong',
    hint: 'After several wrong attempts there is a wait; an admin can give you a sign-in link',
  })
}

/** What an operator's token may, being a program's. */
const roleOfTokens: OperatorRole = 'operator'

async function operatorOfToken(visit: Visit, tokenOf: TokenOf): Promise<Operator | undefined> {
  const token = await tokenOf(visit.headers.authorization)
  if (token?.role !== 'operator') return undefined
  return {
    id: undefined,
    name: `token ${token.id}`,
    role: roleOfTokens,
    sessionId: undefined,
    address: visit.address,
  }
}

function refuseWithoutCsrfToken(secret: string, { headers }: Visit): void {
  const presented = headers['x-csrf-token']
  if (isCsrfTokenOf(secret, presented)) return
  throw new Rejected(403, {
    type: 'CSRF_TOKEN_WRONG',
    message: presented === undefined ? 'x-csrf-token is missing' : 'x-csrf-token is not of this session',
    path: 'x-csrf-token',
    hint: 'Send csrfToken of GET /console/api/me as x-csrf-token; after signing in anew it is another',
  })
}
