import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises'
import type { Connection } from '../postgres/connection.ts'
import type { Answer } from '../http/mount.ts'
import { Rejected } from '../http/rejected.ts'
import { StoreChanged } from '../postgres/store-epoch.ts'
import { isTransient, isUnavailable } from '../postgres/store-faults.ts'
import { countPush, type PushRecord } from '../push-log/keep.ts'
import { commitGroup, type GroupNeeds } from './commit-group.ts'
import { hotelNotFound } from '../hotels/hotel-not-found.ts'
import type { ReadyPush } from './plan.ts'

const groupPushesMax = 128
const groupCellsMax = 250_000
const attemptsMax = 5

export type Entry = {
  ready: ReadyPush
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  /** How often its hotel was locked by somebody else. */
  busyTries: number
}

/** Pauses before a busy hotel is tried again; somebody who holds one longer than all of them is waited for elsewhere. */
const busyRetryMs = 5
const busyTriesMax = 20

/** Where pushes wait for a hotel that somebody holds for long. */
export type Patient = { take: (entry: Entry) => void }

/** Gives the pushes of a group that is on disk their answers. */
type Answering = () => void

/** A queue with a connection of its own, worked off in groups. */
export class Lane {
  readonly #needs: GroupNeeds
  /** Absent in the patient lane itself, which waits for locks, one hotel at a time. */
  readonly #patient: Patient | undefined
  readonly #queue: Entry[] = []
  #putBack = 0
  #running: Promise<void> | undefined
  #connection: Connection | undefined
  waitingBytes = 0

  constructor(needs: GroupNeeds, patient?: Patient) {
    this.#needs = needs
    this.#patient = patient
  }

  get waiting(): number {
    return this.#queue.length + this.#putBack
  }

  submit(ready: ReadyPush): Promise<Answer> {
    return new Promise((resolve, reject) => this.take({ ready, resolve, reject, busyTries: 0 }))
  }

  take(entry: Entry): void {
    this.#queue.push(entry)
    this.waitingBytes += entry.ready.push.rawBody?.length ?? 0
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  async close(): Promise<void> {
    while (this.waiting > 0 || this.#running) {
      await this.#running
      if (this.waiting > 0) await delay(busyRetryMs)
    }
    await this.#connection?.end()
    this.#connection = undefined
  }

  async #run(): Promise<void> {
    // Requests that were read in the same turn of the event loop are still on their way here.
    await breathe()
    let answer: Answering = () => {}
    while (this.#queue.length > 0) {
      const committing = this.#commitOrSplit(this.#take())
      // Those of the group before, while PostgreSQL reads for this one.
      answer()
      answer = await committing
    }
    answer()
  }

  #take(): Entry[] {
    let cells = 0
    let count = 0
    const firstHotel = this.#queue[0]?.ready.catalog.hotelId
    for (const { ready } of this.#queue) {
      cells += ready.plan.cells
      if (count === groupPushesMax || (count > 0 && cells > groupCellsMax)) break
      if (!this.#patient && ready.catalog.hotelId !== firstHotel) break
      count++
    }
    const group = this.#queue.splice(0, count)
    for (const { ready } of group) this.waitingBytes -= ready.push.rawBody?.length ?? 0
    return group
  }

  /** One bad push must not fail its neighbours: a group that fails is tried again one by one. */
  async #commitOrSplit(group: Entry[]): Promise<Answering> {
    try {
      const records = await this.#commit(group)
      return () => this.#settle(group, records)
    } catch (error) {
      const [first] = group
      if (group.length > 1 && !isUnavailable(error)) {
        this.#needs.telemetry.groupRetries.inc()
        for (const entry of group) (await this.#commitOrSplit([entry]))()
      } else if (group.length === 1 && first) first.reject(error)
      else for (const entry of group) entry.reject(error)
      return () => {}
    }
  }

  async #commit(group: Entry[]): Promise<(PushRecord | undefined)[]> {
    const pushes = group.map(({ ready }) => ready)
    for (let attempt = 1; ; attempt++) {
      // Without a pause where there is a connection: the first statements leave before anything else is done.
      const doubt = this.#needs.db.beforeWriting()
      if (doubt) await doubt
      const held = this.#connection
      if (held?.isRetired || (held?.isRested && !(await held.answers()))) this.#drop(held)
      const connection = this.#connection ?? (await this.#connected())
      try {
        const locking = this.#patient ? 'skip' : 'wait'
        return await commitGroup(connection, pushes, locking, this.#needs)
      } catch (error) {
        if (error instanceof StoreChanged) this.#drop(connection)
        else await this.#recover(connection)
        if (attempt === attemptsMax || !isTransient(error)) throw error
      }
    }
  }

  #settle(group: readonly Entry[], records: readonly (PushRecord | undefined)[]): void {
    const applied = records.filter((record) => record !== undefined)
    this.#needs.telemetry.groupSize.observe(applied.length)
    for (const record of applied) countPush(this.#needs.telemetry, record)
    const busy: Entry[] = []
    for (const [index, entry] of group.entries()) {
      const record = records[index]
      if (record) entry.resolve(record.answer)
      else if (this.#patient) busy.push(entry)
      // Here a lock is waited for: the hotel is not there.
      else entry.reject(this.#whyMissing(entry.ready))
    }
    if (busy.length > 0) this.#tryLater(busy)
  }

  /** A reset of the sandbox removed the hotel, or the store in which it was found was replaced. */
  #whyMissing({ catalog }: ReadyPush): Error {
    const { catalogs, db } = this.#needs
    catalogs.forget(catalog)
    try {
      db.epoch.confirm(catalog.storeStamp)
    } catch {
      return new StoreChanged()
    }
    return new Rejected(404, hotelNotFound(catalog.hotelCode))
  }

  /** Their hotels are held by others; those in the queue behind them need not wait for that. */
  #tryLater(busy: readonly Entry[]): void {
    this.#putBack += busy.length
    setTimeout(() => {
      this.#putBack -= busy.length
      for (const entry of busy) {
        if (++entry.busyTries < busyTriesMax) this.take(entry)
        else this.#patient?.take(entry)
      }
    }, busyRetryMs)
  }

  async #connected(): Promise<Connection> {
    // Every statement here is a probe by key: before tables are analyzed the planner would rather scan them.
    const connection = await this.#needs.db.connect({
      enable_seqscan: 'off',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      plan_cache_mode: 'force_generic_plan',
    })
    connection.on('error', (error) => {
      this.#needs.log.warn({ err: error }, 'a commit connection to PostgreSQL broke')
      this.#drop(connection)
    })
    this.#connection = connection
    return connection
  }

  async #recover(connection: Connection): Promise<void> {
    try {
      await connection.query('rollback')
    } catch {
      this.#drop(connection)
    }
  }

  /** The connection is of no use any more; the next group opens a new one. */
  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined
    connection.end().catch(() => undefined)
  }
}
