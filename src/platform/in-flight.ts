import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'

/**
 * Requests that are being worked on or answered. One whose caller went away is counted until its work ends, so that
 * coming and going cannot pile up work; and its answer, which nobody takes, does not count for ever.
 */
export type InFlight = {
  began: (request: FastifyRequest) => void
  /** From here on the request counts until `workEnded`. */
  workBegan: (request: FastifyRequest) => void
  /** Whose the request is; tells how many that key has in flight, this one included. */
  claimed: (request: FastifyRequest, keyId: number) => number
  workEnded: (request: FastifyRequest) => void
  /** It may stay open for long and is counted elsewhere from now on (held-open.ts). */
  heldOpen: (request: FastifyRequest) => void
  /** The answer is written. */
  answered: (request: FastifyRequest) => void
  /** Those whose answer is still to be written on a connection, in their order. */
  on: (socket: Socket) => readonly FastifyRequest[]
  count: () => number
}

type Counted = { isUnanswered: boolean; isWorked: boolean; keyId: number | undefined }

/** `ended` is told of every request that counts no more. */
export function inFlightRequests(ended: (request: FastifyRequest) => void): InFlight {
  const counted = new WeakMap<FastifyRequest, Counted>()
  const bySocket = new WeakMap<Socket, Set<FastifyRequest>>()
  const countByKey = new Map<number, number>()
  let count = 0
  const over = (request: FastifyRequest, { keyId }: Counted): void => {
    count--
    ended(request)
    if (keyId === undefined) return
    const left = (countByKey.get(keyId) ?? 0) - 1
    if (left > 0) countByKey.set(keyId, left)
    else countByKey.delete(keyId)
  }
  const answered = (request: FastifyRequest): void => {
    bySocket.get(request.raw.socket)?.delete(request)
    const one = counted.get(request)
    if (!one?.isUnanswered) return
    one.isUnanswered = false
    if (!one.isWorked) over(request, one)
  }
  const requestsOf = (socket: Socket): Set<FastifyRequest> => {
    const known = bySocket.get(socket)
    if (known) return known
    const requests = new Set<FastifyRequest>()
    bySocket.set(socket, requests)
    // Of answers that wait behind another on a broken connection nothing else tells.
    socket.once('close', () => {
      for (const request of requests) answered(request)
    })
    return requests
  }
  return {
    began: (request) => {
      count++
      counted.set(request, { isUnanswered: true, isWorked: false, keyId: undefined })
      requestsOf(request.raw.socket).add(request)
    },
    workBegan: (request) => {
      const one = counted.get(request)
      if (one?.isUnanswered) one.isWorked = true
    },
    claimed: (request, keyId) => {
      const ofKey = (countByKey.get(keyId) ?? 0) + 1
      const one = counted.get(request)
      // Its caller may have gone while the key was looked up.
      if (!one || !(one.isUnanswered || one.isWorked)) return ofKey
      one.keyId = keyId
      countByKey.set(keyId, ofKey)
      return ofKey
    },
    workEnded: (request) => {
      const one = counted.get(request)
      if (!one?.isWorked) return
      one.isWorked = false
      if (!one.isUnanswered) over(request, one)
    },
    heldOpen: (request) => {
      const one = counted.get(request)
      if (!one || !(one.isUnanswered || one.isWorked)) return
      one.isUnanswered = false
      one.isWorked = false
      over(request, one)
    },
    answered,
    on: (socket) => [...(bySocket.get(socket) ?? [])],
    count: () => count,
  }
}
