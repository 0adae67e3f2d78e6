import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { overloaded } from './body.ts'
import { Rejected } from './rejected.ts'

/** What a handler knows of a request that it may hold open. */
export type Held = {
  headers: IncomingHttpHeaders
  /** Aborted when the caller is gone or the service ends: nothing more is worth waiting for. */
  over: AbortSignal
  /** Throws when the caller would not be let in any more; to be asked before anything is told after a wait. */
  admitAgain: () => Promise<void>
}

/**
 * Requests that wait for something to happen. They are counted apart from those that are worked on, and have a limit of
 * their own, so that they take nobody's place; when the service ends, they are told to come to an end.
 */
export type HeldOpen = {
  /** Throws when too many are open, of this token or in all. */
  began: (request: FastifyRequest, reply: FastifyReply, admitAgain: () => Promise<void>) => Held
  drain: () => void
  count: () => number
}

const heldOpenMax = 200
/** So that nobody holds all of them. */
export const heldOpenPerTokenMax = 20

/** `limited` is told of every request that is turned away. */
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
      const tokenId = request.ari.tokenId ?? 0
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
      // The caller may have gone while the token was looked up: no event is to come any more.
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
      hint: 'Follow all hotels with one of them; end those that nothing reads',
    },
    { headers: { 'retry-after': '1' } },
  )
}
