import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What a client may send behind a request that is not answered yet. Beyond it the connection ends with the last answer. */
const pipelinedMax = 100

type Turn = { request: IncomingMessage; response: ServerResponse }
type Line = { waiting: Turn[]; isFull: boolean }

/**
 * The requests of a connection, one after another: each begins when the one before is answered and its answer taken.
 * So one connection takes one place, however much it pipelines, and where an answer ends the connection (after
 * malformed JSON, for one), what came behind it was not done.
 */
export type Pipelining = {
  oneAtATime: (handle: RequestListener) => RequestListener
  /** Whether whole requests wait for their turn. */
  hasMore: (socket: Socket) => boolean
}

/** `limited` is told of every connection that pipelines too much. */
export function pipelining(limited: () => void): Pipelining {
  /** Of each connection on which a request is being answered. */
  const lines = new WeakMap<Socket, Line>()
  const begin = (turn: Turn, handle: RequestListener): void => {
    const { request, response } = turn
    // After 'finish', and when the connection broke too; of those that wait nothing is told.
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
      // Its last answer is given already.
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
        // Nothing more is read; what is parsed already comes here, and is dropped.
        socket.pause()
        limited()
      }
    },
    hasMore: (socket) => lines.get(socket)?.waiting.some(({ request }) => request.complete) ?? false,
  }
}
