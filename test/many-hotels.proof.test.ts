import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { loadHotels, supplierName } from '../bench/hotel-load.ts'
import { dayMs, formatNight } from '../src/base/calendar.ts'
import { overviewLimits } from '../src/console/overview/contract.ts'
import { client, gatewayForTests, type TestClient, type TestGateway } from './harness.ts'
import type { TestAddress } from './postgres.ts'

/**
 * What lists of hotels read doesn't grow with the number of hotels. Measured in rows, so that no machine is too slow for
 * it: each statement of a page is explained as it runs.
 */

const hotels = 40_000
/** A search goes through 10,000 names in order before it asks the index of parts of words. */
const rowsReadMax = {
  filters: 12_000,
  search: 30_000,
  pass: 1.1 * hotels,
  uses: 80_000,
  overview: 5_000,
  lacking: 500,
}

let address: TestAddress | undefined
const gateway = await gatewayForTests({ through: (database) => (address = database) })
let operator: TestClient
let largest = 0
let smallest = 0

before(async () => {
  assert.ok(address)
  await loadHotels(address, { hotels, months: 0 })
  operator = await operatorOf(gateway)
  const suppliers = await gateway.db.query<{ id: number; name: string }>('select id, name from supplier')
  largest = suppliers.rows.find(({ name }) => name === supplierName(1))?.id ?? 0
  smallest = suppliers.rows.find(({ name }) => name === supplierName(390))?.id ?? 0
})

async function operatorOf(service: TestGateway): Promise<TestClient> {
  const authorization = `Bearer ${await service.token('operator')}`
  return client(service.url, { authorization }, '/console/api')
}

type PlanNode = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

const grown = new Set(['hotel', 'hotel_search', 'room', 'rate', 'room_rate', 'ari_month', 'price_drift'])

/** Rows of the tables that grow with the hotels. */
function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = grown.has(node['Relation Name'] ?? '')
    ? (node['Actual Rows'] + removed) * node['Actual Loops']
    : 0
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), own)
}

