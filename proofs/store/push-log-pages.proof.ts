import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startGateway, type TestGateway, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk } from '../../test/stage/story.ts'
import { testNow } from '../../test/stage/template.ts'
import { preparePartitions } from '../../src/push-log/bodies/housekeeping.ts'

/** Pages of the push log over weeks, with and without partitions for their days, with every filter. */

const dayMs = 86_400_000
const hourMs = 3_600_000
const nowMs = Date.parse(testNow)
/** Eight a day, including each midnight; the last few are in the future. */
const rowsCount = 45 * 8
const firstMs = Date.parse('2027-01-17T00:00:00Z')

type Row = {
  requestId: string
  atMs: number
  kind: string
  outcome: string
  problem: string | null
  warning: string | null
  hotels: ('A' | 'B')[]
}

const rows: readonly Row[] = Array.from({ length: rowsCount }, (_, n): Row => {
  const outcome = n % 3 === 0 ? 'rejected' : n % 7 === 0 ? 'partial' : 'applied'
  const problem = n % 40 === 0 ? 'RARE' : 'COMMON'
  return {
    requestId: `n${n}`,
    // One in five is at the last instant of the previous hour.
    atMs: firstMs + n * 3 * hourMs - (n % 5 === 0 ? 1 : 0),
    kind: n % 4 === 0 ? 'products' : 'ari',
    outcome,
    problem: outcome === 'applied' ? null : problem,
    warning: n % 11 === 0 ? 'UNKNOWN_FIELD' : null,
    hotels: n % 6 === 0 ? ['A', 'B'] : n % 2 === 0 ? ['A'] : n % 5 === 0 ? [] : ['B'],
  }
})

let gateway: TestGateway
let orderly: TestSupplier
let scattered: TestSupplier
before(async () => {
  gateway = await startGateway()
  for (const days of [17, 33]) await preparePartitions(gateway.db, nowMs - days * dayMs)
  orderly = await gateway.supplier('orderly')
  // Its clock was changed repeatedly, so the order of its numbers says nothing about its timestamps.
  scattered = await gateway.supplier('scattered')
  await keep(orderly, rows)
  await keep(
    scattered,
    rows.map((_row, index) => rows[(index * 7) % rowsCount]).filter((row) => row !== undefined),
  )
})
after(() => gateway.stop())

async function keep(supplier: TestSupplier, kept: readonly Row[]): Promise<void> {
  const hotels = ['A', 'B'].map((hotelId) => ({
    hotelId,
    hotelName: hotelId,
    currency: 'USD',
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }))
  expectOk(await supplier.post('/push/hotels', hotels))
  await gateway.db.query('delete from push_log where key_id = $1', [supplier.keyId])
  await gateway.db.query(
    `insert into push_log (at, supplier_id, key_id, request_text, kind, hotel_id, hotel_ids, outcome, problems, warnings, cells_changed,
       duration_ms, body_bytes, body_encoding, answer_encoding, answer)
     select to_timestamp("atMs"::float8 / 1000), key.supplier_id, key.id, "requestId", kind::push_kind,
       case when cardinality(ids) = 1 then ids[1] end, case when cardinality(ids) > 1 then ids end, outcome::push_outcome,
       case when problem is not null then jsonb_build_array(1, jsonb_build_array(problem), 'x') end,
       case when warning is not null then jsonb_build_array(1, jsonb_build_array(warning), 'x') end,
       0, 0, 2, 'identity', 'identity', '{}'
     from api_key as key
     cross join jsonb_to_recordset($2::jsonb)
       as kept ("requestId" text, "atMs" float8, kind text, outcome text, problem text, warning text, hotels jsonb, place int8)
     cross join lateral (
       select array(select id from hotel where supplier_id = key.supplier_id and hotels ? code) as ids
     ) as named
     where key.id = $1 order by place`,
    [supplier.keyId, JSON.stringify(kept.map((row, place) => ({ ...row, place })))],
  )
}

async function walk(supplier: TestSupplier, query: Record<string, string>): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const asked = new URLSearchParams({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    const { pushes, nextCursor } = Object(expectOk(await supplier.get(`/push/log?${asked.toString()}`)).body)
    assert.ok(Array.isArray(pushes) && pushes.length <= Number(query['limit']))
    found.push(...pushes.map((push) => String(Object(push).requestId)))
    assert.ok(found.length <= rowsCount, 'the pages come to an end')
    cursor = nextCursor
  }
  return found
}

const filters: readonly { query: Record<string, string>; isMeant: (row: Row) => boolean }[][] = [
  [
    { query: {}, isMeant: () => true },
    { query: { hotelId: 'A' }, isMeant: ({ hotels }) => hotels.includes('A') },
  ],
  [
    { query: {}, isMeant: () => true },
    ...['COMMON', 'RARE', 'UNKNOWN_FIELD', 'NEVER'].map((type) => ({
      query: { problem: type },
      isMeant: ({ problem, warning }: Row) => problem === type || warning === type,
    })),
  ],
  [
    { query: {}, isMeant: () => true },
    { query: { outcome: 'rejected' }, isMeant: ({ outcome }) => outcome === 'rejected' },
    { query: { kind: 'products' }, isMeant: ({ kind }) => kind === 'products' },
  ],
  [
    { query: {}, isMeant: () => true },
    {
      query: { since: '2027-01-20T15:00:00Z' },
      isMeant: ({ atMs }) => atMs >= Date.parse('2027-01-20T15:00:00Z'),
    },
    {
      query: { since: '2027-01-25', until: '2027-02-20T03:00:00Z' },
      isMeant: ({ atMs }) =>
        atMs >= Date.parse('2027-01-25T00:00:00Z') && atMs < Date.parse('2027-02-20T03:00:00Z'),
    },
  ],
]

let combined: (typeof filters)[number] = [{ query: { limit: '45' }, isMeant: () => true }]
for (const further of filters) {
  combined = combined.flatMap(({ query, isMeant }) =>
    further.map((other) => ({
      query: { ...query, ...other.query },
      isMeant: (row: Row) => isMeant(row) && other.isMeant(row),
    })),
  )
}

test('for any combination of filters, the pages have all matches, each once and in order', async () => {
  for (const { query, isMeant } of combined) {
    const expected = rows.filter(isMeant).map(({ requestId }) => requestId)
    assert.deepEqual(await walk(orderly, query), expected.toReversed(), JSON.stringify(query))
  }
})

test('a page may end anywhere', async () => {
  const expected = rows.map(({ requestId }) => requestId).toReversed()
  for (const limit of [1, 8, 55, 56, 57]) {
    assert.deepEqual(await walk(orderly, { limit: String(limit) }), expected, String(limit))
  }
})

test('no push is missed or repeated after a clock went back', async () => {
  const expected = rows.map(({ requestId }) => requestId).toSorted()
  for (const query of [{ limit: '1' }, { limit: '50' }, { limit: '7', problem: 'COMMON' }]) {
    const meant = new Set(
      rows
        .filter(({ problem }) => !('problem' in query) || problem === query.problem)
        .map(({ requestId }) => requestId),
    )
    const found = await walk(scattered, query)
    assert.deepEqual(
      found.toSorted(),
      expected.filter((requestId) => meant.has(requestId)),
      JSON.stringify(query),
    )
  }
})
