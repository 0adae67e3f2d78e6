import { resolve } from 'node:path'
import { isFault, refusal, refusedItems, writeLetter, type DeadLetter } from './dead-letter.ts'
import { Journal, type StoredPush } from './journal.ts'
import { takeLock, type Lock } from './lock.ts'
import { halvesOf, isTooLargeForProxy } from './parts.ts'
import {
  isPushError,
  type BodyOf,
  type OutboxOperation,
  type PushClient,
  type PushOptions,
} from './push-client.ts'
import { retryWaitMs } from './retry-wait.ts'
import { OutboxQueue, type Waiting } from './queue.ts'

/**
 * Pushes that survive a crash of your process: stored on the disk before `add` resolves, sent in order hotel
 * by hotel, and sent again after a restart, under the same Idempotency-Key.
 */

export type { DeadLetter } from './dead-letter.ts'
export { OutboxLockedError } from './lock.ts'
export type * from './push-client.ts'

export type OutboxOptions<Client extends PushClient> = {
  /** On a local disk; the names of the outbox's other files begin with this name. */
  file: string
  /** `supplierClient({ … })`, or four functions of your own. */
  client: Client
  /** Pushes of different hotels sent at the same time; default 4. */
  concurrency?: number
  /** Total size of waiting bodies, all of which are kept in memory too; default 67,108,864. */
  bytesMax?: number
  /**
   * Called for a push that the gateway refused, or an ARI push of which it refused items. By then it is in
   * `<file>.refused`.
   */
  onRefused?: (letter: DeadLetter) => void
  onDelivered?: (delivered: Delivered) => void
  /** Called when an attempt failed and will be retried; says what the outbox does. */
  onError?: (error: unknown, next: AfterError) => void
}

/**
 * `all wait`: the gateway can't be reached, or takes nothing now. `push waits`: with those of its hotels; others go on.
 * `split`: a proxy takes no body of this size, so the push is sent in halves.
 */
export type AfterError = 'all wait' | 'push waits' | 'split'

export type AddOptions = {
  /**
   * Replaces a push that was added with the same text and never tried. Use it only for a push that sets
   * everything that the other one sets.
   */
  replaces?: string
}

export type Delivered = { id: string; operation: OutboxOperation; answer: unknown }

export class OutboxFullError extends Error {
  override readonly name = 'OutboxFullError'
}

export class OutboxClosedError extends Error {
  override readonly name = 'OutboxClosedError'
}

const usual = { concurrency: 4, bytesMax: 64 * 1024 * 1024 }
const longestPauseFactor = 6

