import { instantOf } from '../base/calendar.ts'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import {
  answerTo,
  type AnswerNeeds,
  type SimulatedAnswer,
  type Path,
  type SimulatedCall,
  verifySignature,
  type SignatureState,
} from './answer.ts'
import type { SimulatedFault } from './faults.ts'

/** The supplier's own web server with its endpoints. */

export const paths: Readonly<Record<Path, string>> = {
  priceCheck: '/price-check',
  booking: '/reservations',
  alerts: '/alerts',
}

const pathNames = ['priceCheck', 'booking', 'alerts'] as const satisfies readonly Path[]

export type SupplierServer = { port: number; close: () => Promise<void> }

export type ServerNeeds = AnswerNeeds & {
  /** The secrets that currently sign; more may be added while the server runs. Alerts have their own. */
  secrets: Readonly<Record<Path, readonly string[]>>
  report: (call: SimulatedCall) => void
}

const bodyBytesMax = 4 * 1_048_576
const slowMs = 1_500
const webhookIdsMax = 100_000
/** Gateways keep connections for later calls. */
const idleConnectionMs = 60_000

export async function startServer(
  { host, port }: { host: string; port: number },
  needs: ServerNeeds,
): Promise<SupplierServer> {
  const answeredIds = new Set<string>()
  const server = createServer((request, response) => {
    serveCall(request, response, { ...needs, answeredIds }).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      needs.report(failedCall(request, message, needs.clock))
      if (!response.headersSent)
        send(response, 500, { code: '500', message: 'The simulated supplier failed' })
    })
  })
  server.keepAliveTimeout = idleConnectionMs
  await listen(server, { host, port })
  return {
    port: portOf(server.address()),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function listen(server: Server, where: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error) => reject(listenFault(where, cause))
    server.once('error', refuse)
    server.listen(where, () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

function listenFault({ host, port }: { host: string; port: number }, cause: Error): Error {
  if (!('code' in cause) || cause.code !== 'EADDRINUSE') return cause
  return new Error(
    `Another program is listening on port ${port} of ${host}: stop it, or choose another port with --port`,
    { cause },
  )
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}

async function serveCall(
  request: IncomingMessage,
  response: ServerResponse,
  needs: ServerNeeds & { answeredIds: Set<string> },
): Promise<void> {
  const startedMs = performance.now()
  const path = pathOf(request)
  if (!path || request.method !== 'POST') {
    return send(response, 404, { code: '404', message: `POST ${Object.values(paths).join(' or ')}` })
  }
  const body = await bodyOf(request)
  if (!body) return send(response, 413, { code: '413', message: 'The body is too large' })
  const { secrets, answeredIds, clock } = needs
  const signature = verifySignature(request.headers, body, {
    secrets: secrets[path],
    nowMs: clock.now(),
  })
  const webhookId = headerOf(request, 'webhook-id')
  const isRepeat = answeredIds.has(webhookId)
  const answered = await answerTo(path, body, signature, needs)
  const isAnswered = await reply(response, answered)
  if (isAnswered && answered.status < 300 && webhookId !== '') remember(answeredIds, webhookId)
  const more = isAnswered && !isRepeat ? await answered.afterwards?.() : undefined
  needs.report({
    ...aboutCall(request, signature, needs.clock),
    ...answered.report,
    ...more,
    isRepeat,
    ...(isAnswered ? { status: answered.status } : {}),
    durationMs: Math.round(performance.now() - startedMs),
  })
}

function pathOf({ url = '' }: IncomingMessage): Path | undefined {
  const [path] = url.split('?')
  return pathNames.find((name) => paths[name] === path)
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

function aboutCall(request: IncomingMessage, signature: SignatureState, clock: Clock) {
  return {
    at: instantOf(clock.now()),
    webhookId: headerOf(request, 'webhook-id'),
    requestId: headerOf(request, 'x-request-id'),
    signature,
  }
}

function failedCall(request: IncomingMessage, why: string, clock: Clock): SimulatedCall {
  const about = aboutCall(request, 'unverifiable', clock)
  return { ...about, call: 'unreadable', isRepeat: false, why, status: 500, durationMs: 0 }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const faultsOfConnection: ReadonlySet<SimulatedFault | undefined> = new Set(['hang', 'garbage'])

/** Returns whether an answer was sent. */
async function reply(response: ServerResponse, { status, body, report }: SimulatedAnswer): Promise<boolean> {
  if (faultsOfConnection.has(report.fault)) {
    // The connection of a hanging call stays open until the other side gives up.
    if (report.fault === 'garbage') response.socket?.end('\u0007 no HTTP at all\r\n\r\n')
    return false
  }
  if (report.fault === 'slow') await wait(slowMs)
  send(response, status, body)
  return true
}

function send(response: ServerResponse, status: number, body: object): void {
  const json = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': json.length })
  response.end(json)
}

function remember(answeredIds: Set<string>, webhookId: string): void {
  answeredIds.add(webhookId)
  if (answeredIds.size <= webhookIdsMax) return
  const oldest = answeredIds.values().next()
  if (!oldest.done) answeredIds.delete(oldest.value)
}
