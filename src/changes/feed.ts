import { setTimeout as pause } from 'node:timers/promises'
import { overloaded } from '../http/rejected.ts'
import { Gate } from '../base/gate.ts'
import { Memory } from '../postgres/memory.ts'
import type { Needs } from '../postgres/postgres.ts'
import { changedNights } from './changed-nights.ts'
import type { Change } from './contract.ts'
import { isBefore, restarted, tooOld, writeCursor, type FeedPosition } from './cursor.ts'
import { selectChanges, selectOptionalEnd, selectCurrentPosition, type ChangeRow } from './store.ts'

export type FeedPage = {
  changes: Change[]
  /** The position after everything that was scanned. */
  position: FeedPosition
  hasMore: boolean
}

export type Feed = {
  now: () => Promise<FeedPosition>
  /** Throws 410 if the position is no longer in the feed. */
  read: (after: FeedPosition, limit: number) => Promise<FeedPage>
  /**
   * Resolves once there is something to read after the position; false after `withinMs` or an abort of `over`.
   */
  changed: (after: FeedPosition, withinMs: number, over: AbortSignal) => Promise<boolean>
}

/** More blocks in one answer would keep all other requests waiting. */
const blocksPerPageMax = 2_000
/** Waiting reads never outnumber the requests that may be held open. */
const reads = { passing: 3, waiting: 1_000 }
/** NOTIFY would serialize the commits of all pushes, so one query polls for all waiting requests. */
const lookEveryMs = 100

export function feed(needs: Needs): Feed {
  const gate = new Gate<'read'>(reads)
  // Callers that keep up all ask for the same page.
  const pages = new Memory<FeedPage>(needs.db.epoch, { entriesMax: reads.waiting })
  const watch = new Watch(needs)
  const readInTurn = async (after: FeedPosition, limit: number): Promise<FeedPage> => {
    const turn = gate.enter('read')
    if (!turn) throw overloaded()
    await turn
    try {
      return await readPage(needs, after, limit)
    } finally {
      gate.leave('read')
    }
  }
  return {
    now: async () => {
      const { position, storeStamp } = await selectCurrentPosition(needs.db)
      needs.db.epoch.confirm(storeStamp)
      return position
    },
    read: (after, limit) => pages.get(`${limit} ${writeCursor(after)}`, () => readInTurn(after, limit)),
    changed: (after, withinMs, over) => watch.wait(after, withinMs, over),
  }
}

async function readPage({ db }: Needs, after: FeedPosition, limit: number): Promise<FeedPage> {
  const found = await selectChanges(db, after, { limit, blocksMax: blocksPerPageMax })
  const { rows, hasMore, horizon, nextTurn, storeStamp } = found
  // A store promoted a moment ago still has the cursor's epoch, but may have lost the changes before the
  // cursor.
  db.epoch.confirm(storeStamp)
  if (after.epoch !== horizon.epoch || after.turn > nextTurn) throw restarted()
  if (isBefore(after, horizon)) throw tooOld()
  const nights = await changedNights(db, rows)
  const changes = rows.flatMap((row) => {
    const ofNights = nights.get(row) ?? []
    // Events have no blocks: nothing that comes later takes their place.
    if (row.blocks.length === 0) return [answerMembers(row)]
    // All of its nights have changed again since: the later change reports them.
    return ofNights.length === 0 ? [] : [{ ...answerMembers(row), nights: ofNights }]
  })
  return { changes, position: rows.at(-1)?.position ?? after, hasMore }
}

function answerMembers({
  position,
  kind,
  at,
  hotelId,
  hotelCode,
  supplier,
  revisionTo,
  event,
}: ChangeRow): Change {
  return {
    cursor: writeCursor(position),
    kind,
    at: at.toISOString(),
    ...(hotelCode === null ? {} : { platformHotelId: String(hotelId) }),
    supplier,
    ...(hotelCode === null ? {} : { hotelId: hotelCode }),
    ...(event ?? { revision: revisionTo }),
  }
}

type Waiter = { after: FeedPosition; settle: (hasChanged: boolean) => void; fail: (error: unknown) => void }

/** Polls for changes while any request waits for one. */
class Watch {
  readonly #needs: Needs
  readonly #waiters = new Set<Waiter>()
  #isLooking = false

  constructor(needs: Needs) {
    this.#needs = needs
    // Waiting requests read again, and learn that the feed restarted.
    needs.db.epoch.onChange(() => {
      for (const { settle } of this.#waiters) settle(true)
    })
  }

  async wait(after: FeedPosition, withinMs: number, over: AbortSignal): Promise<boolean> {
    if (over.aborted) return false
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<boolean>()
    const waiter: Waiter = { after, settle, fail }
    const giveUp = (): void => settle(false)
    const timer = setTimeout(giveUp, withinMs)
    over.addEventListener('abort', giveUp, { once: true })
    this.#waiters.add(waiter)
    if (!this.#isLooking) void this.#look()
    try {
      return await promise
    } finally {
      this.#waiters.delete(waiter)
      clearTimeout(timer)
      over.removeEventListener('abort', giveUp)
    }
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#waiters.size > 0) {
      const waiting = [...this.#waiters]
      try {
        const end = await selectOptionalEnd(this.#needs.db)
        for (const { after, settle } of waiting) if (end && isBefore(after, end)) settle(true)
      } catch (error) {
        for (const { fail } of waiting) fail(error)
      }
      await pause(lookEveryMs)
    }
    this.#isLooking = false
  }
}
