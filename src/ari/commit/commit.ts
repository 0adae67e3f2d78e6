import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises'
import { currentSpan, inSharedSpan, type Span } from '../../base/tracing.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import type { Answer } from '../../http/calls/mount.ts'
import { overloaded, Rejected } from '../../http/rejected.ts'
import { StoreChanged } from '../../postgres/connections/store-epoch.ts'
import { isUnavailable } from '../../postgres/connections/store-errors.ts'
import { countPush, type PushRecord } from '../../push-log/keep/keep.ts'
import { BlockCache, CacheTrust } from './block-cache.ts'
import { CommitConnection } from './commit-connection.ts'
import { commitGroup, type GroupNeeds } from './commit-group.ts'
import type { ReadyPush } from '../judge/plan.ts'

type CommitNeeds = Omit<GroupNeeds, 'cache' | 'trust' | 'alongside'>

export type Committer = {
  /** Resolves when the push is on disk (or refused); rejects with 503 when too many pushes are waiting. */
  submit: (ready: ReadyPush) => Promise<Answer>
  waiting: () => number
  /** The number of pushes submitted since the start. */
  submitted: () => number
  /**
   * For loads: applies pushes in a transaction of their own, with further statements, and leaves out pushes whose hotel is
   * gone. One call at a time.
   */
  applyTogether: (
    pushes: readonly ReadyPush[],
    alongside: NonNullable<GroupNeeds['alongside']>,
  ) => Promise<void>
  close: () => Promise<void>
}

/** Pushes beyond these limits are refused. The limits apply to all lanes together. */
const waitingMax = 2_000
const waitingBytesMax = 128 * 1024 * 1024

/** Pushes of at most this many cells go to the small lane. */
const smallCellsMax = 2_000
const bulkLanes = 2

/**
 * Applies ARI pushes in groups: pushes that arrive during a transaction join the next one. A group takes one
 * or two round trips, so many small pushes share one write to disk. A push goes to
 *
 *   - the small lane, where small pushes meet in large groups,
 *   - or one of two bulk lanes, one of which computes while PostgreSQL writes the other's group. These three
 *     lanes take the hotels that they can lock at once, and retry the pushes for other hotels after a pause;
 *   - and finally to the patient lane, which waits for locks, so that one busy hotel doesn't hold up others.
 */
export function committer(needs: CommitNeeds): Committer {
  const cache = new BlockCache()
  needs.db.epoch.onChange(() => cache.clear())
  const groupNeeds: GroupNeeds = { ...needs, cache, trust: new CacheTrust() }
  const patient = new Lane(groupNeeds, undefined)
  const small = new Lane(groupNeeds, patient)
  const bulk = Array.from({ length: bulkLanes }, () => new Lane(groupNeeds, patient))
  const lanes = [small, ...bulk, patient]
  const loads = new CommitConnection(groupNeeds)
  let submitted = 0
  const waiting = (): number => lanes.reduce((sum, lane) => sum + lane.waiting, 0)
  const waitingBytes = (): number => lanes.reduce((sum, lane) => sum + lane.waitingBytes, 0)
  return {
    waiting,
    submitted: () => submitted,
    applyTogether: async (pushes, alongside) => {
      const records = await loads.run((connection) =>
        commitGroup(connection, pushes, 'wait', { ...groupNeeds, alongside }),
      )
      for (const record of records) if (record) countPush(needs.telemetry, record)
    },
    submit: (ready) => {
      submitted++
      if (waiting() >= waitingMax || waitingBytes() > waitingBytesMax) {
        needs.telemetry.limited.inc({ limit: 'commit_queue' })
        return Promise.reject(overloaded())
      }
      const isSmall = ready.plan.cells <= smallCellsMax
      const lane = isSmall ? small : (bulk[ready.catalog.hotelId % bulkLanes] ?? small)
      return new Promise((resolve, reject) =>
        lane.take({ ready, span: currentSpan(), resolve, reject, busyTries: 0 }),
      )
    },
    close: async () => {
      // Close the patient lane last: the other lanes may still hand pushes to it.
      for (const lane of lanes) await lane.close()
      await loads.end()
    },
  }
}

type Entry = {
  ready: ReadyPush
  /** In which the push waits. */
  span: Span | undefined
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  /** How often the push found its hotel locked. */
  busyTries: number
}

const groupPushesMax = 128
const groupCellsMax = 250_000
const busyRetryMs = 5
/** After this many tries a push moves to the patient lane. */
const busyTriesMax = 20

/** Answers the pushes of a group that is on disk. */
type Answering = () => void

