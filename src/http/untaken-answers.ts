import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { everySecond } from './every-second.ts'

/** An answer of which nothing is taken for so long ends its connection. */
const takenWithinSeconds = 10
/** Longer answers are sent in such pieces, because only what is taken as a whole is known to be taken. */
const pieceBytes = 64 * 1024

export type AnswersTaken = {
  /** From now on something is sent on the connection that must be taken. */
  sending: (socket: Socket) => void
  sent: (socket: Socket) => void
}

type Watched = { takenBytes: number; secondsWithout: number }

/** `ended` is told of every connection that is ended. With `patience` an answer may wait so many times longer. */
export function endUntakenAnswers(ended: () => void, patience: number): AnswersTaken {
  const watched = new Map<Socket, Watched>()
  let stop: (() => void) | undefined
  const look = (socket: Socket, one: Watched): void => {
    const taken = socket.bytesWritten - socket.writableLength
    const isWaiting = socket.writableLength > 0 && taken === one.takenBytes
    one.takenBytes = taken
    one.secondsWithout = isWaiting ? one.secondsWithout + 1 : 0
    if (socket.destroyed) watched.delete(socket)
    else if (one.secondsWithout >= takenWithinSeconds * patience) {
      watched.delete(socket)
      socket.destroy()
      ended()
    }
  }
  const tick = (): void => {
    for (const [socket, one] of watched) look(socket, one)
    if (watched.size > 0) return
    stop?.()
    stop = undefined
  }
  return {
    sending: (socket) => {
      watched.set(socket, { takenBytes: 0, secondsWithout: 0 })
      stop ??= everySecond(tick)
    },
    sent: (socket) => void watched.delete(socket),
  }
}

/** A long answer in pieces, with its length; undefined: it is short enough, or comes in pieces already. */
export function inPieces(payload: unknown): { stream: Readable; length: number } | undefined {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined
  if (payload.length <= pieceBytes) return undefined
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  return { stream: Readable.from(piecesOf(bytes), { objectMode: false }), length: bytes.length }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
