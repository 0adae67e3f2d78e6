import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { networkOf } from './http-server.ts'

/**
 * Requests in progress or being answered. If the caller leaves, its request counts until the work ends, so
 * that connecting and leaving can't pile up work. An answer that nobody reads doesn't count forever.
 */
export type InFlight = {
  /** Returns the limit that the request exceeds, if any. */
  began: (request: FastifyRequest, slot: RequestSlot) => SlotLimit | undefined
  /** From here on the request counts until `workEnded`. */
  workBegan: (request: FastifyRequest) => void
  /** Sets the request's owner once it is known; returns the limit that the request exceeds, if any. */
  claimed: (request: FastifyRequest, slot: RequestSlot) => SlotLimit | undefined
  /** The request's owner. */
  ownerOf: (request: FastifyRequest) => string
  workEnded: (request: FastifyRequest) => void
  /** The request may stay open for a long time and is counted elsewhere from now on (held-open.ts). */
  heldOpen: (request: FastifyRequest) => void
  /** The answer has been written. */
  answered: (request: FastifyRequest) => void
  /** The connection's requests with unwritten answers, in order. */
  on: (socket: Socket) => readonly FastifyRequest[]
  count: () => number
}

/** A slot that a request takes, and its owner. */
export type RequestSlot = { kind: SlotKind; owner: string }

/**
 * Requests without a key have slots of their own, so that they never take those of others. Many suppliers may
 * come from one address: each is counted by its key, and by the address only during the key lookup.
 */
export const slotKinds = {
  /** While its key, token or session is looked up; by address. */
  arriving: { room: 'known', each: 1_000, limit: 'in_flight_of_address' },
  /** By key, token or operator. */
  known: { room: 'known', each: 1_000, limit: 'in_flight_of_key' },
  /** All people of a supplier together. */
  people: { room: 'known', each: 100, limit: 'in_flight_of_people' },
  /** Without a credential, or with an invalid one; by address. */
  open: { room: 'open', each: 100, limit: 'in_flight_of_address' },
  /** From monitors, which must not take the service for dead. */
  probe: { room: 'unlimited', each: Infinity, limit: 'in_flight_of_address' },
} as const
type SlotKind = keyof typeof slotKinds

export const rooms = {
  known: { max: 2_000, limit: 'in_flight' },
  open: { max: 500, limit: 'in_flight_open' },
  unlimited: { max: Infinity, limit: 'in_flight' },
} as const

export type SlotLimit = (typeof slotKinds)[SlotKind]['limit'] | (typeof rooms)[keyof typeof rooms]['limit']

/** The slot that a request takes on arrival; its owner is determined later. */
export function firstSlotOf(request: FastifyRequest): RequestSlot {
  return { kind: request.routeOptions.config.slot ?? 'open', owner: addressOf(request) }
}

export function openSlotOf(request: FastifyRequest): RequestSlot {
  return { kind: 'open', owner: addressOf(request) }
}

function addressOf({ ip }: FastifyRequest): string {
  return `address ${networkOf(ip)}`
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of slot that requests take on arrival; `open` by default. */
    slot?: SlotKind
  }
}

/** A request counts until its answer is written and its work has ended. */
type Counted = { slot: RequestSlot; isUnanswered: boolean; isWorked: boolean }

/** Calls `ended` for every request that stops counting. */
export function inFlightRequests(ended: (request: FastifyRequest) => void): InFlight {
  const known = new WeakMap<FastifyRequest, Counted>()
  const bySocket = new WeakMap<Socket, Set<FastifyRequest>>()
  const slots = new TakenSlots()
  let count = 0

  /** Undefined if it no longer counts: its caller may have left meanwhile. */
  const counted = (request: FastifyRequest): Counted | undefined => {
    const one = known.get(request)
    return one && (one.isUnanswered || one.isWorked) ? one : undefined
  }
  const change = (request: FastifyRequest, now: Partial<Omit<Counted, 'place'>>): void => {
    const one = counted(request)
    if (!one) return
    Object.assign(one, now)
    if (counted(request)) return
    count--
    slots.leave(one.slot)
    ended(request)
  }
  const answered = (request: FastifyRequest): void => {
    bySocket.get(request.raw.socket)?.delete(request)
    change(request, { isUnanswered: false })
  }
  const requestsOn = (socket: Socket): Set<FastifyRequest> => {
    const open = bySocket.get(socket)
    if (open) return open
    const requests = new Set<FastifyRequest>()
    bySocket.set(socket, requests)
    // On a broken connection no other event signals the end of an answer.
    socket.once('close', () => {
      for (const request of requests) answered(request)
    })
    return requests
  }
  return {
    began: (request, slot) => {
      count++
      known.set(request, { slot, isUnanswered: true, isWorked: false })
      requestsOn(request.raw.socket).add(request)
      return slots.take(slot)
    },
    workBegan: (request) => change(request, { isWorked: true }),
    claimed: (request, slot) => {
      const one = counted(request)
      if (!one) return undefined
      slots.leave(one.slot)
      one.slot = slot
      return slots.take(slot)
    },
    ownerOf: (request) => known.get(request)?.slot.owner ?? '',
    workEnded: (request) => change(request, { isWorked: false }),
    heldOpen: (request) => change(request, { isUnanswered: false, isWorked: false }),
    answered,
    on: (socket) => [...(bySocket.get(socket) ?? [])],
    count: () => count,
  }
}

class TakenSlots {
  readonly #byRoom = { known: 0, open: 0, unlimited: 0 }
  readonly #byOwner: Record<SlotKind, Counts> = {
    arriving: new Counts(),
    known: new Counts(),
    people: new Counts(),
    open: new Counts(),
    probe: new Counts(),
  }

  /** Always takes the slot: a request that is turned away counts until its answer is taken. */
  take({ kind, owner }: RequestSlot): SlotLimit | undefined {
    const { room, each, limit } = slotKinds[kind]
    const inRoom = ++this.#byRoom[room]
    const ofOwner = this.#byOwner[kind].add(owner, 1)
    if (ofOwner > each) return limit
    return inRoom > rooms[room].max ? rooms[room].limit : undefined
  }

  leave({ kind, owner }: RequestSlot): void {
    this.#byRoom[slotKinds[kind].room]--
    this.#byOwner[kind].add(owner, -1)
  }
}

class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, more: number): number {
    const count = (this.#counts.get(name) ?? 0) + more
    if (count > 0) this.#counts.set(name, count)
    else this.#counts.delete(name)
    return count
  }
}
