import { isUtf8 } from 'node:buffer'
import { setImmediate as breathe } from 'node:timers/promises'
import { isRecord } from '../../http/validation/validate.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { bulkLimits } from '../limits.ts'
import { cellsOf, harmlessLine, withApostrophesInside } from '../csv/csv.ts'
import { lineBytesMaxOf } from './lines.ts'
import { selectRefused, type JobRow, type RefusedLine } from '../jobs/store.ts'

/** The member of a refused NDJSON line with its number and reasons; an upload ignores it. */
export const refusedMember = '_refused'
/** The member with the push of a refused line that was no object; alone beside `_refused`. */
export const pushMember = 'push'
/** The column of a refused CSV line with its reasons; an upload ignores it. */
export const refusedColumn = 'refused'

/** Of refused lines, in memory. */
const bytesAtOnce = 16 * 1024 * 1024
/** Of lines that are written before other requests get a turn of the event loop. */
const bytesInTurn = 128 * 1024

/** The refused lines of a job, in its format. */
export async function* errorsFile(db: Queryable, job: JobRow): AsyncGenerator<Buffer> {
  const separator = separatorOf(job.header)
  const rowsAtOnce = Math.floor(bytesAtOnce / (lineBytesMaxOf(job.kind) + bulkLimits.reasonsBytesMax))
  if (job.format === 'csv' && job.header)
    yield Buffer.concat([
      Buffer.from(`${refusedColumn}${separator}`),
      withoutRefused(job.header, separator),
      lineEnd,
    ])
  for (let after = 0; ;) {
    const rows = await selectRefused(db, job.id, after, rowsAtOnce)
    const last = rows.at(-1)
    if (!last) return
    after = last.line
    let pieces: Buffer[] = []
    let bytes = 0
    for (const row of rows) {
      pieces.push(
        ...(job.format === 'csv'
          ? csvLine(row, separator, hasRefused(job.header, separator))
          : ndjsonLine(row)),
      )
      bytes += row.bytes.length
      if (bytes < bytesInTurn) continue
      yield Buffer.concat(pieces)
      pieces = []
      bytes = 0
      await breathe()
    }
    yield Buffer.concat(pieces)
  }
}

const lineEnd = Buffer.from('\n')

export function separatorOf(header: Buffer | null): string {
  const text = header?.toString() ?? ''
  return !text.includes(',') && text.includes(';') ? ';' : ','
}

/** Spreadsheets may have put the name in quotes. */
function hasRefused(header: Buffer | null, separator: string): boolean {
  return cellsOf(header?.toString() ?? '', separator)?.[0]?.trim() === refusedColumn
}

function withoutRefused(header: Buffer, separator: string): Buffer {
  return hasRefused(header, separator) ? header.subarray(firstCellBytes(header, separator)) : header
}

/** The reasons come first, so that they can be read even if the line has an open quote. */
function csvLine({ bytes, problems }: RefusedLine, separator: string, isRefusedAgain: boolean): Buffer[] {
  const reasons = problems.map(
    ({ type, message, hint }) => `${type}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
  const text = withApostrophesInside(reasons.join(' | ')).replaceAll(/[\r\n]+/g, ' ')
  const cell = `"${text.replaceAll('"', '""')}"`
  const rest = isRefusedAgain ? bytes.subarray(firstCellBytes(bytes, separator)) : bytes
  // Bytes that are not UTF-8 stay as they are.
  const encoding = isUtf8(rest) ? 'utf8' : 'latin1'
  const line = Buffer.from(harmlessLine(rest.toString(encoding), separator), encoding)
  return [Buffer.from(`${cell}${separator}`), line, lineEnd]
}

/** The length of the first cell with its separator. */
function firstCellBytes(bytes: Buffer, separator: string): number {
  let isQuoted = false
  for (const [index, byte] of bytes.entries()) {
    if (byte === 0x22) isQuoted = !isQuoted
    else if (byte === separator.charCodeAt(0) && !isQuoted) return index + 1
  }
  return 0
}

function ndjsonLine({ line, bytes, problems }: RefusedLine): Buffer[] {
  const reasons = `"${refusedMember}":${JSON.stringify({ line, errors: problems })}`
  const sent = isUtf8(bytes) ? valueOf(bytes.toString()) : undefined
  const isRefusedAgain = isRecord(sent) && refusedMember in sent
  const value = isRefusedAgain ? withoutReasons(sent) : sent
  const text = isRefusedAgain ? JSON.stringify(value) : bytes.toString()
  if (isRecord(value)) {
    const rest = text.slice(text.indexOf('{') + 1)
    return [Buffer.from(`{${reasons}${Object.keys(value).length === 0 ? '' : ','}${rest}`), lineEnd]
  }
  const push = value === undefined ? JSON.stringify(text) : text
  return [Buffer.from(`{${reasons},"${pushMember}":${push}}`), lineEnd]
}

export function withoutReasons({ [refusedMember]: _reasons, ...rest }: Record<string, unknown>) {
  return rest
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
