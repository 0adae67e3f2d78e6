import Fastify, { type FastifyInstance } from 'fastify'
import { hash, timingSafeEqual } from 'node:crypto'
import type { Telemetry } from './base/telemetry.ts'

/** Access rules and port of the metrics. */
export type MetricsRules = {
  /** A separate port for the metrics alone; undefined: the service's port. */
  port: number | undefined
  /** Required as a bearer token; undefined: everybody who can reach the port may read the metrics. */
  token: string | undefined
}

/** GET /metrics. */
export function mountMetrics(
  fastify: FastifyInstance,
  telemetry: Telemetry,
  token: MetricsRules['token'],
): void {
  // Monitors of an overloaded service must not take it for a dead one.
  const config = { place: 'probe' } as const
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`)
  fastify.get('/metrics', { config }, async ({ headers }, reply) => {
    if (wanted && !timingSafeEqual(digest(headers.authorization ?? ''), wanted)) {
      reply.code(401).header('www-authenticate', 'Bearer').type('text/plain')
      return reply.send('Send the token of ARI_METRICS_TOKEN as "Authorization: Bearer …"\n')
    }
    return reply.type(telemetry.registry.contentType).send(await telemetry.registry.metrics())
  })
}

/** A server for the metrics alone. */
export function metricsServer(telemetry: Telemetry, token: MetricsRules['token']): FastifyInstance {
  const fastify = Fastify({ logger: false, forceCloseConnections: true })
  mountMetrics(fastify, telemetry, token)
  return fastify
}

/** A hash, so that texts of any length compare at equal length. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
