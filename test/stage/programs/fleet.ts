/** Two gateways of several processes each on one PostgreSQL, any of which may be killed meanwhile. */
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createKey, createToken } from '../../../src/keys/manage.ts'
import { openLog } from '../../../src/base/log.ts'
import { openDatabase, type Database } from '../../../src/postgres/postgres.ts'
import { freePort } from './free-port.ts'
import { client, type Reply, type TestClient, type TestSupplier } from '../harness.ts'
import { minutes, type Rounds } from '../pace.ts'
import { environOf, newTestDatabase } from '../postgres.ts'
import { workersOf } from './programs.ts'
import { sayTimes, type Say } from '../crash/rounds.ts'
import { startService, type Service } from '../crash/service.ts'
import { between, eventually } from '../crash/world.ts'

export const gateways = 2
export const processes = 3

export type Fleet = {
  /** The settings that lead to its database. */
  environ: Readonly<Record<string, string>>
  db: Database
  /** Its gateways. One that was killed is replaced here, at the same address. */
  services: Service[]
  /**
   * Sends each request over a connection of its own to any process of these gateways (of all by default), and
   * again until it is answered: pushes under one Idempotency-Key.
   */
  client: (headers: Readonly<Record<string, string>>, to?: Destination) => TestClient
  supplier: (name: string) => Promise<TestSupplier>
  /** The header of a token. */
  bearer: (role: 'platform' | 'operator') => Promise<{ authorization: string }>
  /** Kills any process that answers requests; resolves with the milliseconds until it was replaced. */
  killWorker: () => Promise<number>
  /** Kills a gateway and starts it again; resolves with the milliseconds until it was ready. */
  killPrimary: () => Promise<number>
  close: () => Promise<void>
}

/** The console would be built at each start. */
const usual = { ARI_PROCESSES: String(processes), ARI_ROLES: 'gateway,worker' }

export type Destination = { gateways?: readonly number[]; base?: string }

export async function startFleet(more: Readonly<Record<string, string>> = {}): Promise<Fleet> {
  const { address, drop } = await newTestDatabase()
  const environ = environOf(address)
  const start = (port: number): Promise<Service> =>
    startService({ ...environ, ...usual, PORT: String(port), ...more })
  const ports = await Promise.all(Array.from({ length: gateways }, freePort))
  const services: Service[] = []
  for (const port of ports) services.push(await start(port))
  const db = openDatabase(address, openLog('silent'), { patience: 100 })
  const clientTo = (
    headers: Readonly<Record<string, string>>,
    { gateways: indexes = services.keys().toArray(), base = '/v1' }: Destination = {},
  ): TestClient =>
    untilAnswered(
      indexes.map((index) => client(services[index]?.url ?? '', { ...headers, connection: 'close' }, base)),
    )
  return {
    environ,
    db,
    services,
    client: clientTo,
    supplier: async (name) => {
      const limits = { requestsPerMinute: 0 }
      const wanted = { supplier: name, channelManager: name, expiresAtMs: null, limits }
      const { apiKey, keyId } = await createKey(db, 'sandbox', wanted)
      return { apiKey, keyId, name, ...clientTo({ 'x-api-key': apiKey }) }
    },
    bearer: async (role) => {
      const { token } = await createToken(db, 'sandbox', { role, name: 'fleet', expiresAtMs: null })
      return { authorization: `Bearer ${token}` }
    },
    killWorker: async () => {
      const service = services[randomInt(services.length)]
      const workers = workersOf(service?.pid)
      const victim = workers[randomInt(Math.max(1, workers.length))]
      if (!service || victim === undefined) throw new Error('a gateway has no processes')
      const startedMs = performance.now()
      process.kill(victim, 'SIGKILL')
      await eventually('a killed process is replaced', minutes(3), () => isReplaced(service, victim))
      return performance.now() - startedMs
    },
    killPrimary: async () => {
      const index = randomInt(services.length)
      const startedMs = performance.now()
      await services[index]?.end('SIGKILL')
      services[index] = await startedAgain(() => start(ports[index] ?? 0))
      return performance.now() - startedMs
    },
    close: async () => {
      await db.close()
      for (const service of services) await service.end('SIGTERM')
      await drop()
    },
  }
}

