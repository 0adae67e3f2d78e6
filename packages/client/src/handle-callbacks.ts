import {
  callbackShapes,
  type Delivery,
  type PriceCheckAnswer,
  type PriceCheckRequest,
  type CheckedShape,
} from './api.ts'
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
   * exception is answered with 500, and the platform sends it again. What it returns tells the platform your own numbers.
   */
  delivery?: (
    delivery: Delivery,
    call: CallInfo,
  ) => DeliveryAnswer | void | Promise<DeliveryAnswer> | Promise<void>
  /** Called with every error: a bad signature, a bad body, or a handler's exception. */
  onError?: (error: unknown) => void
  /** Default 4,194,304. */
  bodyBytesMax?: number
}

/** Your own numbers of the reservations of a delivery; without `room_reservation_id`: of the whole reservation. */
export type DeliveryAnswer = {
  confirmations: readonly {
    reservation_id: string
    confirmation_number: string
    room_reservation_id?: string
  }[]
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
    handlers.onError?.(error)
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
      return { status: 200, body: (await handlers.delivery(callback.delivery, call)) ?? {} }
  }
}

function refused(status: number, message: string): Reply {
  return { status, body: { message } }
}

async function bytesOf(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Uint8Array | undefined> {
  const collected: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > most) return undefined
    collected.push(piece)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of collected) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** The bodies of the calls to your URLs. Unknown members are kept and ignored. */

export class CallbackBodyError extends Error {
  override readonly name = 'CallbackBodyError'
}

/** The purpose of the call: one server may take all kinds at one URL. */
export type Callback =
  | { kind: 'ping' }
  | { kind: 'priceCheck'; request: PriceCheckRequest }
  | { kind: 'delivery'; delivery: Delivery }

export function readPriceCheck(body: Uint8Array | string): PriceCheckRequest {
  return checkedPriceCheck(parsed(body))
}

export function readDelivery(body: Uint8Array | string): Delivery {
  return checkedDelivery(parsed(body))
}

export function readCallback(body: Uint8Array | string): Callback {
  const value = parsed(body)
  if (isRecord(value) && value['type'] === 'ping') return { kind: 'ping' }
  if (isRecord(value) && 'reservations' in value)
    return { kind: 'delivery', delivery: checkedDelivery(value) }
  return { kind: 'priceCheck', request: checkedPriceCheck(value) }
}

function checkedPriceCheck(value: unknown): PriceCheckRequest {
  check(value, callbackShapes.priceCheck, '')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: its shape was just checked.
  return value as PriceCheckRequest
}

function checkedDelivery(value: unknown): Delivery {
  check(value, callbackShapes.delivery, '')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: its shape was just checked.
  return value as Delivery
}

function parsed(body: Uint8Array | string): unknown {
  try {
    return JSON.parse(
      typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body),
    )
  } catch (cause) {
    throw new CallbackBodyError('The body is not JSON', { cause })
  }
}

function check(
  value: unknown,
  { type, enum: words, required, properties, items }: CheckedShape,
  path: string,
): void {
  if (!isOf(type, value))
    throw new CallbackBodyError(`${path === '' ? 'The body' : path} is not of type ${type}`)
  if (words && !words.some((word) => word === value)) {
    throw new CallbackBodyError(`${path} is none of ${words.join(', ')}`)
  }
  if (items && Array.isArray(value)) {
    for (const [index, element] of value.entries()) check(element, items, `${path}/${index}`)
  }
  if (!properties || !isRecord(value)) return
  for (const [name, shape] of Object.entries(properties)) {
    const member = value[name]
    if (member !== undefined) check(member, shape, `${path}/${name}`)
    else if (required?.includes(name) === true) throw new CallbackBodyError(`${path}/${name} is missing`)
  }
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
