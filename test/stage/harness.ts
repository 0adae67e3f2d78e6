import { randomBytes } from 'node:crypto'
import { Agent, request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import type { MailSettings, OperatorsWebhook } from '../../src/alerts/channels/channels.ts'
import { startApp, type App } from '../../src/app.ts'
import type { ConsoleSettings } from '../../src/handlers/handler-needs.ts'
import { openCardVault, type CardVault } from '../../src/cards/card-vault.ts'
import type { OwnLimits } from '../../src/keys/store.ts'
import { createKey, createToken } from '../../src/keys/manage.ts'
import { revocationsIn } from '../../src/keys/revocations.ts'
import type { Clock } from '../../src/base/clock.ts'
import type { PostgresAddress } from '../../src/postgres/connections/connection-config.ts'
import { openSession } from '../../src/operators/sessions/sessions.ts'
import { defaultSignInRules } from '../../src/operators/sign-in-rules.ts'
import type { MetricsRules } from '../../src/settings/setting.ts'
import { insertOptionalOperator } from '../../src/operators/accounts/store.ts'
import { checkDatabase } from '../../src/postgres/schema/first-connection.ts'
import { openLog } from '../../src/base/log.ts'
import { requestFailed } from '../../src/http/server/answer-error.ts'
import type { Archive } from '../../src/push-log/bodies/archive.ts'
import { loopbackNetworks, type OutboundRules, type Resolve } from '../../src/outbound/vet-url.ts'
import { openDatabase, type Database, type Queryable } from '../../src/postgres/postgres.ts'
import type { UnknownFields } from '../../src/http/calls/request-members.ts'
import type { OperatorRole } from '../../src/http/route.ts'
import type { DeliveryWorker } from '../../src/deliveries/worker/worker.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { preparePartitions } from '../../src/push-log/bodies/housekeeping.ts'
import { asAdmin, behindPooler, testServer, type TestAddress } from './postgres.ts'
import { makeTemplate, templateVariable, testNow } from './template.ts'
import { setTimeout as wait } from 'node:timers/promises'

/** The whole service in this process, on a database of its own, called over HTTP. */
export type TestGateway = {
  url: string
  /** Set when the metrics have a port of their own. */
  metricsUrl: string | undefined
  /** Delivery workers that it starts end with the gateway. */
  app: App
  db: Database
  /** Where its database is, for programs on the same store: `environOf(gateway.storeAddress)`. */
  storeAddress: TestAddress
  clock: Clock & { set: (instant: string) => void }
  vault: CardVault
  supplier: (
    name: string,
    limits?: Partial<OwnLimits>,
    unknownFields?: UnknownFields,
  ) => Promise<TestSupplier>
  token: (role: 'platform' | 'operator') => Promise<string>
  /** An operator, or a person of a supplier, who is signed in to the console: paths are below /console/api. */
  operator: (role: OperatorRole, supplierId?: number) => Promise<TestOperator>
  /** Another service on the same database, as a second process would be; `other` overrides options. */
  second: (other?: Partial<GatewayOptions>) => Promise<TestGateway>
  stop: () => Promise<void>
}

export type TestSupplier = TestClient & { apiKey: string; keyId: number; name: string }

export type TestOperator = TestClient & {
  operatorId: number
  name: string
  /** The headers of the session's requests. */
  headers: { cookie: string; 'x-csrf-token': string }
}

export type Reply = { status: number; body: Record<string, unknown>; headers: Headers; text: string }

export type TestClient = {
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  put: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>
  delete: (path: string, headers?: Record<string, string>) => Promise<Reply>
}

/** As in the sandbox, whatever the environment. */
const usualConsole: ConsoleSettings = {
  oidc: undefined,
  signIn: defaultSignInRules.sandbox,
  // The production cost is a quarter of a second of CPU time per password.
  passwordCost: { blocks: 1_024, blockSize: 8, parallel: 1 },
  mfaKeys: [],
}

let server: ReturnType<typeof testServer> | undefined
let template: Promise<string> | undefined
let gateways = 0

/** A reserved port on which nothing listens: no test calls the internet. */
const portOfNobody = 1

export type GatewayOptions = {
  now?: string
  environment?: 'sandbox' | 'production'
  resolve?: Resolve
  /** Suppliers may be on this machine. */
  allowPrivate?: boolean
  /** The route to suppliers' servers; without it, none can be reached. */
  outbound?: Pick<OutboundRules, 'authorities' | 'reach' | 'sendsTraceparent'>
  archive?: Archive
  systemTime?: boolean
  vaultKey?: Buffer | undefined
  vaultKeysPrevious?: readonly Buffer[]
  /** False: a process that does not answer the API. */
  isGateway?: boolean
  /** Undefined: a process without the console. */
  console?: Partial<ConsoleSettings> | undefined
  publicUrl?: string
  trustedProxies?: readonly string[]
  /** 1 for tests of the limits that reject late requests; by default those limits are far away. */
  patience?: number
  /** Budget of a price check, for a test that waits for the supplier's answer however long it takes. */
  checkBudgetMs?: number
  /** Undefined: answers to price checks are remembered as long as usual. */
  liveAnswerSeconds?: number
  /** Likewise the limit of a delivery's call, for a test that holds calls back while its clock stands still. */
  callWithinMs?: number
  /** Likewise the limit of a ping; undefined: the usual one. */
  pingWithinMs?: number | undefined
  metrics?: MetricsRules
  mail?: MailSettings
  allowsSignUp?: boolean
  operatorsWebhook?: OperatorsWebhook
  revocationsFile?: string
  through?: (address: TestAddress) => PostgresAddress
  /** Gets the errors of the service's log; by default the cause of an answer of 500 is printed. */
  onLog?: (line: string) => void
}

const usualPatience = 100

/** A database of the tests' PostgreSQL that is nobody's store, to copy and rename those of gateways from. */
export async function serverAddress(): Promise<TestAddress> {
  return (await (server ??= testServer())).address
}

export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const address = await serverAddress()
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdmin(address, `create database ${name} template ${await templateOn(address)} strategy file_copy`)
  gateways++
  const database = { ...address, database: name }
  const gateway = await gatewayOn(options.through?.(database) ?? (await throughPooler(database)), options)
  return {
    ...gateway,
    stop: async () => {
      await gateway.stop()
      await asAdmin(address, `drop database ${name} with (force)`)
      if (--gateways === 0) await release(address)
    },
  }
}

