import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import {
  client,
  gatewayForTests,
  type TestClient,
  type TestOperator,
  type TestSupplier,
} from '../../test/stage/harness.ts'
import { expectOk, pagesOf, pushStoryHotel } from '../../test/stage/story.ts'
import { dayMs, instantOf } from '../../src/base/calendar.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { archiveBodies } from '../../src/push-log/bodies/archive-bodies.ts'
import type { Archive } from '../../src/push-log/bodies/archive.ts'
import { preparePartitions } from '../../src/push-log/bodies/housekeeping.ts'
import { packBodies } from '../../src/push-log/bodies/pack-bodies.ts'

/**
 * The log of more than two years is searched without locking all of its days: each is a table with more than a dozen
 * indexes, and PostgreSQL has room for 64 locks for each of 100 connections (max_locks_per_transaction), 6,400 in all.
 */

const retainedDays = 800
const locksMax = 1_000
/** Packed bodies have partitions from yesterday to two days ahead. */
const daysOfOneCall = 4

const now = '2027-03-01T12:00:00Z'
const long = instantOf(Date.parse(now) - 600 * dayMs)
const objects = new Map<string, Buffer>()
let locksOfArchive = 0
const archive: Archive = {
  put: async (_folder, bytes) => {
    locksOfArchive = Math.max(locksOfArchive, await selectMostLocks())
    const name = `object ${objects.size}`
    objects.set(name, bytes)
    return name
  },
  read: async (name, { from, length }) =>
    (objects.get(name) ?? Buffer.alloc(0)).subarray(from, from + length),
  close: () => {},
}

const gateway = await gatewayForTests({ now, archive })
let supplier: TestSupplier
let viewer: TestOperator
let platform: TestClient
const night = '2027-04-20'
const pushNight = (price: number, requestId: string) =>
  supplier.post(
    '/push/ari',
    {
      hotelId: 'H1',
      pricingModel: 'unit',
      ari: [{ roomId: 'DBL', date: night, inventory: 1, rates: [{ rateId: 'BAR', price }] }],
    },
    { 'x-request-id': requestId },
  )

before(async () => {
  for (let day = retainedDays; day >= 0; day -= daysOfOneCall)
    await preparePartitions(gateway.db, gateway.clock.now() - day * dayMs)
  supplier = await gateway.supplier('years')
  viewer = await gateway.operator('viewer')
  const authorization = `Bearer ${await gateway.token('platform')}`
  platform = client(gateway.url, { authorization })
  gateway.clock.set(long)
  await pushStoryHotel(supplier)
  expectOk(await pushNight(100, 'long-ago-1'))
  gateway.clock.set(now)
  expectOk(await pushNight(110, 'just-now-1'))
})

/** The locks of the session that has the most in this database. */
async function selectMostLocks(): Promise<number> {
  const { rows } = await gateway.db.query<{ locks: number }>(
    `select count(*)::int as locks from pg_locks
     where database = (select oid from pg_database where datname = current_database())
     group by pid order by 1 desc limit 1`,
  )
  return rows[0]?.locks ?? 0
}

/** The answer to a request, and the most locks that one of its statements takes. */
async function withLocks<Answer>(request: () => Promise<Answer>): Promise<{ answer: Answer; locks: number }> {
  const statements: unknown[][] = []
  const recorded = [gateway.db, gateway.db.unhurried].map((db) => {
    const original = db.query.bind(db)
    return mock.method(db, 'query', (...parameters: unknown[]) => {
      statements.push(parameters)
      return Reflect.apply(original, db, parameters)
    })
  })
  const answer = await request()
  for (const { mock: replaced } of recorded) replaced.restore()
  let most = 0
  const connection = await gateway.db.connect({ statement_timeout: '0' })
  try {
    for (const [statement, values] of statements) {
      if (typeof statement !== 'string' || !/^\s*(?:select|with)/.test(statement)) continue
      await connection.query('begin')
      await connection.query(statement, Array.isArray(values) ? values : [])
      const { rows } = await connection.query<{ locks: number }>(
        'select count(*)::int as locks from pg_locks where pid = pg_backend_pid()',
      )
      await connection.query('rollback')
      most = Math.max(most, rows[0]?.locks ?? 0)
    }
  } finally {
    await connection.end()
  }
  return { answer, locks: most }
}

test('a push of years ago is found by its request id and by its number, and its traces from everywhere', async () => {
  const { rows } = await gateway.db.query<{ pushId: string; hotelId: number }>(
    `select id::text as "pushId", hotel_id as "hotelId" from push_log where request_text = 'long-ago-1'`,
  )
  const [{ pushId, hotelId } = { pushId: '', hotelId: 0 }] = rows
  const hotels = [{ supplier: supplier.name, hotelId: 'H1' }]
  const stay = { checkin: night, checkout: '2027-04-21', rooms: [{ adults: 2 }] }
  const requests: Readonly<Record<string, () => Promise<string>>> = {
    'of all suppliers': async () => expectOk(await viewer.get('/suppliers')).text,
    'by request id': async () => expectOk(await supplier.get('/push/log/long-ago-1')).text,
    'by an unknown request id': async () => (await supplier.get('/push/log/never-sent-1')).text,
    'by number': async () => expectOk(await viewer.get(`/pushes/${pushId}`)).text,
    'by the request id in the console': async () =>
      expectOk(await viewer.get('/pushes?requestId=long-ago-1')).text,
    'by the beginning of the request id': async () =>
      expectOk(await viewer.get('/search?text=long-ago')).text,
    'in the list of the hotel': async () => expectOk(await viewer.get(`/pushes?hotelId=${hotelId}`)).text,
    // A page that took long ends early, at a day that it names.
    'among all': async () => JSON.stringify(await pagesOf(viewer, '/pushes?limit=100')),
    'on the page of the hotel': async () => expectOk(await viewer.get(`/hotels/${hotelId}`)).text,
    'in the history of a night': async () =>
      expectOk(await viewer.get(`/hotels/${hotelId}/calendar/cell?room=DBL&rate=BAR&night=${night}`)).text,
    'as the reason of an offer that is missing': async () =>
      expectOk(await platform.post('/booking/offers', { hotels, ...stay, explain: true })).text,
  }
  const texts: Record<string, string> = {}
  const tooMany: Record<string, number> = {}
  for (const [way, request] of Object.entries(requests)) {
    const { answer, locks } = await withLocks(request)
    texts[way] = answer
    if (locks > locksMax) tooMany[way] = locks
  }
  assert.deepEqual(tooMany, {})
  const without = Object.entries(texts).flatMap(([way, text]) => (text.includes('long-ago-1') ? [] : [way]))
  assert.deepEqual(without, ['of all suppliers', 'by an unknown request id', 'on the page of the hotel'])
})

test('bodies of years ago are archived, and read from the archive', async () => {
  await packBodies(gateway.db, gateway.clock.now() + dayMs)
  const { locks } = await withLocks(() =>
    archiveBodies(
      { db: gateway.db, archive, telemetry: telemetry(), stopping: new AbortController().signal },
      gateway.clock.now(),
    ),
  )
  assert.equal(objects.size, 1)
  assert.ok(Math.max(locks, locksOfArchive) <= locksMax, `${locks} ${locksOfArchive}`)
  const { answer, locks: reading } = await withLocks(() => supplier.get('/push/log/long-ago-1'))
  assert.match(expectOk(answer).text, /"price":100/)
  assert.ok(reading <= locksMax, String(reading))
})
