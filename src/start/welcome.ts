import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { styleText } from 'node:util'
import type { Settings } from '../settings/config.ts'
import { createFirstKey, createToken } from '../keys/manage.ts'
import { noRevocations } from '../keys/revocations.ts'
import { createFirstAdmin, firstStart } from '../operators/accounts/manage.ts'
import { signInUrl } from '../operators/sessions/session-store.ts'
import type { Needs } from '../postgres/postgres.ts'
import { addressesOf, reachable } from '../settings/service-address.ts'
import type { Environment } from '../keys/secret.ts'

/** The text on the terminal when the service is ready. */

type Ready = {
  environment: Environment
  /** The address of the service, without a trailing slash. */
  url: string
  /** Whether it answers the API. */
  isGateway: boolean
  /** The number that share the port. */
  processes: number
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
type FirstSecrets = {
  supplier: string
  apiKey: string
  platformToken: string
  /** Undefined if there is no console, or somebody can sign in already. */
  signInLink: string | undefined
}

const nobodyCanSignIn =
  'nobody can sign in to the console yet: npx ari operator create --name NAME --role admin'

export type Say = (lines: readonly string[]) => void

const firstSupplier = 'demo'
const firstAdmin = 'admin'

export const firstHotel = {
  hotelId: 'H1',
  hotelName: 'Sea View Resort',
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Lisbon',
}

export async function sayReady(
  needs: Needs,
  settings: Settings,
  { url, notes, where }: { url: string; notes: readonly string[]; where: string },
  say: Say,
): Promise<void> {
  const { environment, roles, processes } = settings
  const startMs = performance.now()
  // On a terminal the welcome contains this, and should be the first thing to read.
  if (!process.stdout.isTTY) needs.log.info({ url, environment, startMs: Math.round(startMs) }, 'ready')
  const { console: consoleUrl } = addressesOf(url, settings)
  const isGateway = roles.includes('gateway')
  await welcome(
    needs,
    { environment, url: reachable(url), isGateway, processes, consoleUrl, startMs, where, notes },
    settings.bootstrapFile,
    say,
  )
}

async function welcome(
  needs: Needs,
  ready: Ready,
  bootstrapFile: string | undefined,
  say: Say,
): Promise<void> {
  const { db } = needs
  const { rows } = await db.query<{ isEmpty: boolean; isLocked: boolean }>(
    `select not exists (select from supplier) as "isEmpty", not exists (select from operator) as "isLocked"`,
  )
  const { isEmpty = false, isLocked = false } = rows[0] ?? {}
  // Opened before anything is made: secrets that can't be handed over must not be.
  const openFile = () => (bootstrapFile === undefined ? undefined : openHandover(bootstrapFile))
  const isForSignIn = !ready.isGateway && ready.consoleUrl !== undefined
  if (isForSignIn && isLocked && ready.environment === 'sandbox') {
    const handover = openFile()
    const signInLink = await firstSignInUrl(needs, ready)
    if (signInLink !== undefined) return say(handed(ready, { signInLink }, handover))
    handover?.remove()
  }
  const notes = isLocked && ready.consoleUrl !== undefined ? [...ready.notes, nobodyCanSignIn] : ready.notes
  if (!isEmpty || !ready.isGateway) return say(readyLines({ ...ready, notes }))
  if (ready.environment === 'production') return say(emptyProductionLines(ready))
  const handover = openFile()
  const wanted = { supplier: firstSupplier, channelManager: 'direct', expiresAtMs: null, limits: {} }
  const key = await createFirstKey(db, ready.environment, wanted)
  // Another process that started at the same moment created them.
  if (!key) {
    handover?.remove()
    return say(readyLines(ready))
  }
  const { token } = await createToken(db, ready.environment, {
    role: 'platform',
    name: firstSupplier,
    expiresAtMs: null,
  })
  const secrets = { supplier: firstSupplier, apiKey: key.apiKey, platformToken: token }
  say(handed(ready, { ...secrets, signInLink: await firstSignInUrl(needs, ready) }, handover))
}

/** What is said of the first secrets: themselves, or the file that has them now. */
function handed(ready: Ready, first: FirstSecrets | FirstLink, handover: Handover | undefined): string[] {
  const isWithKey = 'apiKey' in first
  if (handover === undefined)
    return isWithKey ? welcomeLines(ready, first) : firstSignInLines(ready, first.signInLink)
  handover.write(first)
  const what = isWithKey
    ? 'The store was empty. Its first key, token and sign-in link are in'
    : 'Nobody could sign in yet. The sign-in link of a first admin is in'
  return [...readyLines(ready), `${what} ${handover.file}`]
}

type FirstLink = { signInLink: string }
type Handover = {
  file: string
  write: (secrets: FirstSecrets | FirstLink) => void
  remove: () => void
}

/** Logs are kept and sent on; a file for its owner alone is not. */
function openHandover(file: string): Handover {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx', 0o600)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `The first key can't be written to ARI_BOOTSTRAP_FILE, so none was created: remove the file if it is from an earlier store, or name another (${reason})`,
      { cause },
    )
  }
  return {
    file,
    write: (secrets) => {
      writeFileSync(descriptor, `${JSON.stringify(secrets)}\n`)
      fsyncSync(descriptor)
      closeSync(descriptor)
    },
    remove: () => {
      closeSync(descriptor)
      rmSync(file)
    },
  }
}

async function firstSignInUrl(
  { db, clock }: Needs,
  { consoleUrl }: Pick<Ready, 'consoleUrl'>,
): Promise<string | undefined> {
  if (consoleUrl === undefined) return undefined
  const doing = { operator: firstStart, requestId: undefined, nowMs: clock.now(), revocations: noRevocations }
  const admin = await createFirstAdmin(db, firstAdmin, doing)
  return admin && signInUrl(consoleUrl, admin.link.token)
}

function readyLines(ready: Ready): string[] {
  const seconds = (ready.startMs / 1000).toFixed(1)
  const facts = [
    ...(ready.isGateway ? [`docs at ${ready.url}/docs`] : ['no API here (ARI_ROLES)']),
    ...(ready.consoleUrl === undefined ? [] : [`console at ${ready.consoleUrl}/console`]),
    ...(ready.processes === 1 ? [] : [`${ready.processes} processes`]),
  ]
  return [
    `ARI gateway (${ready.environment}) ready in ${seconds} s at ${bold(ready.url)} · ${facts.join(' · ')}`,
    ...ready.notes.map((note) => `Note: ${note}`),
  ]
}

/** The first start on an empty store. */
function welcomeLines(ready: Ready, secrets: FirstSecrets): string[] {
  const { apiKey, platformToken, supplier, signInLink } = secrets
  return [
    ...readyLines(ready),
    '',
    'The store was empty, so these were created. Keep them, they are not shown again:',
    '',
    `  Supplier key     ${bold(apiKey)}`,
    `  Platform token   ${bold(platformToken)}`,
    ...(signInLink === undefined ? [] : [signInLine(signInLink)]),
    '',
    `The key belongs to the supplier "${supplier}".`,
    ...(signInLink === undefined ? [] : [aboutSignIn]),
    '',
    'Push a first hotel:',
    '',
    `  curl ${ready.url}/v1/push/hotels \\`,
    `    -H 'x-api-key: ${apiKey}' \\`,
    `    -H 'content-type: application/json' \\`,
    `    -d '[${JSON.stringify(firstHotel)}]'`,
    '',
    `Continue with ${ready.url}/docs/guides/getting-started`,
    `The data is in ${ready.where}. More keys: npx ari key create --supplier NAME`,
    '',
  ]
}

/** For a process that has the console but not the API. */
function firstSignInLines(ready: Ready, signInLink: string): string[] {
  return [
    ...readyLines(ready),
    '',
    'Nobody could sign in yet, so an admin was created:',
    '',
    signInLine(signInLink),
    '',
    aboutSignIn,
    '',
  ]
}

const aboutSignIn =
  'The console link signs "admin" in once, within an hour. For another one: npx ari operator sign-in-link admin'

function signInLine(signInLink: string): string {
  return `  Console          ${bold(signInLink)}`
}

/** The first start of a production service prints no secrets, because its output is kept in logs. */
function emptyProductionLines(ready: Ready): string[] {
  return [
    ...readyLines(ready),
    'The store is empty. Create a first key with: npx ari key create --supplier NAME',
    ...(ready.consoleUrl === undefined
      ? []
      : ['For a first sign-in to the console: npx ari operator create --name NAME --role admin']),
  ]
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}
