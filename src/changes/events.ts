import { Readable } from 'node:stream'
import type { Held } from '../http/held-open.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected } from '../http/rejected.ts'
import { writePlace, type Place } from './cursor.ts'
import type { Feed, Page } from './feed.ts'

export const eventsContentType = 'text/event-stream; charset=utf-8'

/** Keeps proxies from closing the connection, and detects callers that are gone. */
const heartbeatEveryMs = 15_000
/** The reconnection delay sent to callers. */
const reconnectAfterMs = 1_000
/** A caller that reads nothing for this long is disconnected. */
const takesWithinMs = 10_000
const bytesAhead = 64 * 1024
/** At shutdown, the longest wait for a caller to read the rest. */
const endsWithinMs = 1_000

type Told = { feed: Feed; start: Place; limit: number; held: Held; needs: Needs }

/**
 * The changes from a place on as server-sent events. Each page is read only after the caller took the
 * previous one, so a slow caller costs no memory. Ends when the caller loses its permission or disconnects,
 * and at shutdown.
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
  // The first event has an id, so that a caller that reconnects before the first change resumes from here.
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
    // The answer has begun, so it can only end; a caller that reconnects gets the reason.
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
