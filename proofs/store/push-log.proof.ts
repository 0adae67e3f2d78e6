import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { gatewayForTests, type TestOperator, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk } from '../../test/stage/story.ts'
import { readBodiesOfPushes, selectAppliedPushes } from '../../src/push-log/read/store.ts'

/**
 * What a page of the push log reads doesn't grow with the log. Measured in buffers (8 KB each), so that no machine is too
 * slow for it: each statement of a page is explained as it runs.
 */

/** In one day; ARI_PROOF_PUSHES=10000000 takes a quarter of an hour. */
const pushesCount = Number(process.env['ARI_PROOF_PUSHES'] ?? 400_000)
/** One supplier has half of them, and one of its hotels a quarter; many suppliers share the rest. */
const suppliers = 40
/**
 * A supplier's search passes at most 2,500 rows; a page begins within a group of 16,384 ids, and reads the one before that too,
 * if it has too few rows. Besides, an index of every day is entered.
 */
const buffersMax = 2_500 + 16_384 / 4
/** Every supplier's rows of these groups. */
const buffersOfAllMax = 2 * 16_384 + 10 * suppliers * 17
/** At least ten rows are in a page of the table. */
const buffersOfGroupsMax = (2 * 16_384) / 10

const gateway = await gatewayForTests()
let busy: TestSupplier
let small: TestSupplier
let viewer: TestOperator
let busyHotel = 0

before(async () => {
  viewer = await gateway.operator('viewer')
  const all: TestSupplier[] = []
  for (let number = 0; number < suppliers; number++) all.push(await gateway.supplier(`s${number}`))
  const [first, second] = all
  assert.ok(first && second)
  busy = first
  small = second
  const hotels = ['A', 'B', 'C'].map((hotelId) => ({
    hotelId,
    hotelName: hotelId,
    currency: 'USD',
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }))
  for (const supplier of all) expectOk(await supplier.post('/push/hotels', hotels))
  const { rows } = await gateway.db.query<{ id: number }>(
    `select hotel.id from hotel join api_key using (supplier_id) where api_key.id = $1 and code = 'A'`,
    [busy.keyId],
  )
  busyHotel = rows[0]?.id ?? 0
  const client = await gateway.db.connect({ statement_timeout: '0' })
  try {
    // One in 1,000 is refused, one in ten has a warning, one in 100,000 has a rare one.
    await client.query(
      `insert into push_log (at, supplier_id, key_id, request_uuid, kind, hotel_id, hotel_code, outcome, problems, warnings,
         status, revision, cells_changed, duration_ms, body_bytes, body_encoding, body)
       select instant($1::float8) - (${pushesCount} - n) * interval '8 hours' / ${pushesCount}, key.supplier_id, key.id, gen_random_uuid(), 'ari',
         hotel.id, hotel.code, case when n % 1000 = 0 then 'rejected' else 'applied' end::push_outcome,
         case when n % 1000 = 0 then jsonb_build_array(1, jsonb_build_array('ROOM_NOT_FOUND'), 'x') end,
         case when n % 10 = 0 then jsonb_build_array(1, jsonb_build_array(case when n % 100000 = 0 then 'RARE' else 'COMMON' end), 'x') end,
         case when n % 1000 = 0 then 400 end, n, 1, 1, 200, 'identity', $3
       from generate_series(1, ${pushesCount}) as n
       join api_key as key on key.id = case when n % 2 = 0 then $2::int else $2::int + 1 + (n / 2 % ${suppliers - 1})::int end
       join hotel on hotel.supplier_id = key.supplier_id and hotel.code = case when n % 4 = 0 then 'A' when n % 3 = 0 then 'B' else 'C' end
       order by n`,
      [gateway.clock.now(), busy.keyId, Buffer.alloc(200)],
    )
    // As autovacuum does within minutes; before that, the planner takes a new day for a small one and may read it all.
    await client.query('vacuum analyze push_log')
  } finally {
    await client.end()
  }
})

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }

/** The buffers that all statements of a page read. */
async function readBy(page: () => Promise<unknown>): Promise<number> {
  const statements: [unknown, unknown[]?][] = []
  const query = gateway.db.unhurried.query.bind(gateway.db.unhurried)
  const recorded = [gateway.db, gateway.db.unhurried].map((db) => {
    const original = db.query.bind(db)
    return mock.method(db, 'query', (...parameters: [unknown, unknown[]?]) => {
      statements.push(parameters)
      return Reflect.apply(original, db, parameters)
    })
  })
  try {
    await page()
  } finally {
    for (const { mock: replaced } of recorded) replaced.restore()
  }
  assert.ok(statements.length > 0)
  let read = 0
  for (const [statement, values] of statements) {
    if (typeof statement !== 'string' || !/^\s*(?:select|with)/.test(statement)) continue
    const { rows } = await query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, buffers, timing off, format json) ${statement}`,
      values,
    )
    const [explained] = rows[0]?.['QUERY PLAN'] ?? []
    if (explained) read += explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks']
  }
  return read
}

async function assertBounded(
  get: (path: string) => Promise<unknown>,
  paths: readonly string[],
  most = buffersMax,
): Promise<void> {
  const read: Record<string, number> = {}
  for (const path of paths) read[path] = await readBy(() => get(path))
  const tooMuch = Object.entries(read).filter(([, buffers]) => buffers > most)
  assert.deepEqual(tooMuch, [])
}

const ok =
  (from: { get: TestSupplier['get'] }) =>
  async (path: string): Promise<Record<string, unknown>> =>
    expectOk(await from.get(path)).body

test('a page of a busy and of a small supplier, by hotel, outcome and type', async () => {
  const queries = [
    '',
    'hotelId=A',
    'outcome=rejected',
    'problem=COMMON',
    'problem=RARE',
    'kind=products',
    'hotelId=A&problem=RARE',
  ]
  for (const supplier of [busy, small]) {
    await assertBounded(
      ok(supplier),
      queries.map((query) => `/push/log?${query}`),
    )
    const { nextCursor } = await ok(supplier)('/push/log')
    await assertBounded(ok(supplier), [`/push/log?cursor=${String(nextCursor)}`])
  }
})

test('one push by its request id', async () => {
  const { pushes } = await ok(busy)('/push/log?limit=1')
  const [{ requestId }] = Array.isArray(pushes) ? pushes : []
  await assertBounded(ok(busy), [`/push/log/${requestId}`])
  await assertBounded(ok(viewer), [`/search?text=${String(requestId).slice(0, 12)}`])
})

test('the pages of the console', async () => {
  const { pushes } = await ok(viewer)('/pushes?limit=1')
  const [{ pushId, supplierId }] = Array.isArray(pushes) ? pushes : []
  const queries = [
    `supplierId=${supplierId}`,
    `hotelId=${busyHotel}`,
    'outcome=rejected',
    'status=400',
    `supplierId=${supplierId}&outcome=rejected`,
  ]
  await assertBounded(
    ok(viewer),
    queries.map((query) => `/pushes?${query}`),
  )
  await assertBounded(ok(viewer), ['/pushes', `/pushes/${pushId}`], buffersOfAllMax)
})

test('one push of a client that sends the same request id with every push', async () => {
  const requestId = '00000000-0000-4000-8000-000000000000'
  const client = await gateway.db.connect({ statement_timeout: '0' })
  try {
    await client.query(
      `insert into push_log (at, supplier_id, key_id, request_uuid, kind, hotel_id, hotel_code, outcome, revision, cells_changed,
         duration_ms, body_bytes, body_encoding, body)
       select instant($1::float8), supplier_id, id, $2, 'ari', $3, 'A', 'applied', ${pushesCount} + n, 1, 1, 200, 'identity', $4
       from generate_series(1, ${pushesCount}) as n join api_key on id = $5`,
      [gateway.clock.now(), requestId, busyHotel, Buffer.alloc(200), busy.keyId],
    )
    await client.query('vacuum analyze push_log')
  } finally {
    await client.end()
  }
  await assertBounded(ok(busy), [`/push/log/${requestId}`], buffersOfGroupsMax)
  const pushes = await selectAppliedPushes(gateway.db, [{ hotelId: busyHotel, revision: pushesCount + 1 }])
  assert.equal(pushes.length, 1)
  const read = await readBy(async () => {
    assert.equal((await readBodiesOfPushes(gateway.db, pushes)).size, 1)
  })
  assert.ok(read <= buffersOfGroupsMax, String(read))
})