/**
 * A service for a file of tests, or for one test, stopped when they end. Not for use in a hook, which ends
 * immediately.
 */
export function gatewayForTests(options: GatewayOptions = {}): Promise<TestGateway> {
  const starting = startGateway(options)
  after(async () => (await starting).stop())
  return starting
}

/** A service on a database that a test made, which only the test drops. */
export async function startGatewayOn(address: TestAddress, options: GatewayOptions): Promise<TestGateway> {
  return gatewayOn(await throughPooler(address), options)
}

/** Through the pooler of the run, if there is one. */
async function throughPooler(address: TestAddress): Promise<PostgresAddress> {
  const pooled = behindPooler(address)
  return pooled ? checkDatabase(pooled, usualPatience) : address
}

async function gatewayOn(address: PostgresAddress, options: GatewayOptions): Promise<TestGateway> {
  const log = openLog('error', { write: options.onLog ?? printFailure })
  const db = openDatabase(address, log, { patience: options.patience ?? usualPatience })
  const clock = settableClock(options.now ?? testNow, options.systemTime === true)
  const environment = options.environment ?? 'sandbox'
  const needs = { db, clock, log, telemetry: telemetry() }
  await preparePartitions(db, clock.now())
  const vault = await openCardVault(needs, {
    present: options.vaultKey,
    previous: options.vaultKeysPrevious ?? [],
  })
  const app = startApp({
    ...needs,
    environment,
    outbound: {
      privateNetworks: options.allowPrivate === true ? loopbackNetworks : [],
      resolve: options.resolve ?? (async () => ['93.184.216.34']),
      reach: ({ host }) => ({ host, port: portOfNobody, addresses: ['127.0.0.1'] }),
      ...options.outbound,
    },
    vault,
    archive: options.archive,
    isGateway: options.isGateway ?? true,
    publicUrl: options.publicUrl,
    storeFolder: tmpdir(),
    trustedProxies: options.trustedProxies,
    patience: options.patience ?? usualPatience,
    checkBudgetMs: options.checkBudgetMs,
    liveAnswerSeconds: options.liveAnswerSeconds,
    callWithinMs: options.callWithinMs,
    pingWithinMs: options.pingWithinMs,
    metrics: options.metrics,
    mail: options.mail,
    allowsSignUp: options.allowsSignUp,
    operatorsWebhook: options.operatorsWebhook,
    revocations: revocationsIn(options.revocationsFile),
    console: 'console' in options ? options.console && { ...usualConsole, ...options.console } : usualConsole,
  })
  const { url, metricsUrl } = await app.listen({ host: '127.0.0.1', port: 0 })
  const { host = '', port = 0, user = '', database = '' } = db.pool.options
  const others: TestGateway[] = []
  const workers: Pick<DeliveryWorker, 'close'>[] = []
  return {
    url,
    metricsUrl,
    app: {
      ...app,
      startBulk: () => {
        const worker = app.startBulk()
        workers.push(worker)
        return worker
      },
      startBulkThread: (program) => {
        const worker = app.startBulkThread(program)
        workers.push(worker)
        return worker
      },
      startDeliveries: () => {
        const worker = app.startDeliveries()
        workers.push(worker)
        return worker
      },
    },
    db,
    storeAddress: { host, port, user, database },
    clock,
    vault,
    supplier: async (name, limits = {}, unknownFields) => {
      const wanted = { supplier: name, channelManager: name, expiresAtMs: null, limits, unknownFields }
      const { apiKey, keyId } = await createKey(db, environment, wanted)
      return { apiKey, keyId, name, ...client(url, { 'x-api-key': apiKey }) }
    },
    token: async (role) =>
      (await createToken(db, environment, { role, name: role, expiresAtMs: null })).token,
    operator: async (role, supplierId) => {
      const name = `${role}-${randomBytes(4).toString('hex')}`
      const operatorId = await insertOptionalOperator(db, { name, role, supplierId, nowMs: clock.now() })
      if (operatorId === undefined) throw new Error(`There is an operator ${name} already`)
      const { secret, csrfToken } = await openSession(
        db,
        { operatorId, sessionsEnded: 0 },
        { by: 'link', hasSecondFactor: false },
        clock.now(),
      )
      const headers = { cookie: `ari_console=${secret}`, 'x-csrf-token': csrfToken }
      return { operatorId, name, headers, ...client(url, headers, '/console/api') }
    },
    second: async (differing = {}) => {
      const other = await gatewayOn(address, { ...options, ...differing })
      others.push(other)
      return other
    },
    stop: async () => {
      for (const other of others) await other.stop()
      for (const worker of workers) await worker.close()
      await app.close()
      await vault.close()
      await db.close()
    },
  }
}

