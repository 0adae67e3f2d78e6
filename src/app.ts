import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { acceptHandedOver } from './ari/push/hand-over.ts'
import { startHoldWatch, type HoldWatch } from './ari/holds/watch-holds.ts'
import { startAlertWorker, type AlertWorker } from './alerts/watch/worker.ts'
import { watchCertifications } from './certification/watch.ts'
import { endStopSells } from './console-api/stop-sells/end-stop-sells.ts'
import { consoleHandlers } from './handlers/console-handlers.ts'
import { forPeopleOfSuppliers } from './handlers/supplier-scope.ts'
import { mountConsole } from './console-api/web/mount-console.ts'
import { handlerNeedsOf, type AppNeeds, type HandlerNeeds } from './handlers/handler-needs.ts'
import { startBulkThread, type ThreadProgram } from './bulk/worker/thread.ts'
import { startBulkWorker, type BulkWorker } from './bulk/worker/worker.ts'
import { linePushes } from './processes/line-pushes.ts'
import { handlers } from './handlers/handlers.ts'
import { mountHealth, metricsServer, mountMetrics, watchReady } from './handlers/health-and-metrics.ts'
import { authenticator } from './keys/authenticate.ts'
import { mountDocs } from './openapi/docs.ts'
import { auditRoleRefused } from './operators/accounts/audit.ts'
import { shedWhenLate } from './http/server/loop-delay.ts'
import { serve, type Server } from './http/server/serve.ts'
import { startStoreFigures } from './postgres/watch/store-figures.ts'
import { startStoreWatch } from './postgres/watch/store-watch.ts'
import type { ServeNeeds } from './http/server/serve-needs.ts'
import type { Mounted } from './http/calls/mount.ts'
import { replayedAnswer } from './push-log/keep/keep.ts'
import { keepRefused } from './push-log/keep/keep-refused.ts'
import { startDeliveryWorker, type DeliveryWorker } from './deliveries/worker/worker.ts'

export type App = {
  /** Compiles the shapes of all requests, a route at a time, so that hardly any request has to wait for it. */
  prepare: () => Generator<void>
  /** Listens; port 0 takes a free one. `metricsUrl` is set if the metrics have a separate port. */
  listen: (where: { host: string; port: number }) => Promise<{ url: string; metricsUrl?: string }>
  /** From now on /readyz answers 503, and each answer ends its connection; everything is served as before. */
  leave: () => void
  /**
   * From now on new requests get 503, and /readyz reports that; those in progress finish, and waiting ones
   * come to an end.
   */
  drain: () => void
  /** Ends the connections, waits for requests in progress, then writes all outstanding data. */
  close: () => Promise<void>
  mounted: readonly Mounted[]
  /** Includes those that wait for something to happen. */
  requestsInFlight: () => number
  /** Delivers reservations from now on, until it is closed. */
  startDeliveries: () => DeliveryWorker
  /** Ends what the guard holds when its time is over, until it is closed. */
  startHoldWatch: () => HoldWatch
  /** Works on first loads and exports from now on, until it is closed: here, by the clock of this process, or in a thread. */
  startBulk: () => BulkWorker
  startBulkThread: (program: ThreadProgram) => BulkWorker
  /** Watches for findings and tells them, from now on, until it is closed. */
  startAlerts: () => AlertWorker
  /** Builds the console's web application if it isn't built yet, with the lowest priority. */
  prepareConsole: () => void
}

const connectionsCloseWithinMs = 800
/** For calls that requests wait for, once the service shuts down. */
const callsFinishWithinMs = 1_500

/** The kernel spreads connections over the processes, and resets those that a dead one had not accepted. */
const sharedPort = process.platform === 'linux' ? { reusePort: true } : {}
/**
 * Connections that the system accepts while the process is busy. With Node's 511, a burst of a thousand new connections
 * on a slow machine overflows the queue, and Linux resets some of them. The system lowers it to its own maximum.
 */
const backlog = 4_096

/** Composes the service, once, by plain calls. */
export function startApp(needs: AppNeeds): App {
  const keys = authenticator(needs, needs)
  const ending = new AbortController()
  const handlerNeeds = handlerNeedsOf({ ...needs, ending: ending.signal }, keys)
  const { committer: commits, pings, priceChecks: prices, sessions } = handlerNeeds
  const mounted = mountedOf(handlerNeeds, needs)
  let isLeaving = false

  const server = serve(mounted, {
    ...needs,
    ...handlerNeeds.consoleAddress,
    sharedLimits: needs.processes,
    callerOf: keys.callerOf,
    tokenOf: keys.tokenOf,
    operatorOf: sessions.operatorOf,
    roleRefused: (operator, route, requestId) => auditRoleRefused(needs.db, operator, route, requestId),
    ...trafficWatch(handlerNeeds),
    keepRefused: (push, rejected, json) => keepRefused(needs, push, rejected, json),
  })
  const { fastify } = server
  const shedding = shedWhenLate(fastify, needs)
  mountHealth(fastify, needs, () => isLeaving)
  const ownMetrics = openMetrics(fastify, needs)
  if (needs.isGateway || needs.console) mountDocs(fastify, { ...needs, ...handlerNeeds.consoleAddress })
  const web = needs.console && mountConsole(fastify, { ...needs, ...handlerNeeds.consoleAddress })
  measure(needs, { commits, server })
  const watches = [startStoreWatch(needs), startStoreFigures(needs), watchReady(needs, () => isLeaving)]

  return {
    *prepare() {
      for (const one of mounted) yield one.prepare()
    },
    mounted,
    requestsInFlight: () => server.requestsInFlight() + server.requestsHeldOpen(),
    ...workOf(handlerNeeds),
    prepareConsole: () => web?.prepare(),
    listen: async (where) => {
      await answerPeers(handlerNeeds)
      return listenOn({ fastify, ownMetrics }, where, needs)
    },
    leave: () => {
      isLeaving = true
      server.leave()
    },
    drain: () => {
      isLeaving = true
      server.drain()
      void needs.peers?.close()
      setTimeout(() => ending.abort(), callsFinishWithinMs).unref()
    },
    close: async () => {
      ending.abort()
      // A client that hangs must not keep the rest from being closed.
      const patience = setTimeout(() => fastify.server.closeAllConnections(), connectionsCloseWithinMs)
      await fastify.close().finally(() => clearTimeout(patience))
      shedding.close()
      await Promise.all(watches.map(({ close }) => close()))
      await ownMetrics?.close()
      pings.close()
      for (const calls of [handlerNeeds.deliveryCaller, handlerNeeds.alertChannels]) calls.close()
      await prices.close()
      await Promise.all([handlerNeeds.callbackWatch?.close(), handlerNeeds.trafficNotes.written()])
      await needs.peers?.close()
      await commits.close()
      await sessions.close()
      await web?.close()
      await keys.close()
    },
  }
}

