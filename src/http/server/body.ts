import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { everySecond } from '../../base/clock.ts'
import { overloaded, Rejected, repeatedText } from '../rejected.ts'
import { withoutByteOrderMark } from '../validation/byte-order-mark.ts'
import { performance } from 'node:perf_hooks'
import { setImmediate as breathe } from 'node:timers/promises'
import { Gate } from '../../base/gate.ts'
import { compressionNamed } from '../encodings.ts'

/** Limits on the memory for decompressed bodies, from their first byte until their request is answered. */
const bufferedBytesMax = 256 * 1024 * 1024
/** Keeps one owner from taking all of it. A single body may be larger if the key's own limit allows it. */
const bufferedBytesPerOwnerMax = 64 * 1024 * 1024

/** A body that doesn't arrive in time, or stalls on its way, is refused. */
const bytesPerSecondMin = 1_024
const slowSecondsMax = 3

/**
 * One object per byte would take a hundred times the memory: this many pieces are joined before more are
 * added.
 */
const piecesMax = 1_024

const decoders = { gzip: createGunzip, br: createBrotliDecompress, zstd: createZstdDecompress } as const
const bodyEncodings = ['identity', 'gzip', 'br', 'zstd'] as const

const closedEarly = 'the connection closed early'

/** The owner of a body, and the limits that apply to it. */
type BodyOwner = { owner: string; bytesMax: number; arrivesWithinSeconds: number }

export type BodyReader = {
  /** The decompressed bytes, at most `bytesMax`, without a byte order mark. They count until `release`. */
  read: (request: IncomingMessage, owner: BodyOwner) => Promise<Buffer>
  /** The request has been answered: its body no longer counts. */
  release: (request: IncomingMessage) => void
}

type Hold = { owner: string; bytes: number }

/**
 * Calls `limited` with the limit for every body that is turned away. `patience` multiplies the time that a
 * body may take to arrive.
 */
export function bodyReader(
  limited: (limit: 'bodies' | 'bodies_of_key') => void,
  patience: number,
): BodyReader {
  const buffered = new BufferedBytes()
  const holds = new WeakMap<IncomingMessage, Hold>()
  return {
    read: async (request, { owner, bytesMax, arrivesWithinSeconds }) => {
      // The caller left during the key lookup, so no further event will come.
      if (request.destroyed) throw unreadable(new Error(closedEarly))
      if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
      const hold = { owner, bytes: 0 }
      const take = (bytes: number): Rejected | undefined => {
        const full = buffered.take(hold, bytes)
        if (hold.bytes > bytesMax) return tooLarge(bytesMax)
        if (full) limited(full)
        return full && overloaded()
      }
      try {
        const body = await arrival(request, arrivesWithinSeconds, patience, take)
        holds.set(request, hold)
        return withoutByteOrderMark(body)
      } catch (error) {
        buffered.free(hold)
        throw error
      }
    },
    release: (request) => {
      const hold = holds.get(request)
      if (hold) buffered.free(hold)
    },
  }
}

/** The decompressed bytes of a complete body. `take` counts received bytes and refuses too many. */
function arrival(
  request: IncomingMessage,
  withinSeconds: number,
  patience: number,
  take: (bytes: number) => Rejected | undefined,
): Promise<Buffer> {
  const source = decoded(request, request.headers['content-encoding'])
  const pieces = new Pieces()
  return new Promise((resolve, reject) => {
    let isSettled = false
    const settle = (finish: () => void): void => {
      if (isSettled) return
      isSettled = true
      pace.stop()
      source.off('data', onData)
      // Read and drop the rest, so that the answer can be sent and the connection kept.
      if (source !== request) {
        request.unpipe()
        source.destroy()
      }
      request.resume()
      finish()
    }
    const refuse = (rejected: Rejected): void => settle(() => reject(rejected))
    const onData = (bytes: Buffer): void => {
      pace.progress(bytes.length)
      const tooMany = take(bytes.length)
      if (tooMany) refuse(tooMany)
      else pieces.add(bytes)
    }
    const late = (): void => refuse(tooSlow(withinSeconds))
    const pace = watchPace(request, withinSeconds * patience, slowSecondsMax * patience, late)
    source.on('data', onData)
    source.once('end', () => settle(() => resolve(pieces.joined())))
    source.on('error', (cause: Error) => refuse(unreadable(cause)))
    request.once('close', () => {
      if (!request.readableEnded) refuse(unreadable(new Error(closedEarly)))
    })
  })
}

/** The bytes of all bodies, and of each owner's. */
class BufferedBytes {
  #bytes = 0
  readonly #bytesByOwner = new Map<string, number>()

