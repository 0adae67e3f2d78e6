import { Socket } from 'node:net'
import pg from 'pg'

/** A connection to PostgreSQL, on which statements need not wait for each other. */

/** By async functions, which fail in their promise only. */
export type Begun = readonly Promise<unknown>[]
export type Answers<Statements extends Begun> = {
  -readonly [Index in keyof Statements]: Awaited<Statements[Index]>
}

/** A connection on which statements are sent without waiting for the answers to those before. */
export class Connection extends pg.Client {
  readonly #socket: Socket

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket()
    super({ ...config, pipeline: true, stream: () => socket })
    this.#socket = socket
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
}

/** Waits for all; of those that fail the first says why, because in a transaction the others fail for it. */
export async function allOf<const Statements extends Begun>(begun: Statements): Promise<Answers<Statements>> {
  const settled = await Promise.allSettled(begun)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return Promise.all(begun)
}

/** One of the pool's connections, until it is released; `onBroken`: it is of no use to anybody any more. */
export async function connected(
  pool: pg.Pool,
): Promise<{ client: Connection; onBroken: () => void; release: () => void }> {
  const client = await pool.connect()
  if (!(client instanceof Connection)) throw new TypeError('the pool was made with another client')
  let isBroken = false
  const onBroken = (): void => {
    isBroken = true
  }
  // A connection that breaks also says so by an event, which would end the process if nobody listened. The pool
  // listens only while the connection is its own.
  client.on('error', onBroken)
  const release = (): void => {
    client.off('error', onBroken)
    client.release(isBroken)
  }
  return { client, onBroken, release }
}
