import { setImmediate as breathe } from 'node:timers/promises'
import { type Queryable, numberArray } from '../../postgres/postgres.ts'
import type { Archive } from './archive.ts'
import { hasId } from '../conditions.ts'
import { isInRange, rangeAround, rangesOf, rangeValues } from './day-ranges.ts'
import { plainEncoding } from './plain-answer.ts'
import { hasRequestId, requestIdOfRow } from '../request-ids.ts'
import { inBatch, rebuildAnswer, unpack, type AnsweredPush } from './stored-bytes.ts'

/**
 * Reads bodies and answers of pushes, wherever they are: in the row, in a batch, in a segment of packed batches, or in the
 * archive.
 */

/** The columns of a row of the log that lead to its body. */
export const bodyColumns = `coalesce(body_encoding, '${inBatch}') as "bodyEncoding", body, batch, body_from as "bodyFrom",
  body_bytes as "bodyBytes", epoch_ms(at) as "atMs"`

export type BodySource = {
  bodyEncoding: string
  body: Buffer | null
  batch: number | null
  bodyFrom: number | null
  bodyBytes: number
  atMs: number
}

/** Where stored bytes are; `from` and `length` are null unless they are in the batch. */
type Location = {
  encoding: string
  bytes: Buffer | null
  batch: number | null
  from: number | null
  length: number | null
  atMs: number
}

/**
 * In the order of the rows; undefined for a body whose day was dropped after its row was read, and without `archive` for one
 * that is there. For answers that must not wait for the archive.
 */
export function readBodies(
  db: Queryable,
  rows: readonly BodySource[],
  archive?: Archive,
): Promise<(Buffer | undefined)[]> {
  return readBytes({ db, archive }, rows.map(bodyLocation))
}

type AnsweredSource = BodySource & {
  answerEncoding: string
  answer: Buffer | null
  answerFrom: number | null
  answerLength: number | null
}

/** An answer without an encoding is in the batch, or is rebuilt. */
export const answerEncodingOfRow = `coalesce(answer_encoding, case when answer_from is null then '${plainEncoding}' else '${inBatch}' end)`

/** The columns that lead to the body and to the answer, or to what it is rebuilt from. */
const bodyAndAnswerColumns = `${bodyColumns}, ${answerEncodingOfRow} as "answerEncoding", answer,
  answer_from as "answerFrom", answer_length as "answerLength"`

/** The body and what is stored of the answer. */
function readBodyAndAnswer(stores: BodyStores, row: AnsweredSource): Promise<(Buffer | undefined)[]> {
  const { answerEncoding: encoding, answer, batch, answerFrom, answerLength: length, atMs } = row
  return readBytes(stores, [
    bodyLocation(row),
    { encoding, bytes: answer, batch, from: answerFrom, length, atMs },
  ])
}

export type PushBytes = { body: Buffer; answer: Buffer }

/** Body and answer of a push, byte for byte; undefined if its day was dropped meanwhile. */
export async function readPushBytes(
  stores: BodyStores,
  { id, requestId, at }: { id: number; requestId: string; at: string },
): Promise<PushBytes | undefined> {
  const { rows } = await stores.db.query<AnsweredPush & AnsweredSource>(
    `select ${requestIdOfRow} as "requestId", hotel_code as "hotelCode", revision, cells_changed as "cellsChanged",
       ${bodyAndAnswerColumns} from push_log
     where ${hasId('$1')} and ${hasRequestId(requestId, '$2')}
       and ${isInRange('$3', '$4')}`,
    [id, requestId, ...rangeValues(rangeAround(Date.parse(at)))],
  )
  const [row] = rows
  if (!row) return undefined
  const [body, answer] = await readBodyAndAnswer(stores, row)
  return body && answer && { body, answer: rebuildAnswer(row.answerEncoding, answer, row) }
}

