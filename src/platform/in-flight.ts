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
  /** The answer is written. */
  answered: (request: FastifyRequest) => void
  /** Those whose answer is still to be written on a connection, in their order. */
  on: (socket: Socket) => readonly FastifyRequest[]
  count: () => number
}

export function inFlightRequests(): InFlight {
  const worked = new Set<FastifyRequest>()
  const unanswered = new Set<FastifyRequest>()
  const bySocket = new WeakMap<Socket, Set<FastifyRequest>>()
  const countByKey = new Map<number, number>()
  const keyIdOf = new Map<FastifyRequest, number>()
  let count = 0
  const over = (request: FastifyRequest): void => {
    count--
    const keyId = keyIdOf.get(request)
    if (keyId === undefined) return
    keyIdOf.delete(request)
    const left = (countByKey.get(keyId) ?? 0) - 1
    if (left > 0) countByKey.set(keyId, left)
    else countByKey.delete(keyId)
  }
  const settle = (request: FastifyRequest, from: Set<FastifyRequest>, other: Set<FastifyRequest>): void => {
    if (from.delete(request) && !other.has(request)) over(request)
  }
  const answered = (request: FastifyRequest): void => {
    bySocket.get(request.raw.socket)?.delete(request)
    settle(request, unanswered, worked)
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
      unanswered.add(request)
      requestsOf(request.raw.socket).add(request)
    },
    workBegan: (request) => void (unanswered.has(request) && worked.add(request)),
    claimed: (request, keyId) => {
      const ofKey = (countByKey.get(keyId) ?? 0) + 1
      keyIdOf.set(request, keyId)
      countByKey.set(keyId, ofKey)
      return ofKey
    },
    workEnded: (request) => settle(request, worked, unanswered),
    answered,
    on: (socket) => [...(bySocket.get(socket) ?? [])],
    count: () => count,
  }
}
