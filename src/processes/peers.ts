import { once } from 'node:events'
import { rmdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

/**
 * Questions between the processes of a service (ARI_PROCESSES), as bytes: each process answers on a Unix socket in a
 * folder that only their user can open, and keeps one connection to each other process.
 *
 * A frame is the length of its body (4 bytes), a number (4 bytes), and the body: a question, after the moment at which it was
 * asked (8 bytes), or, with the same number, its answer. The process that answers says `here` first, so that one that hangs is asked nothing. Before it ends, it says
 * `leaving`: nothing new comes to it from then on, and what had been sent is answered.
 */

/** How the processes find each other. `slot`: the number of this one, from 0. */
export type PeerPlaces = { folder: string; slot: number; count: number }

/** Answers a question; never rejects. */
export type AnswerQuestion = (question: Buffer) => Promise<Buffer>

export type Peer = {
  /** Rejects with `PeerGone`, and then it is not known whether the question was worked on. */
  ask: (question: readonly Buffer[]) => Promise<Buffer>
}

/** The other process ended, or does not answer. */
export class PeerGone extends Error {
  constructor(reason: string) {
    super(`another process of this service ${reason}`)
    this.name = 'PeerGone'
  }
}

const headBytes = 8
const momentBytes = 8
const here = 0
const leaving = 1
const firstQuestion = 2
/** Between attempts to reach a process, which may have died and be started again. */
const reconnectAfterMs = 200
/** A process with more questions to answer is asked nothing: it would gain nothing by it. */
const waitingMax = 128
/** Longer than the time within which PostgreSQL or its silence ends the work on a question. */
const silentMaxMs = 10_000
/**
 * Parts of that time. A process that is silent for longer than the first one is asked nothing more, so that whoever gives up a
 * question asked it at least nine tenths before; and a question older than the second one is not worked on: it was given up, or
 * will be. What a process finds when it wakes must not be applied after what its supplier sent later.
 */
const askedWithin = 0.1
const answeredWithin = 0.8

export class Peers {
  readonly #places: PeerPlaces
  readonly #silentMaxMs: number
  readonly #others: readonly Other[]
  readonly #asking = new Set<Socket>()
  #server: Server | undefined
  #closing: Promise<void> | undefined

  constructor(places: PeerPlaces, patience: number) {
    this.#places = places
    this.#silentMaxMs = silentMaxMs * patience
    const { folder, count } = places
    this.#others = Array.from(
      { length: count },
      (_, slot) => new Other(pathOf(folder, slot), this.#silentMaxMs),
    )
  }

  get count(): number {
    return this.#places.count
  }

  /** Undefined for this process itself, and for one that can't be asked now. */
  at(slot: number): Peer | undefined {
    return slot === this.#places.slot || this.#closing ? undefined : this.#others[slot]?.reached()
  }

  /** Answers the questions of the others from now on. */
  async serve(answer: AnswerQuestion): Promise<void> {
    const { folder, slot } = this.#places
    const path = pathOf(folder, slot)
    // Of a process that was killed.
    rmSync(path, { force: true })
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#answerOn(socket, answer))
    server.listen(path)
    await once(server, 'listening')
    this.#server = server
    process.once('exit', () => removeSocket(folder, path))
  }

  /** Takes no new questions, and answers those that were sent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    for (const other of this.#others) other.end()
    if (!this.#server) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#asking) socket.write(frame(leaving, []))
    await closed
  }

  #answerOn(socket: Socket, answer: AnswerQuestion): void {
    this.#asking.add(socket)
    socket.write(frame(here, []))
    const sender = new Sender(socket)
    let waiting = 0
    let isEnded = false
    const endIfDone = (): void => {
      if (isEnded && waiting === 0) sender.end()
    }
    socket.on(
      'data',
      framesOf((id, body) => {
        if (socket.destroyed) return
        // Destroyed, so that the other end knows at once.
        if (systemMs() - body.readDoubleLE(0) > answeredWithin * this.#silentMaxMs)
          return void socket.destroy()
        waiting++
        void answer(body.subarray(momentBytes)).then((bytes) => {
          waiting--
          sender.send(frame(id, [bytes]))
          endIfDone()
        })
      }),
    )
    socket.on('end', () => {
      isEnded = true
      endIfDone()
    })
    // The other end learns of it by the same event.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#asking.delete(socket))
  }
}

type Waiting = { resolve: (answer: Buffer) => void; reject: (error: PeerGone) => void }

/** The connection to another process, made when it is needed. */
class Other implements Peer {
  readonly #path: string
  readonly #silentMaxMs: number
  #socket: Socket | undefined
  /** Absent unless questions can be sent. */
  #sender: Sender | undefined
  readonly #waiting = new Map<number, Waiting>()
  #nextId = firstQuestion
  #triedMs = -Infinity
  #heardMs = 0
  #watch: NodeJS.Timeout | undefined

  constructor(path: string, silentForMs: number) {
    this.#path = path
    this.#silentMaxMs = silentForMs
  }

  reached(): Peer | undefined {
    const nowMs = performance.now()
    if (this.#sender) {
      const isSilent = this.#waiting.size > 0 && nowMs - this.#heardMs > askedWithin * this.#silentMaxMs
      return isSilent || this.#waiting.size >= waitingMax ? undefined : this
    }
    if (!this.#socket && nowMs - this.#triedMs > reconnectAfterMs) {
      this.#triedMs = nowMs
      this.#connect()
    }
    return undefined
  }

  ask(question: readonly Buffer[]): Promise<Buffer> {
    const id = this.#nextId
    this.#nextId = id === 0xffff_ffff ? firstQuestion : id + 1
    if (this.#waiting.size === 0) this.#heardMs = performance.now()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      const moment = Buffer.allocUnsafe(momentBytes)
      moment.writeDoubleLE(systemMs())
      this.#sender?.send(frame(id, [moment, ...question]))
    })
  }

  /** Sends nothing more; what was sent is answered. */
  end(): void {
    if (this.#sender) this.#sender.end()
    else this.#socket?.destroy()
    this.#sender = undefined
  }

  #connect(): void {
    const socket = connect({ path: this.#path })
    this.#socket = socket
    socket.on(
      'data',
      framesOf((id, answer) => {
        this.#heardMs = performance.now()
        if (id === here) return this.#begin(socket)
        if (id === leaving) return this.end()
        this.#waiting.get(id)?.resolve(answer)
        this.#waiting.delete(id)
      }),
    )
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearInterval(this.#watch)
      this.#socket = undefined
      this.#sender = undefined
      const gone = new PeerGone('ended')
      for (const { reject } of this.#waiting.values()) reject(gone)
      this.#waiting.clear()
    })
  }

  #begin(socket: Socket): void {
    this.#sender = new Sender(socket)
    this.#watch = setInterval(() => this.#endIfSilent(), this.#silentMaxMs / 10).unref()
  }

  #endIfSilent(): void {
    if (this.#waiting.size > 0 && performance.now() - this.#heardMs > this.#silentMaxMs)
      this.#socket?.destroy()
  }
}

/** By a clock that all processes of a machine share, and that nobody sets. */
function systemMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

function pathOf(folder: string, slot: number): string {
  return join(folder, `${slot + 1}.sock`)
}

/** Without a primary, which may have been killed, the last process also removes the folder; others may still need it. */
function removeSocket(folder: string, path: string): void {
  rmSync(path, { force: true })
  if (process.connected) return
  try {
    rmdirSync(folder)
  } catch {
    // Others are still there.
  }
}

function frame(id: number, parts: readonly Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(
    parts.reduce((sum, { length }) => sum + length, 0),
    0,
  )
  head.writeUInt32LE(id, 4)
  return parts.length === 0 ? head : Buffer.concat([head, ...parts])
}

/** Sends what comes within one turn of the event loop by one call of the system. */
class Sender {
  readonly #socket: Socket
  #frames: Buffer[] = []

  constructor(socket: Socket) {
    this.#socket = socket
  }

  send(one: Buffer): void {
    if (this.#frames.length === 0) setImmediate(() => this.#flush())
    this.#frames.push(one)
  }

  end(): void {
    this.#flush()
    this.#socket.end()
  }

  #flush(): void {
    const frames = this.#frames
    this.#frames = []
    if (frames.length > 0 && this.#socket.writable) this.#socket.write(Buffer.concat(frames))
  }
}

/** Reads frames from bytes that come in pieces. */
function framesOf(take: (id: number, body: Buffer) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (piece) => {
    let bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    while (bytes.length >= headBytes) {
      const end = headBytes + bytes.readUInt32LE(0)
      if (bytes.length < end) break
      take(bytes.readUInt32LE(4), bytes.subarray(headBytes, end))
      bytes = bytes.subarray(end)
    }
    rest = Buffer.from(bytes)
  }
}