/** A queue that is processed group by group, on its own connection. */
class Lane {
  readonly #needs: GroupNeeds
  /** Absent in the patient lane itself. */
  readonly #patient: Lane | undefined
  readonly #connection: CommitConnection
  readonly #queue: Entry[] = []
  /** Number of pushes that are pausing before their next try. */
  #pausing = 0
  #running: Promise<void> | undefined
  waitingBytes = 0

  constructor(needs: GroupNeeds, patient: Lane | undefined) {
    this.#needs = needs
    this.#patient = patient
    this.#connection = new CommitConnection(needs)
  }

  get waiting(): number {
    return this.#queue.length + this.#pausing
  }

  take(entry: Entry): void {
    this.#queue.push(entry)
    this.waitingBytes += bytesOf(entry)
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  async close(): Promise<void> {
    while (this.waiting > 0 || this.#running) {
      await this.#running
      if (this.waiting > 0) await delay(busyRetryMs)
    }
    await this.#connection.end()
  }

  async #run(): Promise<void> {
    // Other requests that were read in the same turn of the event loop are still on their way here.
    await breathe()
    let answer: Answering = () => {}
    while (this.#queue.length > 0) {
      const committing = this.#commit(this.#nextGroup())
      // Answer the previous group while PostgreSQL reads for this one.
      answer()
      answer = await committing
    }
    answer()
  }

  /** The patient lane waits for locks, so each of its groups has a single hotel. */
  #nextGroup(): Entry[] {
    let cells = 0
    let count = 0
    const firstHotel = this.#queue[0]?.ready.catalog.hotelId
    for (const { ready } of this.#queue) {
      cells += ready.plan.cells
      if (count === groupPushesMax || (count > 0 && cells > groupCellsMax)) break
      if (!this.#patient && ready.catalog.hotelId !== firstHotel) break
      // An undo reads what its connection sees, so no push that isn't committed may precede it. A release is refused
      // only under the lock, which must not fail the pushes of others.
      const isAlone = ready.undo !== undefined || ready.release !== undefined
      if (isAlone && count > 0) break
      count++
      if (isAlone) break
    }
    const group = this.#queue.splice(0, count)
    for (const entry of group) this.waitingBytes -= bytesOf(entry)
    return group
  }

  /** One bad push must not fail its neighbours: if a group fails, its pushes are retried one by one. */
  async #commit(group: readonly Entry[]): Promise<Answering> {
    const pushes = group.map(({ ready }) => ready)
    const locking = this.#patient ? 'skip' : 'wait'
    try {
      const records = await inSharedSpan(
        group.map(({ span }) => span),
        'commit.group',
        { 'ari.pushes': group.length },
        () => this.#connection.run((connection) => commitGroup(connection, pushes, locking, this.#needs)),
      )
      return () => this.#settle(group, records)
    } catch (error) {
      if (group.length > 1 && !isUnavailable(error)) {
        this.#needs.telemetry.groupRetries.inc()
        for (const entry of group) (await this.#commit([entry]))()
      } else for (const { reject } of group) reject(error)
      return () => {}
    }
  }

  #settle(group: readonly Entry[], records: readonly (PushRecord | undefined)[]): void {
    const { telemetry } = this.#needs
    const busy: Entry[] = []
    let applied = 0
    for (const [index, entry] of group.entries()) {
      const record = records[index]
      if (record) {
        applied++
        countPush(telemetry, record)
        entry.resolve(record.answer)
      } else if (this.#patient) busy.push(entry)
      // This lane waits for locks, so a missing hotel no longer exists.
      else entry.reject(whyGone(entry.ready, this.#needs))
    }
    telemetry.groupSize.observe(applied)
    if (busy.length > 0) this.#tryLater(busy)
  }

  /** Puts busy pushes aside, so that pushes for other hotels behind them in the queue need not wait. */
  #tryLater(busy: readonly Entry[]): void {
    this.#pausing += busy.length
    setTimeout(() => {
      this.#pausing -= busy.length
      for (const entry of busy) {
        const lane = ++entry.busyTries < busyTriesMax ? this : this.#patient
        lane?.take(entry)
      }
    }, busyRetryMs)
  }
}

function bytesOf({ ready }: Entry): number {
  return ready.push.rawBody?.length ?? 0
}

/** Either a reset of the sandbox removed the hotel, or its store was replaced. */
function whyGone({ catalog }: ReadyPush, { catalogs, db }: GroupNeeds): Error {
  catalogs.forget(catalog)
  try {
    db.epoch.confirm(catalog.storeStamp)
  } catch {
    return new StoreChanged()
  }
  return new Rejected(404, hotelNotFound(catalog.hotelCode))
}
