import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { throttledWarning } from '../base/log.ts'
import { Rejected } from '../http/rejected.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import type { Change } from './contract.ts'
import { readCursor, writeCursor, type FeedPosition } from './cursor.ts'
import { feed, type Feed } from './feed.ts'
import { openFeedStream, type FeedStream, type StreamMessage } from './nats-stream.ts'

/**
 * Publishes the change feed to a stream of NATS JetStream, in its order, each change once. One process of all
 * services on a database does so; the others wait for its lease to end. The stream itself says what was
 * published: a process that takes over continues behind its last message, whose id is the change's cursor.
 * Each message names the number that must precede it, so a process that lost the role can't append any more.
 */
export type Publisher = { close: () => Promise<void> }

export type PublisherNeeds = Needs & { environment: string; natsUrl: string }

const changesAtOnce = 200
/** Longer than a page may take to be acknowledged, so that only a dead process loses the role. */
const leaseMs = 15_000
const renewEveryMs = 3_000
const tryAgainAfterMs = 1_000
const closesWithinMs = 400

export function startPublisher(needs: PublisherNeeds): Publisher {
  const stop = new AbortController()
  const holder = randomUUID()
  const changes = feed(needs)
  const complain = throttledWarning(needs.log, 'changes are not published to NATS')
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const published = await takePublisherRole(needs.db, holder)
        if (published) await publishWhileLeased(needs, changes, { holder, published, over: stop.signal })
      } catch (error) {
        complain(error instanceof Error ? error.message : String(error))
        // Another gateway may reach the server.
        await leavePublisherRole(needs.db, holder).catch(() => {})
      }
      await pause(tryAgainAfterMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
    await leavePublisherRole(needs.db, holder).catch(() => {})
  }
  const lag = watchLag(needs)
  const running = run()
  return {
    close: async () => {
      stop.abort()
      lag.close()
      await Promise.race([running, pause(closesWithinMs, undefined, { ref: false })])
    },
  }
}

type Lease = { holder: string; published: Published; over: AbortSignal }

/** Resolves when the role is lost, or is over. */
async function publishWhileLeased(
  needs: PublisherNeeds,
  changes: Feed,
  { holder, published, over }: Lease,
): Promise<void> {
  const prefix = `ari.changes.${needs.environment}`
  const stream = await openFeedStream(needs.natsUrl, `${prefix}.>`)
  try {
    const append = async (messages: readonly StreamMessage[], after: number): Promise<number> => {
      const { stored, failure } = await stream.append(messages, after)
      needs.telemetry.changesPublished.inc(stored)
      if (failure === undefined) return after + stored
      // The stream can't say it if its last message is a foreign one.
      const last = messages[stored - 1]
      const position = last && readCursor(last.id, 'Nats-Msg-Id', [])
      if (position) await savePublished(needs.db, holder, { position, sequence: after })
      throw failure
    }
    let { position, sequence } = await resume(stream, published)
    while (!over.aborted) {
      const page = position && (await readUnlessGone(changes, position))
      if (page) {
        sequence = await append(
          page.changes.map((change) => messageOf(change, prefix, stream.bytesMax)),
          sequence,
        )
        position = page.position
      } else {
        position = await changes.now()
        sequence = await append([restartMessage(position, prefix)], sequence)
      }
      if (!(await savePublished(needs.db, holder, { position, sequence }))) return
      if (page?.hasMore !== true) await changes.changed(position, renewEveryMs, over)
    }
  } finally {
    await stream.close()
  }
}

/** The position behind the last message of the stream; undefined if consumers have to start anew. */
async function resume(
  stream: FeedStream,
  published: Published,
): Promise<{ position: FeedPosition | undefined; sequence: number }> {
  const { sequence, lastId } = await stream.end()
  const last = lastId === undefined ? undefined : readCursor(lastId, 'Nats-Msg-Id', [])
  if (last) return { position: last, sequence }
  // A stream may delete its messages, but its numbers go on: lower ones belong to another stream.
  const isSameStream = sequence > 0 && sequence >= published.sequence
  return { position: isSameStream ? published.position : undefined, sequence }
}

