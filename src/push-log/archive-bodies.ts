import { dayMs, formatNight } from '../base/calendar.ts'
import type { Telemetry } from '../base/telemetry.ts'
import { numberArray, type Database, type Queryable } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import type { Archive } from './archive.ts'

/**
 * Segments of days that are over are moved to the archive, many in an object. Their bytes leave the store only after the
 * archive has acknowledged the object; if the process dies in between, another object is written, and nothing refers to the
 * first.
 */

const objectBytes = 8 * 1024 * 1024
const objectSegmentsMax = 2_000
/** The rest is left to the next run. */
const roundsMax = 100

/** An arbitrary number that every process must share and nothing else may use. */
const advisoryLock = 4_726_004

/** Does nothing without an archive, and while another process does it. Returns the number of bytes moved. */
export async function archiveBodies(
  { db, archive, telemetry }: { db: Database; archive: Archive; telemetry: Telemetry },
  nowMs: number,
): Promise<number> {
  const { put } = archive
  if (!put) return 0
  const beforeMs = Math.floor(nowMs / dayMs) * dayMs
  let moved = 0
  try {
    for (let round = 0; round < roundsMax; round++) {
      const bytes = await transaction(db, (connection) => moveRound(connection, put, beforeMs))
      if (bytes === 0) break
      telemetry.archivedBytes.inc(bytes)
      moved += bytes
    }
  } catch (error) {
    telemetry.archiveFailures.inc({ operation: 'write' })
    throw error
  } finally {
    telemetry.archiveWaitingBytes.set(await selectWaitingBytes(db, beforeMs))
  }
  return moved
}

type Segment = { lastBatch: number; atMs: number; bytes: Buffer }

async function moveRound(
  connection: Queryable,
  put: NonNullable<Archive['put']>,
  beforeMs: number,
): Promise<number> {
  const { rows: locks } = await connection.query<{ isLocked: boolean }>(
    'select pg_try_advisory_xact_lock($1) as "isLocked"',
    [advisoryLock],
  )
  if (!locks[0]?.isLocked) return 0
  const { rows: segments } = await connection.query<Segment>(
    `select last_batch as "lastBatch", epoch_ms(at) as "atMs", bytes from (
       select *, sum(octet_length(bytes)) over (order by at, last_batch) - octet_length(bytes) as bytes_before
       from (
         select * from push_body_segment where object is null and at < instant($1) order by at, last_batch limit $2
       ) as oldest
     ) as segment where bytes_before < $3 order by at, last_batch`,
    [beforeMs, objectSegmentsMax, objectBytes],
  )
  const [first] = segments
  if (!first) return 0
  const day = Math.floor(first.atMs / dayMs)
  const ofDay = segments.filter(({ atMs }) => Math.floor(atMs / dayMs) === day)
  const lengths = ofDay.map(({ bytes }) => bytes.length)
  let end = 0
  const starts = lengths.map((length) => (end += length) - length)
  const object = await put(formatNight(day), Buffer.concat(ofDay.map(({ bytes }) => bytes)))
  await connection.query(
    `update push_body_segment set bytes = null, object = $1, object_from = moved.start, object_length = moved.length
     from unnest($2::bigint[], $3::int[], $4::int[]) as moved (last_batch, start, length)
     where push_body_segment.last_batch = moved.last_batch and object is null
       and at >= instant($5) and at < instant($5) + interval '24 hours'`,
    [
      object,
      numberArray(ofDay.map(({ lastBatch }) => lastBatch)),
      numberArray(starts),
      numberArray(lengths),
      day * dayMs,
    ],
  )
  return end
}

async function selectWaitingBytes(db: Queryable, beforeMs: number): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    `select coalesce(sum(octet_length(bytes)), 0)::float8 as bytes from push_body_segment
     where object is null and at < instant($1)`,
    [beforeMs],
  )
  return rows[0]?.bytes ?? 0
}
