import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestGateway, type TestSupplier } from '../../../test/stage/harness.ts'
import { untilWaiting } from '../../../test/stage/locks.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { transaction } from '../../postgres/transaction.ts'
import { dropOldPartitions } from './housekeeping.ts'
import { packBodies } from './pack-bodies.ts'

/** Bodies are packed some time after the push, and read back byte for byte before, meanwhile and after. */

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const bodyOf = (price: number): string =>
  `{"hotelId": "H1", "pricingModel":"unit", "ari": [{"roomId":"DBL","rateId":"BAR","date":"2027-03-10","price":${price}.50}]}`

async function opened(
  now = '2027-03-01T12:00:00Z',
): Promise<{ gateway: TestGateway; supplier: TestSupplier }> {
  const gateway = await gatewayForTests({ now })
  const supplier = await gateway.supplier('packed')
  await pushStoryHotel(supplier, { hotelId: 'H1' })
  await packBodies(gateway.db, gateway.clock.now() + hourMs)
  return { gateway, supplier }
}

/** Pushes one body after the other; returns them by request id. */
async function pushed(supplier: TestSupplier, ids: readonly string[]): Promise<Map<string, string>> {
  const bodies = new Map(ids.map((id, index) => [id, bodyOf(100 + index)]))
  for (const [id, body] of bodies) expectOk(await supplier.post('/push/ari', body, { 'x-request-id': id }))
  return bodies
}

async function assertReadable(supplier: TestSupplier, bodies: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, body] of bodies) {
    const { text } = expectOk(await supplier.get(`/push/log/${id}`))
    assert.ok(text.includes(`"body":${body},"answer":`), id)
  }
}

type Counts = { batches: number; segments: number; packed: number }

