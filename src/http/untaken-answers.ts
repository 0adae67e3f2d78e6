import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { everySecond } from './every-second.ts'

/** A connection ends if the client takes nothing of its answer for this long. */
const takenWithinSeconds = 10
/** Longer answers are sent in pieces of this size, because a piece is known to be taken only as a whole. */
const pieceBytes = 64 * 1024

export type AnswersTaken = {
  /** The client now has an answer to take from this connection. */
  sending: (socket: Socket) => void
  sent: (socket: Socket) => void
}

type Watched = { takenBytes: number; secondsWithout: number }

/**
 * Calls `ended` for every connection that it ends. `patience` multiplies the time that an answer may wait.
 */
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

/** A long answer in pieces, with its length; undefined if it is short, or is already a stream. */
export function inPieces(payload: unknown): { stream: Readable; length: number } | undefined {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined
  if (payload.length <= pieceBytes) return undefined
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  return { stream: Readable.from(piecesOf(bytes), { objectMode: false }), length: bytes.length }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
