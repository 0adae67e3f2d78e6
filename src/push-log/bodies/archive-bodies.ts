import { dayMs, formatNight } from '../../base/calendar.ts'
import type { Telemetry } from '../../base/telemetry.ts'
import { numberArray, type Database, type Queryable } from '../../postgres/postgres.ts'
import type { Archive } from './archive.ts'
import { isInRange, rangeValues, selectDayRanges, type DayRange } from './day-ranges.ts'

/**
 * Segments of days that are over are moved to the archive, many in an object. Their bytes leave the store only after the
 * archive has acknowledged the object; if the process dies in between, another object is written, and nothing refers to the
 * first.
 */

const objectBytes = 8 * 1024 * 1024
const objectSegmentsMax = 2_000
/** The rest is left to the next run. */
const roundsMax = 100

type Needs = {
  db: Database
  archive: Archive
  telemetry: Telemetry
  /** Before the archive and the database are closed. */
  stopping: AbortSignal
}

/**
 * Does nothing without an archive. Returns the number of bytes moved. Several processes may do it at once: each object is named
 * after its content, so the same segments become the same object, and whoever is second moves nothing and leaves the rest to the
 * first.
 */
export async function archiveBodies(needs: Needs, nowMs: number): Promise<number> {
  const { db, archive, telemetry, stopping } = needs
  const { put } = archive
  if (!put) return 0
  const todayMs = Math.floor(nowMs / dayMs) * dayMs
  const ranges = (await selectDayRanges(db)).map(({ fromMs, toMs }) => ({
    fromMs,
    toMs: Math.min(toMs, todayMs),
  }))
  const past = ranges.filter(({ fromMs, toMs }) => fromMs < toMs).reverse()
  let moved = 0
  let rounds = 0
  try {
    for (const range of past) {
      while (rounds < roundsMax) {
        const bytes = await moveRound(db, put, range)
        if (bytes === 0) break
        rounds++
        telemetry.archivedBytes.inc(bytes)
        moved += bytes
      }
    }
    telemetry.archiveWaitingBytes.set(await selectWaitingBytes(db, past))
  } catch (error) {
    // What is not moved waits for the next start.
    if (stopping.aborted) return moved
    telemetry.archiveFailures.inc({ operation: 'write' })
    telemetry.archiveWaitingBytes.set(await selectWaitingBytes(db, past))
    throw error
  }
  return moved
}

type Segment = { lastBatch: number; atMs: number; bytes: Buffer }

/** Without a transaction: its locks would keep days from being created and dropped while the archive is slow. */
async function moveRound(db: Database, put: NonNullable<Archive['put']>, range: DayRange): Promise<number> {
  const { rows: segments } = await db.query<Segment>(
    `select last_batch as "lastBatch", epoch_ms(at) as "atMs", bytes from (
       select *, sum(octet_length(bytes)) over (order by at, last_batch) - octet_length(bytes) as bytes_before
       from (
         select * from push_body_segment where object is null and ${isInRange('$3', '$4')}
         order by at, last_batch limit $1
       ) as oldest
     ) as segment where bytes_before < $2 order by at, last_batch`,
    [objectSegmentsMax, objectBytes, ...rangeValues(range)],
  )
  const [first] = segments
  if (!first) return 0
  const day = Math.floor(first.atMs / dayMs)
  const ofDay = segments.filter(({ atMs }) => Math.floor(atMs / dayMs) === day)
  const lengths = ofDay.map(({ bytes }) => bytes.length)
  let end = 0
  const starts = lengths.map((length) => (end += length) - length)
  const object = await put(formatNight(day), Buffer.concat(ofDay.map(({ bytes }) => bytes)))
  const { rows: moved } = await db.query<{ length: number }>(
    `update push_body_segment set bytes = null, object = $1, object_from = moved.start, object_length = moved.length
     from unnest($2::bigint[], $3::int[], $4::int[]) as moved (last_batch, start, length)
     where push_body_segment.last_batch = moved.last_batch and object is null
       and ${isInRange('$5', '$6')}
     returning object_length as length`,
    [
      object,
      numberArray(ofDay.map(({ lastBatch }) => lastBatch)),
      numberArray(starts),
      numberArray(lengths),
      ...rangeValues({ fromMs: day * dayMs, toMs: (day + 1) * dayMs }),
    ],
  )
  return moved.reduce((sum, { length }) => sum + length, 0)
}

async function selectWaitingBytes(db: Queryable, ranges: readonly DayRange[]): Promise<number> {
  let bytes = 0
  for (const range of ranges) {
    const { rows } = await db.query<{ bytes: number }>(
      `select coalesce(sum(octet_length(bytes)), 0)::float8 as bytes from push_body_segment
       where object is null and ${isInRange('$1', '$2')}`,
      rangeValues(range),
    )
    bytes += rows[0]?.bytes ?? 0
  }
  return bytes
}
