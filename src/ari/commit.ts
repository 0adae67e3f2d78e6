import { Socket } from 'node:net'
import { setImmediate as breathe } from 'node:timers/promises'
import pg from 'pg'
import { overloaded } from '../platform/body.ts'
import type { Needs } from '../platform/needs.ts'
import { connectionConfig, isTransient, isUnavailable } from '../platform/postgres.ts'
import type { Answer } from '../platform/mount.ts'
import { countPush } from '../push-log/keep.ts'
import { BlockCache } from './block-cache.ts'
import type { Catalogs } from './catalog.ts'
import { commitGroup, type GroupNeeds, type Pipelined } from './commit-group.ts'
import type { ReadyPush } from './plan.ts'

export type Committer = {
  /** Settles when the push is on disk (or refused); rejects with 503 when too many wait. */
  submit: (ready: ReadyPush) => Promise<Answer>
  waiting: () => number
  close: () => Promise<void>
}

/**
 * Small pushes have one lane, so that they come together in large groups; those that take long have two of their own
 * (one is computed here while PostgreSQL writes the other) and hold up no small ones. Two lanes may meet at a hotel:
 * its lock decides.
 */
const bulkLanes = 2
const smallCellsMax = 2_000
const waitingMax = 2_000
const waitingBytesMax = 128 * 1024 * 1024
const groupPushesMax = 128
const groupCellsMax = 250_000
const attemptsMax = 5

/**
 * Applies ARI pushes in groups: those that arrive while a transaction is under way join the next one. A group is two
 * round trips (lock and read; write, log and commit), so many small pushes share one write to disk.
 */
export function committer(needs: Needs, catalogs: Catalogs): Committer {
  const groupNeeds: GroupNeeds = { ...needs, catalogs, cache: new BlockCache() }
  const small = new Lane(groupNeeds)
  const bulk = Array.from({ length: bulkLanes }, () => new Lane(groupNeeds))
  const lanes = [small, ...bulk]
  const waiting = (): number => lanes.reduce((sum, lane) => sum + lane.waiting, 0)
  const waitingBytes = (): number => lanes.reduce((sum, lane) => sum + lane.waitingBytes, 0)
  return {
    waiting,
    submit: (ready) => {
      if (waiting() >= waitingMax || waitingBytes() > waitingBytesMax) {
        needs.telemetry.limited.inc({ limit: 'commit_queue' })
        return Promise.reject(overloaded())
      }
      const lane = ready.plan.cells <= smallCellsMax ? small : bulk[ready.catalog.hotelId % bulkLanes]
      return (lane ?? small).submit(ready)
    },
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

type Entry = { ready: ReadyPush; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

class Lane {
  readonly #needs: GroupNeeds
  readonly #queue: Entry[] = []
  #running: Promise<void> | undefined
  #connection: Pipelined | undefined
  waitingBytes = 0

  constructor(needs: GroupNeeds) {
    this.#needs = needs
  }

  get waiting(): number {
    return this.#queue.length
  }

  submit(ready: ReadyPush): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ready, resolve, reject })
      this.waitingBytes += ready.push.rawBody?.length ?? 0
      this.#running ??= this.#run().finally(() => (this.#running = undefined))
    })
  }

  async close(): Promise<void> {
    await this.#running
    await this.#connection?.client.end()
    this.#connection = undefined
  }

  async #run(): Promise<void> {
    // Requests that were read in the same turn of the event loop are still on their way here.
    await breathe()
    while (this.#queue.length > 0) await this.#commitOrSplit(this.#take())
  }

  #take(): Entry[] {
    let cells = 0
    let count = 0
    for (const { ready } of this.#queue) {
      cells += ready.plan.cells
      if (count === groupPushesMax || (count > 0 && cells > groupCellsMax)) break
      count++
    }
    const group = this.#queue.splice(0, count)
    for (const { ready } of group) this.waitingBytes -= ready.push.rawBody?.length ?? 0
    return group
  }

  /** One bad push must not fail its neighbours: a group that fails is tried again one by one. */
  async #commitOrSplit(group: Entry[]): Promise<void> {
    try {
      await this.#commit(group)
    } catch (error) {
      const [first] = group
      if (group.length > 1 && !isUnavailable(error)) {
        this.#needs.telemetry.groupRetries.inc()
        for (const entry of group) await this.#commitOrSplit([entry])
      } else if (group.length === 1 && first) first.reject(error)
      else for (const entry of group) entry.reject(error)
    }
  }

  async #commit(group: Entry[]): Promise<void> {
    const pushes = group.map(({ ready }) => ready)
    for (let attempt = 1; ; attempt++) {
      const connection = await this.#connected()
      try {
        const records = await commitGroup(connection, pushes, this.#needs)
        this.#needs.telemetry.groupSize.observe(group.length)
        for (const [index, record] of records.entries()) {
          countPush(this.#needs.telemetry, record)
          group[index]?.resolve(record.answer)
        }
        return
      } catch (error) {
        await this.#recover(connection)
        if (attempt === attemptsMax || !isTransient(error)) throw error
      }
    }
  }

  async #connected(): Promise<Pipelined> {
    if (this.#connection) return this.#connection
    const config = connectionConfig(this.#needs.db.address)
    // Every statement here is a probe by key: before tables are analyzed the planner would rather scan them.
    const options = `${config.options ?? ''} -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan`
    const socket = new Socket()
    const client = new pg.Client({ ...config, options, pipeline: true, stream: () => socket })
    const connection: Pipelined = { client, socket }
    client.on('error', (error) => {
      this.#needs.log.warn({ err: error }, 'a commit connection to PostgreSQL broke')
      this.#drop(connection)
    })
    await client.connect()
    this.#connection = connection
    return connection
  }

  async #recover(connection: Pipelined): Promise<void> {
    try {
      await connection.client.query('rollback')
    } catch {
      this.#drop(connection)
    }
  }

  /** The connection is of no use any more; the next group opens a new one. */
  #drop(connection: Pipelined): void {
    if (this.#connection === connection) this.#connection = undefined
    connection.client.end().catch(() => undefined)
  }
}
