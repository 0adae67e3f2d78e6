import type { FastifyReply, FastifyRequest } from 'fastify'
import { admitOperator, admitSupplier, admitToken } from './admit.ts'
import { overloaded } from './body.ts'
import { openPlaceOf, type InFlight } from './in-flight.ts'
import type { Caller } from './call.ts'
import { RateLimiter } from './rate-limit.ts'
import type { Route } from './route.ts'
import { shuttingDown } from './shutting-down.ts'
import type { ServeNeeds } from './serve-needs.ts'

export type Admit = (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Who is let in: nobody while the service ends, then whom the key or token opens the route for, up to its share. */
export function admission(
  { inFlight, isDraining }: { inFlight: InFlight; isDraining: () => boolean },
  needs: ServeNeeds,
): Admit {
  const limiter = new RateLimiter()
  const ownerOf = async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    switch (route.access) {
      case 'operator':
        return `operator ${(await admitOperator(route, request, needs)).name}`
      case 'platform':
        return `token ${await admitToken(route, request, needs)}`
      case 'supplier':
        return keyOwner(await admitSupplier(route, request, reply, limiter, needs))
      case 'open':
        return ''
    }
  }
  return async (route, request, reply) => {
    request.ari.route = route
    inFlight.workBegan(request)
    if (isDraining()) throw shuttingDown()
    if (route.access === 'open') return
    const owner = await ownerOf(route, request, reply).catch((error: unknown) => {
      const { caller } = request.ari
      inFlight.claimed(request, caller ? { kind: 'known', owner: keyOwner(caller) } : openPlaceOf(request))
      throw error
    })
    const beyond = inFlight.claimed(request, { kind: 'known', owner })
    if (beyond === undefined) return
    needs.telemetry.limited.inc({ limit: beyond })
    throw overloaded()
  }
}

function keyOwner({ keyId }: Caller): string {
  return `key ${keyId}`
}
