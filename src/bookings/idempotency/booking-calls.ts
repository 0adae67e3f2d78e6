import { randomUUID } from 'node:crypto'
import { Gate } from '../../base/gate.ts'
import type { Answered } from '../../http/calls/mount.ts'
import type { Log } from '../../base/log.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import {
  beginCall,
  callRenewedEveryMs,
  endCall,
  keyInUse,
  renewCall,
  type Repeatable,
} from './stored-answers.ts'

const callsMax = { passing: 1, waiting: 8 }
const leftMax = 10_000

/** Bookings under an Idempotency-Key, one after the other: a repeat waits for the first call's end. */
export class BookingCalls {
  readonly #gate = new Gate<string>(callsMax)
  /**
   * By key, the calls of this process that may stand in the store though they have ended: it wasn't there when they did.
   * One that is forgotten here bars its key until the store forgets it too.
   */
  readonly #leftByKey = new Map<string, string[]>()

  /** The stored answer, or that of `work`, which is carried out as the only call under its key. */
  async run<Body>(
    db: Queryable,
    log: Log,
    { request, nowMs }: { request: Repeatable; nowMs: number },
    work: () => Promise<Answered<Body>>,
  ): Promise<Answered<Body>> {
    const key = JSON.stringify([request.ownedKey.owner, request.ownedKey.key])
    const turn = this.#gate.enter(key)
    if (!turn) throw keyInUse()
    await turn
    const left = this.#leftByKey.get(key) ?? []
    const callId = randomUUID()
    try {
      this.#leave(key, [...left, callId])
      const stored = await beginCall<Body>(db, request, { callId, left, nowMs })
      const answered = stored ?? (await renewing(db, log, { request, callId }, work))
      this.#leftByKey.delete(key)
      return answered
    } catch (error) {
      try {
        await endCall(db, request, [...left, callId])
        this.#leftByKey.delete(key)
      } catch (cause) {
        log.warn({ err: cause }, 'a refused booking could not be ended for its repeats')
      }
      throw error
    } finally {
      this.#gate.leave(key)
    }
  }

  #leave(key: string, callIds: string[]): void {
    if (this.#leftByKey.size >= leftMax) this.#leftByKey.clear()
    this.#leftByKey.set(key, callIds)
  }
}

/** Few calls take so long that they are renewed. */
async function renewing<Result>(
  db: Queryable,
  log: Log,
  { request, callId }: { request: Repeatable; callId: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const renew = (): void => {
    renewCall(db, request, callId).catch((cause: unknown) =>
      log.warn({ err: cause }, 'a booking under way could not be renewed for its repeats'),
    )
  }
  const timer = setInterval(renew, callRenewedEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
