import type { Operator, Visit } from '../../http/calls/call.ts'
import { Memory } from '../../postgres/memory.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import type { OperatorRole } from '../../http/route.ts'
import type { SignInMethod } from '../contract.ts'
import { hashSecret } from '../../keys/secret.ts'
import {
  csrfTokenOf,
  isCsrfTokenOf,
  looksLikeSecret,
  makeRandomSecret,
  deleteSession,
  insertSession,
  isExpired,
  selectOptionalSession,
  updateLastSeen,
  type SessionOwner,
  type StoredSession,
} from './session-store.ts'
import type { SignInRules } from '../sign-in-rules.ts'

/** A session just opened: the cookie for the browser, and the token its pages must send with every change. */
export type OpenedSession = { headers: { 'set-cookie': string }; csrfToken: string }

/** How an operator signed in, and whether with a second factor. */
type SignInProof = { by: SignInMethod; hasSecondFactor: boolean }

export type Sessions = {
  /** The operator behind the session or token of a request; refuses changes that another site may have caused. */
  operatorOf: (visit: Visit) => Promise<Operator | undefined>
  /** How the operator of this session signed in; undefined for a token. */
  signedInBy: (operator: Operator) => Promise<SignInMethod | undefined>
  /** Whether this session began with a second factor, or set one up. */
  hasSecondFactor: (operator: Operator) => Promise<boolean>
  /** The CSRF token for the session of the request; undefined for a token. */
  csrfTokenOf: (visit: Visit) => string | undefined
  /** Opens a session with a new secret, whatever cookie the browser sent; the session of that cookie ends. */
  open: (db: Queryable, visit: Visit, account: SessionOwner, proof: SignInProof) => Promise<OpenedSession>
  /** Ends the session and clears its cookie. */
  end: (visit: Visit, operator: Operator) => Promise<{ 'set-cookie': string }>
  /** Waits for pending writes. */
  close: () => Promise<void>
}

/** An ended session must be unknown everywhere within a second: half of it for this memory, half for the query. */
const memoryLimits = { trustedMs: 500, entriesMax: 1_000 }
/** Not with every request, so a session may end up to this much before its idle time. */
const lastSeenWrittenEveryMs = 60_000

type TokenOf = (authorization: string | undefined) => Promise<{ id: number; role: string } | undefined>

export function operatorSessions(
  needs: Needs & { rules: SignInRules },
  address: ConsoleAddress,
  tokenOf: TokenOf,
): Sessions {
  const remembered = new Memory<StoredSession | undefined>(needs.db.epoch, memoryLimits)
  const writing = new Set<Promise<void>>()

  const sessionOf = async (hash: string): Promise<StoredSession | undefined> => {
    const session = await remembered.get(hash, () => selectOptionalSession(needs.db.signIn, hash))
    return session && !isExpired(session, needs.clock.now(), needs.rules) ? session : undefined
  }
  const recordLastSeen = (hash: string, session: StoredSession): void => {
    const nowMs = needs.clock.now()
    if (nowMs - session.lastSeenAtMs < lastSeenWrittenEveryMs) return
    // Set on the remembered session, so that requests in the meantime don't write it again.
    session.lastSeenAtMs = nowMs
    const write = updateLastSeen(needs.db, hash, nowMs)
      // The request doesn't depend on it, and the next one tries again.
      .catch((error: unknown) => needs.log.warn({ err: error }, 'the last use of a session was not written'))
      .finally(() => writing.delete(write))
    writing.add(write)
  }

  return {
    operatorOf: async (visit) => {
      if (visit.headers.authorization !== undefined) return operatorOfToken(visit, tokenOf)
      const secret = sessionSecretOf(visit, address)
      if (secret === undefined || !looksLikeSecret(secret)) return undefined
      const hash = hashSecret(secret)
      const session = await sessionOf(hash)
      if (!session) return undefined
      if (visit.method !== 'GET') {
        refuseForeignSite(visit, address)
        refuseWithoutCsrfToken(secret, visit)
      }
      recordLastSeen(hash, session)
      const { operatorId: id, name, role } = session
      const isRequired = needs.rules.requiresSecondFactor && !hasProvedSecondFactor(session)
      const lacks = isRequired ? { lacksSecondFactor: true as const } : {}
      return { id, name, role, sessionId: hash, address: visit.address, ...supplierOf(session), ...lacks }
    },
    signedInBy: async ({ sessionId }) =>
      sessionId === undefined ? undefined : (await sessionOf(sessionId))?.signedInBy,
    hasSecondFactor: async ({ sessionId }) =>
      sessionId !== undefined && (await sessionOf(sessionId))?.hasSecondFactor === true,
    csrfTokenOf: (visit) => {
      const secret = sessionSecretOf(visit, address)
      return secret === undefined ? undefined : csrfTokenOf(secret)
    },
    open: async (db, visit, account, proof) => {
      const previous = sessionSecretOf(visit, address)
      if (previous !== undefined && looksLikeSecret(previous)) {
        await deleteSession(db, hashSecret(previous))
        remembered.forget(hashSecret(previous))
      }
      const { secret, csrfToken } = await openSession(db, account, proof, needs.clock.now())
      return { headers: { 'set-cookie': sessionCookie(secret, visit, address) }, csrfToken }
    },
    end: async (visit, { sessionId }) => {
      if (sessionId !== undefined) {
        await deleteSession(needs.db, sessionId)
        remembered.forget(sessionId)
      }
      return { 'set-cookie': endedCookie(visit, address) }
    },
    close: async () => void (await Promise.all(writing)),
  }
}

function supplierOf({ supplierId, supplier }: StoredSession): Pick<Operator, 'supplier'> {
  return supplierId === null ? {} : { supplier: { supplierId, name: supplier ?? '' } }
}

