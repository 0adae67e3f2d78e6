import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { numberArray, type Database, type Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'

/**
 * Batches of bodies are compressed together, many into a segment: alike bodies shrink to a fourteenth, and a push waits
 * for none of it. A segment and the deletion of its batches are one transaction, so a crash loses and repeats nothing.
 */

const compress = promisify(zstdCompress)
/** The default is 3; higher ones than 6 take 6 µs a push and more. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 6 } }

/** A segment is unpacked whole to read one body of it. */
const segmentBytes = 128 * 1024
const segmentBatchesMax = 512
/** A segment that isn't full is made all the same once its first batch is this old. */
const oldMs = 3_600_000
/** Batches read at once, and their bytes. */
const roundBatches = 4 * segmentBatchesMax
const roundBytes = 8 * segmentBytes
/** A gigabyte; the rest is left to the next run. */
const roundsMax = 1_000

/** An arbitrary number that every process must share and nothing else may use. */
const advisoryLock = 4_726_003

/** Packs whatever fills segments or is old; does nothing while another process does it. Returns the number of segments. */
export async function packBodies(db: Database, nowMs: number): Promise<number> {
  let segments = 0
  for (let round = 0; round < roundsMax; round++) {
    const made = await transaction(db, (connection) => packRound(connection, nowMs))
    if (made === 0) break
    segments += made
  }
  return segments
}

type Batch = { batch: number; atMs: number; bytes: Buffer }

async function packRound(connection: Queryable, nowMs: number): Promise<number> {
  const { rows: locks } = await connection.query<{ isLocked: boolean }>(
    'select pg_try_advisory_xact_lock($1) as "isLocked"',
    [advisoryLock],
  )
  if (!locks[0]?.isLocked) return 0
  const { rows: batches } = await connection.query<Batch>(
    `select push_body_batch.batch, epoch_ms(at) as "atMs", bytes from (
       select batch, sum(octet_length(bytes)) over (order by batch) - octet_length(bytes) as bytes_before
       from (select batch, bytes from push_body_batch order by batch limit $1) as oldest
     ) as wanted join push_body_batch using (batch) where bytes_before < $2 order by batch`,
    [roundBatches, roundBytes],
  )
  const segments = segmentsOf(batches).filter((segment) => isDue(segment, batches, nowMs))
  for (const segment of segments) await insertSegment(connection, segment)
  await connection.query('delete from push_body_batch where batch = any($1::bigint[])', [
    numberArray(segments.flat().map(({ batch }) => batch)),
  ])
  return segments.length
}

/** Segments of one day (UTC) each, because days are dropped. */
function segmentsOf(batches: readonly Batch[]): Batch[][] {
  const segments: Batch[][] = []
  let current: Batch[] = []
  for (const batch of batches) {
    const [first] = current
    if (first && (isFull(current) || dayOf(first) !== dayOf(batch))) {
      segments.push(current)
      current = []
    }
    current.push(batch)
  }
  return current.length > 0 ? [...segments, current] : segments
}

function isDue(segment: readonly Batch[], all: readonly Batch[], nowMs: number): boolean {
  const [first] = segment
  if (!first) return false
  const isLast = segment.at(-1) === all.at(-1)
  return !isLast || isFull(segment) || first.atMs <= nowMs - oldMs
}

function isFull(segment: readonly Batch[]): boolean {
  return segment.length >= segmentBatchesMax || bytesOf(segment) >= segmentBytes
}

function bytesOf(segment: readonly Batch[]): number {
  return segment.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

function dayOf({ atMs }: Batch): number {
  return Math.floor(atMs / 86_400_000)
}

async function insertSegment(connection: Queryable, segment: readonly Batch[]): Promise<void> {
  const numbers = segment.map(({ batch }) => batch)
  let start = 0
  const starts = segment.map(({ bytes }) => (start += bytes.length) - bytes.length)
  await connection.query(
    `insert into push_body_segment (at, first_batch, last_batch, batches, starts, bytes)
     values (instant($1), $2, $3, $4, $5, $6)`,
    [
      segment[0]?.atMs,
      numbers[0],
      numbers.at(-1),
      numberArray(numbers),
      numberArray(starts),
      await compress(Buffer.concat(segment.map(({ bytes }) => bytes)), options),
    ],
  )
}
