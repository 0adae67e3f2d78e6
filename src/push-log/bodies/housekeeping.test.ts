import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  gatewayForTests,
  startGateway,
  type TestGateway,
  type TestSupplier,
} from '../../../test/stage/harness.ts'
import type { Database } from '../../postgres/postgres.ts'
import { deleteOldIdempotency, dropOldPartitions, preparePartitions } from './housekeeping.ts'

const gateway = await gatewayForTests()

const at = (instant: string): number => Date.parse(instant)
const hour = 3_600_000

async function partitionsOf({ db }: TestGateway): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'push_log'::regclass order by 1",
  )
  return rows.map(({ name }) => name)
}

async function daysHeld({ db }: TestGateway, supplier: TestSupplier): Promise<unknown[]> {
  const { rows } = await db.query<{ day: string; place: string }>(
    `select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as day, tableoid::regclass::text as place from push_log
     where key_id = $1 order by at`,
    [supplier.keyId],
  )
  return rows.map(({ day, place }) => [day, place])
}

async function push(supplier: TestSupplier, headers: Record<string, string> = {}): Promise<number> {
  const hotel = {
    hotelId: 'H1',
    hotelName: 'H',
    currency: 'USD',
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
  }
  return (await supplier.post('/push/hotels', [hotel], headers)).status
}

test('partitions for yesterday, today and 14 days ahead are created once, and move on by one every day', async () => {
  const fresh = await gatewayForTests({ now: '2027-03-01T23:59:59.999Z' })
  const names = await partitionsOf(fresh)
  assert.deepEqual(
    [names.length, names[0], names.at(-2), names.at(-1)],
    [17, 'push_log_2027_02_28', 'push_log_2027_03_15', 'push_log_rest'],
  )
  assert.deepEqual(await preparePartitions(fresh.db, at('2027-03-01T00:00:00Z')), [])
  assert.deepEqual(await preparePartitions(fresh.db, at('2027-03-02T00:00:00Z')), ['2027-03-16'])
  assert.deepEqual(await preparePartitions(fresh.db, at('2027-03-02T12:00:00Z')), [])
})

test('several processes may create them at once', async () => {
  const nowMs = at('2027-06-01T12:00:00Z')
  const made = await Promise.all(Array.from({ length: 6 }, () => preparePartitions(gateway.db, nowMs)))
  assert.equal(made.flat().length, 16)
  assert.equal(new Set(made.flat()).size, 16)
})

test('a partition created later has the indexes of the log', async () => {
  const { rows } = await gateway.db.query<{ parent: number; child: number }>(
    `select (select count(*)::int from pg_index where indrelid = 'push_log'::regclass) as parent,
       (select count(*)::int from pg_index where indrelid = 'push_log_2027_06_15'::regclass) as child`,
  )
  const [count] = rows
  assert.ok(count && count.parent > 0)
  assert.equal(count.child, count.parent)
})

test('pushes succeed at midnight UTC, and each partition has those of its day', async () => {
  const supplier = await gateway.supplier('midnight')
  for (const instant of [
    '2027-03-04T23:59:59.999Z',
    '2027-03-05T00:00:00.000Z',
    '2027-03-15T23:59:59.999Z',
  ]) {
    gateway.clock.set(instant)
    assert.equal(await push(supplier), 200)
  }
  assert.deepEqual(await daysHeld(gateway, supplier), [
    ['2027-03-04 23:59', 'push_log_2027_03_04'],
    ['2027-03-05 00:00', 'push_log_2027_03_05'],
    ['2027-03-15 23:59', 'push_log_2027_03_15'],
  ])
})

test('a missing partition refuses no push, and the partitions after it are still created', async () => {
  const fresh = await gatewayForTests()
  const supplier = await fresh.supplier('late')
  fresh.clock.set('2027-09-10T12:00:00Z')
  assert.equal(await push(supplier), 200)
  const made = await preparePartitions(fresh.db, fresh.clock.now())
  assert.deepEqual([made.length, made.includes('2027-09-10'), made.includes('2027-09-11')], [15, false, true])
  assert.equal(await push(supplier), 200)
  fresh.clock.set('2027-09-11T00:00:00Z')
  assert.equal(await push(supplier), 200)
  assert.deepEqual(await daysHeld(fresh, supplier), [
    ['2027-09-10 12:00', 'push_log_rest'],
    ['2027-09-10 12:00', 'push_log_rest'],
    ['2027-09-11 00:00', 'push_log_2027_09_11'],
  ])
  const { body } = await supplier.get('/push/log')
  assert.ok(Array.isArray(body['pushes']))
  assert.equal(body['pushes'].length, 3)
  const kept = await dropOldPartitions(fresh.db, at('2027-09-20T12:00:00Z'), 10)
  assert.equal(kept.rows, 2)
})

test('pushes are retained for the configured number of days, then their whole partition is dropped', async () => {
  const fresh = await gatewayForTests()
  const supplier = await fresh.supplier('old')
  for (const instant of ['2027-03-01T00:00:00Z', '2027-03-01T23:59:59Z', '2027-03-02T00:00:00Z']) {
    fresh.clock.set(instant)
    await push(supplier, { 'x-request-id': instant.slice(8, 13).replace('T', '-') })
  }
  const early = await dropOldPartitions(fresh.db, at('2027-05-30T23:59:59.999Z'), 90)
  assert.deepEqual(early, { days: ['2027-02-28'], forSize: [], postponed: [], rows: 0 })
  const after90 = await dropOldPartitions(fresh.db, at('2027-05-31T00:00:00Z'), 90)
  assert.deepEqual(after90, { days: ['2027-03-01'], forSize: [], postponed: [], rows: 0 })
  assert.equal((await daysHeld(fresh, supplier)).length, 1)
  assert.equal((await supplier.get('/push/log/01-00')).status, 404)
  assert.equal((await supplier.get('/push/log/02-00')).status, 200)
  assert.deepEqual(await dropOldPartitions(fresh.db, at('2027-05-31T00:00:00Z'), 90), {
    days: [],
    forSize: [],
    postponed: [],
    rows: 0,
  })
})

