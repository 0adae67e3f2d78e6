import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { overloaded, Rejected } from '../rejected.ts'

/** The view that a handler has of a request that it may hold open. */
export type Held = {
  headers: IncomingHttpHeaders
  /** Aborted when the caller is gone or the service shuts down: there is no point in waiting any longer. */
  over: AbortSignal
  /** Throws if the caller would no longer be admitted. Call it after a wait, before anything is sent. */
  admitAgain: () => Promise<void>
}

/**
 * Requests that wait for something to happen. They are counted separately from those in progress and have a
 * limit of their own, so that they take no slots from others. On shutdown they are asked to finish.
 */
export type HeldOpen = {
  /** Throws when too many are open, for this token or in total. */
  began: (request: FastifyRequest, reply: FastifyReply, admitAgain: () => Promise<void>) => Held
  drain: () => void
  count: () => number
}

const heldOpenMax = 200
/** Keeps one token from taking all of them. */
export const heldOpenPerTokenMax = 20

/** Calls `limited` for every request that is turned away. */
export function heldOpenRequests(limited: (limit: string) => void): HeldOpen {
  const open = new Set<AbortController>()
  const countByToken = new Map<number, number>()
  let isDraining = false
  return {
    began: (request, reply, admitAgain) => {
      if (open.size >= heldOpenMax) {
        limited('held_open')
        throw overloaded()
      }
      const tokenId = request.ari.token?.id ?? 0
      const ofToken = (countByToken.get(tokenId) ?? 0) + 1
      if (ofToken > heldOpenPerTokenMax) {
        limited('held_open_of_token')
        throw tooManyOfToken()
      }
      const controller = new AbortController()
      open.add(controller)
      countByToken.set(tokenId, ofToken)
      const ended = (): void => {
        if (!open.delete(controller)) return
        const left = (countByToken.get(tokenId) ?? 0) - 1
        if (left > 0) countByToken.set(tokenId, left)
        else countByToken.delete(tokenId)
        controller.abort()
      }
      // The caller may have left during the token lookup; then no further event will come.
      if (reply.raw.destroyed) ended()
      else reply.raw.once('close', ended)
      if (isDraining) controller.abort()
      return { headers: request.headers, over: controller.signal, admitAgain }
    },
    drain: () => {
      isDraining = true
      for (const controller of open) controller.abort()
    },
    count: () => open.size,
  }
}

function tooManyOfToken(): Rejected {
  return new Rejected(
    429,
    {
      type: 'TOO_MANY_WAITING',
      message: `Maximum ${heldOpenPerTokenMax} requests of a token can wait for changes at a time`,
      hint: 'Follow all hotels with one request; close requests whose answers nobody reads',
    },
    { headers: { 'retry-after': '1' } },
  )
}
