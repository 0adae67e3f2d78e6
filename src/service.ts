import { setTimeout as wait } from 'node:timers/promises'
import type { App } from './app.ts'
import type { Settings } from './config.ts'
import { startHousekeeping } from './housekeeping.ts'
import { createFirstKey, createToken } from './keys/manage.ts'
import { noRevocations, revocationsIn, type Revocations } from './keys/revocations.ts'
import { claimEnvironment } from './keys/store.ts'
import { openStore, type Store } from './open-store.ts'
import { createFirstAdmin, firstStart } from './operators/manage.ts'
import { signInUrl } from './operators/sign-in-link.ts'
import { openLog, throttledWarning, type Log } from './base/log.ts'
import { migrate } from './postgres/migrate.ts'
import type { Needs } from './postgres/needs.ts'
import { resolveAsSystem, resolveByDns } from './outbound/vet-url.ts'
import { openDatabase } from './postgres/postgres.ts'
import { telemetry } from './base/telemetry.ts'
import { preparePartitions } from './push-log/housekeeping.ts'
import { fillReference } from './reference/store.ts'
import { announceAddresses, type Addresses } from './service-address.ts'
import { openCardVault, type CardVault } from './cards/card-vault.ts'
import {
  emptyProductionLines,
  firstSignInLines,
  nobodyCanSignIn,
  readyLines,
  welcomeLines,
  type Ready,
} from './welcome.ts'

export type Service = {
  log: Log
  /**
   * Lets the requests in progress finish, refuses new ones, and stops everything that this service started.
   */
  stop: () => Promise<void>
}

/** Cleanup steps, run in reverse order. A step that takes too long is abandoned: the process ends anyway. */
type Closers = { name: string; close: () => Promise<void>; withinMs: number }[]

// Together below the ten seconds in which the service must be able to stop.
const requestsFinishWithinMs = 4_000
const connectionsCloseWithinMs = 1_000
const poolClosesWithinMs = 500
const housekeepingClosesWithinMs = 500
const vaultClosesWithinMs = 500
const deliveriesCloseWithinMs = 2_000
const drainPollMs = 10
const enforcedAgainAfterMs = 1_000
/**
 * Delayed, because the person who starts the service needs other things first; a request for the console
 * doesn't wait for this.
 */
const consoleBuiltAfterMs = 5_000

const firstSupplier = 'demo'
const firstAdmin = 'admin'