export async function openOutbox<Client extends PushClient>(
  options: OutboxOptions<Client>,
): Promise<Outbox<Client>> {
  const file = resolve(options.file)
  const lock = await takeLock(file)
  try {
    const queue = new OutboxQueue()
    const { journal, stored } = await Journal.open(file, () => queue.all().map(storedPushOf))
    for (const one of stored) queue.add(one)
    return new Outbox({ ...options, file }, journal, queue, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

export class Outbox<Client extends PushClient> {
  readonly #options: OutboxOptions<Client>
  readonly #journal: Journal
  readonly #queue: OutboxQueue
  readonly #lock: Lock
  readonly #closing = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** Size of the bodies being written to the disk. */
  #bytesComing = 0
  #refusing: Promise<void> = Promise.resolve()
  #failures = 0
  #pausedUntilMs = 0
  readonly #emptyWaiters: (() => void)[] = []

  constructor(options: OutboxOptions<Client>, journal: Journal, queue: OutboxQueue, lock: Lock) {
    this.#options = options
    this.#journal = journal
    this.#queue = queue
    this.#lock = lock
    this.#pump()
  }

  /** Pushes that wait or are in progress. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Resolves when the push is on the disk, with the id that is its Idempotency-Key and its request id. */
  async add<Operation extends OutboxOperation>(
    operation: Operation,
    body: BodyOf<Client, Operation>,
    { replaces }: AddOptions = {},
  ): Promise<string> {
    if (this.#closing.signal.aborted) throw new OutboxClosedError('The outbox is closed')
    const text = JSON.stringify(body)
    const bytes = Buffer.byteLength(text)
    const bytesMax = this.#options.bytesMax ?? usual.bytesMax
    if (this.#queue.bytes + this.#bytesComing + bytes > bytesMax)
      throw new OutboxFullError(
        `${this.#queue.size} pushes wait, and with this one they are over ${bytesMax} bytes`,
      )
    const id = crypto.randomUUID()
    const stored = { id, operation, hotels: hotelsOf(body), body: text, addedAt: new Date().toISOString() }
    this.#bytesComing += bytes
    try {
      await this.#journal.append({ add: stored }, () => this.#added(stored, replaces))
    } finally {
      this.#bytesComing -= bytes
    }
    this.#pump()
    return id
  }

  /** Resolves when no push waits any more. */
  whenEmpty(): Promise<void> {
    if (this.#queue.size === 0) return Promise.resolve()
    return new Promise((done) => this.#emptyWaiters.push(done))
  }

  /** Aborts calls in progress; unanswered pushes are sent again by the next process that opens the file. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new OutboxClosedError('The outbox is closed'))
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.allSettled(this.#sending)
    await this.#journal.close()
    await this.#lock.release()
  }

  /** Runs as soon as the push is on the disk, so that no rewrite of the file misses it. */
  #added(stored: StoredPush, replaces: string | undefined): void {
    const replaced = replaces === undefined ? undefined : this.#queue.replacedBy(replaces)
    this.#queue.add(stored, replaces)
    if (replaced) this.#settle(replaced)
  }

  #pump(): void {
    const pauseMs = this.#pausedUntilMs - performance.now()
    if (pauseMs > 0) return
    while (this.#sending.size < (this.#options.concurrency ?? usual.concurrency)) {
      const next = this.#closing.signal.aborted ? undefined : this.#queue.take()
      if (!next) return
      const sent = this.#send(next).finally(() => {
        this.#sending.delete(sent)
        this.#pump()
      })
      this.#sending.add(sent)
    }
  }

  async #send(waiting: Waiting): Promise<void> {
    waiting.isTried = true
    for (let part = waiting.parts[0]; part; part = waiting.parts[0]) {
      const { id, operation, body } = part
      try {
        const answer = await this.#call(operation, body, id)
        this.#failures = 0
        const letter = refusedItems(part, answer)
        if (letter) await this.#refuse(letter)
        waiting.parts.shift()
        if (waiting.parts.length === 0) this.#settle(waiting)
        this.#notify(() => this.#options.onDelivered?.({ id, operation, answer }))
      } catch (error) {
        if (this.#closing.signal.aborted) return
        if (!(await this.#isDone(waiting, part, error))) return
        if (waiting.parts.length === 0) this.#settle(waiting)
      }
    }
  }

  /** After a failed attempt: whether to go on with the rest of the push, or it is tried later. */
  async #isDone(waiting: Waiting, part: StoredPush, error: unknown): Promise<boolean> {
    const halves = isTooLargeForProxy(error) ? halvesOf(part) : undefined
    if (halves) {
      waiting.parts.splice(0, 1, ...halves)
      this.#notify(() => this.#options.onError?.(error, 'split'))
      return true
    }
    if (isFault(error)) waiting.faults++
    const letter = refusal(part, waiting.faults, error)
    try {
      if (!letter) throw error
      await this.#refuse(letter)
      waiting.parts.shift()
      return true
    } catch (cause) {
      // Without its dead letter it would be lost; a later attempt may find room on the disk.
      this.#tryLater(waiting, cause)
      return false
    }
  }

  #call(operation: OutboxOperation, body: string, idempotencyKey: string): Promise<unknown> {
    const { signal } = this.#closing
    // The push log lists it under the same id.
    const options: PushOptions = { idempotencyKey, requestId: idempotencyKey, signal, retryForMs: 0 }
    // The boundary: only a body of this operation can have been added under its name.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
    const call = this.#options.client[operation] as (body: unknown, more: PushOptions) => Promise<unknown>
    return call(JSON.parse(body), options)
  }

  /**
   * A problem with one push delays only that push; a problem with the connection to the gateway stops all.
   */
  #tryLater(waiting: Waiting, error: unknown): void {
    this.#notify(() => this.#options.onError?.(error, isFault(error) ? 'push waits' : 'all wait'))
    if (isFault(error)) {
      this.#after(retryWaitMs(waiting.faults), () => this.#queue.giveBack(waiting))
      return
    }
    this.#queue.giveBack(waiting)
    const retryAfterMs = isPushError(error) ? error.retryAfterMs : undefined
    const waitMs = retryWaitMs(++this.#failures, retryAfterMs) * Math.min(this.#failures, longestPauseFactor)
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + waitMs)
    this.#after(waitMs, () => {})
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      then()
      this.#pump()
    }, ms + 1)
    this.#timers.add(timer)
  }

  #settle(waiting: Waiting): void {
    this.#queue.settle(waiting)
    // If it can't be written before a crash, the push is sent again, and gets the same answer.
    this.#journal.append({ done: waiting.id }).catch((error: unknown) => {
      this.#notify(() => this.#options.onError?.(error, 'push waits'))
    })
    if (this.#queue.size > 0) return
    for (const done of this.#emptyWaiters.splice(0)) done()
  }

  /** One after another, so that lines don't interleave. */
  #refuse(letter: DeadLetter): Promise<void> {
    const written = this.#refusing.then(() => this.#writeRefused(letter))
    this.#refusing = written.catch(() => undefined)
    return written
  }

  async #writeRefused(letter: DeadLetter): Promise<void> {
    await writeLetter(`${this.#options.file}.refused`, letter)
    this.#notify(() => this.#options.onRefused?.(letter))
  }

  /** An exception in a callback is the callback's own fault, and surfaces as an uncaught error. */
  #notify(call: () => void): void {
    queueMicrotask(call)
  }
}

function storedPushOf({ id, operation, hotels, body, addedAt }: Waiting): StoredPush {
  return { id, operation, hotels, body, addedAt }
}

/** A push of hotels names several hotels, every other push one. */
function hotelsOf(body: unknown): string[] {
  const named: unknown[] = Array.isArray(body) ? body : [body]
  return [...new Set(named.map(hotelOf))]
}

function hotelOf(named: unknown): string {
  if (typeof named !== 'object' || named === null || !('hotelId' in named))
    throw new TypeError('A push names its hotel as hotelId')
  return String(named.hotelId)
}