/** The rows that all statements of a page read. */
async function readBy(path: string, { db: store } = gateway, caller = operator): Promise<number> {
  const statements: [unknown, unknown[]?][] = []
  const query = store.unhurried.query.bind(store.unhurried)
  const recorded = [store, store.unhurried].map((db) => {
    const original = db.query.bind(db)
    return mock.method(db, 'query', (...parameters: [unknown, unknown[]?]) => {
      statements.push(parameters)
      return Reflect.apply(original, db, parameters)
    })
  })
  try {
    const { status, text } = await caller.get(path)
    assert.equal(status, 200, text)
  } finally {
    for (const { mock: replaced } of recorded) replaced.restore()
  }
  assert.ok(statements.length > 0, path)
  let read = 0
  for (const [statement, values] of statements) {
    if (typeof statement !== 'string' || !/^\s*(?:select|with)/.test(statement)) continue
    const { rows } = await query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (analyze, timing off, format json) ${statement}`,
      values,
    )
    const [plan] = rows[0]?.['QUERY PLAN'] ?? []
    if (plan) read += rowsRead(plan.Plan)
  }
  return read
}

async function assertBounded(paths: readonly string[], most: number): Promise<void> {
  const tooMuch: Record<string, number> = {}
  for (const path of paths) {
    const read = await readBy(path)
    if (read > most) tooMuch[path] = read
  }
  assert.deepEqual(tooMuch, {})
}

test('pages with filters and orders read a part of the hotels', async () => {
  const filters = [
    '',
    'currency=ISK',
    'country=IS',
    'country=IS&currency=ISK',
    'country=XX',
    'available=no',
    'ari=some',
    'staleSince=2020-01-01',
    'staleSince=2027-01-19',
    'staleSince=2027-02-20',
    'endsBy=2027-02',
    'endsBy=2027-03',
    'goLive=products',
    'goLive=webhooks',
    'goLive=ready',
    'sort=stalest',
    'sort=ending',
    'sort=ending&ari=some',
    'sort=newest',
    ...[largest, smallest].flatMap((supplier) =>
      ['', 'sort=newest', 'sort=stalest', 'sort=ending', 'currency=ISK', 'goLive=ari', 'goLive=ready'].map(
        (query) => `supplierId=${supplier}&${query}`,
      ),
    ),
  ]
  await assertBounded(
    filters.map((query) => `/hotels?${query}`),
    rowsReadMax.filters,
  )
})

test('few hotels in the order of names are joined with all names, by one pass', async () => {
  await assertBounded(['/hotels?ari=none', '/hotels?goLive=ari'], rowsReadMax.pass)
})

test('searches by words read a part of the hotels, whether they find anything or not', async () => {
  const words = [
    'e',
    'qx',
    'ж',
    'hotel',
    'étoile zürich',
    'c4ca4',
    'qqxyz',
    'villa',
    'kyoto alameda riva',
    'H5999',
    '5999',
  ]
  await assertBounded(
    words.map((typed) => `/hotels?search=${encodeURIComponent(typed)}`),
    rowsReadMax.search,
  )
  await assertBounded(['/search?text=qqxyz', '/search?text=villa'], rowsReadMax.search)
})

test('of a supplier’s hotels, only those that lack ARI are read', async () => {
  const read = (supplier: number): Promise<number> => readBy(`/hotels?supplierId=${supplier}&goLive=ari`)
  const lacking = { inLargest: await read(largest), inSmallest: await read(smallest) }
  assert.ok(Math.max(...Object.values(lacking)) <= rowsReadMax.lacking, JSON.stringify(lacking))
  // Now all others lack it.
  await gateway.db.query('update hotel set ari_until_month = case when supplier_id = $1 then 32767 end', [
    largest,
  ])
  await gateway.db.unhurried.query('vacuum analyze hotel')
  const none = await read(largest)
  assert.ok(none <= rowsReadMax.lacking, String(none))
})

test('the other pages read a part of the hotels', async () => {
  await assertBounded(
    [
      '/suppliers',
      `/suppliers/${largest}`,
      `/sandbox/${largest}/hotels`,
      '/reference/use?list=roomTypes&key=Double',
    ],
    rowsReadMax.filters,
  )
  // Uses of each room type are counted up to 1,000, hotels of the overview too.
  await assertBounded(['/reference'], rowsReadMax.uses)
  await assertBounded(['/overview'], rowsReadMax.overview)
})

test('the overview reads a part of the hotels when most were closed long ago, and of the nights when most are sold out', async () => {
  const staleSince = Math.floor(gateway.clock.now() / dayMs) - overviewLimits.staleAfterDays
  // Three of four hotels were closed long ago, and the others got no ARI since the last day on which it isn't stale.
  await gateway.db.query(
    `update hotel set is_available = id % 4 = 0, ari_day = case when id % 4 = 0 then $1::int else $1::int - 100 end,
       ari_at = date '1970-01-01' + case when id % 4 = 0 then $1::int else $1::int - 100 end, ari_until_month = case when id % 4 = 0 then 32767 else 1 end`,
    [staleSince],
  )
  await gateway.db.query(
    `insert into price_drift (hotel_id, room_no, rate_no, night, currency, checks, differing, sold_out, largest, last_at,
       stored, live, since_at, since_revision)
     select id, 1, 1, date '2027-06-01', 'EUR', 1, 1, 1, 1, now(), 100, case when id % 100 = 0 then id end, now(), 1 from hotel`,
  )
  await gateway.db.unhurried.query('vacuum analyze hotel, price_drift')
  // For some seconds, a service repeats its overview.
  const other = await gateway.second()
  const caller = await operatorOf(other)
  const read = await readBy('/overview', other, caller)
  assert.ok(read <= rowsReadMax.overview, String(read))
  const { body } = await caller.get('/overview')
  const { stale, ending, drifting } = body
  assert.deepEqual(
    [stale, ending, JSON.parse(JSON.stringify(drifting)).nights],
    [
      { count: 0, isMore: false, since: formatNight(staleSince), hotels: [] },
      { count: 0, isMore: false, endsBy: '2027-04', hotels: [] },
      { count: hotels / 100, isMore: false },
    ],
  )
})
