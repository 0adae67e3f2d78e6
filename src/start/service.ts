import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { starting, type Closers, type Service } from '../processes/closers.ts'
import { startStoreWatch } from '../postgres/watch/store-watch.ts'
import type { Ports, PrimaryChannel } from '../processes/process-channel.ts'
import { claimPort, startProcesses } from '../processes/processes.ts'
import type { Settings } from '../settings/config.ts'
import { Peers } from '../processes/peers.ts'
import { startHousekeeping } from './housekeeping.ts'
import { revocationsIn, type Revocations } from '../keys/revocations.ts'
import { claimEnvironment } from '../keys/store.ts'
import { openStore, type Store } from './open-store.ts'
import { openLog, throttledWarning, type Log } from '../base/log.ts'
import { migrate, migrateAs, type Migrated } from '../postgres/schema/migrate.ts'
import { type Needs, openDatabase } from '../postgres/postgres.ts'
import { telemetry, type Telemetry } from '../base/telemetry.ts'
import { preparePartitions } from '../push-log/bodies/housekeeping.ts'
import { fillReference } from '../reference/store.ts'
import { listenError, serveRequests, type LoadedApp } from './serve-requests.ts'
import { addressesOf, announceAddresses } from '../settings/service-address.ts'
import { reportToSystemd } from '../processes/systemd.ts'
import { sayReady, type Say } from './welcome.ts'

// With those of serve-requests.ts below the 30 seconds in which the service must be able to stop.
const poolClosesWithinMs = 500
const housekeepingClosesWithinMs = 500
/** For the workers of a service with several processes, each of which takes the times above, beside ARI_DRAIN_MS. */
const processesStopWithinMs = 28_000
const enforcedAgainAfterMs = 1_000

/** Starts the whole service on its store, and prints its address when it is ready. */
export async function startService(settings: Settings, say: Say): Promise<Service> {
  const log = openLog(settings.logLevel)
  let loading: LoadedApp | undefined
  const load = (): LoadedApp => (loading ??= import('../app.ts'))
  return starting(log, async (closers) => {
    // Evaluating modules blocks: begin it when PostgreSQL works, not before.
    const { needs, store, revocations } = await prepareService(settings, log, closers, {
      onLaunch: () => void load().catch(() => {}),
    })
    const serving = await serveRequests({ ...needs, revocations }, settings, load(), closers)
    announce(serving.url, settings, closers)
    closers.push(housekeepingOf(needs, settings))
    await sayReady(
      needs,
      settings,
      { ...serving, notes: [...store.notes, ...serving.notes], where: store.where },
      say,
    )
    serving.begin({ withWorkThatRunsOnce: true })
    closers.push(await reportToSystemd(needs, settings, serving.url))
  })
}

/** The primary of a service with several processes: it keeps the store, and its workers answer the requests. */
export async function startPrimary(settings: Settings, say: Say): Promise<Service> {
  const log = openLog(settings.logLevel)
  const measurements = telemetry()
  return starting(log, async (closers) => {
    const ports = await claimPorts(settings)
    const processes = startProcesses(settings, log, measurements)
    const { needs, store } = await prepareService(settings, log, closers, { measurements }).catch(
      async (error: unknown) => {
        await processes.stop()
        throw error
      },
    )
    const stopProcesses = {
      name: 'processes',
      close: () => processes.stop(),
      withinMs: settings.drainMs + processesStopWithinMs,
    }
    closers.push(stopProcesses)
    const watch = startStoreWatch(needs)
    closers.push({ name: 'store watch', close: watch.close, withinMs: 500 })
    const { url, notes } = await processes.serve({ address: store.address, ...ports })
    announce(url, settings, closers)
    closers.push(housekeepingOf(needs, settings))
    // First in a stop in good order, so that balancers learn of it at once.
    closers.push(stopProcesses)
    await sayReady(needs, settings, { url, notes: [...store.notes, ...notes], where: store.where }, say)
    closers.push(await reportToSystemd(needs, settings, url))
  })
}

