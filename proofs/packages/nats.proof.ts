/**
 * The change feed in a stream of NATS JetStream: every change once and in order, while gateways, processes and
 * the NATS server are killed. nats-server is installed if it is missing and this user may do that.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { openLog } from '../../src/base/log.ts'
import { createKey } from '../../src/keys/manage.ts'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { beginEpoch } from '../../src/postgres/connections/store-epoch.ts'
import { transaction } from '../../src/postgres/transaction.ts'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { client, type TestClient } from '../../test/stage/harness.ts'
import { minutes, roundsWithin } from '../../test/stage/pace.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { missing, workersOf } from '../../test/stage/programs/programs.ts'
import { expectOk, product } from '../../test/stage/story.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { endServices, startService } from '../../test/stage/crash/service.ts'
import { between, eventually } from '../../test/stage/crash/world.ts'
import {
  gateways,
  killMeanwhile,
  processes,
  startFleet,
  type Fleet,
} from '../../test/stage/programs/fleet.ts'

const program = '/usr/sbin/nats-server'
const reason = await missing(program, 'nats-server')
const [user, pass, stream] = ['ari', 'secret', 'ARI']
const subjects = 'ari.changes.sandbox.>'
const hotels = ['N1', 'N2', 'N3', 'N4']
const messageBytesMax = 8 * 1024

let folder = ''
let port = 0
let server: ChildProcess
let fleet: Fleet
let supplier: TestClient
let platform: TestClient

before(async () => {
  if (reason !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'ari-nats-'))
  port = await freePort()
  startServer()
  await onStream((manager) => manager.streams.add({ name: stream, subjects: [subjects] }))
  fleet = await startFleet({
    ARI_FEED_NATS: `nats://${user}:${pass}@127.0.0.1:${port}`,
    NODE_OPTIONS: `--import=${import.meta.resolve('../../test/stage/query-breaks.ts')}`,
    ARI_PROOF_BREAK: 'publisherDies',
  })
  supplier = await fleet.supplier('feed')
  platform = fleet.client(await fleet.bearer('platform'))
})
after(async () => {
  if (reason !== undefined) return
  await endServer('SIGTERM')
  await endServices()
  await fleet.close()
  rmSync(folder, { recursive: true, force: true })
})

function startServer(): void {
  const file = join(folder, 'nats.conf')
  const lines = [
    `listen: "127.0.0.1:${port}"`,
    `jetstream: { store_dir: "${folder}" }`,
    `authorization: { user: ${user}, password: ${pass} }`,
    `max_payload: ${messageBytesMax}`,
  ]
  writeFileSync(file, lines.join('\n'))
  server = spawn(program, ['--config', file], { stdio: 'ignore' })
}

async function endServer(signal: NodeJS.Signals): Promise<void> {
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

/** Again until the server is there. */
async function onStream<Value>(work: (manager: JetStreamManager) => Promise<Value>): Promise<Value> {
  const untilMs = performance.now() + minutes(2)
  for (;;) {
    let connection: NatsConnection | undefined
    try {
      connection = await connect({ servers: `127.0.0.1:${port}`, user, pass, reconnect: false })
      return await work(await jetstreamManager(connection))
    } catch (error) {
      if (performance.now() > untilMs) throw error
      await wait(50)
    } finally {
      await connection?.close()
    }
  }
}

/** A message that isn't of the feed. */
const foreign = 'foreign'

type Message = { cursor: string; kind: string; hotelId?: string; revision?: number; nights?: unknown[] }

/** All messages of the stream in its order. */
async function messages(): Promise<Message[]> {
  return onStream(async (manager) => {
    const { state } = await manager.streams.info(stream)
    const all: Message[] = []
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream, { seq })
      assert.ok(message, `message ${seq} is missing`)
      if (message.string() === foreign) continue
      assert.equal(message.header.get('Nats-Msg-Id'), message.json<Message>().cursor)
      all.push(message.json<Message>())
    }
    return all
  })
}

