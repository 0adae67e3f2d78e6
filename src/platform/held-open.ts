import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { overloaded } from './body.ts'

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
  /** Throws when too many are open. */
  began: (request: FastifyRequest, reply: FastifyReply, admitAgain: () => Promise<void>) => Held
  drain: () => void
  count: () => number
}

const heldOpenMax = 200

/** `limited` is told of every request that is turned away. */
export function heldOpenRequests(limited: () => void): HeldOpen {
  const open = new Set<AbortController>()
  let isDraining = false
  return {
    began: (request, reply, admitAgain) => {
      if (open.size >= heldOpenMax) {
        limited()
        throw overloaded()
      }
      const controller = new AbortController()
      open.add(controller)
      const ended = (): void => {
        open.delete(controller)
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
