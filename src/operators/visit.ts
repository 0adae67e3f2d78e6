import type { Visit } from '../http/call.ts'
import { Rejected } from '../http/rejected.ts'

/** What a browser says with its headers: its cookie, and which site the request came from. */

/** The longer name is refused by browsers unless the cookie is Secure, for this host alone, and set by it. */
const cookieNames = { https: '__Host-ari_console', http: 'ari_console' }

/** Where people reach the console; undefined: by whatever the request names. */
export type ConsoleAddress = { publicUrl: string | undefined }

/** The secret in the cookie. Where the console has an https address, only the name that nobody else can set counts. */
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

/** Lasts as long as the browser runs; when the session ends is the store's to say. */
export function sessionCookie(secret: string, visit: Visit, address: ConsoleAddress): string {
  return isHttps(visit, address)
    ? `${cookieNames.https}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict`
    : `${cookieNames.http}=${secret}; Path=/; HttpOnly; SameSite=Strict`
}

export function endedCookie(visit: Visit, address: ConsoleAddress): string {
  return `${sessionCookie('', visit, address)}; Max-Age=0`
}

/** The service speaks HTTP behind a proxy with TLS; a browser names the scheme it used itself. */
export function isHttps({ headers }: Visit, { publicUrl }: ConsoleAddress): boolean {
  return publicUrl === undefined
    ? headers.origin?.startsWith('https://') === true
    : publicUrl.startsWith('https:')
}

/** Brought back from the provider, so it may be sent with what another site began; it opens nothing by itself. */
const oidcCookieNames = { https: '__Host-ari_oidc', http: 'ari_oidc' }
const oidcCookieSeconds = 600

export function oidcCookie(kept: string, visit: Visit, address: ConsoleAddress): string {
  const [name, secure] = isHttps(visit, address)
    ? [oidcCookieNames.https, ' Secure;']
    : [oidcCookieNames.http, '']
  return `${name}=${kept}; Path=/;${secure} HttpOnly; SameSite=Lax; Max-Age=${oidcCookieSeconds}`
}

export function endedOidcCookie(visit: Visit, address: ConsoleAddress): string {
  return oidcCookie('', visit, address).replace(/Max-Age=\d+$/, 'Max-Age=0')
}

export function oidcCookieOf(visit: Visit, address: ConsoleAddress): string | undefined {
  const name = isHttps(visit, address) ? oidcCookieNames.https : oidcCookieNames.http
  return cookieOf(visit.headers.cookie, name)
}

/** Under what the browser reached the service, without a slash at the end. */
export function originOf({ headers }: Visit, { publicUrl }: ConsoleAddress): string {
  return publicUrl ?? `http://${headers.host ?? ''}`
}

/** Programs send neither header; browsers send at least one of them with everything that changes something. */
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
