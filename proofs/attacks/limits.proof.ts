import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { defaultLimits } from '../../src/keys/store.ts'
import { poolConnectionsMax } from '../../src/postgres/postgres.ts'
import {
  client,
  gatewayForTests,
  startGateway,
  type Reply,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from '../../test/stage/harness.ts'
import { holdHotel } from '../../test/stage/locks.ts'
import { minutes, until } from '../../test/stage/pace.ts'
import { rawConnection, type RawOutcome } from '../../test/stage/raw-http.ts'
import { expectOk, product, pushStoryHotel, storyHotel } from '../../test/stage/story.ts'

/** The requests that an overloaded or stopping service rejects, and their cost to other clients. */

const gateway = await gatewayForTests()
/** Takes 20 seconds of mere waiting: the other tests run meanwhile, on a gateway of their own. */
const trickled = trickle()
trickled.catch(() => {})

const inventory = (count: number, hotelId = 'H1') => ({
  hotelId,
  ari: [{ roomId: 'DBL', date: '2027-04-01', inventory: count }],
})

const portOf = ({ url }: TestGateway): number => Number(new URL(url).port)

/** The value of a metric. */
async function metric({ url }: { url: string }, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

type Counted = { statuses: Record<number, number>; done: Promise<void> }

/** Sends at once, and counts the replies as they arrive. */
function countReplies(sent: Promise<Reply>[]): Counted {
  const statuses: Record<number, number> = {}
  const count = async (one: Promise<Reply>): Promise<void> => {
    const { status, headers, body } = await one
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status !== 200)
      assert.deepEqual(
        [status, headers.get('retry-after'), body['message']],
        [503, '1', 'The service is overloaded'],
      )
  }
  return { statuses, done: Promise.all(sent.map(count)).then(() => {}) }
}

test('while a hotel is held up, 3,000 pushes find a bound: those over it get 503 at once, the others are applied', async (context) => {
  const unlimited = { requestsPerMinute: 0 }
  const keys = [
    await gateway.supplier('held up', unlimited),
    await gateway.supplier('held up', unlimited),
    await gateway.supplier('held up', unlimited),
  ]
  const [first] = keys
  assert.ok(first)
  const bystander = await gateway.supplier('bystander', unlimited)
  await pushStoryHotel(first)
  await pushStoryHotel(bystander)
  const letGo = await holdHotel(context, gateway.db, 'H1', first)

  // One key can take only half of the places; other keys continue to be served.
  const ofOne = countReplies(
    Array.from({ length: 1_500 }, (_, index) => first.post('/push/ari', inventory(index))),
  )
  await until(() => (ofOne.statuses[503] ?? 0) >= 500)
  const refusedAtOnce: Record<number, number> = { 503: 500 }
  assert.deepEqual(ofOne.statuses, refusedAtOnce)
  expectOk(await bystander.post('/push/hotels', [storyHotel({ hotelId: 'H2' })]))
  expectOk(await bystander.post('/push/getHotels', ['H1']))

  const ofOthers = countReplies(
    keys
      .slice(1)
      .flatMap((key) => Array.from({ length: 750 }, (_, index) => key.post('/push/ari', inventory(index)))),
  )
  await until(() => (ofOthers.statuses[503] ?? 0) >= 490)
  assert.deepEqual(Object.keys(ofOthers.statuses), ['503'])
  assert.ok((await metric(gateway, 'ari_commit_queue_depth')) <= 2_000)
  assert.equal((await fetch(`${gateway.url}/livez`)).status, 200)

  await letGo()
  await Promise.all([ofOne.done, ofOthers.done])
  const applied = (ofOne.statuses[200] ?? 0) + (ofOthers.statuses[200] ?? 0)
  const refused = (ofOne.statuses[503] ?? 0) + (ofOthers.statuses[503] ?? 0)
  assert.deepEqual([applied + refused, ofOne.statuses], [3_000, { 200: 1_000, 503: 500 }])
  const { rows } = await gateway.db.query<{ count: number }>(
    `select count(*)::int as count from push_log l join supplier s on s.id = l.supplier_id
     where s.name = 'held up' and l.kind = 'ari'`,
  )
  assert.equal(rows[0]?.count, applied)
  expectOk(await bystander.post('/push/ari', inventory(1)))
  await until(async () => (await metric(gateway, 'ari_requests_in_flight')) === 1)
})

/**
 * The outcome of a raw request: status, type of the first problem, Retry-After, and whether the connection is
 * closed.
 */
async function outcomeOf(sent: Promise<RawOutcome>): Promise<unknown[]> {
  const { replies, closed } = await sent
  const [reply] = replies
  const body = JSON.parse(String(reply?.body))
  return [reply?.status, body.errors?.[0]?.type, reply?.headers.get('retry-after'), closed]
}

test('a key whose bodies stall is out of room alone, and loses them; others are served meanwhile', async () => {
  const service = await gateway.second({ patience: 2 })
  const stalling = await service.supplier('stalling', { requestsPerMinute: 0 })
  const bystander = await service.supplier('next to stalling')
  await pushStoryHotel(bystander)
  const length = defaultLimits.bodyBytesMax
  const begun = Buffer.concat([
    Buffer.from(
      `POST /v1/push/ari HTTP/1.1\r\nhost: x\r\nx-api-key: ${stalling.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
    ),
    Buffer.alloc(length - 2, ' '),
  ])
  const connections = Array.from({ length: 25 }, () => rawConnection(portOf(service)))
  try {
    const all = connections.map((connection) =>
      outcomeOf(connection.exchange({ parts: [begun], repliesWanted: 1 })),
    )
    await Promise.race(all)
    for (let count = 1; count <= 5; count++) expectOk(await bystander.post('/push/ari', inventory(count)))
    const outcomes = await Promise.all(all)
    const kinds = new Set(outcomes.map((outcome) => JSON.stringify(outcome)))
    assert.deepEqual([...kinds].toSorted(), [
      '[408,"REQUEST_TIMEOUT",null,false]',
      '[503,"OVERLOADED","1",false]',
    ])
    const given = outcomes.filter(([status]) => status === 408).length
    assert.ok(given >= 6, `${given} bodies had room`)
    await until(() => connections.filter((connection) => !connection.isOpen()).length >= given)
  } finally {
    for (const connection of connections) connection.destroy()
  }
  expectOk(await stalling.post('/push/hotels', [storyHotel()]))
})

test('bodies count until their requests are answered: a key that holds its share is turned away, others are not', async (context) => {
  const holding = await gateway.supplier('holding', { requestsPerMinute: 0 })
  const bystander = await gateway.supplier('next to holding')
  await pushStoryHotel(holding)
  const letGo = await holdHotel(context, gateway.db, 'H1', holding)
  const body = gzipSync(JSON.stringify([storyHotel()]).padEnd(9 * 1024 * 1024))
  const push = () => holding.post('/push/hotels', body, { 'content-encoding': 'gzip' })
  const pushes = countReplies(Array.from({ length: 20 }, push))
  await until(() => pushes.statuses[503] === 13)
  const refusedOnly: Record<number, number> = { 503: 13 }
  assert.deepEqual(pushes.statuses, refusedOnly)
  expectOk(await bystander.post('/push/hotels', body, { 'content-encoding': 'gzip' }))
  await letGo()
  await pushes.done
  assert.deepEqual(pushes.statuses, { 200: 7, 503: 13 })
  expectOk(await push())
})

test('a body above the share of its key is read when nothing else of the key is held', async () => {
  const large = await gateway.supplier('large', { bodyBytesMax: 100 * 1024 * 1024 })
  const body = gzipSync(JSON.stringify([storyHotel()]).padEnd(70 * 1024 * 1024))
  // If the first were still counted, the second would exceed the share.
  for (let count = 1; count <= 2; count++)
    expectOk(await large.post('/push/hotels', body, { 'content-encoding': 'gzip' }))
})

test('pushes of one key to a hotel that is held up take few connections, and beyond 200 waiting get 503', async (context) => {
  const busy = await gateway.supplier('busy', { requestsPerMinute: 0 })
  const bystander = await gateway.supplier('next to busy')
  await pushStoryHotel(busy)
  await pushStoryHotel(bystander)
  const letGo = await holdHotel(context, gateway.db, 'H1', busy)
  const pushes = countReplies(
    Array.from({ length: 250 }, () =>
      busy.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR')] }),
    ),
  )
  await until(() => pushes.statuses[503] === 46)
  const refusedOnly: Record<number, number> = { 503: 46 }
  assert.deepEqual(pushes.statuses, refusedOnly)
  expectOk(await bystander.post('/push/getHotels', ['H1']))
  expectOk(await bystander.post('/push/hotels', [storyHotel()]))
  expectOk(await busy.post('/push/getHotels', ['H1']))
  assert.equal(await metric(gateway, 'ari_pool_waiting'), 0)
  await letGo()
  await pushes.done
  assert.deepEqual(pushes.statuses, { 200: 204, 503: 46 })
  expectOk(await busy.post('/push/hotels', [storyHotel()]))
})

test('pushes of many keys to hotels that are held up leave connections to reads, and a turn to whoever has none', async (context) => {
  const unlimited = { requestsPerMinute: 0 }
  const busy = await Promise.all(
    Array.from({ length: 6 }, (_, index) => gateway.supplier(`busy ${index}`, unlimited)),
  )
  const bystander = await gateway.supplier('next to many', unlimited)
  for (const supplier of [...busy, bystander]) await pushStoryHotel(supplier)
  const letGo = await Promise.all(busy.map((supplier) => holdHotel(context, gateway.db, 'H1', supplier)))
  const pushes = busy.map((supplier) =>
    countReplies(
      Array.from({ length: 10 }, () =>
        supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR')] }),
      ),
    ),
  )
  await until(async () => (await metric(gateway, 'ari_requests_in_flight')) === 61)
  for (const supplier of [bystander, ...busy]) expectOk(await supplier.post('/push/getHotels', ['H1']))
  expectOk(await bystander.post('/push/hotels', [storyHotel()]))
  assert.equal(await metric(gateway, 'ari_pool_waiting'), 0)
  for (const one of letGo) await one()
  for (const { statuses, done } of pushes) {
    await done
    assert.deepEqual(statuses, { 200: 10 })
  }
})

test('callers are known while every connection of the pool is taken', async (context) => {
  const newcomer = await gateway.supplier('newcomer')
  const taken = await Promise.all(Array.from({ length: poolConnectionsMax }, () => gateway.db.pool.connect()))
  let isGivenBack = false
  const giveBack = (): void => {
    if (!isGivenBack) for (const connection of taken) connection.release()
    isGivenBack = true
  }
  context.after(giveBack)
  expectOk(await newcomer.get('/push/limits'))
  giveBack()
})

test('clients that send slowly, or never read, harm no others, and get their answer when they finish', async () => {
  const slow = await gateway.supplier('slow', { requestsPerMinute: 0 })
  const healthy = await gateway.supplier('healthy', { requestsPerMinute: 0 })
  await pushStoryHotel(healthy)
  const body = JSON.stringify([storyHotel()])
  const head = ({ apiKey }: TestSupplier): string =>
    `host: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\n`
  const begunBy = (supplier: TestSupplier) =>
    Buffer.from(
      `POST /v1/push/hotels HTTP/1.1\r\n${head(supplier)}content-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
    )
  const begun = begunBy(slow)
  const unread = Buffer.from(`GET /v1/push/reference HTTP/1.1\r\n${head(slow)}\r\n`.repeat(200))
  const senders = Array.from({ length: 1_200 }, () => rawConnection(portOf(gateway)))
  const connections = [...senders, ...Array.from({ length: 20 }, () => rawConnection(portOf(gateway)))]
  const [last, ...others] = connections
  assert.ok(last)
  const begin = (connection: typeof last, parts: Buffer[]) =>
    connection.exchange({ parts, repliesWanted: 0, withinMs: 1 })
  try {
    await Promise.all(
      others.map((connection, index) => begin(connection, [index < senders.length - 1 ? begun : unread])),
    )
    await until(async () => (await metric(gateway, 'ari_requests_in_flight')) > 1_000)
    // This one ends before its time is over, and stays within what its key may have in flight.
    await begin(last, [begunBy(await gateway.supplier('slow, with an end'))])
    for (let count = 1; count <= 20; count++) {
      const { status, text } = await healthy.post('/push/ari', inventory(count))
      assert.equal(status, 200, text)
    }
    const { replies } = await last.exchange({ parts: [Buffer.from(body.slice(20))], repliesWanted: 1 })
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200],
    )
  } finally {
    for (const connection of connections) connection.destroy()
  }
  // A client that disconnected no longer counts.
  await until(async () => (await metric(gateway, 'ari_requests_in_flight')) === 1)
  expectOk(await slow.post('/push/hotels', [storyHotel()]))
})

test('while the service drains, pushes under way are applied and new requests get 503', async (context) => {
  const draining = await gateway.second()
  const supplier = await gateway.supplier('draining')
  await pushStoryHotel(supplier)
  const there = client(draining.url, { 'x-api-key': supplier.apiKey })
  const letGo = await holdHotel(context, gateway.db, 'H1', supplier)
  const underWay = Array.from({ length: 20 }, (_, index) => there.post('/push/ari', inventory(index + 1)))
  await until(async () => (await metric(draining, 'ari_requests_in_flight')) === 21)
  draining.app.drain()
  const { status, headers, body } = await there.post('/push/hotels', [storyHotel({ hotelId: 'H9' })], {
    'x-request-id': 'late',
  })
  const message = 'The service is shutting down'
  assert.deepEqual(
    [status, headers.get('retry-after'), headers.get('connection'), body],
    [
      503,
      '2',
      'close',
      {
        code: '503',
        message,
        requestId: 'late',
        errors: [
          {
            type: 'SHUTTING_DOWN',
            docUrl: '/docs/guides/errors#SHUTTING_DOWN',
            message,
            hint: 'Nothing was applied; send the same again after Retry-After',
          },
        ],
      },
    ],
  )
  assert.deepEqual(
    [(await fetch(`${draining.url}/readyz`)).status, (await fetch(`${draining.url}/livez`)).status],
    [503, 200],
  )
  await letGo()
  for (const { status: finished, text } of await Promise.all(underWay)) assert.equal(finished, 200, text)
  // The other process keeps running, and knows them all.
  const { body: held } = await supplier.post('/push/getHotels', ['H1', 'H9'])
  assert.deepEqual(held['notFound'], ['H9'])
  const { rows } = await gateway.db.query<{ count: number }>(
    "select count(*)::int as count from push_log where kind = 'ari' and hotel_code = 'H1' and supplier_id = (select id from supplier where name = 'draining')",
  )
  assert.equal(rows[0]?.count, 20)
})

/**
 * Sends a few bytes twice a second, without a pause until the connection is closed; returns the replies. Whoever gave it
 * all the time that it needs would get the whole body, which is no JSON.
 */
async function trickle(): Promise<RawOutcome['replies']> {
  const service = await startGateway({ patience: 1 })
  try {
    const { apiKey } = await service.supplier('trickling')
    const begun = `POST /v1/push/ari HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 500000\r\n\r\n`
    const parts = [Buffer.from(begun), ...Array.from({ length: 250 }, () => Buffer.alloc(2_000, ' '))]
    const connection = rawConnection(portOf(service))
    const { replies } = await connection.exchange({
      parts,
      pauseMs: 500,
      repliesWanted: 1,
      withinMs: minutes(10),
    })
    if (replies[0]?.status === 408) await until(() => !connection.isOpen())
    return replies
  } finally {
    await service.stop()
  }
}

test('a body that trickles is given up after its time, with the connection', async () => {
  const replies = await trickled
  assert.deepEqual(
    replies.map(({ status, headers }) => [status, headers.get('connection')]),
    [[408, 'close']],
  )
})

// Last: it delays everything that runs beside it.
test('while the event loop is late pushes get 503, and those who watch are answered; a patient service answers all', async () => {
  const usual = await gateway.second({ patience: 1 })
  const supplier = await usual.supplier('late')
  const patient = client(gateway.url, { 'x-api-key': supplier.apiKey })
  const limits = async (caller: TestClient): Promise<number> => (await caller.get('/push/limits')).status
  assert.deepEqual([await limits(supplier), await limits(patient)], [200, 200])
  // The measured delay is forgotten after half a second, and a slow machine may need that long to ask.
  let statuses: number[] = []
  while (statuses[0] !== 503) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
    await wait(1)
    const asked = [limits(supplier), limits(patient)]
    for (const path of ['/livez', '/readyz', '/metrics'])
      asked.push(fetch(`${usual.url}${path}`).then(({ status }) => status))
    statuses = await Promise.all(asked)
  }
  assert.deepEqual(statuses, [503, 200, 200, 200, 200])
  await until(async () => (await limits(supplier)) === 200)
})
