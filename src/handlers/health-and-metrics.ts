import Fastify, { type FastifyInstance } from 'fastify'
import type { MetricsRules } from '../settings/setting.ts'
import type { Needs } from '../postgres/postgres.ts'
import { storeProblems } from '../postgres/connections/store-errors.ts'
import type { CardVault } from '../cards/card-vault.ts'
import { hash, timingSafeEqual } from 'node:crypto'
import { Registry } from 'prom-client'

/**
 * Endpoints for load balancers and monitors: whether the process lives, and whether it should get requests.
 */

const readyTimeoutMs = 2_500

type HealthNeeds = Needs & { vault: Pick<CardVault, 'status'> }

export function mountHealth(fastify: FastifyInstance, needs: HealthNeeds, isDraining: () => boolean): void {
  // Monitors of an overloaded service must not take it for a dead one.
  const config = { slot: 'probe' } as const
  fastify.get('/livez', { config }, async (_request, reply) => reply.type('text/plain').send('ok\n'))
  fastify.get('/readyz', { config }, async (_request, reply) => {
    const reason = isDraining() ? 'shutting down' : await storeFault(needs)
    return reply
      .code(reason === undefined ? 200 : 503)
      .type('text/plain')
      .send(
        reason === undefined
          ? `ready\n${clockWarning(needs)}${vaultWarning(needs)}`
          : `not ready: ${reason}\n`,
      )
  })
}

const readyEveryMs = 5_000

/** Keeps the metric of /readyz. Not judged by a scrape: while the store hangs, that would wait as long as /readyz. */
export function watchReady(needs: Needs, isDraining: () => boolean): { close: () => Promise<void> } {
  let isStoreReady = true
  needs.telemetry.gauge(
    'ari_ready',
    'Whether /readyz answers 200: 1 or 0',
    () => (isStoreReady && !isDraining() ? 1 : 0),
    'min',
  )
  let looking: Promise<void> | undefined
  const timer = setInterval(() => {
    looking ??= storeFault(needs)
      .catch(() => storeProblems.silent)
      .then((fault) => {
        isStoreReady = fault === undefined
      })
      .finally(() => (looking = undefined))
  }, readyEveryMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

/** A wrong clock doesn't make the service unready: all its decisions about time use the database's clock. */
function clockWarning({ db: { clock } }: Needs): string {
  return clock.isSkewed() ? `warning: ${clock.skewText()}\n` : ''
}

/** A vault fault doesn't either: everything except cards still works. */
function vaultWarning({ vault }: HealthNeeds): string {
  const { fault } = vault.status()
  return fault === undefined ? '' : `warning: ${fault}\n`
}

/** A read-only store makes the service unready, too: reads still work for clients that send them anyway. */
async function storeFault(needs: Needs): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(storeProblems.silent), readyTimeoutMs)
  })
  try {
    return await Promise.race([needs.db.writeProblem(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** GET /metrics: `page` in Prometheus' text format. */
export function mountMetrics(
  fastify: FastifyInstance,
  page: () => Promise<string>,
  token: MetricsRules['token'],
): void {
  // Monitors of an overloaded service must not take it for a dead one.
  const config = { slot: 'probe' } as const
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`)
  fastify.get('/metrics', { config }, async ({ headers }, reply) => {
    if (wanted && !timingSafeEqual(digest(headers.authorization ?? ''), wanted)) {
      reply.code(401).header('www-authenticate', 'Bearer').type('text/plain')
      return reply.send('Send the token of ARI_METRICS_TOKEN as "Authorization: Bearer …"\n')
    }
    return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await page())
  })
}

/** A server for the metrics alone. */
export function metricsServer(page: () => Promise<string>, token: MetricsRules['token']): FastifyInstance {
  const fastify = Fastify({ logger: false, forceCloseConnections: true })
  mountMetrics(fastify, page, token)
  return fastify
}

/** A hash, so that texts of any length compare at equal length. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
