import { Socket } from 'node:net'
import pg from 'pg'
import { setImmediate as breathe } from 'node:timers/promises'
import { overloaded } from '../platform/body.ts'
import type { Needs } from '../platform/needs.ts'
import { connectionConfig, isTransient, isUnavailable } from '../platform/postgres.ts'
import type { Answer } from '../platform/serve.ts'
import { countPush, keepAnswers, keepPushes, type PushRecord } from '../push-log/keep.ts'
import { answerPush } from './answer-push.ts'
import { applyItem, type Blocks, type ItemResult } from './apply.ts'
import { Block, type Stamp } from './block.ts'
import type { Catalogs, HotelCatalog } from './catalog.ts'
import { planPush, type Plan, type ReadyPush } from './plan.ts'
import {
  blockKeyText,
  insertBlocks,
  lockHotels,
  selectBlocks,
  updateBlocks,
  writePricingModels,
  writeRevisions,
  type BlockKey,
  type ChangedBlock,
  type LockedHotel,
  type ModelChange,
} from './store.ts'

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
  const small = new Lane(needs, catalogs)
  const bulk = Array.from({ length: bulkLanes }, () => new Lane(needs, catalogs))
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
  readonly #needs: Needs
  readonly #catalogs: Catalogs
  #queue: Entry[] = []
  #running: Promise<void> | undefined
  #connection: Pipelined | undefined
  waitingBytes = 0

  constructor(needs: Needs, catalogs: Catalogs) {
    this.#needs = needs
    this.#catalogs = catalogs
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
        const records = await commitGroup(connection, pushes, this.#needs, this.#catalogs)
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

type Pipelined = { client: pg.Client; socket: Socket }

/** Sends the statements that `start` begins in one write: a system call costs more than a small statement. */
function together<const Statements extends readonly Promise<unknown>[]>(
  { socket }: Pipelined,
  start: () => Statements,
) {
  socket.cork()
  try {
    return Promise.all(start())
  } finally {
    socket.uncork()
  }
}

async function commitGroup(
  connection: Pipelined,
  pushes: readonly ReadyPush[],
  needs: Needs,
  catalogs: Catalogs,
): Promise<PushRecord[]> {
  const keys = new Map<string, BlockKey>()
  for (const { catalog, plan } of pushes) collectKeys(catalog.hotelId, plan, keys)
  const hotelIds = [...new Set(pushes.map(({ catalog }) => catalog.hotelId))]
  const { client } = connection
  const [, hotels, blocks] = await together(connection, () => [
    client.query('begin'),
    lockHotels(client, hotelIds),
    selectBlocks(client, [...keys.values()]),
  ])
  const current = await withCurrentCatalogs(client, pushes, { hotels, blocks, keys }, catalogs, needs)
  const changes: GroupChanges = {
    blocks,
    keys,
    dirty: new Map(),
    hotels,
    changedHotels: new Set(),
    models: new Map(),
  }
  const records: PushRecord[] = []
  for (const ready of current) records.push(await applyReady(ready, changes))
  const nowMs = needs.clock.now()
  const dirty = [...changes.dirty.values()]
  const ended = await together(connection, () => [
    updateBlocks(
      client,
      dirty.filter(({ block }) => block.isStored),
      nowMs,
    ),
    insertBlocks(
      client,
      dirty.filter(({ block }) => !block.isStored),
      nowMs,
    ),
    writeRevisions(client, [...changes.changedHotels], nowMs),
    writePricingModels(client, [...changes.models.values()]),
    keepPushes(client, records, nowMs),
    keepAnswers(client, records, nowMs),
    client.query('commit'),
  ])
  const { command } = ended[6]
  if (command !== 'COMMIT') throw new Error(`a commit group ended with ${command}`)
  return records
}

function collectKeys(hotelId: number, plan: Plan, keys: Map<string, BlockKey>): void {
  for (const { rows } of plan.items) {
    for (const { roomNo, rateNo, months } of rows) {
      for (const { month } of months) {
        const key = { hotelId, roomNo, rateNo, month }
        keys.set(blockKeyText(key), key)
      }
    }
  }
}

type Read = { hotels: Map<number, LockedHotel>; blocks: Map<string, Block>; keys: Map<string, BlockKey> }

/** Pushes whose hotel changed after its catalog was cached are planned anew, by the catalog that holds under the lock. */
async function withCurrentCatalogs(
  client: pg.Client,
  pushes: readonly ReadyPush[],
  read: Read,
  catalogs: Catalogs,
  needs: Needs,
): Promise<ReadyPush[]> {
  const current: ReadyPush[] = []
  for (const ready of pushes) {
    if (read.hotels.get(ready.catalog.hotelId)?.catalogVersion === ready.catalog.version) {
      current.push(ready)
      continue
    }
    const catalog = await catalogs.reload(client, ready.catalog)
    const plan = planPush(ready.body, ready.shapeProblems, catalog, needs.clock.now())
    const wanted = new Map<string, BlockKey>()
    collectKeys(catalog.hotelId, plan, wanted)
    const missing = [...wanted].filter(([text]) => !read.keys.has(text))
    for (const [text, block] of await selectBlocks(
      client,
      missing.map(([, key]) => key),
    ))
      read.blocks.set(text, block)
    for (const [text, key] of missing) read.keys.set(text, key)
    current.push({ ...ready, catalog, plan })
  }
  return current
}

type GroupChanges = Read & {
  dirty: Map<string, ChangedBlock>
  changedHotels: Set<LockedHotel>
  models: Map<string, ModelChange>
}

/** Cells applied before other requests get a turn of the event loop. */
const cellsAtOnceMax = 20_000

async function applyReady(ready: ReadyPush, changes: GroupChanges): Promise<PushRecord> {
  const { body, catalog, plan, push } = ready
  const hotel = changes.hotels.get(catalog.hotelId)
  if (!hotel) throw new Error(`hotel ${catalog.hotelId} is gone`)
  const stamp: Stamp = {
    revision: hotel.revision + 1,
    sequence: body.sequence,
    keyId: push.caller.keyId,
    currencyRevision: hotel.currencyRevision,
  }
  const refused =
    plan.refused.length > 0 ||
    (body.atomic === true && plan.items.some(({ problems }) => problems.length > 0))
  const touched = new Map<string, ChangedBlock>()
  const results: ItemResult[] = []
  if (!refused) {
    const blocks = groupBlocks(catalog.hotelId, changes.blocks, touched, body.dryRun === true)
    let cells = 0
    for (const [index, item] of plan.items.entries()) {
      results.push(applyItem(item, index, blocks, stamp))
      for (const { months } of item.rows) cells += months.length * 31
      if (cells > cellsAtOnceMax) {
        cells = 0
        await breathe()
      }
    }
  }
  const changed = results.some(({ cellsChanged }) => cellsChanged > 0)
  if (!refused && body.dryRun !== true) {
    for (const [text, one] of touched) if (one.block.dirty) changes.dirty.set(text, one)
    if (changed) {
      hotel.revision++
      changes.changedHotels.add(hotel)
      noteModels(catalog, plan, changes.models)
    }
  }
  return answerPush(ready, results, hotel.revision)
}

/** The group's blocks as one push sees them: made where there are none, copies for a dry run. */
function groupBlocks(
  hotelId: number,
  held: Map<string, Block>,
  touched: Map<string, ChangedBlock>,
  dryRun: boolean,
): Blocks {
  return {
    of: (roomNo, rateNo, month) => {
      const key = { hotelId, roomNo, rateNo, month }
      const text = blockKeyText(key)
      const known = touched.get(text)
      if (known) return known.block
      let block = held.get(text)
      if (!block) block = Block.empty()
      if (dryRun) block = block.copy()
      else held.set(text, block)
      touched.set(text, { key, block })
      return block
    },
  }
}

/** Which room-rates have another pricing model after the group than before it. */
function noteModels(
  { hotelId, productOf }: HotelCatalog,
  plan: Plan,
  models: Map<string, ModelChange>,
): void {
  for (const { rows } of plan.items) {
    for (const { roomNo, rateNo, pricingModel } of rows) {
      if (pricingModel === undefined) continue
      const text = `${hotelId}/${roomNo}/${rateNo}`
      if (productOf(roomNo, rateNo)?.pricingModel === pricingModel) models.delete(text)
      else models.set(text, { hotelId, roomNo, rateNo, pricingModel })
    }
  }
}