  /** Counts more bytes and returns the limit that they exceed. */
  take(hold: Hold, bytes: number): 'bodies' | 'bodies_of_key' | undefined {
    const ofOwner = this.#add(hold, bytes)
    if (this.#bytes > bufferedBytesMax) return 'bodies'
    return ofOwner > bufferedBytesPerOwnerMax && ofOwner > hold.bytes ? 'bodies_of_key' : undefined
  }

  free(hold: Hold): void {
    this.#add(hold, -hold.bytes)
  }

  #add(hold: Hold, bytes: number): number {
    const ofOwner = (this.#bytesByOwner.get(hold.owner) ?? 0) + bytes
    this.#bytes += bytes
    hold.bytes += bytes
    if (ofOwner > 0) this.#bytesByOwner.set(hold.owner, ofOwner)
    else this.#bytesByOwner.delete(hold.owner)
    return ofOwner
  }
}

class Pieces {
  #recent: Buffer[] = []
  readonly #joined: Buffer[] = []

  add(bytes: Buffer): void {
    if (this.#recent.push(bytes) < piecesMax) return
    this.#joined.push(Buffer.concat(this.#recent))
    this.#recent = []
  }

  joined(): Buffer {
    const all = [...this.#joined, ...this.#recent]
    const [first] = all
    return all.length === 1 && first ? first : Buffer.concat(all)
  }
}

/**
 * Calls `late` when a body arrives too slowly. Time is counted in ticks, except for those in which this
 * process was blocked or was already unpacking the complete body: the sender isn't to blame for these.
 */
function watchPace(
  request: IncomingMessage,
  secondsMax: number,
  slowSecondsInARow: number,
  late: () => void,
) {
  let seconds = 0
  let slowSeconds = 0
  let bytesOfSecond = 0
  const progress = (bytes: number): void => void (bytesOfSecond += bytes)
  const tick = (): void => {
    if (request.complete) return
    seconds++
    slowSeconds = bytesOfSecond < bytesPerSecondMin ? slowSeconds + 1 : 0
    bytesOfSecond = 0
    if (seconds >= secondsMax || slowSeconds >= slowSecondsInARow) late()
  }
  return { progress, stop: everySecond(tick) }
}

const encodingShownMax = 40

function decoded(payload: IncomingMessage, encoding: string | undefined): Readable {
  const name = compressionNamed(encoding)
  if (name === 'identity' || name === '') return payload
  if (name !== 'gzip' && name !== 'br' && name !== 'zstd') {
    throw new Rejected(415, {
      type: 'UNSUPPORTED_ENCODING',
      message: `Content-Encoding ${repeatedText(name, encodingShownMax)} is not supported`,
      path: 'content-encoding',
      hint: `Use one of ${bodyEncodings.join(', ')}`,
    })
  }
  const decoder = decoders[name]()
  payload.on('error', (error) => decoder.destroy(error))
  return payload.pipe(decoder)
}

function tooLarge(bytesMax: number): Rejected {
  return new Rejected(413, {
    type: 'BODY_TOO_LARGE',
    message: `Request body is larger than ${bytesMax} bytes`,
    path: '',
    hint: 'Split the push; the limit counts decompressed bytes and is listed by GET /v1/push/limits',
  })
}

function tooSlow(arrivesWithinSeconds: number): Rejected {
  return new Rejected(
    408,
    {
      type: 'REQUEST_TIMEOUT',
      message: 'The request did not arrive in time',
      hint: `Send it without pauses, within ${arrivesWithinSeconds} s; compress or split a large body`,
    },
    { headers: { connection: 'close' } },
  )
}

function unreadable(cause: unknown): Rejected {
  const reason = cause instanceof Error ? cause.message : 'unknown'
  return new Rejected(400, {
    type: 'UNREADABLE_BODY',
    message: 'Request body could not be read',
    path: '',
    hint: `Check the Content-Encoding header and the bytes sent (${reason.slice(0, 80)})`,
  })
}

/** The parse of smaller bodies takes a few milliseconds at most. */
const smallBytes = 8 * 1024
/**
 * After a parse that took longer than this, the same owner waits for as long as it took before its next one.
 */
const longMs = 50
/** After a parse that took longer than this, other events get a turn before the body is validated. */
const noticedMs = 20

/** One body at a time, so that other events are handled between two bodies. */
const one = { passing: 1, waiting: Infinity }

/**
 * The process has one thread, and parsing and validating a large body blocks it. So large bodies are parsed
 * one per turn of the event loop, fairly by owner, and an owner whose bodies take long gets half of the time.
 */
export class ParseTurns {
  readonly #ofOwner = new Gate<string>(one)
  readonly #ofAll = new Gate<string>({ ...one, inAll: { passing: 1, keptForOthers: 0 } })

  async parse(owner: string, body: Buffer, parse: () => unknown): Promise<unknown> {
    if (body.length <= smallBytes) return parse()
    await this.#ofOwner.enter(owner)
    await this.#ofAll.enter(owner)
    const startedMs = performance.now()
    const leave = (): void => {
      const tookMs = performance.now() - startedMs
      this.#ofAll.leave(owner)
      if (tookMs > longMs) setTimeout(() => this.#ofOwner.leave(owner), tookMs)
      else this.#ofOwner.leave(owner)
    }
    try {
      const value = parse()
      if (performance.now() - startedMs > noticedMs) await breathe()
      return value
    } finally {
      // The validation of the body runs before this, right after the parse or the pause that follows it.
      setImmediate(leave)
    }
  }
}
