import { lanes, type Lane } from '../../bookings/outbox/delivery-schedule.ts'

/**
 * Limits the calls in progress, per endpoint and in total. An endpoint begins with few, gets more as it
 * answers well, and loses half of them when it doesn't. Endpoints that have not yet proved that they answer,
 * or that hang at the moment, share a separate budget, so that endpoints that answer find room at once,
 * however many others there are.
 *
 * A hanging call takes no other reservation's place: beyond the room that an endpoint has earned, a few calls
 * may always begin (`pace`), however many earlier ones are still unanswered. These have budgets of their own,
 * shared by endpoint.
 *
 * An endpoint that answers quickly is also given deliveries ahead of its room: each of them begins as soon as an
 * earlier call has ended, instead of after the next claim, and a claim takes many instead of the few that have just
 * become free.
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
/** After a slower answer, deliveries claimed ahead would wait too long: their hotel may change its URL meanwhile. */
const quickMs = 100
/** Claimed ahead, as a multiple of the endpoint's room; more are claimed when half of these have begun. */
const aheadShare = 2
/** The part of the budget that isn't used for deliveries ahead, so that other endpoints find room at once. */
const notAhead = budgets.proven / 2
/** A delivery that could not begin within this time is given back. */
const aheadWaitsMs = 500
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
/** The number of calls that may begin there, and of deliveries that may be claimed ahead of them. */
export type Allotted = Destination & { room: number; ahead: number }

/** A call in progress, about to begin, or waiting for its turn: see `DeliverySlots.mayBegin`. */
export type Slot = { endpoint: number; lane: Lane; startedMs: number; turn?: PromiseWithResolvers<boolean> }

type State = {
  allowed: number
  isProven: boolean
  /** Answers in a row that came quickly: no more is claimed ahead, so what is given back costs less than the calls. */
  quickInARow: number
  underWay: Set<Slot>
  /** Deliveries claimed ahead, in the order in which they begin. */
  ahead: Set<Slot>
}

export class DeliverySlots {
  readonly #states = new Map<number, State>()
  readonly #active = new Set<number>()

  /** The requested calls that may begin now, in the order of the request. */
  allot(wanted: readonly Destination[], nowMs: number): Allotted[] {
    const { left, hangingEndpoints } = this.#left(nowMs)
    const rooms = wanted.map(({ lane, endpoint }) => {
      const state = this.#states.get(endpoint)
      const free = earnedBy(state, lane, nowMs) - underWayOf(state, lane) - aheadOf(state, lane)
      const paced = free <= 0 && lane !== 'hourly' ? lane : undefined
      const budget = paced ? pace[paced].budget : budgetOf(lane, isPrompt(state, nowMs))
      const limit = paced
        ? pacedRoom(state, paced, { hangingEndpoints: hangingEndpoints[paced], nowMs })
        : free
      const room = Math.max(0, Math.min(limit, left[budget]))
      left[budget] -= room
      return { lane, endpoint, room }
    })
    return rooms.flatMap((one) => {
      const ahead = this.#aheadRoom(one, left.proven - notAhead, nowMs)
      left.proven -= ahead
      return one.room + ahead > 0 ? [{ ...one, ahead }] : []
    })
  }

