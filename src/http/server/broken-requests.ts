import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { InFlight } from './in-flight.ts'
import { Rejected, rejectedBody } from '../rejected.ts'

/** Answers input that never reaches a route: bytes that aren't HTTP, and requests that can't be parsed. */
export type BrokenRequests = {
  /** To be called for every answer that is written. */
  answered: (socket: Socket) => void
  onClientError: (error: Error, socket: Socket) => void
  onBadUrl: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  onExpectation: (request: IncomingMessage, response: ServerResponse) => void
}

export function brokenRequests(
  inFlight: InFlight,
  hasMore: (socket: Socket) => boolean,
  requestIdOf: (header: string | string[] | undefined) => string,
  refused: (status: number) => void,
): BrokenRequests {
  const toClose = new WeakSet<Socket>()
  const isWorkedFor = (socket: Socket): boolean =>
    hasMore(socket) || inFlight.on(socket).some(({ raw }) => raw.complete)
  const answer = (to: ServerResponse, rejected: Rejected, requestId: string): void => {
    refused(rejected.status)
    const { headers, json } = spelled(rejected, requestId)
    to.writeHead(rejected.status, headers).end(json)
  }
  return {
    answered: (socket) => {
      if (toClose.has(socket) && !isWorkedFor(socket)) socket.destroySoon()
    },
    onClientError: (error, socket) => {
      const code = codeOf(error)
      if (code === 'ECONNRESET' || !socket.writable) {
        socket.destroy()
      } else if (isWorkedFor(socket)) {
        // Answers come in request order: the client would take this one for that to the previous request.
        toClose.add(socket)
        socket.pause()
      } else {
        const rejected = notHttp(code)
        refused(rejected.status)
        socket.write(response(rejected, inFlight.on(socket)[0]?.id ?? randomUUID()))
        socket.destroySoon()
      }
    },
    onBadUrl: (_error, request, reply) => answer(reply.raw, badUrl, request.id),
    onExpectation: (request, to) =>
      answer(to, unknownExpectation, requestIdOf(request.headers['x-request-id'])),
  }
}

const hostMissing = new Rejected(400, {
  type: 'MALFORMED_REQUEST',
  message: 'Host header is required',
  path: 'host',
})

/** A proxy in front of the service may have based its decision on the other one. */
const hostRepeated = new Rejected(400, {
  type: 'MALFORMED_REQUEST',
  message: 'Host header must be sent once',
  path: 'host',
})

/** Node takes the first of several Host headers and does not report the others. */
export function hostProblem({ headers, httpVersion, rawHeaders }: IncomingMessage): Rejected | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? hostMissing : undefined
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? hostRepeated : undefined
}

const badUrl = new Rejected(400, {
  type: 'MALFORMED_REQUEST',
  message: 'URL is not valid',
  hint: 'Write % as %25, and other bytes as UTF-8 in percent-encoding',
})

const unknownExpectation = new Rejected(417, {
  type: 'UNKNOWN_EXPECTATION',
  message: 'Expect must be 100-continue',
  path: 'expect',
})

function notHttp(code: string): Rejected {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Rejected(408, { type: 'REQUEST_TIMEOUT', message: 'The request did not arrive in time' })
    case 'HPE_HEADER_OVERFLOW':
      return new Rejected(431, { type: 'HEADERS_TOO_LARGE', message: 'Request headers are too large' })
    default:
      return new Rejected(400, { type: 'MALFORMED_REQUEST', message: 'The request is not valid HTTP/1.1' })
  }
}

/** As raw bytes, because there is no parsed request to answer. */
function response(rejected: Rejected, requestId: string): string {
  const { headers, json } = spelled(rejected, requestId)
  const fields = Object.entries({ ...headers, connection: 'close' })
  return [
    `HTTP/1.1 ${rejected.status} ${STATUS_CODES[rejected.status]}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    '',
    json,
  ].join('\r\n')
}

function spelled(rejected: Rejected, requestId: string) {
  const json = JSON.stringify(rejectedBody(rejected, requestId))
  const headers = {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(json)),
  }
  return { headers, json }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
