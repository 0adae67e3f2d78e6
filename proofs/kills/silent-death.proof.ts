import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pushNights } from '../../test/stage/scenes/booking.ts'
import { client, type TestSupplier } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { newTestDatabase, type TestAddress } from '../../test/stage/postgres.ts'
import { missing, runAri, startProgram } from '../../test/stage/programs/programs.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'

/**
 * PostgreSQL's machine dies silently: it is reached through a network of its own, which drops all packets
 * from one moment on, so that no connection is notified. The service is a process, under load.
 */

const callers = 8
const dates = Array.from({ length: callers }, (_, caller) => nightAhead(61 + caller))
const silentMs = 15_000
const port = 5432

/** A machine at 10.231.n.2 that passes connections on to the test's PostgreSQL. */
type Host = {
  address: string
  /** Starts listening there. */
  start: () => Promise<void>
  dropPackets: () => void
  passPackets: () => void
  remove: () => void
}

const ip = (...parameters: string[]): void =>
  void execFileSync('/usr/sbin/ip', parameters, { stdio: ['ignore', 'ignore', 'pipe'] })

function makeHost(number: number, target: TestAddress): Host {
  const name = `ari${process.pid}n${number}`
  const [near, far] = [`a${process.pid}n${number}`, `b${process.pid}n${number}`]
  const network = `10.231.${number}`
  const address = `${network}.2`
  ip('netns', 'add', name)
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name)
  ip('addr', 'add', `${network}.1/30`, 'dev', near)
  ip('link', 'set', near, 'up')
  ip('-n', name, 'addr', 'add', `${address}/30`, 'dev', far)
  ip('-n', name, 'link', 'set', far, 'up')
  let relay: ChildProcess | undefined
  const socket = JSON.stringify(`${target.host}/.s.PGSQL.${target.port}`)
  const program = `
    const { connect, createServer } = require('node:net')
    createServer((near) => {
      const far = connect(${socket})
      const end = () => { near.destroy(); far.destroy() }
      for (const one of [near, far]) one.on('error', end).on('close', end)
      near.pipe(far).pipe(near)
    }).listen(${port}, '${address}', () => console.log('listening'))`
  return {
    address,
    start: async () => {
      relay = spawn('/usr/sbin/ip', ['netns', 'exec', name, process.execPath, '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      if (relay.stdout) await once(relay.stdout, 'data')
    },
    dropPackets: () => ip('-n', name, 'route', 'add', 'blackhole', `${network}.1/32`),
    passPackets: () => ip('-n', name, 'route', 'del', 'blackhole', `${network}.1/32`),
    remove: () => {
      relay?.kill('SIGKILL')
      ip('netns', 'del', name)
    },
  }
}

type Call = { kind: 'read' | 'push'; sentMs: number; answeredMs: number; status: number }

/** Pushes one night with a growing number, and reads, until it is stopped. */
function startLoad(supplier: Omit<TestSupplier, 'keyId'>) {
  const calls: Call[] = []
  const sent: number[] = Array.from({ length: callers }, () => 0)
  const acknowledged: number[] = Array.from({ length: callers }, () => 0)
  let isOver = false
  const ask = async (kind: Call['kind'], request: () => Promise<{ status: number }>): Promise<number> => {
    const sentMs = performance.now()
    const { status } = await request()
    calls.push({ kind, sentMs, answeredMs: performance.now(), status })
    return status
  }
  const running = Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const date = dates[caller]
      for (let count = 1; !isOver; count++) {
        sent[caller] = count
        const push = { hotelId: 'H1', ari: [{ roomId: 'DBL', date, inventory: count % 1_000 }] }
        const status = await ask('push', () => supplier.post('/push/ari', push))
        if (status === 200) acknowledged[caller] = count
        await ask('read', () => supplier.post('/push/getHotels', ['H1']))
        await wait(20)
      }
    }),
  )
  return {
    calls,
    sent,
    acknowledged,
    stop: async () => {
      isOver = true
      await running
    },
  }
}

async function machines(context: TestContext, count: number) {
  const { address, drop } = await newTestDatabase()
  const hosts: Host[] = []
  context.after(async () => {
    for (const host of hosts) host.remove()
    await drop()
  })
  if (process.getuid?.() !== 0 || !address.host.startsWith('/')) {
    context.skip('networks are made by root, for a PostgreSQL of the test’s own')
    return undefined
  }
  const why = await missing('/usr/sbin/ip', 'iproute2')
  if (why !== undefined) throw new Error(why)
  try {
    for (let number = 1; number <= count; number++) hosts.push(makeHost(number, address))
  } catch (error) {
    context.skip(`no network namespace can be made here (${String(error)})`)
    return undefined
  }
  return { address, hosts }
}

