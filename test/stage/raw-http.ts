/** HTTP/1.1 by hand: can send any bytes, at any pace, and parses the replies strictly. */
import { connect, type Socket } from 'node:net'
import { minutes } from './pace.ts'

export type RawReply = { status: number; headers: ReadonlyMap<string, string>; body: Buffer }

/** The behaviour of a connection after a request was sent. */
export type RawOutcome = {
  replies: RawReply[]
  closed: boolean
  /** Bytes that are no HTTP response; a test fails if there are any. */
  rubbish: string | undefined
}

export type RawConnection = {
  /**
   * Sends the parts with pauses between them, and waits for the expected number of replies, the end of the
   * connection, or the time limit.
   */
  exchange: (sent: {
    parts: readonly Buffer[]
    pauseMs?: number
    repliesWanted: number
    isHead?: boolean
    halfClose?: boolean
    withinMs?: number
  }) => Promise<RawOutcome>
  isOpen: () => boolean
  destroy: () => void
}

export function rawConnection(port: number): RawConnection {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  let received: Buffer = Buffer.alloc(0)
  let closed = false
  let changed: (isLate?: boolean) => void = () => {}
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    changed()
  })
  const over = (): void => {
    closed = true
    socket.destroy()
    changed()
  }
  socket.on('end', over)
  socket.on('close', over)
  // A reset counts as an end like any other: only the data before it matters.
  socket.on('error', over)

  return {
    isOpen: () => !closed,
    destroy: () => socket.destroy(),
    exchange: async ({ parts, pauseMs = 0, repliesWanted, isHead, halfClose, withinMs = minutes(3) }) => {
      const replies: RawReply[] = []
      let rubbish: string | undefined
      let isDone = false
      const done = new Promise<void>((resolve) => {
        const timer = setTimeout(() => changed(true), withinMs)
        changed = (isLate = false) => {
          while (rubbish === undefined && received.length > 0) {
            const read = readReply(received, isHead === true, closed)
            if (read === undefined) break
            if ('rubbish' in read) rubbish = read.rubbish
            else {
              received = received.subarray(read.length)
              if (read.reply.status >= 200) replies.push(read.reply)
            }
          }
          if (!isLate && !closed && rubbish === undefined && replies.length < repliesWanted) return
          if (closed && received.length > 0 && rubbish === undefined && replies.length < repliesWanted)
            rubbish = received.toString('latin1').slice(0, 200)
          isDone = true
          clearTimeout(timer)
          resolve()
        }
      })
      await send(socket, parts, pauseMs, () => isDone)
      if (halfClose) socket.end()
      changed()
      await done
      changed = () => {}
      return { replies, closed, rubbish }
    },
  }
}

async function send(
  socket: Socket,
  parts: readonly Buffer[],
  pauseMs: number,
  isDone: () => boolean,
): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (isDone() || socket.destroyed) return
    socket.write(part)
  }
}

type Read = { reply: RawReply; length: number } | { rubbish: string } | undefined

const blankLine = Buffer.from('\r\n\r\n')

/** The first response in the bytes; undefined while it is incomplete. */
function readReply(bytes: Buffer, isHead: boolean, closed: boolean): Read {
  const headEnd = bytes.indexOf(blankLine)
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  if (!status) return { rubbish: statusLine.slice(0, 200) }
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) return { rubbish: line.slice(0, 200) }
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const start = headEnd + blankLine.length
  if (isHead || status < 200 || status === 204 || status === 304) {
    return { reply: { status, headers, body: Buffer.alloc(0) }, length: start }
  }
  if (headers.get('transfer-encoding') === 'chunked') return readChunked(bytes, start, status, headers)
  const length = headers.get('content-length')
  if (length === undefined) {
    return closed
      ? { reply: { status, headers, body: bytes.subarray(start) }, length: bytes.length }
      : undefined
  }
  const end = start + Number(length)
  if (bytes.length < end) return undefined
  return { reply: { status, headers, body: bytes.subarray(start, end) }, length: end }
}

function readChunked(bytes: Buffer, start: number, status: number, headers: Map<string, string>): Read {
  const chunks: Buffer[] = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) return { rubbish: 'a chunk without a size' }
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return undefined
    if (size === 0) return { reply: { status, headers, body: Buffer.concat(chunks) }, length: end + 2 }
    chunks.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}
