import { createServer as createPlain, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createSecure } from 'node:tls'

/** A supplier's server for tests: it records requests byte for byte, and answers with any bytes, or none. */

export type ReceivedCall = {
  /** The request line. */
  line: string
  headers: ReadonlyMap<string, string>
  body: Buffer
}

export type Receiver = {
  port: number
  /** Whole requests, in order of arrival. */
  calls: ReceivedCall[]
  connections: () => number
  openConnections: () => number
  /** Count of all bytes received on its connections, decrypted. */
  bytes: () => number
  close: () => Promise<void>
}

/** Handles a request, on the connection on which it arrived. */
export type Behaviour = (socket: Socket, call: ReceivedCall, index: number) => void

export type ReceiverOptions = {
  host?: string
  port?: number
  certificate?: { cert: string; key: string }
  /** Runs on a new connection at once, before any bytes arrive. */
  onConnection?: (socket: Socket) => void
}

export async function startReceiver(
  behave: Behaviour = (socket) => socket.write(httpAnswer(200, '{}')),
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const calls: ReceivedCall[] = []
  let connections = 0
  let bytes = 0
  const serveOne = (socket: Socket): void => {
    let held: Buffer = Buffer.alloc(0)
    options.onConnection?.(socket)
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      held = Buffer.concat([held, chunk])
      for (let taken = takeCall(held); taken; taken = takeCall(held)) {
        held = taken.rest
        calls.push(taken.call)
        behave(socket, taken.call, calls.length - 1)
      }
    })
  }
  const server: Server = options.certificate
    ? createSecure(options.certificate, serveOne).on('tlsClientError', () => {})
    : createPlain(serveOne)
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  if (options.certificate) server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => resolve()),
  )
  return {
    port: portOf(server.address()),
    calls,
    connections: () => connections,
    openConnections: () => sockets.size,
    bytes: () => bytes,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export function httpAnswer(status: number, body: string, headers: Record<string, string> = {}): string {
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n${body}`
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new TypeError('the receiver has no port')
  return address.port
}

function takeCall(held: Buffer): { call: ReceivedCall; rest: Buffer } | undefined {
  const headEnd = held.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [line = '', ...fields] = held.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  const bodyEnd = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (held.length < bodyEnd) return undefined
  return { call: { line, headers, body: held.subarray(headEnd + 4, bodyEnd) }, rest: held.subarray(bodyEnd) }
}
