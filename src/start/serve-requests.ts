import { extname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import type { BulkThreadData } from '../processes/bulk-thread.ts'
import type { ThreadProgram } from '../bulk/worker/thread.ts'
import { startPublisher } from '../changes/publisher.ts'
import { openArchive } from '../push-log/bodies/archive.ts'
import { openCardVault, type CardVault } from '../cards/card-vault.ts'
import type { Closers } from '../processes/closers.ts'
import type { Settings } from '../settings/config.ts'
import type { AppNeeds } from '../handlers/handler-needs.ts'
import { resolveAsSystem, resolveByDns } from '../outbound/vet-url.ts'
import type { Needs } from '../postgres/postgres.ts'

// With those of service.ts below the 30 seconds in which the service must be able to stop (bin/serve.ts).
const requestsFinishWithinMs = 20_000
const connectionsCloseWithinMs = 1_000
const vaultClosesWithinMs = 500
const holdsCloseWithinMs = 1_000
const deliveriesCloseWithinMs = 2_000
const alertsCloseWithinMs = 500
const publisherClosesWithinMs = 500
const bulkClosesWithinMs = 1_000
const drainPollMs = 10
const preparingPausesMs = 20
/**
 * Delayed, because the person who starts the service needs other things first; a request for the console
 * doesn't wait for this.
 */
const consoleBuiltAfterMs = 5_000

export type LoadedApp = Promise<{ startApp: (needs: AppNeeds) => App }>

export type Serving = {
  url: string
  notes: readonly string[]
  /**
   * Begins the work beside requests. Deliveries, publishing the change feed, and building the console are done
   * by one process of a service.
   */
  begin: (how: { withWorkThatRunsOnce: boolean }) => void
}

/** Listens, and answers requests until it is closed. */
export async function serveRequests(
  needs: Needs & Pick<AppNeeds, 'revocations' | 'processes' | 'peers'>,
  settings: Settings,
  loading: LoadedApp,
  closers: Closers,
): Promise<Serving> {
  const { environment, feedNats, privateNetworks, roles, drainMs } = settings
  const { startApp } = await loading
  const vault = await openVaultOf(needs, settings, closers)
  const archive = openArchive(settings.archive, needs)
  closers.push({ name: 'archive', close: async () => archive.close(), withinMs: 100 })
  const resolve = privateNetworks.length > 0 ? resolveAsSystem : resolveByDns
  const app = startApp({
    ...needs,
    environment,
    outbound: { privateNetworks, resolve, sendsTraceparent: settings.traceCallbacks },
    vault,
    archive,
    isGateway: roles.includes('gateway'),
    publicUrl: settings.publicUrl,
    storeFolder: settings.databaseUrl === undefined ? settings.dataDir : undefined,
    console: roles.includes('console') ? settings : undefined,
    trustedProxies: settings.trustedProxies,
    patience: settings.patience,
    liveAnswerSeconds: settings.liveAnswerSeconds,
    metrics: settings.metrics,
    mail: settings.mail,
    allowsSignUp: settings.sandboxSignUp,
    operatorsWebhook: settings.operatorsWebhook,
  })
  closers.push({ name: 'connections', close: app.close, withinMs: connectionsCloseWithinMs })
  const { url } = await app.listen(settings).catch((error: unknown) => {
    throw listenError(settings, error)
  })
  const { fault } = vault.status()
  return {
    url,
    notes: fault === undefined ? [] : [fault],
    begin: ({ withWorkThatRunsOnce }) => {
      closers.push({ name: 'preparing', close: prepareSlowly(app), withinMs: 100 })
      if (withWorkThatRunsOnce && roles.includes('worker')) {
        const deliveries = app.startDeliveries()
        closers.push({ name: 'deliveries', close: deliveries.close, withinMs: deliveriesCloseWithinMs })
        closers.push({ name: 'holds', close: app.startHoldWatch().close, withinMs: holdsCloseWithinMs })
        const bulk = app.startBulkThread(bulkThreadOf(needs, settings))
        closers.push({ name: 'bulk', close: bulk.close, withinMs: bulkClosesWithinMs })
        const alerts = app.startAlerts()
        closers.push({ name: 'alerts', close: alerts.close, withinMs: alertsCloseWithinMs })
        if (feedNats !== undefined) {
          const publisher = startPublisher({ ...needs, environment, natsUrl: feedNats })
          closers.push({ name: 'publisher', close: publisher.close, withinMs: publisherClosesWithinMs })
        }
      }
      closers.push({
        name: 'requests',
        close: ({ isFault }) => drain(app, isFault ? 0 : drainMs),
        withinMs: drainMs + requestsFinishWithinMs,
      })
      if (!withWorkThatRunsOnce) return
      const building = setTimeout(app.prepareConsole, consoleBuiltAfterMs)
      closers.push({ name: 'console', close: async () => clearTimeout(building), withinMs: 100 })
    },
  }
}

/** The sources are .ts, the packed product is .js. */
function bulkThreadOf({ db }: Needs, { logLevel, patience }: Settings): ThreadProgram {
  const file = new URL(`../processes/bulk-thread${extname(import.meta.url)}`, import.meta.url)
  return { file, data: { address: db.address, logLevel, patience } satisfies BulkThreadData }
}

async function openVaultOf(needs: Needs, settings: Settings, closers: Closers): Promise<CardVault> {
  const { vaultKey: present, vaultKeysPrevious: previous } = settings
  const vault = await openCardVault(needs, { present, previous })
  closers.push({ name: 'vault', close: vault.close, withinMs: vaultClosesWithinMs })
  return vault
}

/**
 * Compiles a shape per turn, and with pauses beside requests: one that needs a shape earlier compiles it itself, so it waits less
 * than it would for a start that compiles them all.
 */
function prepareSlowly(app: App): () => Promise<void> {
  const preparing = app.prepare()
  let next: NodeJS.Timeout | undefined
  const prepareNext = (): void => {
    if (preparing.next().done) return
    next = setTimeout(prepareNext, app.requestsInFlight() > 0 ? preparingPausesMs : 0)
  }
  next = setTimeout(prepareNext, preparingPausesMs)
  return async () => clearTimeout(next)
}

/**
 * First balancers learn that this process is going, while it serves as before; then new requests get 503 while those in
 * progress finish. Afterwards the port is released.
 */
async function drain(app: App, drainMs: number): Promise<void> {
  app.leave()
  await wait(drainMs)
  app.drain()
  while (app.requestsInFlight() > 0) await wait(drainPollMs)
}

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there: stop it, or set PORT to another one',
  EACCES: 'this user is not allowed to: set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address: set HOST to one of its own, or to 0.0.0.0 for all',
  ENOTFOUND: 'the name is not known: set HOST to an IP address',
}

export function listenError({ host, port }: Pick<Settings, 'host' | 'port'>, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = listenReasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
  const hostInUrl = host.includes(':') ? `[${host}]` : host
  return new Error(`Can't listen on ${hostInUrl}:${port}, because ${reason}`, { cause })
}
