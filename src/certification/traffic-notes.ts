import type { Needs } from '../postgres/postgres.ts'
import { upsertNotes, type NewNote } from './store.ts'

/**
 * Notes on traffic that no log has: requests that were refused unread, repeats that got a stored answer. They are written
 * together a moment later: no request waits for that, and notes that can't be written are dropped.
 */
export type TrafficNotes = {
  /** A request of a key was refused with 429. */
  limited: (
    caller: { keyId: number; supplierId: number },
    requestId: string,
    retryAfterSeconds: number,
  ) => void
  /** A request of a key was let in. */
  admitted: (caller: { keyId: number; supplierId: number }, requestId: string) => void
  /** A push got the stored answer of its Idempotency-Key. */
  repeated: (caller: { supplierId: number }, requestId: string) => void
  add: (note: Omit<NewNote, 'atMs'>) => void
  /** Resolves when all notes so far can be read. */
  written: () => Promise<void>
}

/** Requests that were on their way when the first was refused. */
const earlyMax = 10
const keysMax = 10_000
const writeAfterMs = 200
const notesPerWriteMax = 500

type Limited = { untilMs: number; early: number }

export function trafficNotes({ db, clock, log }: Pick<Needs, 'db' | 'clock' | 'log'>): TrafficNotes {
  const limitedByKey = new Map<number, Limited>()
  let waiting: NewNote[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    if (batch.length === 0) return writing
    writing = writing
      .then(() => upsertNotes(db, batch))
      .catch((error: unknown) => log.warn({ err: error }, 'notes for the certification could not be stored'))
    return writing
  }
  const add: TrafficNotes['add'] = (note) => {
    if (waiting.length >= notesPerWriteMax) return
    waiting.push({ ...note, atMs: clock.now() })
    timer ??= setTimeout(() => void write(), writeAfterMs).unref()
  }
  const ofLimit = (supplierId: number, requestId: string, isGood: boolean, detail: string): void =>
    add({ supplierId, subject: 'retryAfter', isGood, requestId, detail })

  return {
    limited: ({ keyId, supplierId }, requestId, retryAfterSeconds) => {
      const nowMs = clock.now()
      const known = limitedByKey.get(keyId)
      const early = known && nowMs < known.untilMs ? known.early + 1 : 0
      if (limitedByKey.size >= keysMax) limitedByKey.clear()
      limitedByKey.set(keyId, {
        early,
        untilMs: early > 0 && known ? known.untilMs : nowMs + retryAfterSeconds * 1_000,
      })
      if (early === earlyMax + 1)
        ofLimit(
          supplierId,
          requestId,
          false,
          `More than ${earlyMax} requests came before Retry-After was over`,
        )
    },
    admitted: ({ keyId, supplierId }, requestId) => {
      // For nearly every request, this is all.
      if (limitedByKey.size === 0) return
      const known = limitedByKey.get(keyId)
      if (!known || clock.now() < known.untilMs) return
      limitedByKey.delete(keyId)
      if (known.early <= earlyMax)
        ofLimit(supplierId, requestId, true, 'After 429, the next request came when Retry-After was over')
    },
    repeated: ({ supplierId }, requestId) => {
      const detail = 'A push was repeated with the same Idempotency-Key and body'
      add({ supplierId, subject: 'idempotency', isGood: true, requestId, detail })
    },
    add,
    written: write,
  }
}
