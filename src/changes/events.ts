import { Readable } from 'node:stream'
import type { Held } from '../http/held-open.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected } from '../http/rejected.ts'
import { writePlace, type Place } from './cursor.ts'
import type { Feed, Page } from './feed.ts'

export const eventsContentType = 'text/event-stream; charset=utf-8'

/** So that whoever stands between keeps the connection open, and a caller that is gone is noticed. */
const heartbeatEveryMs = 15_000
/** What a caller is told to wait before it connects again. */
const reconnectAfterMs = 1_000
/** A caller that takes nothing for so long is given up. */
const takesWithinMs = 10_000
const bytesAhead = 64 * 1024
/** When the service ends, it does not wait longer for a caller to take the rest. */
const endsWithinMs = 1_000

type Told = { feed: Feed; start: Place; limit: number; held: Held; needs: Needs }

/**
 * The changes from a place on as server-sent events. No page is read before the one before was taken, so that a slow
 * caller costs no memory. Ends when the caller may not be told any more, when it is gone, and with the service.
 */
export function eventStream(told: Told): Readable {
  const giveUp = (): void => void stream.destroy()
  const stream = Readable.from(unlessStalled(events(told), giveUp), {
    objectMode: false,
    highWaterMark: bytesAhead,
  })
  told.held.over.addEventListener('abort', () => setTimeout(giveUp, endsWithinMs).unref(), { once: true })
  return stream
}

async function* events({ feed, start, limit, held, needs }: Told): AsyncGenerator<string> {
  // The first event has an id: who connects again before the first change resumes from here.
  yield `retry: ${reconnectAfterMs}\nevent: start\nid: ${writePlace(start)}\ndata: {}\n\n`
  let place = start
  try {
    while (!held.over.aborted) {
      const page = await feed.read(place, limit)
      await held.admitAgain()
      place = page.place
      if (page.changes.length > 0) {
        needs.telemetry.changesTold.inc(page.changes.length)
        yield textOf(page)
      }
      if (page.hasMore) continue
      if (!(await feed.changed(place, heartbeatEveryMs, held.over))) yield ':\n\n'
    }
  } catch (error) {
    // The answer has begun, so it can only end: who connects again is told what is the matter.
    if (!(error instanceof Rejected)) needs.log.warn({ err: error }, 'a stream of changes ended early')
  }
}

function textOf({ changes }: Page): string {
  return changes
    .map((change) => `event: change\nid: ${change.cursor}\ndata: ${JSON.stringify(change)}\n\n`)
    .join('')
}

async function* unlessStalled(source: AsyncGenerator<string>, stalled: () => void): AsyncGenerator<string> {
  for await (const text of source) {
    const timer = setTimeout(stalled, takesWithinMs)
    try {
      yield text
    } finally {
      clearTimeout(timer)
    }
  }
}
