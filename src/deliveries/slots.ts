import { lanes, type Lane } from '../bookings/delivery-schedule.ts'

/**
 * Limits the calls in progress, per endpoint and in total. An endpoint begins with few, gets more as it
 * answers well, and loses half of them when it doesn't. Endpoints that have not yet proved that they answer,
 * or that hang at the moment, share a separate budget, so that endpoints that answer find room at once,
 * however many others there are.
 *
 * A hanging call takes no other reservation's place: beyond the room that an endpoint has earned, a few calls
 * may always begin (`pace`), however many earlier ones are still unanswered. These have budgets of their own,
 * shared by endpoint.
 */

const perEndpoint = { atFirst: 2, slowMax: 16, max: 64 }
const budgets = {
  proven: 512,
  unproven: 512,
  retry: 192,
  hourly: 48,
  hanging: 512,
  hangingRetry: 128,
} as const
type Budget = keyof typeof budgets
/** The share of an endpoint's room that late retries may use. The hourly run has one body at a time. */
const retryShare = 1 / 4
/** An answer that took longer is a bad sign, and so is a call in progress for longer. */
const promptMs = 2_000
const endpointsRememberedMax = 20_000

/**
 * Calls that may begin in each period although all earlier ones hang; fewer when the endpoint has used its
 * share.
 */
const pace = {
  first: { calls: 2, everyMs: 100, overShareEveryMs: 500, budget: 'hanging', shareMax: 64 },
  retry: { calls: 1, everyMs: 500, overShareEveryMs: 1_000, budget: 'hangingRetry', shareMax: 16 },
} as const
type PacedLane = keyof typeof pace
/** After this long, an endpoint that had no room because it didn't answer may have some. */
export const paceMs = pace.first.everyMs

/** A lane and endpoint where deliveries may be due. */
export type Destination = { lane: Lane; endpoint: number }
/** The number of calls that may begin there. */
export type Allotted = Destination & { room: number }

/** A call in progress, or about to begin. */
export type Slot = { endpoint: number; lane: Lane; startedMs: number }

type State = { allowed: number; isProven: boolean; underWay: Set<Slot> }

export class DeliverySlots {
  readonly #states = new Map<number, State>()
  readonly #active = new Set<number>()

  /** The requested calls that may begin now, in the order of the request. */
  allot(wanted: readonly Destination[], nowMs: number): Allotted[] {
    const { left, hangingEndpoints } = this.#left(nowMs)
    return wanted.flatMap(({ lane, endpoint }) => {
      const state = this.#states.get(endpoint)
      const free = earnedBy(state, lane, nowMs) - underWayOf(state, lane)
      const paced = free <= 0 && lane !== 'hourly' ? lane : undefined
      const budget = paced ? pace[paced].budget : budgetOf(lane, isPrompt(state, nowMs))
      const limit = paced
        ? pacedRoom(state, paced, { hangingEndpoints: hangingEndpoints[paced], nowMs })
        : free
      const room = Math.min(limit, left[budget])
      if (room <= 0) return []
      left[budget] -= room
      return [{ lane, endpoint, room }]
    })
  }

  /** Whether an endpoint has proved that it answers, and does not hang. */
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

  /** `good`: the call got an answer, of any status; `none`: the call says nothing about the endpoint. */
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
    for (const endpoint of this.#active) count += this.underWayOf(endpoint)
    return count
  }

  underWayOf(endpoint: number): number {
    return this.#states.get(endpoint)?.underWay.size ?? 0
  }

  /** The rest of each budget, and how many endpoints have more calls in progress than they have earned. */
  #left(nowMs: number): { left: Record<Budget, number>; hangingEndpoints: Record<PacedLane, number> } {
    const left: Record<Budget, number> = { ...budgets }
    const hangingEndpoints = { first: 0, retry: 0 }
    for (const endpoint of this.#active) {
      const state = this.#states.get(endpoint)
      const prompt = isPrompt(state, nowMs)
      for (const lane of lanes) {
        const underWay = underWayOf(state, lane)
        const beyond = Math.max(0, underWay - earnedBy(state, lane, nowMs))
        left[budgetOf(lane, prompt)] -= underWay - beyond
        if (lane === 'hourly' || beyond === 0) continue
        left[pace[lane].budget] -= beyond
        hangingEndpoints[lane]++
      }
    }
    return { left, hangingEndpoints }
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

/** The calls of a lane that may be in progress, judging by the endpoint's answers so far. */
function earnedBy(state: State | undefined, lane: Lane, nowMs: number): number {
  const allowed = state?.allowed ?? perEndpoint.atFirst
  if (lane === 'hourly') return 1
  if (lane === 'retry') return Math.max(1, Math.floor(allowed * retryShare))
  // While it hangs, it gets no more than its initial room.
  return state?.isProven && !isPrompt(state, nowMs) ? Math.min(allowed, perEndpoint.atFirst) : allowed
}

/** Room that does not depend on how many of its calls hang. */
function pacedRoom(
  state: State | undefined,
  lane: PacedLane,
  { hangingEndpoints, nowMs }: { hangingEndpoints: number; nowMs: number },
): number {
  const { calls, everyMs, overShareEveryMs, budget, shareMax } = pace[lane]
  const share = Math.min(shareMax, budgets[budget] / Math.max(1, hangingEndpoints))
  const sinceMs = nowMs - (underWayOf(state, lane) < share ? everyMs : overShareEveryMs)
  let started = 0
  for (const slot of state?.underWay ?? []) if (slot.lane === lane && slot.startedMs > sinceMs) started++
  return calls - started
}

function underWayOf(state: State | undefined, lane: Lane): number {
  let underWay = 0
  for (const slot of state?.underWay ?? []) if (slot.lane === lane) underWay++
  return underWay
}
