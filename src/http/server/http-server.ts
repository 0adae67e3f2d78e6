import {
  createServer,
  type RequestListener,
  type Server,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import { everySecond } from '../../base/clock.ts'

const connectionsMax = 10_000
/**
 * Keeps one address from taking all of them. A trusted proxy is exempt, because everyone shares its
 * connections.
 */
const connectionsPerAddressMax = 5_000
const requestTimeoutMs = 60_000
const keepAliveTimeoutMs = 72_000

type ConnectionLimit = 'connections' | 'connections_of_address'

type HttpOptions = {
  trustedProxies: readonly string[]
  patience: number
  /** Called for every connection that is turned away. */
  limited: (limit: ConnectionLimit) => void
}

/** Node's server with limits on its connections. */
export function httpServer(
  handle: RequestListener,
  { trustedProxies, patience, limited }: HttpOptions,
): Server {
  const server = createServer(
    {
      // Node would answer these itself, without a body or a request id.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs * patience,
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    handle,
  )
  server.maxConnections = connectionsMax
  server.on('drop', () => limited('connections'))
  const isProxy = matcherOf(trustedProxies)
  const countByAddress = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress)) return
    const address = networkOf(remoteAddress)
    const count = countByAddress.get(address) ?? 0
    if (count >= connectionsPerAddressMax) {
      limited('connections_of_address')
      socket.destroy()
      return
    }
    countByAddress.set(address, count + 1)
    socket.once('close', () => {
      const left = (countByAddress.get(address) ?? 0) - 1
      if (left > 0) countByAddress.set(address, left)
      else countByAddress.delete(address)
    })
  })
  return server
}

function matcherOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => networks.length > 0 && list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/**
 * Maximum number of requests that a client may send behind an unanswered one. Beyond it the connection ends
 * with the last answer.
 */
const pipelinedMax = 100

type Turn = { request: IncomingMessage; response: ServerResponse }
type Line = { waiting: Turn[]; isFull: boolean }

/**
 * Handles the requests of a connection one after another: each begins when the client has taken the answer to
 * the previous one. So one connection takes one slot, however much it pipelines. If an answer ends the
 * connection (after malformed JSON, for example), the requests behind it were not executed.
 */
type Pipelining = {
  oneAtATime: (handle: RequestListener) => RequestListener
  /** Whether complete requests wait for their turn. */
  hasMore: (socket: Socket) => boolean
}

/** Calls `limited` for every connection that pipelines too much. */
export function pipelining(limited: () => void): Pipelining {
  /** One entry for each connection on which a request is being answered. */
  const lines = new WeakMap<Socket, Line>()
  const begin = (turn: Turn, handle: RequestListener): void => {
    const { request, response } = turn
    // Emitted after 'finish', and also when the connection breaks. Waiting requests get no event then.
    response.once('close', () => next(request.socket, handle))
    handle(request, response)
  }
  const next = (socket: Socket, handle: RequestListener): void => {
    const turn = socket.writable ? lines.get(socket)?.waiting.shift() : undefined
    if (turn) begin(turn, handle)
    else lines.delete(socket)
  }
  return {
    oneAtATime: (handle) => (request, response) => {
      const { socket } = request
      // The last answer has already been sent.
      if (!socket.writable) return
      const line = lines.get(socket)
      if (!line) {
        lines.set(socket, { waiting: [], isFull: false })
        begin({ request, response }, handle)
      } else if (line.waiting.length < pipelinedMax) {
        line.waiting.push({ request, response })
      } else if (!line.isFull) {
        line.isFull = true
        line.waiting.at(-1)?.response.setHeader('connection', 'close')
        // Stops reading; requests that are already parsed still come here, and are dropped.
        socket.pause()
        limited()
      }
    },
    hasMore: (socket) => lines.get(socket)?.waiting.some(({ request }) => request.complete) ?? false,
  }
}

const groupsOfNetwork = 4

/** The unit that counts as one address: a client with one IPv6 address has all of its /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = tail.split(':').filter((group) => group !== '')
  while (groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after].slice(0, groupsOfNetwork).join(':')
}

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
