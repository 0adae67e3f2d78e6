/**
 * Two gateways on one PostgreSQL, one of them with two processes, behind a client that chooses by /readyz as a balancer
 * does. They are restarted in turn under load: not one push fails, though nothing is sent twice.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { client, type TestClient } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { roundsWithin, seconds, until } from '../../test/stage/pace.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { runAri } from '../../test/stage/programs/programs.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { endServices, isReady, startService, type Service } from '../../test/stage/crash/service.ts'

const restarts = { full: 20, floor: 3, share: 0.04 }
const pushers = 6
/** However fast the machine is, together they stay below the limit of 100 requests a second for a key. */
const pauseMs = 100
const looksEveryMs = 40
/** Many looks: on a slow machine one of them may take long. */
const drainMs = seconds(1)

type Gateway = { port: number; processes: number; service: Service; isReady: boolean }

let database: Awaited<ReturnType<typeof newTestDatabase>>
const gateways: Gateway[] = []
const over = new AbortController()

const start = (port: number, processes: number): Promise<Service> =>
  startService({
    ...environOf(database.address),
    PORT: String(port),
    ARI_PROCESSES: String(processes),
    ARI_ROLES: 'gateway,worker',
    ARI_DRAIN_MS: String(Math.round(drainMs)),
  })

before(async () => {
  database = await newTestDatabase()
  for (const processes of [1, 2]) {
    const port = await freePort()
    gateways.push({ port, processes, service: await start(port, processes), isReady: true })
  }
})
after(async () => {
  over.abort()
  for (const { service } of gateways) await service.end('SIGTERM')
  await endServices()
  await database.drop()
})

/** Looks at every gateway again and again, as a balancer does. */
async function watch(gateway: Gateway): Promise<void> {
  while (!over.signal.aborted) {
    gateway.isReady = await isReady(gateway.service.url)
    await wait(looksEveryMs)
  }
}

async function pusherOf(pusher: number, clients: readonly TestClient[], pushed: number[]): Promise<void> {
  for (let turn = pusher; !over.signal.aborted; turn++) {
    const ready = gateways.flatMap(({ isReady: is }, index) => (is ? [clients[index]] : []))
    const to = ready[turn % Math.max(1, ready.length)]
    assert.ok(to, 'one of the two is always ready')
    const inventory = 1 + (turn % 90)
    const body = { hotelId: 'H1', ari: [{ roomId: 'DBL', date: nightAhead(1 + pusher), inventory }] }
    expectOk(await to.post('/push/ari', body))
    pushed[pusher] = (pushed[pusher] ?? 0) + 1
    await wait(pauseMs)
  }
}

test('gateways restarted in turn under load fail no push, and end with code 0', async (t) => {
  const made = await runAri(environOf(database.address), 'key', 'create', '--supplier', 'Rolling', '--json')
  const { apiKey } = JSON.parse(made.stdout)
  const clients = gateways.map(({ service }) => client(service.url, { 'x-api-key': apiKey }))
  const [first] = clients
  assert.ok(first)
  await pushStoryHotel(first)
  const pushed: number[] = []
  const load = Promise.all([
    ...gateways.map(watch),
    ...Array.from({ length: pushers }, (_, pusher) => pusherOf(pusher, clients, pushed)),
  ])
  const restarting = (async () => {
    const rounds = roundsWithin(restarts)
    for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
      const gateway = gateways[round % gateways.length]
      assert.ok(gateway)
      const { service, port, processes } = gateway
      service.signal('SIGTERM')
      await until(async () => !(await isReady(service.url)))
      assert.equal((await fetch(`${service.url}/livez`)).status, 200, 'it lives while it drains')
      assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output().slice(-5_000))
      gateway.service = await start(port, processes)
      await until(() => gateway.isReady)
    }
    over.abort()
    return rounds.summary()
  })()
  // Whichever fails first.
  await Promise.race([load, restarting])
  const summary = await restarting
  await load
  const count = pushed.reduce((sum, one) => sum + one, 0)
  assert.ok(count > 100, `${count} pushes`)
  t.diagnostic(`restarts: ${summary}; ${count} pushes, none failed`)
})
