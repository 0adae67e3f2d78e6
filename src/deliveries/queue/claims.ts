import { setTimeout as wait } from 'node:timers/promises'
import { throttledWarning } from '../../base/log.ts'
import type { DeliveryNeeds } from './needs.ts'
import type { Lane } from '../../bookings/outbox/delivery-schedule.ts'
import { paceMs, type Allotted, type Destination, type Slot } from './slots.ts'
import { claimDue, claimHourly, type Claimed, type ClaimedInTurn, type DeliveryGroup } from './store.ts'

/** Deliveries to send in one call, with the slot reserved for it. */
export type ClaimedGroup = { group: DeliveryGroup; slot: Slot }

type ClaimNeeds = DeliveryNeeds & { slots: NonNullable<DeliveryNeeds['slots']>; leaseMs: number }

/** Endpoints per claim. */
const wantedAtOnceMax = 200
/** Reservations per body in the hourly run. */
const bodyMax = 50
const afterFaultMs = 250
/**
 * After a claim that found everything due, the next one waits this long to gather more; the first runs at
 * once.
 */
const gatherMs = 10

/**
 * Claims due deliveries wherever there is room. Endpoints that answer promptly are claimed separately, so
 * that their deliveries do not wait for the claims of the others.
 */
export class DeliveryClaims {
  readonly #needs: ClaimNeeds
  readonly #onClaimed: (started: ClaimedGroup[], claimedMs: number) => void
  readonly #warn: (reason: string) => void
  /** Places where deliveries may be due, in the order of their hints. */
  readonly #hinted = new Map<string, Destination>()
  /** For each lane and endpoint that may have more: the last hotel that had a turn. */
  readonly #lastHotelId = new Map<string, number>()
  /** Keyed by whether the claims are for the endpoints that answer promptly. */
  readonly #pumping = new Map<boolean, Promise<void>>()
  #isClosing = false
  #pumpLater: NodeJS.Timeout | undefined

  constructor(needs: ClaimNeeds, onClaimed: (started: ClaimedGroup[], claimedMs: number) => void) {
    this.#needs = needs
    this.#onClaimed = onClaimed
    this.#warn = throttledWarning(needs.log, 'deliveries wait for the store')
  }

  /** Deliveries may be due there. */
  hint(lane: Lane, endpoint: number): void {
    this.#remember({ lane, endpoint })
    this.pump()
  }

