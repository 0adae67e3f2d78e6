import { performance } from 'node:perf_hooks'
import type { Held } from '../http/calls/held-open.ts'
import { answer, onHeld } from '../http/calls/mount.ts'
import type { Needs } from '../postgres/postgres.ts'
import { readLimit } from '../http/calls/query.ts'
import { rejectIfAny, reportedValue, type Problem, Rejected } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { changeRoutes, changesPerPage, waitSecondsMax } from './contract.ts'
import { readCursor, writeCursor, type FeedPosition } from './cursor.ts'
import { feed, type Feed, type FeedPage } from './feed.ts'
import { Readable } from 'node:stream'

/** GET /booking/changes: immediately, after waiting, or as events. */
export const listChanges = (needs: Needs) => {
  const changes = feed(needs)
  return onHeld(changeRoutes.listChanges, async ({ query }, held) => {
    const problems: Problem[] = []
    const isStream = (held.headers.accept ?? '').toLowerCase().includes('text/event-stream')
    const resumed = isStream ? held.headers['last-event-id'] : undefined
    // A reconnecting caller sends its first URL again, with its current position in the header.
    const after =
      resumed === undefined
        ? readCursor(query.after, '?after', problems)
        : readCursor(String(resumed), 'last-event-id', problems)
    const waitSeconds = readWait(query.wait, problems)
    const limit = readLimit(query.limit, changesPerPage, problems)
    rejectIfAny(problems)
    if (isStream) {
      const start = after ?? (await changes.now())
      // Report an invalid cursor before the stream begins; afterwards it is too late.
      await changes.read(start, 1)
      return {
        contentType: eventsContentType,
        stream: eventStream({ changes, start, limit, held, needs }),
      }
    }
    if (!after) return answer(200, pageAnswer({ changes: [], position: await changes.now(), hasMore: false }))
    const page = await readOrWait(changes, after, { limit, waitMs: waitSeconds * 1_000, held })
    needs.telemetry.changesTold.inc(page.changes.length)
    return answer(200, pageAnswer(page))
  })
}

/**
 * The first page with changes, or with more behind it: an empty one tells a caller that is far behind how far it has
 * come. An empty one too when the time is up, or once `held.over` aborts.
 */
async function readOrWait(
  changes: Feed,
  after: FeedPosition,
  { limit, waitMs, held }: { limit: number; waitMs: number; held: Held },
): Promise<FeedPage> {
  const untilMs = performance.now() + waitMs
  let position = after
  for (;;) {
    const page = await changes.read(position, limit)
    position = page.position
    if (page.changes.length > 0 || page.hasMore || held.over.aborted) return page
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0 || !(await changes.changed(position, leftMs, held.over))) return page
    await held.admitAgain()
  }
}

function pageAnswer({ changes, position, hasMore }: FeedPage): AnswerOf<typeof changeRoutes.listChanges> {
  return {
    code: '200',
    message: 'Changes retrieved successfully',
    changes,
    cursor: writeCursor(position),
    hasMore,
  }
}

function readWait(text: string | undefined, problems: Problem[]): number {
  if (text === undefined) return 0
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= waitSecondsMax) return seconds
  problems.push({
    type: 'INVALID_WAIT',
    message: `wait must be an integer from 0 to ${waitSecondsMax}`,
    path: '?wait',
    value: reportedValue(text),
  })
  return 0
}

const eventsContentType = 'text/event-stream; charset=utf-8'

/** Keeps proxies from closing the connection, and detects callers that are gone. */
const heartbeatEveryMs = 15_000
/** The reconnection delay sent to callers. */
const reconnectAfterMs = 1_000
/** A caller that reads nothing for this long is disconnected. */
const takesWithinMs = 10_000
const bytesAhead = 64 * 1024
/** At shutdown, the longest wait for a caller to read the rest. */
const endsWithinMs = 1_000

type EventSource = { changes: Feed; start: FeedPosition; limit: number; held: Held; needs: Needs }

/**
 * The changes from a position on as server-sent events. Each page is read only after the caller took the
 * previous one, so a slow caller costs no memory. Ends when the caller loses its permission or disconnects,
 * and at shutdown.
 */
function eventStream(source: EventSource): Readable {
  const giveUp = (): void => void stream.destroy()
  const stream = Readable.from(unlessStalled(events(source), giveUp), {
    objectMode: false,
    highWaterMark: bytesAhead,
  })
  source.held.over.addEventListener('abort', () => setTimeout(giveUp, endsWithinMs).unref(), { once: true })
  return stream
}

async function* events({ changes, start, limit, held, needs }: EventSource): AsyncGenerator<string> {
  // The first event has an id, so that a caller that reconnects before the first change resumes from here.
  yield `retry: ${reconnectAfterMs}\nevent: start\nid: ${writeCursor(start)}\ndata: {}\n\n`
  let position = start
  try {
    while (!held.over.aborted) {
      const page = await changes.read(position, limit)
      await held.admitAgain()
      position = page.position
      needs.telemetry.changesTold.inc(page.changes.length)
      if (page.changes.length > 0) yield textOf(page)
      // An id alone is no event, but a caller that reconnects resumes from it: all that was read had changed again.
      else if (page.hasMore) yield `id: ${writeCursor(position)}\n\n`
      if (page.hasMore) continue
      if (!(await changes.changed(position, heartbeatEveryMs, held.over))) yield ':\n\n'
    }
  } catch (error) {
    // The answer has begun, so it can only end; a caller that reconnects gets the reason.
    if (!(error instanceof Rejected)) needs.log.warn({ err: error }, 'a stream of changes ended early')
  }
}

function textOf({ changes }: FeedPage): string {
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
