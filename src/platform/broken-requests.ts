import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Rejected, rejectedBody } from './rejected.ts'

/** Answers to what never reaches a route: bytes that are no HTTP, and requests that can't be understood as one. */
export type BrokenRequests = {
  /** To be told of every request that reaches the server's hooks, and of the end of its answer. */
  began: (request: FastifyRequest) => void
  ended: (request: FastifyRequest) => void
  onClientError: (error: Error, socket: Socket) => void
  onBadUrl: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  onExpectation: (request: IncomingMessage, response: ServerResponse) => void
}

export function brokenRequests(
  requestIdOf: (header: string | string[] | undefined) => string,
  refused: (status: number) => void,
): BrokenRequests {
  const unanswered = new WeakMap<Socket, Set<FastifyRequest>>()
  const answer = (response: ServerResponse, rejected: Rejected, requestId: string): void => {
    refused(rejected.status)
    const { headers, json } = spelled(rejected, requestId)
    response.writeHead(rejected.status, headers).end(json)
  }
  return {
    began: (request) => {
      const ofSocket = unanswered.get(request.raw.socket) ?? new Set()
      unanswered.set(request.raw.socket, ofSocket.add(request))
    },
    ended: (request) => unanswered.get(request.raw.socket)?.delete(request),
    onClientError: (error, socket) => {
      const before = [...(unanswered.get(socket) ?? [])]
      // Answers come in the order of the requests: with a whole one under way, this one would be taken for its answer.
      const mayAnswer = socket.writable && before.every(({ raw }) => !raw.complete)
      if (mayAnswer && codeOf(error) !== 'ECONNRESET') {
        const rejected = notHttp(codeOf(error))
        refused(rejected.status)
        const { headers, json } = spelled(rejected, before[0]?.id ?? randomUUID())
        const fields = Object.entries({ ...headers, connection: 'close' })
        const lines = [`HTTP/1.1 ${rejected.status} ${STATUS_CODES[rejected.status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)]
        socket.write(`${lines.join('\r\n')}\r\n\r\n${json}`)
      }
      socket.destroySoon()
    },
    onBadUrl: (_error, request, reply) => answer(reply.raw, badUrl, request.id),
    onExpectation: (request, response) =>
      answer(response, unknownExpectation, requestIdOf(request.headers['x-request-id'])),
  }
}

export const hostMissing = new Rejected(400, {
  type: 'MALFORMED_REQUEST',
  message: 'Host header is required',
  path: 'host',
})

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