test('the oldest days are dropped while the log is larger than it may be, but never the present day', async () => {
  const fresh = await gatewayForTests()
  const supplier = await fresh.supplier('large')
  const days = ['2027-03-01', '2027-03-02', '2027-03-03']
  for (const day of days) {
    await preparePartitions(fresh.db, at(`${day}T12:00:00Z`))
    fresh.clock.set(`${day}T12:00:00Z`)
    for (let count = 0; count < 4; count++) {
      // Long and random, so that it is stored in the row, hardly compressed.
      const x = randomBytes(100_000).toString('base64')
      assert.equal((await supplier.post('/push/hotels', JSON.stringify({ x }))).status, 400)
    }
  }
  const nowMs = at('2027-03-03T18:00:00Z')
  const { rows } = await fresh.db.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from (
       select relid from pg_partition_tree('push_log') union select relid from pg_partition_tree('push_body_segment')
       union select 'push_body_batch'::regclass) as every`,
  )
  const all = rows[0]?.bytes ?? 0
  const none = { days: [], forSize: [], postponed: [], rows: 0 }
  assert.deepEqual(await dropOldPartitions(fresh.db, nowMs, 90, all), none)
  // The day before was prepared with the database, and is empty.
  assert.deepEqual((await dropOldPartitions(fresh.db, nowMs, 90, all - 300_000)).forSize, ['2027-03-01'])
  assert.deepEqual((await daysHeld(fresh, supplier)).length, 8)
  assert.deepEqual((await dropOldPartitions(fresh.db, nowMs, 90, 1)).forSize, ['2027-03-02'])
  assert.deepEqual((await daysHeld(fresh, supplier)).length, 4)
  assert.deepEqual(await dropOldPartitions(fresh.db, nowMs, 90, 1), none)
})

test('a day without pushes is not dropped for its size: the partition of yesterday would come back every hour', async () => {
  const fresh = await gatewayForTests()
  const nowMs = at('2027-03-03T18:00:00Z')
  const supplier = await fresh.supplier('today')
  fresh.clock.set('2027-03-03T12:00:00Z')
  await push(supplier)
  assert.deepEqual((await dropOldPartitions(fresh.db, nowMs, 90, 1)).forSize, [])
  fresh.clock.set('2027-03-02T12:00:00Z')
  await push(supplier)
  assert.deepEqual((await dropOldPartitions(fresh.db, nowMs, 90, 1)).forSize, ['2027-03-02'])
  assert.deepEqual(await preparePartitions(fresh.db, nowMs), ['2027-03-02', '2027-03-16', '2027-03-17'])
  assert.deepEqual((await dropOldPartitions(fresh.db, nowMs, 90, 1)).forSize, [])
})

test('a partition in use is dropped later, and pushes succeed meanwhile', async () => {
  const fresh = await startGateway()
  const reader = await fresh.db.pool.connect()
  try {
    const supplier = await fresh.supplier('busy')
    await push(supplier)
    await reader.query('begin')
    await reader.query('select count(*) from push_log')
    const nowMs = at('2027-03-13T00:00:00Z')
    const dropping = dropOldPartitions(fresh.db, nowMs, 10)
    assert.equal(await push(supplier), 200)
    const { days, postponed } = await dropping
    assert.deepEqual([days, postponed], [[], ['2027-02-28', '2027-03-01', '2027-03-02']])
    assert.deepEqual(await preparePartitions(fresh.db, nowMs), [])
    await reader.query('commit')
    assert.deepEqual((await dropOldPartitions(fresh.db, nowMs, 10)).days, postponed)
    assert.equal((await preparePartitions(fresh.db, nowMs)).length, 12)
  } finally {
    reader.release()
    await fresh.stop()
  }
})

test('answers stored for repeated requests are deleted after 24 hours, in batches', async () => {
  const fresh = await gatewayForTests()
  const supplier = await fresh.supplier('repeats')
  const nowMs = fresh.clock.now()
  assert.equal(await push(supplier, { 'idempotency-key': 'k1' }), 200)
  await manyRepeats(fresh.db, supplier.keyId, nowMs - hour, 12_345)
  assert.equal(await deleteOldIdempotency(fresh.db, nowMs + 23 * hour - 1), 0)
  assert.equal(await deleteOldIdempotency(fresh.db, nowMs + 23 * hour), 12_345)
  assert.equal((await supplier.post('/push/hotels', [], { 'idempotency-key': 'k1' })).status, 422)
  assert.equal(await deleteOldIdempotency(fresh.db, nowMs + 24 * hour), 1)
})

async function manyRepeats(db: Database, keyId: number, atMs: number, count: number): Promise<void> {
  await db.query(
    `insert into idempotency (key_id, idempotency_key, body_hash, at, status, answer)
     select $1, 'old ' || n, '', to_timestamp($2::float8 / 1000), 200, '' from generate_series(1, $3::int) as n`,
    [keyId, atMs, count],
  )
}