/** An OpenID provider asks for its own second factor. */
function hasProvedSecondFactor({ hasSecondFactor, signedInBy }: StoredSession): boolean {
  return hasSecondFactor || signedInBy === 'oidc'
}

/** Creates a session. The secret is for the cookie and can't be read back later. */
export async function openSession(
  db: Queryable,
  account: SessionOwner,
  { by, hasSecondFactor }: SignInProof,
  nowMs: number,
): Promise<{ secret: string; csrfToken: string }> {
  const secret = makeRandomSecret()
  const session = { hash: hashSecret(secret), ...account, signedInBy: by, hasSecondFactor, nowMs }
  if (!(await insertSession(db, session))) throw signInRefused()
  return { secret, csrfToken: csrfTokenOf(secret) }
}

/** The same answer whatever is wrong, so that nobody learns which names exist. */
export function signInRefused(): Rejected {
  return new Rejected(401, {
    type: 'SIGN_IN_REFUSED',
    message: 'Name or password is wrong',
    hint: 'After several wrong attempts you have to wait; an admin can give you a sign-in link',
  })
}

/** Tokens belong to programs, so they never get more than this. */
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
    message:
      presented === undefined ? 'x-csrf-token is missing' : 'x-csrf-token does not belong to this session',
    path: 'x-csrf-token',
    hint: 'Send csrfToken of GET /console/api/me as x-csrf-token; it changes with every sign-in',
  })
}

/** What the headers of a browser say: its cookie, and the site the request came from. */

/** The address at which people reach the console. */
export type ConsoleAddress = {
  /** Without a trailing slash; undefined: the one in the request. */
  publicUrl: string | undefined
  /** The path of `publicUrl`, such as `/ari`; '' without one. */
  pathPrefix: string
}

/**
 * Browsers refuse the __Host- name unless the cookie is Secure, and was set by this host for itself alone and for all its
 * paths. Below a path the cookie is for that path alone, so that other services of the host don't get it.
 */
function cookieScope(name: string, { pathPrefix }: ConsoleAddress) {
  return pathPrefix === ''
    ? { https: `__Host-${name}`, http: name, path: '/' }
    : { https: `__Secure-${name}`, http: name, path: pathPrefix }
}

const sessionCookieName = 'ari_console'

/** The secret in the cookie. At an https address only the Secure cookie counts, which no plain HTTP can set. */
function sessionSecretOf({ headers }: Visit, address: ConsoleAddress): string | undefined {
  const { https, http } = cookieScope(sessionCookieName, address)
  const names = address.publicUrl?.startsWith('https:') ? [https] : [https, http]
  return names.map((name) => cookieOf(headers.cookie, name)).find((secret) => secret !== undefined)
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** A cookie without an end: the store decides when the session ends. */
function sessionCookie(secret: string, visit: Visit, address: ConsoleAddress): string {
  const { https, http, path } = cookieScope(sessionCookieName, address)
  return isHttps(visit, address)
    ? `${https}=${secret}; Path=${path}; Secure; HttpOnly; SameSite=Strict`
    : `${http}=${secret}; Path=${path}; HttpOnly; SameSite=Strict`
}

function endedCookie(visit: Visit, address: ConsoleAddress): string {
  return `${sessionCookie('', visit, address)}; Max-Age=0`
}

/** Behind a TLS proxy the service itself speaks HTTP, so the scheme comes from the browser. */
function isHttps({ headers }: Visit, { publicUrl }: ConsoleAddress): boolean {
  return publicUrl === undefined
    ? headers.origin?.startsWith('https://') === true
    : publicUrl.startsWith('https:')
}

/** SameSite=Lax, because the provider sends the browser back; this cookie alone grants nothing. */
const oidcCookieName = 'ari_oidc'
const oidcCookieSeconds = 600

export function oidcCookie(flowState: string, visit: Visit, address: ConsoleAddress): string {
  const { https, http, path } = cookieScope(oidcCookieName, address)
  const [name, secure] = isHttps(visit, address) ? [https, ' Secure;'] : [http, '']
  return `${name}=${flowState}; Path=${path};${secure} HttpOnly; SameSite=Lax; Max-Age=${oidcCookieSeconds}`
}

export function endedOidcCookie(visit: Visit, address: ConsoleAddress): string {
  return oidcCookie('', visit, address).replace(/Max-Age=\d+$/, 'Max-Age=0')
}

export function oidcCookieOf(visit: Visit, address: ConsoleAddress): string | undefined {
  const { https, http } = cookieScope(oidcCookieName, address)
  return cookieOf(visit.headers.cookie, isHttps(visit, address) ? https : http)
}

/** Where the browser reached the service, without a trailing slash. */
export function addressSeenBy({ headers }: Visit, { publicUrl }: ConsoleAddress): string {
  return publicUrl ?? `http://${headers.host ?? ''}`
}

/** Programs send neither header; browsers send at least one of them with every change. */
export function refuseForeignSite({ headers }: Visit, { publicUrl }: ConsoleAddress): void {
  const site = headers['sec-fetch-site']
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  const origin = headers.origin
  const isForeignOrigin =
    origin !== undefined &&
    origin !== (publicUrl && URL.parse(publicUrl)?.origin) &&
    URL.parse(origin)?.host !== headers.host
  if (!isForeignSite && !isForeignOrigin) return
  throw new Rejected(403, {
    type: 'FOREIGN_SITE',
    message: 'The request came from another site',
    path: isForeignOrigin ? 'origin' : 'sec-fetch-site',
    hint: 'Use the console at its own address; behind a proxy that changes Host, set ARI_PUBLIC_URL',
  })
}