async function changesAfter(cursor: string): Promise<Message[]> {
  const all: Message[] = []
  for (let position = cursor; ;) {
    const { body } = expectOk(await platform.get(`/booking/changes?limit=1000&after=${position}`))
    const page: { changes: Message[]; cursor: string; hasMore: boolean } = Object(body)
    all.push(...page.changes)
    position = page.cursor
    if (!page.hasMore && page.changes.length === 0) return all
  }
}

const pushHotel = (hotelId: string, hotelName: string, by = supplier) =>
  by.post('/push/hotels', [
    {
      hotelId,
      hotelName,
      currency: 'USD',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'UTC',
    },
  ])

async function lag(url = fleet.services[0]?.url): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^ari_changes_publisher_lag_seconds (\S+)$/m.exec(metrics)?.[1])
}

/**
 * Resolves when the feed has all that was committed: it tells nothing that an older transaction could still precede, be it
 * of another proof's database on this server.
 */
async function untilTold(): Promise<void> {
  const horizon = 'pg_snapshot_xmin(pg_current_snapshot())::text::int8'
  const { rows } = await fleet.db.query<{ next: number }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text::int8 as next',
  )
  await eventually('no older transaction is open', minutes(2), async () => {
    const found = await fleet.db.query<{ isOver: boolean }>(`select ${horizon} >= $1 as "isOver"`, [
      rows[0]?.next,
    ])
    return found.rows[0]?.isOver === true
  })
}

/** Resolves when the last message is the last change. */
async function untilPublished(): Promise<Message[]> {
  let all: Message[] = []
  await untilTold()
  await eventually('all changes are published', minutes(3), async () => {
    all = await messages()
    const last = all.at(-1)
    return last !== undefined && (await changesAfter(last.cursor)).length === 0
  })
  return all
}

test('the first message says that consumers have to read everything', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  await eventually('the feed is published', minutes(2), async () => (await messages()).length > 0)
  const [first, ...others] = await messages()
  assert.deepEqual([first?.kind, others], ['restarted', []])
})

test('every change is published once and in order, whatever is killed meanwhile', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const rounds = roundsWithin({ full: 12, floor: 3, share: 0.01 })
  const [start] = await messages()
  assert.ok(start)
  let acknowledged = 0
  await killMeanwhile(fleet, { rounds, say: (line) => context.diagnostic(line) }, async (next) => {
    let isOver = false
    const writers = hotels.map(async (hotelId) => {
      for (let count = 0; !isOver; count++) {
        expectOk(await pushHotel(hotelId, `${hotelId} ${count}`))
        acknowledged++
      }
    })
    try {
      for (let round = next(); round !== undefined; round = next()) {
        await wait(between(500, 2_500))
        await endServer('SIGKILL')
        await wait(between(0, 2_000))
        startServer()
      }
    } finally {
      isOver = true
    }
    await Promise.all(writers)
  })
  const published = await untilPublished()
  const reported = await changesAfter(start.cursor)
  assert.deepEqual(published.slice(1), reported)
  assert.equal(reported.length, acknowledged)
  context.diagnostic(`${acknowledged} changes, each published once`)
})

test('without NATS pushes are acknowledged; the lag is measured, and made up for', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  await endServer('SIGTERM')
  for (let count = 0; count < 20; count++) expectOk(await pushHotel('N1', `away ${count}`))
  await eventually('the lag is measured', minutes(2), async () => (await lag()) > 0)
  startServer()
  const published = await untilPublished()
  assert.equal(published.at(-1)?.hotelId, 'N1')
  await eventually('the lag is gone', minutes(2), async () => (await lag()) === 0)
})

test('a new epoch of the store is announced, and its changes follow', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const earlier = (await untilPublished()).length
  await transaction(fleet.db, beginEpoch)
  await eventually('it is announced', minutes(2), async () => (await messages()).length > earlier)
  expectOk(await pushHotel('N2', 'of the new epoch'))
  const later = (await untilPublished()).slice(earlier)
  assert.deepEqual(
    later.map(({ kind, hotelId }) => [kind, hotelId]),
    [
      ['restarted', undefined],
      ['hotel', 'N2'],
    ],
  )
})

