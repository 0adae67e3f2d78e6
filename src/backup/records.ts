import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { ByteReader } from './byte-reader.ts'
import { torn, UnusableBackup } from './container.ts'

/**
 * The inside of a backup, before compression: a manifest, then for each table a line that names it, its rows
 * as PostgreSQL's COPY writes them, and their number and digest; a digest for each hotel in the same way; and
 * at the end the digest of everything before.
 */

const manifestShape = Type.Object({
  kind: Type.Literal('manifest'),
  /** The version of the program that made it. */
  version: Type.String(),
  /** The last migration of the store. */
  schema: Type.String(),
  environment: Type.Union([Type.String(), Type.Null()]),
  createdAt: Type.String(),
  /** The days of the push log that are stored in partitions. */
  partitions: Type.Array(Type.String()),
})
const tableShape = Type.Object({
  kind: Type.Literal('table'),
  name: Type.String(),
  columns: Type.Array(Type.String()),
})
const hotelsShape = Type.Object({ kind: Type.Literal('hotels') })
const tableEndShape = Type.Object({
  kind: Type.Literal('tableEnd'),
  rows: Type.Integer(),
  sha256: Type.String(),
})
const endShape = Type.Object({
  kind: Type.Literal('end'),
  sequences: Type.Array(Type.Object({ name: Type.String(), last: Type.Integer() })),
  sha256: Type.String(),
})
const noteShape = Type.Union([manifestShape, tableShape, hotelsShape, tableEndShape, endShape])

export type Manifest = Static<typeof manifestShape>
export type BackupEnd = Static<typeof endShape>
type Note = Static<typeof noteShape>
/** What a backup consists of, in order; each was compared with its digest when the next one arrives. */
export type BackupPart = Note | { kind: 'rows'; bytes: Buffer }

const noteMark = 'N'.charCodeAt(0)
const rowsMark = 'R'.charCodeAt(0)
const headBytes = 5
const recordBytesMax = 16 * 1024 * 1024

export class RecordWriter {
  readonly #all = createHash('sha256')
  #rows = createHash('sha256')
  #count = 0

  note(note: Exclude<Note, { kind: 'tableEnd' | 'end' }>): Buffer {
    this.#rows = createHash('sha256')
    this.#count = 0
    return this.#record(noteMark, Buffer.from(JSON.stringify(note)))
  }

  rows(bytes: Buffer): Buffer {
    this.#rows.update(bytes)
    this.#count += linesIn(bytes)
    return this.#record(rowsMark, bytes)
  }

  /** Of the table so far. */
  get rowCount(): number {
    return this.#count
  }

  endOfTable(): Buffer {
    const note: Note = { kind: 'tableEnd', rows: this.#count, sha256: this.#rows.digest('hex') }
    return this.#record(noteMark, Buffer.from(JSON.stringify(note)))
  }

  end(sequences: BackupEnd['sequences']): Buffer {
    const note: Note = { kind: 'end', sequences, sha256: this.#all.digest('hex') }
    return recordOf(noteMark, Buffer.from(JSON.stringify(note)))
  }

  #record(mark: number, contents: Buffer): Buffer {
    const record = recordOf(mark, contents)
    this.#all.update(record)
    return record
  }
}

function recordOf(mark: number, contents: Buffer): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(mark)
  head.writeUInt32BE(contents.length, 1)
  return Buffer.concat([head, contents])
}

/** COPY escapes line breaks within values: each one ends a row. */
function linesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1
  return count
}

const damaged = (what: string): UnusableBackup =>
  new UnusableBackup(`The backup was altered or damaged: ${what}`)

/** Checks order, numbers and digests on the way. */
export async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<BackupPart, undefined> {
  const reader = new ByteReader(source)
  const all = createHash('sha256')
  let table: { name: string; rows: ReturnType<typeof createHash>; count: number } | undefined
  let isFirst = true
  try {
    for (;;) {
      const head = await reader.take(headBytes)
      if (head === undefined) throw new UnusableBackup(torn)
      const mark = head.readUInt8()
      const length = head.readUInt32BE(1)
      if (length > recordBytesMax || (mark !== noteMark && mark !== rowsMark)) throw damaged('its records')
      const contents = await reader.take(length)
      if (contents === undefined) throw new UnusableBackup(torn)
      const part = mark === rowsMark ? ({ kind: 'rows', bytes: contents } as const) : noteIn(contents)
      if (isFirst !== (part.kind === 'manifest')) throw damaged('its manifest')
      isFirst = false
      if ((table !== undefined) !== (part.kind === 'rows' || part.kind === 'tableEnd'))
        throw damaged('the order of its records')
      if (part.kind === 'table' || part.kind === 'hotels') {
        const name = part.kind === 'table' ? part.name : 'digests of hotels'
        table = { name, rows: createHash('sha256'), count: 0 }
      } else if (part.kind === 'rows') {
        table?.rows.update(contents)
        if (table) table.count += linesIn(contents)
      } else if (part.kind === 'tableEnd') {
        if (table?.count !== part.rows || table.rows.digest('hex') !== part.sha256)
          throw damaged(table?.name ?? 'a table')
        table = undefined
      } else if (part.kind === 'end' && part.sha256 !== all.digest('hex')) throw damaged('its digest')
      if (part.kind !== 'end') all.update(head).update(contents)
      yield part
      if (part.kind === 'end') break
    }
    if (!(await reader.isAtEnd())) throw damaged('more data after its end')
  } finally {
    await reader.close()
  }
}

function noteIn(contents: Buffer): Note {
  let note: unknown
  try {
    note = JSON.parse(contents.toString('utf8'))
  } catch {
    throw damaged('a note that is not JSON')
  }
  if (!Check(noteShape, note)) throw damaged('a note of unknown form')
  return note
}
