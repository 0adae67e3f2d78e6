import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** A search for something rare scans a limited number of rows per request; its cursor continues it. */

const rows = 30_000
const hotel = {
  hotelId: 'F',
  hotelName: 'Far',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}

let supplier: TestSupplier
let other: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('far')
  other = await gateway.supplier('other')
  for (const each of [supplier, other]) expectOk(await each.post('/push/hotels', [hotel]))
  // The newest row, one in the middle and the oldest have the problem; all rows of the other supplier have
  // it. One row in three has only this hotel, one has it among several, one has no hotel.
  await gateway.db.query(
    `insert into push_log (at, supplier_id, key_id, request_text, kind, hotel_id, hotel_ids, outcome, problems, status, cells_changed, duration_ms,
       body_bytes, body_encoding, answer_encoding, answer)
     select $1::timestamptz + n * interval '1 ms', key.supplier_id, key.id, 'n' || n, 'ari',
       case when n % 3 = 0 then hotel.id end, case when n % 3 = 1 then array[hotel.id] end, 'rejected',
       jsonb_build_array(1, jsonb_build_array(case when key.id = $3 or n in (1, $4 / 2, $4) then 'RARE' else 'COMMON' end), 'x'),
       400, 0, 0, 2, 'identity', 'identity', '{}'
     from generate_series(1, $4) as n cross join api_key as key join hotel using (supplier_id) where key.id = any(array[$2::int, $3::int]) order by n`,
    [new Date(gateway.clock.now() - rows).toISOString(), supplier.keyId, other.keyId, rows],
  )
})

type Page = { found: string[]; cursor: string | null }

async function pageOf(from: TestSupplier, query: string): Promise<Page> {
  const { pushes, nextCursor } = Object(expectOk(await from.get(`/push/log?${query}`)).body)
  return { found: Array.from(pushes).map((push) => Object(push).requestId), cursor: nextCursor }
}

async function pagesOf(query: string): Promise<Page[]> {
  const pages: Page[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = await pageOf(supplier, `${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    pages.push(page)
    cursor = page.cursor
  }
  return pages
}

/** Each page scans so few rows that passing all of them takes several pages. */
const pagesMin = 3

test('rare pushes come in pages with few or none, whose cursors lead to all of them', async () => {
  for (const query of [
    'problem=RARE',
    'problem=RARE&hotelId=F',
    'problem=RARE&hotelId=F&outcome=rejected&kind=ari',
  ]) {
    const pages = await pagesOf(query)
    assert.deepEqual(
      pages.flatMap(({ found }) => found),
      ['n30000', 'n15000', 'n1'],
      query,
    )
    assert.ok(pages.length >= pagesMin, query)
  }
})

test('a search for a type that never occurred ends, and so do other filters without matches', async () => {
  for (const query of [
    'problem=NEVER',
    'problem=NEVER&hotelId=F',
    'problem=COMMON&kind=taxes',
    'outcome=partial',
    'outcome=partial&hotelId=F',
    'problem=COMMON&outcome=partial',
  ]) {
    const pages = await pagesOf(query)
    assert.deepEqual(
      pages.flatMap(({ found }) => found),
      [],
      query,
    )
    assert.ok(pages.length >= pagesMin, query)
  }
})

test('common pushes fill their pages, each row once and in order', async () => {
  const pages = [await pageOf(supplier, 'problem=COMMON&limit=100')]
  for (let count = 1; count < 3; count++)
    pages.push(await pageOf(supplier, `problem=COMMON&limit=100&cursor=${pages.at(-1)?.cursor}`))
  assert.deepEqual(
    pages.flatMap(({ found }) => found),
    Array.from({ length: 300 }, (_, index) => `n${rows - 1 - index}`),
  )
})

test('a time range ends the search at its start', async () => {
  const instant = (n: number) => new Date(gateway.clock.now() - rows + n).toISOString()
  const range = `since=${instant(14_000)}&until=${instant(16_000)}`
  assert.deepEqual(
    (await pagesOf(`problem=RARE&${range}`)).flatMap(({ found }) => found),
    ['n15000'],
  )
})
