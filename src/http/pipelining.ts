import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

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
export type Pipelining = {
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