  #aheadRoom({ lane, endpoint }: Destination, left: number, nowMs: number): number {
    const state = this.#states.get(endpoint)
    if (lane !== 'first' || !state || !isPrompt(state, nowMs)) return 0
    const most = Math.min(aheadShare * state.allowed, state.quickInARow)
    return state.ahead.size > most / 2 ? 0 : Math.max(0, Math.min(most - state.ahead.size, left))
  }

  /** Whether an endpoint has proved that it answers, and does not hang. */
  isPrompt(endpoint: number, nowMs: number): boolean {
    return isPrompt(this.#states.get(endpoint), nowMs)
  }

  /** `isAhead`: beyond the room; it waits for its turn if the room is still in use. */
  take(endpoint: number, lane: Lane, nowMs: number, { isAhead = false } = {}): Slot {
    const state = this.#states.get(endpoint) ?? this.#remember(endpoint)
    const slot: Slot = { endpoint, lane, startedMs: nowMs }
    this.#active.add(endpoint)
    if (isAhead) {
      slot.turn = Promise.withResolvers()
      state.ahead.add(slot)
      beginNext(state, nowMs)
    } else {
      state.underWay.add(slot)
    }
    return slot
  }

  /** Resolves when the call may begin; false: its turn didn't come in time, or the endpoint has begun to fail. */
  async mayBegin(slot: Slot): Promise<boolean> {
    const { turn } = slot
    if (!turn) return true
    const late = setTimeout(() => this.#dropLate(slot), aheadWaitsMs)
    try {
      return await turn.promise
    } finally {
      clearTimeout(late)
    }
  }

  /** `good`: the call got an answer, of any status; `none`: the call says nothing about the endpoint. */
  leave(slot: Slot, sign: 'good' | 'bad' | 'none', nowMs: number): void {
    const state = this.#states.get(slot.endpoint)
    if (!state) {
      this.#active.delete(slot.endpoint)
      return
    }
    if (state.ahead.has(slot)) this.#drop(slot)
    state.underWay.delete(slot)
    if (sign === 'bad') {
      state.allowed = Math.max(1, state.allowed >> 1)
      state.isProven = false
      this.#dropAll(state)
    } else if (sign === 'good') {
      const tookMs = nowMs - slot.startedMs
      const most = tookMs <= promptMs ? perEndpoint.max : perEndpoint.slowMax
      if (state.allowed < most) state.allowed++
      state.isProven = tookMs <= promptMs
      state.quickInARow = tookMs <= quickMs ? state.quickInARow + 1 : 0
    }
    beginNext(state, nowMs)
    if (state.underWay.size + state.ahead.size === 0) this.#active.delete(slot.endpoint)
  }

  /** None that waits for its turn begins any more. */
  dropAhead(): void {
    for (const state of this.#states.values()) this.#dropAll(state)
  }

  #dropAll(state: State): void {
    state.quickInARow = 0
    for (const waiting of state.ahead) this.#drop(waiting)
  }

  #dropLate(slot: Slot): void {
    const state = this.#states.get(slot.endpoint)
    if (state?.ahead.has(slot)) state.quickInARow = 0
    this.#drop(slot)
  }

  /** A delivery claimed ahead that doesn't begin. */
  #drop(slot: Slot): void {
    if (this.#states.get(slot.endpoint)?.ahead.delete(slot)) slot.turn?.resolve(false)
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
      left.proven -= state?.ahead.size ?? 0
    }
    return { left, hangingEndpoints }
  }

  #remember(endpoint: number): State {
    const state: State = {
      allowed: perEndpoint.atFirst,
      isProven: false,
      quickInARow: 0,
      underWay: new Set(),
      ahead: new Set(),
    }
    if (this.#states.size >= endpointsRememberedMax) {
      for (const [known, { underWay, ahead }] of this.#states) {
        if (underWay.size + ahead.size > 0) continue
        this.#states.delete(known)
        break
      }
    }
    this.#states.set(endpoint, state)
    return state
  }
}

/** Begins those ahead for which there is room. */
function beginNext(state: State, nowMs: number): void {
  for (const slot of state.ahead) {
    if (underWayOf(state, slot.lane) >= earnedBy(state, slot.lane, nowMs)) return
    state.ahead.delete(slot)
    slot.startedMs = nowMs
    state.underWay.add(slot)
    slot.turn?.resolve(true)
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

/** Only first attempts are claimed ahead. */
function aheadOf(state: State | undefined, lane: Lane): number {
  return lane === 'first' ? (state?.ahead.size ?? 0) : 0
}