async function counts({ db }: TestGateway): Promise<Counts> {
  const { rows } = await db.query<Counts>(
    `select (select count(*)::int from push_body_batch) as batches, (select count(*)::int from push_body_segment) as segments,
       (select coalesce(sum(cardinality(batches)), 0)::int from push_body_segment) as packed`,
  )
  assert.ok(rows[0])
  return rows[0]
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

test('a body is read back byte for byte before and after it is packed, by the supplier and in the console', async () => {
  const { gateway, supplier } = await opened()
  const bodies = await pushed(supplier, names('r', 30))
  await assertReadable(supplier, bodies)
  const before = await counts(gateway)
  assert.equal(before.batches, 30)
  assert.equal(await packBodies(gateway.db, gateway.clock.now() + hourMs), 1)
  assert.deepEqual(await counts(gateway), {
    batches: 0,
    segments: before.segments + 1,
    packed: before.packed + 30,
  })
  await assertReadable(supplier, bodies)
  const viewer = await gateway.operator('viewer')
  const { pushes } = Object((await viewer.get('/pushes?limit=1')).body)
  const shown = await viewer.get(`/pushes/${pushes[0].pushId}/body`)
  assert.equal(shown.text, bodies.get('r-29'))
  const { rows } = await gateway.db.query<{ bytes: number }>(
    'select octet_length(bytes) as bytes from push_body_segment order by last_batch desc limit 1',
  )
  const sent = [...bodies.values()].join('').length
  assert.ok(Number(rows[0]?.bytes) < sent / 4, `${rows[0]?.bytes} of ${sent} bytes`)
})

test('what does not fill a segment waits for an hour; a segment has bodies of one day', async () => {
  const { gateway, supplier } = await opened('2027-03-01T23:30:00Z')
  const { segments } = await counts(gateway)
  const early = await pushed(supplier, names('early', 3))
  assert.equal(await packBodies(gateway.db, gateway.clock.now() + hourMs - 1), 0)
  gateway.clock.set('2027-03-02T00:10:00Z')
  const late = await pushed(supplier, names('late', 3))
  assert.equal(await packBodies(gateway.db, gateway.clock.now()), 1)
  assert.deepEqual((await counts(gateway)).batches, 3)
  assert.equal(await packBodies(gateway.db, gateway.clock.now() + hourMs), 1)
  assert.equal((await counts(gateway)).segments, segments + 2)
  await assertReadable(supplier, early)
  await assertReadable(supplier, late)
})

test('many bodies make several segments at once, and only what fills them is packed', async () => {
  const { gateway, supplier } = await opened()
  const { segments } = await counts(gateway)
  const padded = (id: number) => `${bodyOf(100 + id)}${' '.repeat(3_800)}`
  const bodies = new Map(Array.from({ length: 80 }, (_, index) => [`long-${index}`, padded(index)]))
  for (const [id, body] of bodies) expectOk(await supplier.post('/push/ari', body, { 'x-request-id': id }))
  assert.equal(await packBodies(gateway.db, gateway.clock.now()), 2)
  const { batches, segments: after } = await counts(gateway)
  assert.ok(batches > 0 && batches < 32, `${batches} batches wait`)
  assert.equal(after, segments + 2)
  await assertReadable(supplier, bodies)
})

test('a crash between a segment and the deletion of its batches loses nothing and repeats nothing', async () => {
  const { gateway, supplier } = await opened()
  const before = await counts(gateway)
  const bodies = await pushed(supplier, names('r', 5))
  await gateway.db.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$;
    create trigger crash before delete on push_body_batch execute function fail()`)
  await assert.rejects(packBodies(gateway.db, gateway.clock.now() + hourMs), /crash/)
  assert.deepEqual(await counts(gateway), { ...before, batches: 5 })
  await assertReadable(supplier, bodies)
  await gateway.db.query('drop trigger crash on push_body_batch')
  assert.equal(await packBodies(gateway.db, gateway.clock.now() + hourMs), 1)
  assert.deepEqual(await counts(gateway), {
    batches: 0,
    segments: before.segments + 1,
    packed: before.packed + 5,
  })
  await assertReadable(supplier, bodies)
})

test('several processes pack each batch once, and pushes succeed meanwhile', async () => {
  const { gateway, supplier } = await opened()
  const { packed } = await counts(gateway)
  const bodies = await pushed(supplier, names('before', 20))
  const nowMs = gateway.clock.now() + hourMs
  const [during, ...made] = await Promise.all([
    pushed(supplier, names('during', 20)),
    ...Array.from({ length: 4 }, () => packBodies(gateway.db, nowMs)),
  ])
  assert.ok(made.reduce((sum, segments) => sum + segments) > 0)
  await packBodies(gateway.db, nowMs)
  assert.deepEqual(await counts(gateway).then(({ batches, packed: now }) => [batches, now]), [0, packed + 40])
  await assertReadable(supplier, new Map([...bodies, ...during]))
})

test('a push that commits after later ones were packed is read from a segment of its own', async () => {
  const { gateway, supplier } = await opened()
  await gateway.db.query(`
    create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(77); return new; end $$;
    create trigger wait_for_test before insert on push_log for each row when (new.request_text = 'slow')
      execute function wait_for_test()`)
  const { slow, others } = await transaction(gateway.db, async (holder) => {
    await holder.query('select pg_advisory_xact_lock(77)')
    const pushing = supplier.post('/push/hotels', hotels('H2'), { 'x-request-id': 'slow' })
    await untilWaiting(gateway.db, () => 1)
    const packed = await pushed(supplier, names('fast', 10))
    assert.equal(await packBodies(gateway.db, gateway.clock.now() + hourMs), 1)
    return { slow: { answer: pushing }, others: packed }
  })
  expectOk(await slow.answer)
  const more = await pushed(supplier, names('more', 10))
  assert.equal(await packBodies(gateway.db, gateway.clock.now() + hourMs), 1)
  assert.equal((await counts(gateway)).batches, 0)
  await assertReadable(supplier, new Map([...others, ...more, ['slow', hotels('H2')]]))
})

const hotels = (hotelId: string): string =>
  `[{"hotelId":"${hotelId}","hotelName":"H","currency":"USD","isAvailable":true,"minChildAge":3,"maxChildAge":12}]`

test('packed bodies leave with their day', async () => {
  const { gateway, supplier } = await opened('2027-03-01T12:00:00Z')
  await pushed(supplier, names('first', 3))
  await packBodies(gateway.db, gateway.clock.now() + dayMs)
  gateway.clock.set('2027-03-02T12:00:00Z')
  const second = await pushed(supplier, names('second', 3))
  await packBodies(gateway.db, gateway.clock.now() + dayMs)
  const { days } = await dropOldPartitions(gateway.db, Date.parse('2027-03-12T00:00:00Z'), 10)
  assert.deepEqual(days, ['2027-02-28', '2027-03-01'])
  assert.deepEqual(await counts(gateway), { batches: 0, segments: 1, packed: 3 })
  assert.equal((await supplier.get('/push/log/first-0')).status, 404)
  await assertReadable(supplier, second)
})