  /** There is room again. */
  pump(): void {
    if (this.#hinted.size === 0) return
    for (const isPrompt of [true, false]) {
      if (this.#pumping.has(isPrompt) || this.#isClosing) continue
      const pumping = this.#claimAll(isPrompt).finally(() => this.#pumping.delete(isPrompt))
      this.#pumping.set(isPrompt, pumping)
    }
  }

  /** Stops claiming. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#pumpLater)
    await Promise.all(this.#pumping.values())
  }

  #remember({ lane, endpoint }: Destination): void {
    this.#hinted.set(keyOf({ lane, endpoint }), { lane, endpoint })
  }

  /** Claims until no hinted place of this kind has both due deliveries and room. */
  async #claimAll(isPrompt: boolean): Promise<void> {
    const { slots, crashPoint } = this.#needs
    // Hints that arrive in the same turn join the same claim.
    await Promise.resolve()
    while (!this.#isClosing) {
      const nowMs = performance.now()
      const mine = [...this.#hinted.values()].filter(
        ({ lane, endpoint }) => (lane === 'first' && slots.isPrompt(endpoint, nowMs)) === isPrompt,
      )
      const wanted = slots.allot(mine, nowMs).slice(0, wantedAtOnceMax)
      if (wanted.length === 0) {
        if (mine.length > 0) this.#pumpInAMoment()
        return
      }
      for (const one of wanted) this.#hinted.delete(keyOf(one))
      try {
        crashPoint?.('before claim')
        const isThereMore = await this.#claimOnce(wanted)
        if (!isThereMore) await wait(gatherMs)
      } catch (error) {
        this.#warn(error instanceof Error ? error.message : String(error))
        for (const one of wanted) this.#remember(one)
        await wait(afterFaultMs)
      }
    }
  }

  /**
   * A place without room may get some without an answer: for hanging endpoints only the passing of time frees
   * room.
   */
  #pumpInAMoment(): void {
    this.#pumpLater ??= setTimeout(() => {
      this.#pumpLater = undefined
      this.pump()
    }, paceMs)
  }

  /** Returns whether any place may have more than there was room for. */
  async #claimOnce(wanted: readonly Allotted[]): Promise<boolean> {
    const { db, clock, leaseMs, crashPoint, vault } = this.#needs
    const nowMs = clock.now()
    const lease = { nowMs, leasedUntilMs: nowMs + leaseMs, openableKeys: vault.openableKeyIds() }
    const claimedMs = performance.now()
    const single = wanted
      .filter(({ lane }) => lane !== 'hourly')
      .map((one) => ({
        ...one,
        room: one.room + one.ahead,
        afterHotelId: this.#lastHotelId.get(keyOf(one)) ?? 0,
      }))
    const hourly = wanted.filter(({ lane }) => lane === 'hourly').map(({ endpoint }) => endpoint)
    const [singles, together] = await Promise.all([
      single.length === 0 ? [] : claimDue(db, single, lease),
      hourly.length === 0 ? [] : claimHourly(db, hourly, { ...lease, bodyMax }),
    ])
    crashPoint?.('after claim')
    const bodies = groupsOf(together)
    // A place that filled its room, or had a body of the hourly run, may have more: claimed again when there
    // is room.
    const filled = [...this.#destinationsWithMore(single, singles), ...bodies.map(([first]) => first)]
    for (const one of filled) this.#remember(one)
    const groups = [...singles.map((claimed): DeliveryGroup => [claimed]), ...bodies]
    if (groups.length === 0) return false
    this.#onClaimed(this.#started(groups, wanted), claimedMs)
    return filled.length > 0
  }

  /** The first of each place begin at once; those beyond its room are ahead. */
  #started(groups: readonly DeliveryGroup[], wanted: readonly Allotted[]): ClaimedGroup[] {
    const roomByKey = new Map(wanted.map((one) => [keyOf(one), one.room]))
    return groups.map((group) => {
      const [first] = group
      const left = roomByKey.get(keyOf(first)) ?? 0
      roomByKey.set(keyOf(first), left - 1)
      const { endpoint, lane } = first
      return {
        group,
        slot: this.#needs.slots.take(endpoint, lane, performance.now(), { isAhead: left <= 0 }),
      }
    })
  }

  /**
   * Of the claimed places, returns those where a hotel used its whole share, or where there is no room for
   * all hotels.
   */
  #destinationsWithMore(wanted: readonly Allotted[], claimed: readonly ClaimedInTurn[]): Allotted[] {
    const claimedByKey = Map.groupBy(claimed, keyOf)
    return wanted.filter((destination) => {
      const key = keyOf(destination)
      const ofHotels = [...Map.groupBy(claimedByKey.get(key) ?? [], ({ hotelId }) => hotelId)]
      const hasMore = ofHotels.some(([, ofHotel]) => ofHotel.length >= (ofHotel[0]?.share ?? Infinity))
      const afterHotelId = this.#lastHotelId.get(key) ?? 0
      const turns = ofHotels.map(([hotelId]) => hotelId).sort((left, right) => left - right)
      if (hasMore) this.#lastHotelId.set(key, turns.findLast((id) => id <= afterHotelId) ?? turns.at(-1) ?? 0)
      else this.#lastHotelId.delete(key)
      return hasMore
    })
  }
}

function keyOf({ lane, endpoint }: Destination): string {
  return `${lane} ${endpoint}`
}

/**
 * Bodies of the hourly run: each for one endpoint, one hotel and one status; deliveries that must go alone
 * get their own.
 */
function groupsOf(claimed: readonly Claimed[]): DeliveryGroup[] {
  const groups = Map.groupBy(claimed, ({ endpoint, hotelId, reservationStatus, isAlone, id }) =>
    [endpoint, hotelId, reservationStatus, isAlone ? id : ''].join(),
  )
  return [...groups.values()].flatMap((group): DeliveryGroup[] => {
    const [first, ...others] = group.sort((left, right) => left.reservationId - right.reservationId)
    return first ? [[first, ...others]] : []
  })
}
