import underPressure from '@fastify/under-pressure'
import { catalogs } from './ari/catalog.ts'
import { committer } from './ari/commit.ts'
import { getAri } from './ari/get-ari.ts'
import { getRoomRateMappings } from './ari/get-room-rate-mappings.ts'
import { pushAri, type AriNeeds } from './ari/push-ari.ts'
import type { RouteName } from './contract.ts'
import { getHotels } from './hotels/get-hotels.ts'
import { pushHotels } from './hotels/push-hotels.ts'
import { authenticator } from './keys/authenticate.ts'
import { getLimits } from './keys/get-limits.ts'
import type { Environment } from './keys/secret.ts'
import { mountDocs } from './openapi/docs.ts'
import { overloaded } from './platform/body.ts'
import type { Needs } from './platform/needs.ts'
import type { OutboundRules } from './platform/outbound.ts'
import { serve } from './platform/serve.ts'
import { type Mounted } from './platform/mount.ts'
import { getTaxes } from './taxes/get-taxes.ts'
import { pushTaxes } from './taxes/push-taxes.ts'
import { pushProducts } from './products/push-products.ts'
import { getPush } from './push-log/get-push.ts'
import { keepRefused } from './push-log/keep-refused.ts'
import { replayedAnswer } from './push-log/keep.ts'
import { listPushes } from './push-log/list-pushes.ts'
import { getReference } from './reference/get-reference.ts'
import { pushBooking } from './webhooks/push-booking.ts'
import { registerAvailabilityWebhook, registerPushbookWebhook } from './webhooks/register-webhook.ts'
import { retrieveReservations } from './webhooks/retrieve-reservations.ts'

export type AppNeeds = Needs & { environment: Environment; outbound: OutboundRules }

export type App = {
  /** Listens; port 0 takes a free one. */
  listen: (where: { host: string; port: number }) => Promise<{ url: string }>
  /** New requests get 503 from now on, and /readyz says so; those under way finish. */
  drain: () => void
  /** Ends the connections, waits for requests under way, then writes what is still to be written. */
  close: () => Promise<void>
  mounted: readonly Mounted[]
  requestsInFlight: () => number
}

type HandlerNeeds = AriNeeds & { outbound: OutboundRules }

/** Every route's handler; the compiler demands one for each. */
const handlers: Readonly<Record<RouteName, (needs: HandlerNeeds) => Mounted>> = {
  pushHotels,
  getHotels,
  pushProducts,
  getRoomRateMappings,
  pushTaxes,
  getTaxes,
  pushAri,
  getAri,
  registerAvailabilityWebhook,
  registerPushbookWebhook,
  pushBooking,
  retrieveReservations,
  listPushes,
  getPush,
  getReference,
  getLimits,
}

/**
 * Above this the process turns requests away before they queue without bound. Memory is bounded where it is taken
 * (body.ts, the commit queue): the heap's size counts garbage, and would turn requests away from an idle process.
 */
const pressure = { maxEventLoopDelay: 2_000, sampleInterval: 500 }
const readyTimeoutMs = 1_000
const connectionsCloseWithinMs = 800

/** Composes the service, once, by plain calls. */
export function startApp(needs: AppNeeds): App {
  const keys = authenticator(needs, needs)
  const known = catalogs(needs.db)
  const commits = committer(needs, known)
  const handlerNeeds: HandlerNeeds = { ...needs, catalogs: known, committer: commits }
  const mounted = Object.values(handlers).map((handler) => handler(handlerNeeds))
  let draining = false

  const server = serve(mounted, {
    ...needs,
    callerOf: keys.callerOf,
    roleOf: keys.roleOf,
    replayed: (push) => replayedAnswer(needs.db, push),
    keepRefused: (push, status, json) => keepRefused(needs, push, status, json),
  })
  const { fastify } = server
  fastify.register(underPressure, {
    ...pressure,
    pressureHandler: () => {
      needs.telemetry.limited.inc({ limit: 'pressure' })
      throw overloaded()
    },
  })
  // Those who watch an overloaded service must not take it for a dead one.
  const config = { pressureHandler: () => {} }
  fastify.get('/livez', { config }, async (_request, reply) => reply.type('text/plain').send('ok\n'))
  fastify.get('/readyz', { config }, async (_request, reply) => {
    const reason = draining ? 'shutting down' : await storeFault(needs)
    return reply
      .code(reason === undefined ? 200 : 503)
      .type('text/plain')
      .send(reason === undefined ? 'ready\n' : `not ready: ${reason}\n`)
  })
  fastify.get('/metrics', { config }, async (_request, reply) =>
    reply.type(needs.telemetry.registry.contentType).send(await needs.telemetry.registry.metrics()),
  )
  mountDocs(fastify, needs)
  measure(needs, { commits, inFlight: server.requestsInFlight })

  return {
    mounted,
    requestsInFlight: server.requestsInFlight,
    listen: async ({ host, port }) => ({ url: await fastify.listen({ host, port }) }),
    drain: () => {
      draining = true
      server.drain()
    },
    close: async () => {
      // A client that hangs must not keep the rest from being closed.
      const patience = setTimeout(() => fastify.server.closeAllConnections(), connectionsCloseWithinMs)
      await fastify.close().finally(() => clearTimeout(patience))
      await commits.close()
      await keys.close()
    },
  }
}

async function storeFault(needs: Needs): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the store does not answer'), readyTimeoutMs)
  })
  try {
    return await Promise.race([needs.db.query('select 1').then(() => undefined), late])
  } catch {
    return 'the store is not available'
  } finally {
    clearTimeout(timer)
  }
}

function measure(needs: Needs, read: { commits: { waiting: () => number }; inFlight: () => number }): void {
  const { gauge } = needs.telemetry
  gauge('ari_requests_in_flight', 'Requests being worked on', read.inFlight)
  gauge('ari_commit_queue_depth', 'ARI pushes waiting for a commit group', read.commits.waiting)
  gauge('ari_pool_connections', 'PostgreSQL connections of the pool', () => needs.db.pool.totalCount)
  gauge('ari_pool_idle', 'Pool connections that are idle', () => needs.db.pool.idleCount)
  gauge('ari_pool_waiting', 'Queries waiting for a pool connection', () => needs.db.pool.waitingCount)
}