/** Its processes release the port when they notice that their gateway is gone, and end. */
async function startedAgain(start: () => Promise<Service>): Promise<Service> {
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!String(error).includes('another program is listening there')) throw error
      await wait(againAfterMs)
    }
  }
}

async function isReplaced({ pid, url }: Service, victim: number): Promise<boolean> {
  // Listing the processes keeps the clients of this test waiting.
  await wait(50)
  // A killed process is absent here before its gateway knows; until then its last metrics still count.
  const workers = workersOf(pid)
  if (workers.length < processes || workers.includes(victim)) return false
  const metrics = await fetch(`${url}/metrics`, { headers: { connection: 'close' } })
    .then((response) => response.text())
    .catch(() => '')
  return new RegExp(`^ari_processes ${processes}$`, 'm').test(metrics)
}

const againAfterMs = 40
const answeredWithinMs = minutes(3)
const pushes = ['/push/hotels', '/push/products', '/push/taxes', '/push/ari']

function untilAnswered(clients: readonly TestClient[]): TestClient {
  const call = async (send: (to: TestClient) => Promise<Reply>): Promise<Reply> => {
    const untilMs = performance.now() + answeredWithinMs
    for (;;) {
      const to = clients[randomInt(clients.length)]
      if (!to) throw new RangeError('no gateway')
      const reply = await send(to).catch(() => undefined)
      if (reply && !saysRepeat(reply)) return reply
      if (performance.now() > untilMs) throw new Error(`not answered in time: ${reply?.text ?? 'no answer'}`)
      await wait(Math.random() * againAfterMs)
    }
  }
  return {
    post: (path, body, headers = {}) => {
      const once = pushes.includes(path) ? { 'idempotency-key': randomUUID() } : {}
      return call((to) => to.post(path, body, { ...once, ...headers }))
    },
    get: (path, headers) => call((to) => to.get(path, headers)),
    put: (path, body, headers) => call((to) => to.put(path, body, headers)),
    delete: (path, headers) => call((to) => to.delete(path, headers)),
  }
}

/** 503, and the answer while the transaction of a killed process still runs. */
function saysRepeat({ status, text }: Reply): boolean {
  return status === 503 || (status === 409 && text.includes('IDEMPOTENCY_KEY_IN_USE'))
}

/** Several processes and a gateway. */
const leastKills = 4
/** Every so many kills, a whole gateway is killed. */
const killsPerPrimary = 3
const pauseMs = { least: 200, most: 1_200 }

/**
 * Kills processes and gateways of a fleet, one after another, during `work`, and resolves when all are back.
 * `work` gets rounds as wanted, and more until enough was killed meanwhile.
 */
export async function killMeanwhile(
  fleet: Fleet,
  { rounds, say }: { rounds: Rounds; say: Say },
  work: (next: () => number | undefined) => Promise<void>,
): Promise<void> {
  const timesMs = { process: new Array<number>(), gateway: new Array<number>() }
  const kills = (): number => timesMs.process.length + timesMs.gateway.length
  const over = new AbortController()
  const killing = (async () => {
    try {
      while (!over.signal.aborted) {
        await wait(between(pauseMs.least, pauseMs.most))
        if (kills() % killsPerPrimary === killsPerPrimary - 1) timesMs.gateway.push(await fleet.killPrimary())
        else timesMs.process.push(await fleet.killWorker())
      }
    } finally {
      over.abort()
    }
  })()
  let more = 0
  try {
    await work(
      () =>
        rounds.next() ?? (over.signal.aborted || kills() >= leastKills ? undefined : rounds.done() + more++),
    )
  } finally {
    over.abort()
    await killing
  }
  say(more > 0 ? `${rounds.summary()}, and ${more} more` : rounds.summary())
  for (const [what, times] of Object.entries(timesMs)) sayTimes(times, (line) => say(`${what} back: ${line}`))
}
