import type { FastifyReply, FastifyRequest } from 'fastify'
import { performance } from 'node:perf_hooks'
import { admitKeyAgain, admitOperator, admitSupplier, admitToken } from './admit.ts'
import { overloaded } from './body.ts'
import { openSlotOf, type InFlight } from './in-flight.ts'
import type { Caller } from './call.ts'
import { RateLimiter } from './rate-limit.ts'
import type { Route } from './route.ts'
import type { ServeNeeds } from './serve-needs.ts'
import { Rejected } from './rejected.ts'

export type Admission = {
  admit: (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Checks again if the body took long to arrive: the credential may have been revoked meanwhile. */
  admitLate: (route: Route, request: FastifyRequest) => Promise<void>
}

/** Lookups are cached for at most half a second. With this, every revocation takes effect within a second. */
const admittedForMs = 500

/**
 * Admits requests: none during shutdown; otherwise those with the route's credential, up to its owner's
 * share.
 */
export function admission(
  { inFlight, isDraining }: { inFlight: InFlight; isDraining: () => boolean },
  needs: ServeNeeds,
): Admission {
  const limiter = new RateLimiter(() => needs.clock.now(), needs.sharedLimits)
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
  const admit: Admission['admit'] = async (route, request, reply) => {
    request.ari.route = route
    inFlight.workBegan(request)
    if (isDraining()) throw shuttingDown()
    if (route.access === 'open') return
    const owner = await ownerOf(route, request, reply).catch((error: unknown) => {
      const { caller } = request.ari
      inFlight.claimed(request, caller ? { kind: 'known', owner: keyOwner(caller) } : openSlotOf(request))
      throw error
    })
    const beyond = inFlight.claimed(request, { kind: 'known', owner })
    if (beyond === undefined) return
    needs.telemetry.limited.inc({ limit: beyond })
    throw overloaded()
  }
  return {
    admit: async (route, request, reply) => {
      await admit(route, request, reply)
      request.ari.admittedMs = performance.now()
    },
    admitLate: async (route, request) => {
      if (route.access === 'open' || performance.now() - request.ari.admittedMs < admittedForMs) return
      if (route.access === 'operator') await admitOperator(route, request, needs)
      else if (route.access === 'platform') await admitToken(route, request, needs)
      else await admitKeyAgain(request, needs)
    },
  }
}

function keyOwner({ keyId }: Caller): string {
  return `key ${keyId}`
}

const nothingApplied = 'Nothing was applied; send the same again after Retry-After'

/** For requests that arrive, or are unfinished, during shutdown. */
export function shuttingDown(hint = nothingApplied): Rejected {
  return new Rejected(
    503,
    { type: 'SHUTTING_DOWN', message: 'The service is shutting down', hint },
    { headers: { 'retry-after': '2', connection: 'close' } },
  )
}
