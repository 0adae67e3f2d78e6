import { Socket } from 'node:net'
import pg from 'pg'
import type { PooledSession } from './pooled-session.ts'
import { StoreChanged, type StoreEpoch } from './store-epoch.ts'

/** A connection to PostgreSQL, on which statements need not wait for each other, and none waits for ever. */

/** By async functions, which fail in their promise only. */
export type Begun = readonly Promise<unknown>[]
export type Answers<Statements extends Begun> = {
  -readonly [Index in keyof Statements]: Awaited<Statements[Index]>
}

/** How often a connection that waits for answers looks whether anything came. */
const tickMs = 250
/** A connection that was not heard for so long is asked before it is used: its other end may be gone without a word. */
const restedAfterMs = 5_000
const probeWithinMs = 1_000
/** PostgreSQL's code for a write where none may be. */
const readOnly = '25006'

/** What a connection is told by its surroundings, and tells them. */
export type Watch = {
  /** While statements wait for answers, so long nothing may come. */
  silentMaxMs: number
  opened: (connection: Connection) => void
  closed: (connection: Connection) => void
  /** It was given up, because nothing came. */
  silent: (connection: Connection) => void
  /** There was nobody to connect to, or somebody who takes no writes. */
  misplaced: () => void
}

/** PostgreSQL, or the way to it, is gone without a word: what was sent may have been done, or not. */
export class StoreSilent extends Error {
  constructor(waitedMs: number) {
    super(`PostgreSQL has answered nothing for ${waitedMs / 1_000} s`)
    this.name = 'StoreSilent'
  }
}

/**
 * A connection on which statements are sent without waiting for the answers to those before. When nothing comes for too
 * long it is destroyed, and what waits fails with StoreSilent: TCP itself would wait for a quarter of an hour.
 */
export class Connection extends pg.Client {
  readonly #socket: Socket
  readonly #watch: Watch
  #isWaiting = false
  #timer: NodeJS.Timeout | undefined
  #bytesHeard = 0
  #silentTicks = 0
  #heardMs = performance.now()
  #probing: Promise<boolean> | undefined
  #isConnected = false
  #isRetired = false

  /** `pooled`: nothing of a session lasts, because a pooler is between. */
  constructor(config: pg.ClientConfig, watch: Watch, pooled?: PooledSession) {
    const socket = new Socket()
    super({ ...config, pipeline: true, stream: () => socket })
    this.#socket = socket
    this.#watch = watch
    const send = this.query.bind(this)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: all overloads of pg pass through unchanged.
    this.query = ((...parameters: Parameters<typeof send>) => {
      this.#expectAnswer()
      const [query, values, callback] = parameters
      if (
        !pooled ||
        (typeof query !== 'string' && !('text' in query)) ||
        typeof callback === 'function' ||
        typeof values === 'function'
      )
        return send(...parameters)
      socket.cork()
      try {
        return pooled.ask(send, query, values)
      } finally {
        socket.uncork()
      }
    }) as typeof this.query
    this.on('drain', () => {
      this.#isWaiting = false
      this.#heardMs = performance.now()
    })
    // Whoever cancels a commit that waits for the standby makes PostgreSQL say that it went well.
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') socket.destroy(new Error('a commit was not replicated'))
    })
    watch.opened(this)
    this.once('connect', () => (this.#isConnected = true))
    this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === readOnly) watch.misplaced()
    })
    socket.once('close', () => {
      clearTimeout(this.#timer)
      if (!this.#isConnected) watch.misplaced()
      watch.closed(this)
    })
  }

  /** Whether statements were sent whose answers have not come. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Whether its other end may be gone by now. */
  get isRested(): boolean {
    return performance.now() - this.#heardMs > restedAfterMs
  }

  /** Whether another host took the place of its own. */
  get isRetired(): boolean {
    return this.#isRetired
  }

  retire(): void {
    this.#isRetired = true
  }

  /** Sends the statements that `start` begins in one write: a system call costs more than a small statement. */
  together<const Statements extends Begun>(start: () => Statements): Promise<Answers<Statements>> {
    this.#socket.cork()
    try {
      return allOf(start())
    } finally {
      this.#socket.uncork()
    }
  }

  /** Whether the other end is still there; a connection that does not answer at once is destroyed. */
  answers(): Promise<boolean> {
    this.#probing ??= this.#probe().finally(() => (this.#probing = undefined))
    return this.#probing
  }

  giveUp(waitedMs: number): void {
    if (this.#socket.destroyed) return
    this.#socket.destroy(new StoreSilent(waitedMs))
    this.#watch.silent(this)
  }

  async #probe(): Promise<boolean> {
    const timer = setTimeout(() => this.giveUp(probeWithinMs), probeWithinMs)
    try {
      await this.query('select 1')
      return true
    } catch (error) {
      // Within a transaction that failed it is an error that is answered.
      return error instanceof pg.DatabaseError && !this.#socket.destroyed
    } finally {
      clearTimeout(timer)
    }
  }

  #expectAnswer(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#silentTicks = 0
    this.#bytesHeard = this.#socket.bytesRead
    this.#timer ??= setTimeout(() => this.#tick(), tickMs)
  }

  /** Counts turns in which nothing came rather than time: a process that was held up itself has heard nothing meanwhile. */
  #tick(): void {
    this.#timer = undefined
    if (!this.#isWaiting) return
    const { bytesRead } = this.#socket
    this.#silentTicks = bytesRead === this.#bytesHeard ? this.#silentTicks + 1 : 0
    this.#bytesHeard = bytesRead
    if (this.#silentTicks * tickMs >= this.#watch.silentMaxMs) this.giveUp(this.#watch.silentMaxMs)
    else this.#timer = setTimeout(() => this.#tick(), tickMs)
  }
}

/** Waits for all; of those that fail the first says why, because in a transaction the others fail for it. */
export async function allOf<const Statements extends Begun>(begun: Statements): Promise<Answers<Statements>> {
  const settled = await Promise.allSettled(begun)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return Promise.all(begun)
}

/** More than a pool has connections. */
const outdatedMax = 100

/**
 * One of the pool's connections, until it is released; `onBroken`: it is of no use to anybody any more. Those that lead
 * to a store that was replaced are closed instead.
 */
export async function connected(
  pool: pg.Pool,
  epoch: StoreEpoch,
): Promise<{ client: Connection; onBroken: () => void; release: () => void }> {
  let outdated = 0
  for (;;) {
    const client = await pool.connect()
    if (!(client instanceof Connection)) throw new TypeError('the pool was made with another client')
    if (!epoch.isCurrentOn(client)) {
      client.release(true)
      if (++outdated === outdatedMax) throw new StoreChanged()
      continue
    }
    let isBroken = false
    const onBroken = (): void => {
      isBroken = true
    }
    // A connection that breaks also says so by an event, which would end the process if nobody listened. The pool
    // listens only while the connection is its own.
    client.on('error', onBroken)
    const release = (): void => {
      client.off('error', onBroken)
      client.release(isBroken || client.isRetired)
    }
    if (!client.isRetired && (!client.isRested || (await client.answers())))
      return { client, onBroken, release }
    // Each that does not answer leaves the pool, so there is an end to it.
    onBroken()
    release()
  }
}