/** Prints the cause of an answer of 500, which the answer does not name. */
function printFailure(line: string): void {
  const { msg, route, err } = JSON.parse(line)
  if (msg === requestFailed) process.stderr.write(`answered 500: ${route ?? ''} ${causesOf(err)}\n`)
}

function causesOf({ stack, cause }: { stack?: string; cause?: object }): string {
  return cause ? `${stack}\ncaused by ${causesOf(cause)}` : String(stack)
}

/** Connections that are open but unused don't keep the process running. */
const agent = new Agent({ keepAlive: true })

/** JSON calls; strings and bytes are sent unchanged. */
export function client(url: string, own: Record<string, string> = {}, base = '/v1'): TestClient {
  const call = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Reply> => {
    const sent =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array
        ? body
        : JSON.stringify(body)
    const type = sent === undefined ? {} : { 'content-type': 'application/json' }
    const response = await answerTo(`${url}${base}${path}`, sent, {
      method,
      headers: { ...type, ...own, ...headers },
    })
    const text = (await buffer(response)).toString()
    return {
      status: response.statusCode ?? 0,
      body: parsed(text),
      get headers() {
        return headersOf(response)
      },
      text,
    }
  }
  return {
    post: (path, body, headers = {}) => call('POST', path, headers, body),
    get: (path, headers = {}) => call('GET', path, headers),
    put: (path, body, headers = {}) => call('PUT', path, headers, body),
    delete: (path, headers = {}) => call('DELETE', path, headers),
  }
}

/** Not by fetch: it takes three times as much processor time, more than all else in a short call. */
function answerTo(
  url: string,
  body: string | Uint8Array | undefined,
  options: { method: string; headers: Record<string, string> },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent, ...options }, resolve)
      .on('error', reject)
      .end(body)
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function settableClock(start: string, systemTime: boolean): TestGateway['clock'] {
  let now = Date.parse(start)
  return {
    now: () => (systemTime ? Date.now() : now),
    set: (instant) => {
      now = Date.parse(instant)
    },
  }
}

async function templateOn(address: TestAddress): Promise<string> {
  return process.env[templateVariable] ?? (await (template ??= makeTemplate(address)))
}

async function release(address: TestAddress): Promise<void> {
  if (template) await asAdmin(address, `drop database ${await template} with (force)`)
  template = undefined
  if (server) await (await server).stop()
  server = undefined
}

const pollMs = 5

/**
 * Resolves once the feed can report every change: transactions of other tests on the same server delay it for
 * a moment.
 */
export async function changesSettled(db: Queryable): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      'select from change where turn >= pg_snapshot_xmin(pg_current_snapshot())::text::int8',
    )
    if (rowCount === 0) return
    await wait(pollMs)
  }
}