/** Starts the whole service on its store, and prints its address when it is ready. */
export async function startService(
  settings: Settings,
  say: (lines: readonly string[]) => void,
): Promise<Service> {
  const log = openLog(settings.logLevel)
  const closers: Closers = []
  const stop = () => closeAll(closers, (fields, message) => log.warn(fields, message))
  // Loaded while PostgreSQL starts.
  const loading = import('./app.ts')
  loading.catch(() => {})
  try {
    const store = await openStore(settings, log)
    closers.push({ name: 'store', close: store.close, withinMs: Infinity })
    await migrate(store.address)
    const db = openDatabase(store.address, log, { patience: settings.patience })
    closers.push({ name: 'pool', close: db.close, withinMs: poolClosesWithinMs })
    const needs: Needs = { db, clock: db.clock, log, telemetry: telemetry() }
    const revocations = revocationsIn(settings.revocationsFile)
    await prepareStore({ ...needs, db: db.unhurried }, settings)
    closers.push(await keepRevoked({ ...needs, revocations }))
    const { startApp } = await loading
    const vault = await openVaultOf(needs, settings, closers)
    const { environment, privateNetworks } = settings
    const isGateway = settings.roles.includes('gateway')
    const resolve = privateNetworks.length > 0 ? resolveAsSystem : resolveByDns
    const app = startApp({
      ...needs,
      environment,
      outbound: { privateNetworks, resolve },
      vault,
      revocations,
      isGateway,
      console: settings.roles.includes('console') ? settings : undefined,
      trustedProxies: settings.trustedProxies,
      patience: settings.patience,
      metrics: settings.metrics,
    })
    closers.push({ name: 'connections', close: app.close, withinMs: connectionsCloseWithinMs })
    const housekeeping = startHousekeeping(needs, settings)
    closers.push({ name: 'housekeeping', close: housekeeping.close, withinMs: housekeepingClosesWithinMs })
    app.prepare()
    const { url } = await app.listen(settings).catch((error: unknown) => {
      throw listenError(settings, error)
    })
    const addresses = addressesOf(url, settings)
    const withdraw = announceAddresses(settings.dataDir, addresses)
    closers.push({ name: 'addresses', close: async () => withdraw(), withinMs: 100 })
    const startMs = performance.now()
    // On a terminal the welcome contains this, and should be the first thing to read.
    if (!process.stdout.isTTY) log.info({ url, environment, startMs: Math.round(startMs) }, 'ready')
    const { console: consoleUrl } = addresses
    const { where, notes } = notedBeside(store, vault)
    await welcome(
      needs,
      { environment, url: reachable(url), isGateway, consoleUrl, startMs, where, notes },
      say,
    )
    if (settings.roles.includes('worker')) {
      const deliveries = app.startDeliveries()
      closers.push({ name: 'deliveries', close: deliveries.close, withinMs: deliveriesCloseWithinMs })
    }
    closers.push({ name: 'requests', close: () => drain(app), withinMs: requestsFinishWithinMs })
    const building = setTimeout(app.prepareConsole, consoleBuiltAfterMs)
    closers.push({ name: 'console', close: async () => clearTimeout(building), withinMs: 100 })
    return { log, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function addressesOf(url: string, { roles, publicUrl }: Settings): Addresses {
  return {
    gateway: roles.includes('gateway') ? reachable(url) : undefined,
    console: roles.includes('console') ? (publicUrl ?? reachable(url)) : undefined,
  }
}

/**
 * Enforces revocations now, and in every new epoch of the store. It retries until it succeeds, because a
 * store that changes is often away for a while.
 */
async function keepRevoked(needs: Needs & { revocations: Revocations }): Promise<Closers[number]> {
  await enforceRevocations(needs)
  const stop = new AbortController()
  const complain = throttledWarning(
    needs.log,
    'revocations could not be enforced in the new epoch of the store',
  )
  const enforceUntilDone = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        return await enforceRevocations(needs)
      } catch (error) {
        complain(error instanceof Error ? error.message : String(error))
      }
      await wait(enforcedAgainAfterMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }
  needs.db.epoch.onChange(() => void enforceUntilDone())
  return { name: 'revocations', close: async () => stop.abort(), withinMs: 100 }
}

/** In a restored store, credentials revoked since the backup are valid again until this has run. */
async function enforceRevocations({
  db,
  log,
  revocations,
}: Pick<Needs, 'db' | 'log'> & { revocations: Revocations }): Promise<void> {
  const { enforced, unreadable } = await revocations.enforce(db.unhurried)
  if (unreadable > 0)
    log.warn(
      { unreadable },
      "lines of ARI_REVOCATIONS_FILE can't be read: what a crash cut off, or a file of something else",
    )
  if (Object.values(enforced).some((count) => count > 0))
    log.warn(enforced, 'what was revoked and had come back is revoked again')
}

async function openVaultOf(needs: Needs, settings: Settings, closers: Closers): Promise<CardVault> {
  const { vaultKey: present, vaultKeysPrevious: previous } = settings
  const vault = await openCardVault(needs, { present, previous })
  closers.push({ name: 'vault', close: vault.close, withinMs: vaultClosesWithinMs })
  return vault
}

/** The store, with the fault of its vault, if any, among its notes. */
function notedBeside(store: Store, vault: CardVault): Store {
  const { fault } = vault.status()
  return fault === undefined ? store : { ...store, notes: [...store.notes, fault] }
}

/** Prepares the store for the first request; runs at every start. */
async function prepareStore({ db, clock }: Needs, settings: Settings): Promise<void> {
  const environment = await claimEnvironment(db, settings.environment)
  if (environment !== settings.environment) {
    throw new Error(
      `The database belongs to ${environment}, but ARI_ENVIRONMENT is ${settings.environment}: use another database, or ARI_ENVIRONMENT=${environment}`,
    )
  }
  await Promise.all([fillReference(db), preparePartitions(db, clock.now())])
}

async function welcome(needs: Needs, ready: Ready, say: (lines: readonly string[]) => void): Promise<void> {
  const { db } = needs
  const { rows } = await db.query<{ isEmpty: boolean; isLocked: boolean }>(
    `select not exists (select from supplier) as "isEmpty", not exists (select from operator) as "isLocked"`,
  )
  const { isEmpty = false, isLocked = false } = rows[0] ?? {}
  if (!ready.isGateway && isLocked && ready.environment === 'sandbox') {
    const link = await firstSignInUrl(needs, ready)
    if (link !== undefined) return say(firstSignInLines(ready, link))
  }
  const notes = isLocked && ready.consoleUrl !== undefined ? [...ready.notes, nobodyCanSignIn] : ready.notes
  if (!isEmpty || !ready.isGateway) return say(readyLines({ ...ready, notes }))
  if (ready.environment === 'production') return say(emptyProductionLines(ready))
  const wanted = { supplier: firstSupplier, channelManager: 'direct', expiresAtMs: null, limits: {} }
  const key = await createFirstKey(db, ready.environment, wanted)
  // Another process that started at the same moment created them.
  if (!key) return say(readyLines(ready))
  const { token } = await createToken(db, ready.environment, {
    role: 'platform',
    name: firstSupplier,
    expiresAtMs: null,
  })
  const secrets = { supplier: firstSupplier, apiKey: key.apiKey, platformToken: token }
  say(welcomeLines(ready, { ...secrets, signInUrl: await firstSignInUrl(needs, ready) }))
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

/** New requests get 503 while those in progress finish; then the port is released. */
async function drain(app: App): Promise<void> {
  app.drain()
  while (app.requestsInFlight() > 0) await wait(drainPollMs)
}

async function closeAll(closers: Closers, warn: (fields: object, message: string) => void): Promise<void> {
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    const { name, close, withinMs } = closer
    const giveUp = new AbortController()
    try {
      const closed = close().then(() => true)
      const late = Number.isFinite(withinMs)
        ? wait(withinMs, false, { signal: giveUp.signal }).catch(() => false)
        : new Promise<false>(() => {})
      if (!(await Promise.race([closed, late])))
        warn({ step: name, withinMs }, 'stopping goes on without a step')
    } catch (error) {
      warn({ err: error, step: name }, 'a step of stopping failed')
    } finally {
      giveUp.abort()
    }
  }
}

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: stop it, or set PORT to another one',
  EACCES: 'this user may not: set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address: set HOST to one of its own, or to 0.0.0.0 for all',
  ENOTFOUND: 'the name is not known: set HOST to an IP address',
}

function listenError({ host, port }: Settings, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = listenReasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
  const hostInUrl = host.includes(':') ? `[${host}]` : host
  return new Error(`It can't listen on ${hostInUrl}:${port}, because ${reason}`, { cause })
}

/** A wildcard address can't be called: use the loopback address instead. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