/** The routes of this process's roles. */
function mountedOf(needs: HandlerNeeds, { isGateway, console: withConsole }: AppNeeds) {
  return [
    ...(isGateway ? Object.values(handlers).map((handler) => handler(needs)) : []),
    ...(withConsole ? Object.values(consoleHandlers).map(forPeopleOfSuppliers(needs)) : []),
  ]
}

/** On a port of their own if there is one, otherwise beside everything else. */
function openMetrics(fastify: Server['fastify'], needs: AppNeeds): FastifyInstance | undefined {
  const { port, token } = needs.metrics ?? {}
  if (port !== undefined) return metricsServer(metricsPageOf(needs), token)
  mountMetrics(fastify, metricsPageOf(needs), token)
  return undefined
}

/** The work that runs once, whoever answers requests. */
function workOf(
  needs: HandlerNeeds,
): Pick<App, 'startAlerts' | 'startBulk' | 'startBulkThread' | 'startDeliveries' | 'startHoldWatch'> {
  return {
    startDeliveries: () => startDeliveryWorker(needs),
    startHoldWatch: () => startHoldWatch(needs),
    startBulk: () =>
      startBulkWorker({ ...needs, submitted: needs.committer.submitted, linePushes: linePushes(needs) }),
    startBulkThread: (program) =>
      startBulkThread({ ...needs, submitted: needs.committer.submitted }, program),
    startAlerts: () =>
      startAlertWorker(needs, {
        certifications: (_needs, nowMs) => watchCertifications(needs, nowMs),
        'ends of stop-sells': (_needs, nowMs) => endStopSells(needs, nowMs),
      }),
  }
}

/** What no log has is noted for the certification: requests refused with 429, and repeats that get a stored answer. */
function trafficWatch({ db, trafficNotes }: HandlerNeeds): Pick<ServeNeeds, 'replayed' | 'limitWatch'> {
  return {
    limitWatch: trafficNotes,
    replayed: async (push) => {
      const stored = await replayedAnswer(db, push)
      if (stored) trafficNotes.repeated(push.caller, push.requestId)
      return stored
    },
  }
}

async function listenOn(
  { fastify, ownMetrics }: Pick<Server, 'fastify'> & { ownMetrics: FastifyInstance | undefined },
  { host, port }: { host: string; port: number },
  { metrics, processes }: AppNeeds,
): Promise<{ url: string; metricsUrl?: string }> {
  const how = { backlog, ...(processes ? sharedPort : {}) }
  const metricsUrl = await ownMetrics?.listen({ host, port: metrics?.port ?? 0, ...how })
  const url = await fastify.listen({ host, port, ...how })
  return metricsUrl === undefined ? { url } : { url, metricsUrl }
}

/** Without them, each process applies the pushes that it gets. */
async function answerPeers(needs: HandlerNeeds): Promise<void> {
  try {
    await needs.peers?.serve(acceptHandedOver(needs))
  } catch (error) {
    needs.log.warn({ err: error }, 'other processes cannot hand pushes over to this one')
  }
}

function metricsPageOf({ processes, telemetry }: AppNeeds): () => Promise<string> {
  return () => processes?.metricsPage() ?? telemetry.registry.metrics()
}

async function freeShareOf(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return bavail / blocks
}

function measure(needs: AppNeeds, read: { commits: { waiting: () => number }; server: Server }): void {
  const { storeFolder } = needs
  const { gauge } = needs.telemetry
  gauge('ari_processes', 'Processes that answer requests', () => 1)
  gauge('ari_requests_in_flight', 'Requests being worked on', read.server.requestsInFlight)
  gauge('ari_requests_held_open', 'Requests that wait for changes', read.server.requestsHeldOpen)
  gauge('ari_commit_queue_depth', 'ARI pushes waiting for a commit group', read.commits.waiting)
  if (storeFolder !== undefined)
    gauge(
      'ari_data_free_ratio',
      'Free share of the disk of the embedded store, 0 to 1',
      () => freeShareOf(storeFolder),
      'min',
    )
  gauge('ari_pool_connections', 'PostgreSQL connections of the pool', () => needs.db.pool.totalCount)
  gauge('ari_pool_idle', 'Pool connections that are idle', () => needs.db.pool.idleCount)
  gauge('ari_pool_waiting', 'Queries waiting for a pool connection', () => needs.db.pool.waitingCount)
}