async function serviceOn(context: TestContext, { user, database }: TestAddress, hosts: readonly Host[]) {
  const list = hosts.map(({ address }) => `${address}:${port}`).join()
  const environ = {
    DATABASE_URL: `postgres://${user}@${list}/${database}`,
    ARI_PATIENCE: '1',
    PORT: '0',
    LOG_LEVEL: 'warn',
  }
  const running = startProgram('serve', environ, [], 10 * 60_000)
  context.after(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const url = /http:\/\/[\d.]+:\d+/.exec(await running.printed(/ready in .*http/))?.[0] ?? ''
  const made = await runAri(environ, 'key', 'create', '--supplier', 'Acme', '--rate-limit', '0', '--json')
  assert.equal(made.code, 0, made.stderr)
  const { apiKey, keyId } = JSON.parse(made.stdout)
  const supplier = { apiKey, keyId, name: 'Acme', ...client(url, { 'x-api-key': apiKey }) }
  await pushStoryHotel(supplier)
  await pushNights(supplier, { startDate: nightAhead(1), endDate: nightAhead(30) })
  return { url, supplier }
}

async function numberHeld(supplier: TestSupplier, date: string): Promise<number> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date }),
  )
  const [item] = Array.isArray(body['ari']) ? body['ari'] : []
  return Number(item?.inventory)
}

/** Asserts that the value is the last acknowledged one, or one that was sent after it. */
async function nothingIsLost(
  supplier: TestSupplier,
  { sent, acknowledged }: ReturnType<typeof startLoad>,
): Promise<void> {
  for (let caller = 0; caller < callers; caller++) {
    const held = await numberHeld(supplier, dates[caller] ?? '')
    const [from = 0, to = 0] = [acknowledged[caller], sent[caller]]
    const possible = Array.from({ length: to - from + 1 }, (_, index) => (from + index) % 1_000)
    assert.ok(possible.includes(held), `${held} is held, ${from} was acknowledged and ${to} sent`)
  }
}

function judge(
  calls: readonly Call[],
  { diedMs, answersAgainMs }: { diedMs: number; answersAgainMs: number },
): string {
  assert.deepEqual(
    new Set(calls.map(({ status }) => status)),
    new Set([200, 503]),
    'callers are told, and nothing else happens to them',
  )
  const longest = Math.max(...calls.map(({ sentMs, answeredMs }) => answeredMs - sentMs))
  const servedMs = Math.min(
    ...calls
      .filter(({ status, sentMs }) => status === 200 && sentMs > diedMs)
      .map(({ answeredMs }) => answeredMs),
  )
  assert.ok(longest < silentMs, 'nobody waited for the end of the silence')
  const refused = calls.filter(({ status }) => status === 503).length
  return `${calls.length} calls, ${refused} refused, the longest took ${(longest / 1_000).toFixed(1)} s; served again ${((servedMs - answersAgainMs) / 1_000).toFixed(1)} s after PostgreSQL answered`
}

test('the machine is silent for a while: every caller gets an answer in time, and is served once it answers again', async (context) => {
  const made = await machines(context, 1)
  const [host] = made?.hosts ?? []
  if (!made || !host) return
  await host.start()
  const { url, supplier } = await serviceOn(context, made.address, [host])
  const load = startLoad(supplier)
  await wait(1_000)
  const diedMs = performance.now()
  host.dropPackets()
  await wait(silentMs)
  const ready = await fetch(`${url}/readyz`)
  assert.deepEqual([ready.status, await ready.text()], [503, 'not ready: the store does not answer\n'])
  assert.equal((await fetch(`${url}/livez`)).status, 200)
  host.passPackets()
  const answersAgainMs = performance.now()
  while ((await fetch(`${url}/readyz`)).status !== 200) await wait(50)
  await wait(1_000)
  await load.stop()
  context.diagnostic(judge(load.calls, { diedMs, answersAgainMs }))
  await nothingIsLost(supplier, load)
})

test('the machine is silent for ever: another host of the address takes over', async (context) => {
  const made = await machines(context, 2)
  const [first, second] = made?.hosts ?? []
  if (!made || !first || !second) return
  await first.start()
  const { url, supplier } = await serviceOn(context, made.address, made.hosts)
  const load = startLoad(supplier)
  await wait(1_000)
  const diedMs = performance.now()
  first.dropPackets()
  await wait(silentMs / 3)
  await second.start()
  const answersAgainMs = performance.now()
  while ((await fetch(`${url}/readyz`)).status !== 200) await wait(50)
  await wait(1_000)
  await load.stop()
  context.diagnostic(judge(load.calls, { diedMs, answersAgainMs }))
  await nothingIsLost(supplier, load)
})
