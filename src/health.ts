import type { FastifyInstance } from 'fastify'
import type { Needs } from './postgres/needs.ts'
import { storeFaults } from './postgres/store-faults.ts'
import type { CardVault } from './cards/card-vault.ts'

/**
 * Endpoints for load balancers and monitors: whether the process lives, and whether it should get requests.
 */

const readyTimeoutMs = 2_500

type HealthNeeds = Needs & { vault: Pick<CardVault, 'status'> }

export function mountHealth(fastify: FastifyInstance, needs: HealthNeeds, isDraining: () => boolean): void {
  // Monitors of an overloaded service must not take it for a dead one.
  const config = { place: 'probe' } as const
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
    timer = setTimeout(() => resolve(storeFaults.silent), readyTimeoutMs)
  })
  try {
    return await Promise.race([needs.db.writeFault(), late])
  } finally {
    clearTimeout(timer)
  }
}
