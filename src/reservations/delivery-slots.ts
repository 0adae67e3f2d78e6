import type { Lane } from './delivery-schedule.ts'
import type { Wanted } from './delivery-store.ts'

/**
 * How many calls may be under way: of one endpoint, and of all. An endpoint begins with few, gets more as it answers
 * well, and loses half of them when it doesn't. Those that have not shown yet that they answer, or hang at the moment, share a
 * budget of their own, so that however many of them there are, those that answer find room at once.
 */

const perEndpoint = { atFirst: 2, slowMax: 16, max: 64 }
const budgets = { proven: 512, unproven: 512, retry: 192, hourly: 48 } as const
type Budget = keyof typeof budgets
/** Of what an endpoint may have: for late retries. The hourly run has one body at a time. */
const retryShare = 1 / 4
/** An answer that took longer is no good sign, and a call that takes longer neither. */
const promptMs = 2_000
const endpointsRememberedMax = 20_000

/** A call under way, or about to be. */
export type Slot = { endpoint: number; lane: Lane; startedMs: number }

type State = { allowed: number; isProven: boolean; underWay: Set<Slot> }

export class DeliverySlots {
  readonly #states = new Map<number, State>()
  readonly #active = new Set<number>()

  /** Of what is wanted, what may begin now. The order is that of the asking. */
  allot(wanted: readonly Omit<Wanted, 'room'>[], nowMs: number): Wanted[] {
    const left = this.#left(nowMs)
    const roomByEndpoint = new Map<number, number>()
    return wanted.flatMap(({ lane, endpoint }) => {
      const state = this.#states.get(endpoint)
      const budget = budgetOf(lane, isPrompt(state, nowMs))
      const endpointRoom = roomByEndpoint.get(endpoint) ?? roomOf(state, nowMs)
      const room = Math.min(endpointRoom, laneRoom(state, lane), left[budget])
      if (room <= 0) return []
      left[budget] -= room
      roomByEndpoint.set(endpoint, endpointRoom - room)
      return [{ lane, endpoint, room }]
    })
  }

  /** Whether an endpoint has shown that it answers, and does not hang. */
  isPrompt(endpoint: number, nowMs: number): boolean {
    return isPrompt(this.#states.get(endpoint), nowMs)
  }

  take(endpoint: number, lane: Lane, nowMs: number): Slot {
    const slot = { endpoint, lane, startedMs: nowMs }
    const state = this.#states.get(endpoint) ?? this.#remember(endpoint)
    state.underWay.add(slot)
    this.#active.add(endpoint)
    return slot
  }

  /** `good`: it was answered, whatever the answer; `none`: it says nothing of the endpoint. */
  leave(slot: Slot, sign: 'good' | 'bad' | 'none', nowMs: number): void {
    const state = this.#states.get(slot.endpoint)
    if (!state) return
    state.underWay.delete(slot)
    if (state.underWay.size === 0) this.#active.delete(slot.endpoint)
    if (sign === 'bad') {
      state.allowed = Math.max(1, state.allowed >> 1)
      state.isProven = false
    } else if (sign === 'good') {
      const wasPrompt = nowMs - slot.startedMs <= promptMs
      const most = wasPrompt ? perEndpoint.max : perEndpoint.slowMax
      if (state.allowed < most) state.allowed++
      state.isProven = wasPrompt
    }
  }

  underWay(): number {
    let count = 0
    for (const endpoint of this.#active) count += this.#states.get(endpoint)?.underWay.size ?? 0
    return count
  }

  #left(nowMs: number): Record<Budget, number> {
    const left: Record<Budget, number> = { ...budgets }
    for (const endpoint of this.#active) {
      const state = this.#states.get(endpoint)
      const prompt = isPrompt(state, nowMs)
      for (const { lane } of state?.underWay ?? []) left[budgetOf(lane, prompt)]--
    }
    return left
  }

  #remember(endpoint: number): State {
    const state: State = { allowed: perEndpoint.atFirst, isProven: false, underWay: new Set() }
    if (this.#states.size >= endpointsRememberedMax) {
      for (const [known, { underWay }] of this.#states) {
        if (underWay.size > 0) continue
        this.#states.delete(known)
        break
      }
    }
    this.#states.set(endpoint, state)
    return state
  }
}

function isPrompt(state: State | undefined, nowMs: number): boolean {
  if (!state?.isProven) return false
  const [oldest] = state.underWay
  return oldest === undefined || nowMs - oldest.startedMs <= promptMs
}

function budgetOf(lane: Lane, prompt: boolean): Budget {
  if (lane !== 'first') return lane
  return prompt ? 'proven' : 'unproven'
}

function roomOf(state: State | undefined, nowMs: number): number {
  if (!state) return perEndpoint.atFirst
  // While it hangs it gets no more than what it begins with.
  const allowed =
    state.isProven && !isPrompt(state, nowMs) ? Math.min(state.allowed, perEndpoint.atFirst) : state.allowed
  return allowed - state.underWay.size
}

function laneRoom(state: State | undefined, lane: Lane): number {
  if (lane === 'first') return perEndpoint.max
  const allowed =
    lane === 'hourly' ? 1 : Math.max(1, Math.floor((state?.allowed ?? perEndpoint.atFirst) * retryShare))
  let underWay = 0
  for (const slot of state?.underWay ?? []) if (slot.lane === lane) underWay++
  return allowed - underWay
}