function bodyLocation(row: BodySource): Location {
  const { bodyEncoding: encoding, body, batch, bodyFrom: from, bodyBytes: length, atMs } = row
  return { encoding, bytes: body, batch, from, length, atMs }
}

async function readBytes(
  stores: BodyStores,
  locations: readonly Location[],
): Promise<(Buffer | undefined)[]> {
  const pieces = await readPieces(
    stores,
    locations.filter(({ encoding }) => encoding === inBatch),
  )
  const found: (Buffer | undefined)[] = []
  let bytesInTurn = 0
  for (const { encoding, bytes, batch, from, length } of locations) {
    if (encoding === inBatch) {
      if (batch === null || from === null || length === null) throw new Error('a push is in no batch')
      found.push(pieces.get(batch)?.subarray(from, from + length))
      continue
    }
    const body = bytes ? unpack(encoding, bytes) : Buffer.alloc(0)
    found.push(body)
    bytesInTurn += body.length
    if (bytesInTurn < bytesUnpackedAtOnce) continue
    bytesInTurn = 0
    await breathe()
  }
  return found
}

/** Bytes unpacked before other requests get a turn of the event loop. */
const bytesUnpackedAtOnce = 1024 * 1024

type BodyStores = { db: Queryable; archive?: Archive | undefined }

type Piece = { batch: number; segment: string | null; start: number } & (
  | { bytes: Buffer; object: null }
  | { bytes: null; object: string; objectFrom: number; objectLength: number }
)

/** The bytes of batches. One statement sees each either as a batch or in a segment. */
async function readPieces(
  { db, archive }: BodyStores,
  locations: readonly Location[],
): Promise<ReadonlyMap<number, Buffer>> {
  if (locations.length === 0) return new Map()
  const atMsByBatch = new Map(locations.map(({ batch, atMs }) => [batch ?? 0, atMs]))
  const rows: Piece[] = []
  for (const range of rangesOf([...atMsByBatch.values()])) {
    const ofRange = [...atMsByBatch].filter(([, atMs]) => atMs >= range.fromMs && atMs < range.toMs)
    const read = await db.query<Piece>(
      `select batch, null as segment, 0 as start, bytes, null as object, null as "objectFrom", null as "objectLength"
       from push_body_batch where batch = any($1::bigint[])
       union all
       select wanted.batch, first_batch || ' ' || last_batch, starts[array_position(batches, wanted.batch)], bytes,
         object, object_from, object_length
       from unnest($1::bigint[], $2::float8[]) as wanted (batch, at_ms)
       cross join lateral (
         select * from push_body_segment
         where at >= date_trunc('day', instant(at_ms), 'UTC') and at < date_trunc('day', instant(at_ms), 'UTC') + interval '24 hours'
           and ${isInRange('$3', '$4')}
           and last_batch >= wanted.batch and first_batch <= wanted.batch and wanted.batch = any(batches)
         order by last_batch limit 1
       ) as segment`,
      [
        numberArray(ofRange.map(([batch]) => batch)),
        numberArray(ofRange.map(([, atMs]) => atMs)),
        ...rangeValues(range),
      ],
    )
    rows.push(...read.rows)
  }
  const unpacked = new Map<string, Promise<Buffer | undefined>>()
  const pieces = await Promise.all(
    rows.map(async (piece): Promise<[number, Buffer][]> => {
      const { batch, segment, start } = piece
      if (segment === null) return piece.bytes ? [[batch, piece.bytes]] : []
      const reading = unpacked.get(segment) ?? unpackPiece(piece, archive)
      unpacked.set(segment, reading)
      const whole = await reading
      return whole ? [[batch, whole.subarray(start)]] : []
    }),
  )
  return new Map(pieces.flat())
}

async function unpackPiece(piece: Piece, archive: Archive | undefined): Promise<Buffer | undefined> {
  const bytes =
    piece.object === null
      ? piece.bytes
      : await archive?.read(piece.object, { from: piece.objectFrom, length: piece.objectLength })
  return bytes && unpack('zstd', bytes)
}
