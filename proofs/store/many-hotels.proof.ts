import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { loadHotels, supplierName } from '../../bench/stage/hotel-load.ts'
import { dayMs, formatNight } from '../../src/base/calendar.ts'
import { overviewLimits } from '../../src/console-api/overview/contract.ts'
import { client, gatewayForTests, type TestClient, type TestGateway } from '../../test/stage/harness.ts'
import type { TestAddress } from '../../test/stage/postgres.ts'

/**
 * What lists of hotels read doesn't grow with the number of hotels. Measured in rows, so that no machine is too slow for
 * it: each statement of a page is explained as it runs.
 */

const hotels = 40_000
const rowsReadMax = {
  filters: 12_000,
  /** Without the names that a walk goes through in their index alone: up to 200,000, so all of these. */
  search: 8_000,
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
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

const grown = new Set(['hotel', 'hotel_search', 'room', 'rate', 'room_rate', 'ari_month', 'price_drift'])

type Counts = (node: PlanNode) => boolean

const ofGrown: Counts = (node) => grown.has(node['Relation Name'] ?? '')
const isWalk: Counts = (node) =>
  node['Node Type'] === 'Index Only Scan' && node['Index Name'] === 'hotel_search_by_name'

/** Rows of the tables that grow with the hotels. */
function rowsRead(node: PlanNode, counts: Counts): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = counts(node) ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan, counts), own)
}

/** The rows that all statements of a page read. */
async function readBy(
  path: string,
  { db: store } = gateway,
  caller = operator,
  counts = ofGrown,
): Promise<number> {
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
    if (plan) read += rowsRead(plan.Plan, counts)
  }
  return read
}

async function assertBounded(paths: readonly string[], most: number, counts = ofGrown): Promise<void> {
  const tooMuch: Record<string, number> = {}
  for (const path of paths) {
    const read = await readBy(path, gateway, operator, counts)
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
  const filtered = [
    'search=post&available=no',
    'search=villa&available=no',
    'search=villa&goLive=webhooks',
    'search=villa&goLive=ari',
    'search=villa&ari=none',
    'search=villa&endsBy=2027-03',
    'search=hotel&country=IS',
    'search=qqxyz&goLive=ready',
    'search=c4ca4&sort=stalest',
    'search=villa&sort=stalest',
    'search=villa&sort=nameLast',
  ]
  const paths = [
    ...words.map((typed) => `/hotels?search=${encodeURIComponent(typed)}`),
    ...filtered.map((query) => `/hotels?${query}`),
    '/search?text=qqxyz',
    '/search?text=villa',
  ]
  const butWalks: Counts = (node) => ofGrown(node) && !isWalk(node)
  await assertBounded(paths, rowsReadMax.search, butWalks)
  await assertBounded(paths, rowsReadMax.pass, isWalk)
  const rare = ['/hotels?search=qqxyz', '/hotels?search=c4ca4', '/hotels?search=kyoto+alameda+riva']
  await assertBounded(rare, 0, isWalk)
})

test('by whichever way, a search finds the hotels that have the words and pass the filters, in order, page by page', async () => {
  const words = ['ho', 'hotel', 'étoile', 'post', 'villa', 'villa nice', 'etoile zürich', 'c4ca4', 'qqxyz']
  const filters: Readonly<Record<string, string>> = {
    '': 'true',
    'available=no': 'not h.is_available',
    'ari=none': 'h.ari_at is null',
    'country=IS': `h.pushed ->> 'countryCodeISO2' = 'IS'`,
    'goLive=products': 'not h.is_offered',
  }
  const orders: Readonly<Record<string, string>> = {
    name: 's.name, s.hotel_id',
    nameLast: 's.name desc, s.hotel_id desc',
    newest: 's.hotel_id desc',
    stalest: 'h.ari_day, h.id',
  }
  let found = 0
  for (const typed of words) {
    for (const [filter, condition] of Object.entries(filters)) {
      for (const [sort, order] of Object.entries(orders)) {
        const { rows } = await gateway.db.query<{ id: number }>(
          `select h.id from hotel h join hotel_search s on s.hotel_id = h.id
           where ${condition} and s.words like all(
             select '%' || word || '%' from unnest(string_to_array(search_text($1), ' ')) as word)
           order by ${order} limit 100`,
          [typed],
        )
        const query = `search=${encodeURIComponent(typed)}&sort=${sort}&${filter}`
        const listed = await firstPages(query, 2)
        assert.deepEqual(
          listed,
          rows.map(({ id }) => id),
          query,
        )
        found += listed.length
      }
    }
  }
  assert.ok(found > 5_000, String(found))
})

async function firstPages(query: string, pages: number): Promise<number[]> {
  const ids: number[] = []
  let cursor: string | null = ''
  for (let page = 0; page < pages && cursor !== null; page++) {
    const { status, text } = await operator.get(`/hotels?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    assert.equal(status, 200, text)
    const answer: { hotels: { hotelId: number }[]; nextCursor: string | null } = JSON.parse(text)
    ids.push(...answer.hotels.map(({ hotelId }) => hotelId))
    cursor = answer.nextCursor
  }
  return ids
}

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
     select id, 1, 1, date '2027-06-01', currency, 1, 1, 1, 1, now(), 100, case when id % 100 = 0 then id end, now(), 1 from hotel`,
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