test('foreign messages between the changes of a page change neither their order nor their number', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const rounds = roundsWithin({ full: 20, floor: 5, share: 0.005 })
  const earlier = await untilPublished()
  let count = 0
  const over = new AbortController()
  const others = onStream(async (manager) => {
    for (; !over.signal.aborted; count++) {
      await manager.jetstream().publish(subjects.replace('>', foreign), foreign)
      await wait(between(0, 30))
    }
  })
  for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
    const name = `beside foreign messages, ${round}`
    const pushed = hotels.flatMap((hotelId) => Array.from({ length: 10 }, () => pushHotel(hotelId, name)))
    for (const reply of await Promise.all(pushed)) expectOk(reply)
  }
  over.abort()
  await others
  const published = await untilPublished()
  assert.deepEqual(published.slice(earlier.length), await changesAfter(earlier.at(-1)?.cursor ?? ''))
  context.diagnostic(`${rounds.summary()}, ${count} foreign messages`)
})

test('a process that dies before it stores what was acknowledged leaves no gap and no duplicate', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  const earlier = await untilPublished()
  let acknowledged = 0
  for (let kills = 0; kills < 3; kills++) acknowledged += await pushUntilPublisherDies()
  const published = await untilPublished()
  assert.deepEqual(published.slice(earlier.length), await changesAfter(earlier.at(-1)?.cursor ?? ''))
  assert.equal(published.length - earlier.length, acknowledged)
})

/** Resolves with the number of pushes. */
async function pushUntilPublisherDies(): Promise<number> {
  const workers = (): number[] => fleet.services.flatMap(({ pid }) => workersOf(pid))
  await eventually('all processes run', minutes(2), () => workers().length === gateways * processes)
  const signalled = workers()
  for (const worker of signalled) process.kill(worker, 'SIGUSR2')
  let pushes = 0
  await eventually('the publisher dies', minutes(2), async () => {
    expectOk(await pushHotel('N3', `at ${performance.now()}`))
    pushes++
    return signalled.some((worker) => !workers().includes(worker))
  })
  return pushes
}

test('a change with more nights than a message can list is published without them', async (context) => {
  if (reason !== undefined) return context.skip(reason)
  expectOk(await supplier.post('/push/products', { hotelId: 'N4', products: [product('DBL', 'BAR')] }))
  const earlier = await untilPublished()
  const ari = Array.from({ length: 150 }, (_, item) => {
    const night = nightAhead(2 + 2 * item)
    return { roomId: 'DBL', startDate: night, endDate: night, inventory: 1 }
  })
  expectOk(await supplier.post('/push/ari', { hotelId: 'N4', ari }))
  expectOk(await pushHotel('N4', 'after many nights'))
  const published = (await untilPublished()).slice(earlier.length)
  const [change, ...others] = await changesAfter(earlier.at(-1)?.cursor ?? '')
  assert.equal(change?.nights?.length, ari.length)
  delete change.nights
  assert.deepEqual(published, [change, ...others])
})

for (const [what, password, serverAt] of [
  ['credentials', 'wrong-secret', () => port],
  ['an address', pass, () => 1],
] as const) {
  test(`${what} that NATS doesn't have: the log and the lag say so, without the password`, async (context) => {
    if (reason !== undefined) return context.skip(reason)
    const { address, drop } = await newTestDatabase()
    const db = openDatabase(address, openLog('silent'))
    const service = await startService({
      ...environOf(address),
      ARI_ROLES: 'gateway,worker',
      ARI_FEED_NATS: `nats://${user}:${password}@127.0.0.1:${serverAt()}`,
      LOG_LEVEL: 'trace',
    })
    const names = { supplier: 'wrong', channelManager: 'wrong' }
    const { apiKey } = await createKey(db, 'sandbox', { ...names, expiresAtMs: null, limits: {} })
    expectOk(await pushHotel('W1', 'W1', client(service.url, { 'x-api-key': apiKey })))
    const logged = (): boolean => service.output().includes('changes are not published to NATS')
    await eventually('it is logged', minutes(2), logged)
    await eventually('the lag is measured', minutes(2), async () => (await lag(service.url)) > 0)
    await service.end('SIGTERM')
    await db.close()
    await drop()
    assert.ok(!service.output().includes(password), service.output())
  })
}
