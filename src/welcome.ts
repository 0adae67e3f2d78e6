import { styleText } from 'node:util'
import type { Environment } from './keys/secret.ts'

/** The text on the terminal when the service is ready. */

export type Ready = {
  environment: Environment
  /** The address of the service, without a trailing slash. */
  url: string
  /** Whether it answers the API. */
  isGateway: boolean
  startMs: number
  /** The location of the data. */
  where: string
  notes: readonly string[]
  /**
   * Address under which people reach the console, without a trailing slash; undefined: this process has none.
   */
  consoleUrl: string | undefined
}

/** Created for an empty store, and shown only this once. */
export type FirstSecrets = {
  supplier: string
  apiKey: string
  platformToken: string
  /** Undefined if there is no console, or somebody can sign in already. */
  signInUrl: string | undefined
}

export const nobodyCanSignIn =
  'nobody can sign in to the console yet: npx ari operator create --name NAME --role admin'

export const firstHotel = {
  hotelId: 'H1',
  hotelName: 'Sea View Resort',
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Lisbon',
}

export function readyLines(ready: Ready): string[] {
  const seconds = (ready.startMs / 1000).toFixed(1)
  const addresses = [
    ...(ready.isGateway ? [`docs at ${ready.url}/docs`] : ['no API here (ARI_ROLES)']),
    ...(ready.consoleUrl === undefined ? [] : [`console at ${ready.consoleUrl}/console`]),
  ]
  return [
    `ARI gateway (${ready.environment}) ready in ${seconds} s at ${bold(ready.url)} · ${addresses.join(' · ')}`,
    ...ready.notes.map((note) => `Note: ${note}`),
  ]
}

/** The first start on an empty store. */
export function welcomeLines(ready: Ready, secrets: FirstSecrets): string[] {
  const { apiKey, platformToken, supplier, signInUrl } = secrets
  return [
    ...readyLines(ready),
    '',
    'The store was empty, so these were made. Keep them, they are not shown again:',
    '',
    `  Supplier key     ${bold(apiKey)}`,
    `  Platform token   ${bold(platformToken)}`,
    ...(signInUrl === undefined ? [] : [signInLine(signInUrl)]),
    '',
    `The key belongs to the supplier "${supplier}".`,
    ...(signInUrl === undefined ? [] : [aboutSignIn]),
    '',
    'Push a first hotel:',
    '',
    `  curl ${ready.url}/v1/push/hotels \\`,
    `    -H 'x-api-key: ${apiKey}' \\`,
    `    -H 'content-type: application/json' \\`,
    `    -d '[${JSON.stringify(firstHotel)}]'`,
    '',
    `Go on with ${ready.url}/docs/guides/getting-started`,
    `The data are in ${ready.where}. More keys: npx ari key create --supplier NAME`,
    '',
  ]
}

/** For a process that has the console but not the API. */
export function firstSignInLines(ready: Ready, signInUrl: string): string[] {
  return [
    ...readyLines(ready),
    '',
    'Nobody could sign in yet. An admin was made:',
    '',
    signInLine(signInUrl),
    '',
    aboutSignIn,
    '',
  ]
}

const aboutSignIn =
  'The console\'s link signs in "admin" once, within an hour. Another: npx ari operator sign-in-link admin'

function signInLine(signInUrl: string): string {
  return `  Console          ${bold(signInUrl)}`
}

/** The first start of a production service prints no secrets, because its output is kept in logs. */
export function emptyProductionLines(ready: Ready): string[] {
  return [
    ...readyLines(ready),
    'The store is empty. Make a first key with: npx ari key create --supplier NAME',
    ...(ready.consoleUrl === undefined
      ? []
      : ['A first sign-in to the console: npx ari operator create --name NAME --role admin']),
  ]
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}
