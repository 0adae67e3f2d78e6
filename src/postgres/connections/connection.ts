import { Socket } from 'node:net'
import pg from 'pg'
import type { PooledSession } from './pooled-session.ts'
import { StoreChanged, type StoreEpoch } from './store-epoch.ts'

/**
 * A connection to PostgreSQL whose statements need not wait for each other, and none of which waits forever.
 */

/** Started by async functions, so that they fail only through their promises. */
export type Begun = readonly Promise<unknown>[]
export type Answers<Statements extends Begun> = {
  -readonly [Index in keyof Statements]: Awaited<Statements[Index]>
}

/** How often a connection that waits for answers checks whether anything arrived. */
const tickMs = 250
/**
 * After this long without data a connection is probed before use: its other end may have vanished silently.
 */
const restedAfterMs = 5_000
const probeWithinMs = 1_000
/** PostgreSQL's code for a write where writes are not allowed. */
const readOnly = '25006'

/** The limits that a connection gets from its owner, and the events that it reports. */
export type Watch = {
  /** The longest time without any data while statements wait for answers. */
  silentMaxMs: number
  opened: (connection: Connection) => void
  closed: (connection: Connection) => void
  /** The connection was destroyed because it received nothing. */
  silent: (connection: Connection) => void
  /** There was no host to connect to, or one that takes no writes. */
  misplaced: () => void
}

/**
 * PostgreSQL, or the path to it, vanished silently: the statements sent may or may not have been executed.
 */
export class StoreSilent extends Error {
  constructor(waitedMs: number) {
    super(`PostgreSQL has answered nothing for ${waitedMs / 1_000} s`)
    this.name = 'StoreSilent'
  }
}

/** A commit is on the primary's disk, and its wait for the synchronous standby was cancelled. */
class NotReplicated extends Error {
  constructor() {
    super('a commit was not replicated')
    this.name = 'NotReplicated'
  }
}

/**
 * A connection that sends statements without waiting for the answers to earlier ones. If nothing arrives for
 * too long, it is destroyed and pending statements fail with StoreSilent: TCP itself would wait for a quarter
 * of an hour.
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
  #notReplicated: NotReplicated | undefined

  /** With `pooled`, no session state lasts, because a pooler is in between. */
  constructor(config: pg.ClientConfig, watch: Watch, pooled?: PooledSession) {
    const socket = new Socket()
    super({ ...config, pipeline: true, stream: () => socket })
    this.#socket = socket
    this.#watch = watch
    const send = this.#confirming(this.query.bind(this))
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
        return pooled.run(send, query, values)
      } finally {
        socket.uncork()
      }
    }) as typeof this.query
    this.on('drain', () => {
      this.#isWaiting = false
      this.#heardMs = performance.now()
    })
    // If a commit is cancelled while it waits for the standby, PostgreSQL reports success after this warning.
    this.on('notice', ({ routine }) => {
      if (routine !== 'SyncRepWaitForLSN') return
      this.#notReplicated = new NotReplicated()
      socket.destroy(this.#notReplicated)
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

  /** The success comes with the warning, and is read before the socket is closed. */
  #confirming(send: typeof this.query): typeof this.query {
    const confirm = <Answer>(answer: Answer): Answer => {
      if (this.#notReplicated) throw this.#notReplicated
      return answer
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- As above.
    return ((...parameters: Parameters<typeof send>) => {
      const answering: unknown = send(...parameters)
      return answering instanceof Promise ? answering.then(confirm) : answering
    }) as typeof this.query
  }

  /** Whether answers to statements are still outstanding. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Whether its other end may be gone by now. */
  get isRested(): boolean {
    return performance.now() - this.#heardMs > restedAfterMs
  }

  /** Whether the pool has moved to another host. */
  get isRetired(): boolean {
    return this.#isRetired
  }

  retire(): void {
    this.#isRetired = true
  }

  /**
   * Sends the statements that `start` begins in one write: a system call costs more than a small statement.
   */
  pipelined<const Statements extends Begun>(start: () => Statements): Promise<Answers<Statements>> {
    this.#socket.cork()
    try {
      return allOf(start())
    } finally {
      this.#socket.uncork()
    }
  }

  /** Whether the other end is still there; a connection that doesn't answer at once is destroyed. */
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
      // Inside a failed transaction the probe gets an error, but that is an answer too.
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

  /**
   * Counts ticks without data rather than time: while the process itself is blocked, it can't receive any.
   */
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

/**
 * Waits for all statements and throws the first error: in a transaction the later errors only follow from it.
 */
export async function allOf<const Statements extends Begun>(begun: Statements): Promise<Answers<Statements>> {
  const settled = await Promise.allSettled(begun)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return Promise.all(begun)
}

/** More than a pool has connections. */
const outdatedMax = 100

/**
 * Takes one of the pool's connections until it is released; `onBroken` marks it as unusable. Connections to a
 * store that was replaced are closed instead.
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
    // A broken connection also emits an error event, which would end the process without a listener. The pool
    // listens only while it has the connection itself.
    client.on('error', onBroken)
    const release = (): void => {
      client.off('error', onBroken)
      client.release(isBroken || client.isRetired)
    }
    if (!client.isRetired && (!client.isRested || (await client.answers())))
      return { client, onBroken, release }
    // Each connection that doesn't answer leaves the pool, so this loop ends.
    onBroken()
    release()
  }
}