async function claimPorts({ host, port, metrics }: Settings): Promise<Ports> {
  const claim = (one: number) =>
    claimPort(host, one).catch((error: unknown) => {
      throw listenError({ host, port: one }, error)
    })
  return {
    port: await claim(port),
    metricsPort: metrics.port === undefined ? undefined : await claim(metrics.port),
  }
}

/** A worker of a service with several processes. */
export async function startWorker(settings: Settings, processes: PrimaryChannel): Promise<Service> {
  const log = openLog(settings.logLevel)
  const loading = import('../app.ts')
  loading.catch(() => {})
  return starting(log, async (closers) => {
    const { address, isFirst, peers, port, metricsPort } = await processes.toServe()
    const ported = { ...settings, port, metrics: { ...settings.metrics, port: metricsPort } }
    const needs = openNeeds(address, settings, log, closers, telemetry())
    processes.includeInMetrics(() => needs.telemetry.registry.getMetricsAsJSON())
    const revocations = revocationsIn(settings.revocationsFile)
    const serving = await serveRequests(
      { ...needs, revocations, processes, peers: new Peers(peers, settings.patience) },
      ported,
      loading,
      closers,
    )
    processes.send({ kind: 'ready', url: serving.url, notes: serving.notes })
    serving.begin({ withWorkThatRunsOnce: isFirst })
  })
}

/** For a step before new processes are started: brings the schema up to date, creating the store if there is none. */
export async function bringUpToDate(settings: Settings): Promise<Migrated> {
  const store = await openStore(settings, openLog(settings.logLevel))
  try {
    return await migrate(store.address)
  } finally {
    await store.close()
  }
}

/** Opens the store of this service, brings it up to date, and enforces revocations in it. */
async function prepareService(
  settings: Settings,
  log: Log,
  closers: Closers,
  { measurements = telemetry(), onLaunch }: { measurements?: Telemetry; onLaunch?: () => void },
): Promise<{ needs: Needs; store: Store; revocations: Revocations }> {
  const store = await openStore(settings, log, onLaunch)
  closers.push({ name: 'store', close: store.close, withinMs: Infinity })
  await migrateAs(settings.migrate, store.address)
  const needs = openNeeds(store.address, settings, log, closers, measurements)
  const revocations = revocationsIn(settings.revocationsFile)
  await prepareStore({ ...needs, db: needs.db.unhurried }, settings)
  closers.push(await keepRevoked({ ...needs, revocations }))
  return { needs, store, revocations }
}

function openNeeds(
  address: PostgresAddress,
  { patience }: Settings,
  log: Log,
  closers: Closers,
  measurements: Telemetry,
): Needs {
  const db = openDatabase(address, log, { patience })
  closers.push({ name: 'pool', close: db.close, withinMs: poolClosesWithinMs })
  return { db, clock: db.clock, log, telemetry: measurements }
}

/** Withdrawn when the service stops. */
function announce(url: string, settings: Settings, closers: Closers): void {
  const withdraw = announceAddresses(settings.dataDir, addressesOf(url, settings))
  closers.push({ name: 'addresses', close: async () => withdraw(), withinMs: 100 })
}

function housekeepingOf(needs: Needs, settings: Settings): Closers[number] {
  const { close } = startHousekeeping(needs, settings)
  return { name: 'housekeeping', close, withinMs: housekeepingClosesWithinMs }
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
      "lines of ARI_REVOCATIONS_FILE can't be read: a crash cut them off, or the file is something else",
    )
  if (Object.values(enforced).some((count) => count > 0))
    log.warn(enforced, 'revocations that a restore had undone were applied again')
}

/** Prepares the store for the first request; runs at every start. */
async function prepareStore({ db, clock }: Needs, settings: Settings): Promise<void> {
  const environment = await claimEnvironment(db, settings.environment)
  if (environment !== settings.environment) {
    throw new Error(
      `The database belongs to ${environment}, but ARI_ENVIRONMENT is ${settings.environment}: use another database, or ARI_ENVIRONMENT=${environment}`,
    )
  }
  // Housekeeping creates the other days when the service is ready.
  await Promise.all([fillReference(db), preparePartitions(db, clock.now(), 1)])
}
