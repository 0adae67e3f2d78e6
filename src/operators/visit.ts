import type { Visit } from '../http/call.ts'
import { Rejected } from '../http/rejected.ts'

/** What the headers of a browser say: its cookie, and the site the request came from. */

/** Browsers refuse the __Host- name unless the cookie is Secure and was set by this host for itself alone. */
const cookieNames = { https: '__Host-ari_console', http: 'ari_console' }

/** The address at which people reach the console; undefined: the one in the request. */
export type ConsoleAddress = { publicUrl: string | undefined }

/** The secret in the cookie. At an https address only the __Host- cookie counts, which no other host can set. */
export function sessionSecretOf({ headers }: Visit, { publicUrl }: ConsoleAddress): string | undefined {
  const names = publicUrl?.startsWith('https:') ? [cookieNames.https] : Object.values(cookieNames)
  return names.map((name) => cookieOf(headers.cookie, name)).find((secret) => secret !== undefined)
}

export function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** A cookie without an end: the store decides when the session ends. */
export function sessionCookie(secret: string, visit: Visit, address: ConsoleAddress): string {
  return isHttps(visit, address)
    ? `${cookieNames.https}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict`
    : `${cookieNames.http}=${secret}; Path=/; HttpOnly; SameSite=Strict`
}

export function endedCookie(visit: Visit, address: ConsoleAddress): string {
  return `${sessionCookie('', visit, address)}; Max-Age=0`
}

/** Behind a TLS proxy the service itself speaks HTTP, so the scheme comes from the browser. */
export function isHttps({ headers }: Visit, { publicUrl }: ConsoleAddress): boolean {
  return publicUrl === undefined
    ? headers.origin?.startsWith('https://') === true
    : publicUrl.startsWith('https:')
}

/** SameSite=Lax, because the provider sends the browser back; this cookie alone grants nothing. */
const oidcCookieNames = { https: '__Host-ari_oidc', http: 'ari_oidc' }
const oidcCookieSeconds = 600

export function oidcCookie(flowState: string, visit: Visit, address: ConsoleAddress): string {
  const [name, secure] = isHttps(visit, address)
    ? [oidcCookieNames.https, ' Secure;']
    : [oidcCookieNames.http, '']
  return `${name}=${flowState}; Path=/;${secure} HttpOnly; SameSite=Lax; Max-Age=${oidcCookieSeconds}`
}

export function endedOidcCookie(visit: Visit, address: ConsoleAddress): string {
  return oidcCookie('', visit, address).replace(/Max-Age=\d+$/, 'Max-Age=0')
}

export function oidcCookieOf(visit: Visit, address: ConsoleAddress): string | undefined {
  const name = isHttps(visit, address) ? oidcCookieNames.https : oidcCookieNames.http
  return cookieOf(visit.headers.cookie, name)
}

/** The origin at which the browser reached the service, without a trailing slash. */
export function originOf({ headers }: Visit, { publicUrl }: ConsoleAddress): string {
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