/** Undefined if the position is too old, or of another epoch. */
async function readUnlessGone(changes: Feed, position: FeedPosition) {
  try {
    return await changes.read(position, changesAtOnce)
  } catch (error) {
    if (error instanceof Rejected && error.status === 410) return undefined
    throw error
  }
}

/** Without its nights if it would be too long: the server would refuse it, and all that follow. */
function messageOf(change: Change, prefix: string, bytesMax: number): StreamMessage {
  const whole = JSON.stringify(change)
  const text = Buffer.byteLength(whole) <= bytesMax ? whole : JSON.stringify({ ...change, nights: undefined })
  return { id: change.cursor, subject: `${prefix}.${change.platformHotelId ?? 'suppliers'}`, text }
}

/** Consumers read everything again: changes before this message may never have been published. */
function restartMessage(position: FeedPosition, prefix: string): StreamMessage {
  const cursor = writeCursor(position)
  return { id: cursor, subject: `${prefix}.restarted`, text: JSON.stringify({ cursor, kind: 'restarted' }) }
}

const lagEveryMs = 5_000

/** Measures the lag, whichever process publishes. */
function watchLag({ db, telemetry }: Needs): { close: () => void } {
  const timer = setInterval(() => {
    selectPublisherLagSeconds(db).then(
      (seconds) => telemetry.changesPublisherLag.set(seconds),
      // The store is away, which other metrics show.
      () => {},
    )
  }, lagEveryMs).unref()
  return { close: () => clearInterval(timer) }
}

/** How far the feed was published, as of the last acknowledgement; `position` is absent before the first. */
type Published = { position: FeedPosition | undefined; sequence: number }

type Row = { [name in keyof FeedPosition]: FeedPosition[name] | null } & { sequence: number }

/** Leases the role to `holder`; undefined while another process holds it. */
async function takePublisherRole(db: Queryable, holder: string): Promise<Published | undefined> {
  const { rows } = await db.query<Row>(
    `update feed_publisher set holder = $1, leased_until = clock_timestamp() + $2::float8 * interval '1 ms'
     where holder = $1 or leased_until is null or leased_until < clock_timestamp()
     returning epoch, turn, id, hotels, stream_sequence as sequence`,
    [holder, leaseMs],
  )
  const [row] = rows
  if (!row) return undefined
  const { epoch, turn, id, hotels, sequence } = row
  const isFirst = epoch === null || turn === null || id === null || hotels === null
  return { position: isFirst ? undefined : { epoch, turn, id, hotels }, sequence }
}

/** Also renews the lease. False if another process has the role by now. */
async function savePublished(
  db: Queryable,
  holder: string,
  { position, sequence }: { position: FeedPosition; sequence: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update feed_publisher set epoch = $2, turn = $3, id = $4, hotels = $5, stream_sequence = $6,
       leased_until = clock_timestamp() + $7::float8 * interval '1 ms'
     where holder = $1`,
    [holder, position.epoch, position.turn, position.id, position.hotels, sequence, leaseMs],
  )
  return rowCount === 1
}

async function leavePublisherRole(db: Queryable, holder: string): Promise<void> {
  await db.query('update feed_publisher set holder = null, leased_until = null where holder = $1', [holder])
}

/** The age of the oldest change that is not published yet; 0 if there is none. */
async function selectPublisherLagSeconds(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select greatest(0, extract(epoch from clock_timestamp() - waiting.at))::float8 as seconds
     from feed_publisher as published cross join lateral (
       -- Before the first publication nothing is published.
       select at from change
       where (change.turn, change.id) > (coalesce(published.turn, 0), coalesce(published.id, 0))
       order by turn, id limit 1
     ) as waiting`,
  )
  return rows[0]?.seconds ?? 0
}
