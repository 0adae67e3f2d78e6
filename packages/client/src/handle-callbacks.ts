import type { Delivery, PriceCheckAnswer, PriceCheckRequest } from './api.ts'
import { CallbackBodyError, readCallback, type Callback } from './read-callback.ts'
import {
  SignatureError,
  verifyCallback,
  type CallbackHeaders,
  type VerifiedCall,
  type VerifyOptions,
} from './verify-callback.ts'

/** A server for the platform's calls: signature, shape, dispatch, answer. */

/** `id` identifies a call that is sent again. */
export type CallInfo = VerifiedCall & { requestId: string | undefined }

export type CallbackHandlers = VerifyOptions & {
  /** Answer within 2 seconds, connection included. */
  priceCheck?: (request: PriceCheckRequest, call: CallInfo) => PriceCheckAnswer | Promise<PriceCheckAnswer>
  /**
   * Store it durably before this resolves: the platform then gets its 2xx and does not send it again. An
   * exception is answered with 500, and the platform sends it again.
   */
  delivery?: (delivery: Delivery, call: CallInfo) => void | Promise<void>
  /** Called with every error: a bad signature, a bad body, or a handler's exception. */
  onTrouble?: (error: unknown) => void
  /** Default 4,194,304. */
  bodyBytesMax?: number
}

type Reply = { status: number; body: unknown }

const usualBodyBytesMax = 4 * 1024 * 1024

/** For servers based on Request and Response: Deno, Bun, Workers, Hono, Next.js. */
export function handleCallbacks(handlers: CallbackHandlers): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, body } = await answered(handlers, request.method, request.headers, request.body ?? [])
    return Response.json(body, { status })
  }
}

/** The parts of node:http's IncomingMessage and ServerResponse that are used. */
export type NodeRequest = AsyncIterable<Uint8Array> & {
  method?: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
}
export type NodeResponse = {
  writeHead: (status: number, headers: Record<string, string>) => unknown
  end: (text: string) => unknown
}

/** For node:http, and for Express if no body parser has read the body first. */
export function handleNodeCallbacks(
  handlers: CallbackHandlers,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    void answered(handlers, request.method, request.headers, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  }
}

/** Never rejects. */
async function answered(
  handlers: CallbackHandlers,
  method: string | undefined,
  headers: CallbackHeaders,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Reply> {
  if (method !== 'POST') return refused(405, 'POST only')
  try {
    const body = await bytesOf(pieces, handlers.bodyBytesMax ?? usualBodyBytesMax)
    if (body === undefined) return refused(413, 'The body is too large')
    const verified = await verifyCallback({ headers, body }, handlers)
    const requestId = headers instanceof Headers ? headers.get('x-request-id') : headers['x-request-id']
    const call = { ...verified, requestId: typeof requestId === 'string' ? requestId : undefined }
    return await dispatched(handlers, readCallback(body), call)
  } catch (error) {
    handlers.onTrouble?.(error)
    if (error instanceof SignatureError) return refused(401, error.message)
    if (error instanceof CallbackBodyError) return refused(400, error.message)
    return refused(500, 'It failed here; send it again')
  }
}

async function dispatched(handlers: CallbackHandlers, callback: Callback, call: CallInfo): Promise<Reply> {
  switch (callback.kind) {
    case 'ping':
      return { status: 200, body: {} }
    case 'priceCheck':
      if (!handlers.priceCheck) return refused(404, 'No price checks here')
      return { status: 200, body: await handlers.priceCheck(callback.request, call) }
    case 'delivery':
      if (!handlers.delivery) return refused(404, 'No reservations here')
      await handlers.delivery(callback.delivery, call)
      return { status: 200, body: {} }
  }
}

function refused(status: number, message: string): Reply {
  return { status, body: { message } }
}

async function bytesOf(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Uint8Array | undefined> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > most) return undefined
    kept.push(piece)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of kept) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
