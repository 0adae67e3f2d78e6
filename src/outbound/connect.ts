import type { Agent as PlainAgent, ClientRequestArgs } from 'node:http'
import { connect as connectPlain, isIPv6, type LookupFunction, type Socket } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type ConnectionOptions,
  type SecureContext,
} from 'node:tls'
import { callbackify } from 'node:util'
import { vetUrl, type OutboundRules, type Reached, type VettedUrl } from './vet-url.ts'

/** Opens connections to suppliers: only to addresses vetted for that one connection. */

export const callFailures = [
  /** The URL, or an address of its host, must not be called. */
  'refused_address',
  'dns',
  'connect',
  'tls',
  /** The time to connect, or the total time, ran out. */
  'timeout',
  /** The connection broke before the answer was complete. */
  'reset',
  'too_large',
  'malformed',
  /** Too many calls to this host are waiting already. */
  'busy',
  /** Cancelled by this service. */
  'cancelled',
] as const
export type CallFailure = (typeof callFailures)[number]

/** The reason that a call failed; it never leaves call.ts. */
export class CallFault extends Error {
  readonly reason: CallFailure

  constructor(reason: CallFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'CallFault'
    this.reason = reason
  }
}

/** A connection that is ready for a request: for HTTPS, the certificate has been verified. */
export type Connect = (origin: URL, signal: AbortSignal) => Promise<Socket>

/** If a host has several addresses, the next one is tried after this long without an answer. */
const addressTriedMs = 200

export function connector(rules: OutboundRules): Connect {
  const { authorities } = rules
  const trust = authorities && createSecureContext({ ca: [...getCACertificates('default'), ...authorities] })
  return async (origin, signal) => {
    const vetted = await vetUrl(origin.href, rules)
    if ('fault' in vetted) {
      const { kind } = vetted.fault
      throw kind === 'unresolved'
        ? new CallFault('dns', `${origin.hostname} has no address`)
        : new CallFault('refused_address', `${origin.hostname} must not be called: ${kind}`)
    }
    signal.throwIfAborted()
    const isSecure = origin.protocol === 'https:'
    const port = origin.port === '' ? (isSecure ? 443 : 80) : Number(origin.port)
    const to: Reached = { host: vetted.host, port, addresses: vetted.addresses }
    const socket = await connectTo(rules.reach?.(to) ?? to, signal)
    return isSecure ? secured(socket, vetted, trust, signal) : socket
  }
}

const idleConnectionMs = 4_000

/** Keeps connections for the next call of the same host. */
export function agentOf<Agent extends PlainAgent>(
  AgentClass: new (options: ConstructorParameters<typeof PlainAgent>[0]) => Agent,
  connect: Connect,
  connectionsPerHost: number,
): Agent {
  const agent = new AgentClass({
    keepAlive: true,
    timeout: idleConnectionMs,
    maxFreeSockets: connectionsPerHost,
    scheduling: 'lifo',
  })
  const connectThen = callbackify(connect)
  agent.createConnection = (options, callback) => {
    const ends = 'connectingEnds' in options ? options.connectingEnds : undefined
    const signal = ends instanceof AbortSignal ? ends : AbortSignal.abort()
    connectThen(originOf(options), signal, (error, socket) => callback?.(error, socket))
    return undefined
  }
  return agent
}

function originOf({ protocol, host, port }: ClientRequestArgs): URL {
  const written = isIPv6(host ?? '') ? `[${host}]` : host
  return new URL(`${protocol}//${written}:${port}`)
}

/** Connects to the given addresses: the name appears only in messages and isn't resolved again. */
async function connectTo({ host, port, addresses }: Reached, signal: AbortSignal): Promise<Socket> {
  const [only, ...others] = addresses
  if (only === undefined) throw new CallFault('dns', `${host} has no address`)
  const socket =
    others.length === 0
      ? connectPlain({ host: only, port })
      : connectPlain({
          host,
          port,
          lookup: answering(addresses),
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: addressTriedMs,
        })
  await established(socket, 'connect', signal)
  socket.setNoDelay(true)
  return socket
}

function answering(addresses: readonly string[]): LookupFunction {
  const candidates = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  // IPv4 first: machines without IPv6 can then also reach hosts that have both.
  const all = candidates.toSorted((left, right) => left.family - right.family)
  return (_host, _options, callback) => callback(null, all)
}

async function secured(
  socket: Socket,
  { host, isAddress }: VettedUrl,
  trust: SecureContext | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  // The TLS socket on top reports errors of this connection.
  socket.on('error', () => {})
  const options: ConnectionOptions = {
    socket,
    host,
    // An address can't be a server name; in that case the certificate is compared with the host.
    servername: isAddress ? '' : host,
    ALPNProtocols: ['http/1.1'],
    // Also where NODE_TLS_REJECT_UNAUTHORIZED tells Node not to verify certificates.
    rejectUnauthorized: true,
  }
  const secure = connectTls(trust ? { ...options, secureContext: trust } : options)
  await established(secure, 'secureConnect', signal)
  return secure
}

const reasonOf = { connect: 'connect', secureConnect: 'tls' } as const

function established(socket: Socket, event: keyof typeof reasonOf, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      socket.off(event, onReady)
      socket.off('close', onClose)
      signal.removeEventListener('abort', onAbort)
    }
    const fail = (fault: unknown): void => {
      over()
      socket.destroy()
      reject(fault)
    }
    const onReady = (): void => {
      over()
      socket.off('error', onError)
      resolve()
    }
    // This listener stays after a failure: an unhandled error event would end the process.
    const onError = (error: Error): void => fail(new CallFault(reasonOf[event], messageOf(error), error))
    const onClose = (): void => fail(new CallFault(reasonOf[event], 'the connection was closed'))
    const onAbort = (): void => fail(signal.reason)
    socket.once(event, onReady)
    socket.on('error', onError)
    socket.once('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}

/** If none of several addresses was reachable, combines their errors into one message. */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message
  return error.errors.map((one) => (one instanceof Error ? one.message : String(one))).join('; ')
}

/** Why a call failed, by the error that ended it. */
export function faultOf(error: unknown): CallFault {
  if (error instanceof CallFault) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // Node's HTTP parser also reports a connection that ends in the middle of an answer as one of its errors.
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE')
    return new CallFault('reset', message, error)
  return new CallFault(code.endsWith('OVERFLOW') ? 'too_large' : 'malformed', message, error)
}
