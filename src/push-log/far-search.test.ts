import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/harness.ts'
import { expectOk } from '../../test/story.ts'

/** A search of the push log by what is rare looks at so many rows a request, and goes on by its cursor. */

const rows = 30_000

let supplier: TestSupplier
let other: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('far')
  other = await gateway.supplier('other')
  // The newest, one in the middle and the oldest have the problem; the other supplier has it always.
  await gateway.db.query(
    `insert into push_log (at, supplier_id, key_id, request_id, kind, outcome, problems, status, body_bytes, body_encoding, answer_encoding, answer)
     select $1::timestamptz + n * interval '1 ms', key.supplier_id, key.id, 'n' || n, 'ari', 'rejected',
       jsonb_build_object('count', 1, 'message', 'x', 'types',
         jsonb_build_array(case when key.id = $3 or n in (1, $4 / 2, $4) then 'RARE' else 'COMMON' end)),
       400, 2, 'identity', 'identity', '{}'
     from generate_series(1, $4) as n cross join api_key as key where key.id = any(array[$2::int, $3::int]) order by n`,
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

test('what is rare comes in pages with few or none, whose cursors lead to all of it', async () => {
  const pages = await pagesOf('problem=RARE')
  assert.deepEqual(
    pages.map(({ found }) => found),
    [['n30000'], ['n15000'], ['n1']],
  )
})

test('what there is not ends, and so do other filters that nothing passes', async () => {
  for (const query of [
    'problem=NEVER',
    'problem=COMMON&kind=taxes',
    'outcome=partial',
    'problem=COMMON&outcome=partial',
  ]) {
    const pages = await pagesOf(query)
    assert.deepEqual(
      pages.map(({ found }) => found.length),
      [0, 0, 0],
      query,
    )
  }
})

test('what is common fills its pages, each row once and in order', async () => {
  const pages = [await pageOf(supplier, 'problem=COMMON&limit=100')]
  for (let count = 1; count < 3; count++)
    pages.push(await pageOf(supplier, `problem=COMMON&limit=100&cursor=${pages.at(-1)?.cursor}`))
  assert.deepEqual(
    pages.flatMap(({ found }) => found),
    Array.from({ length: 300 }, (_, index) => `n${rows - 1 - index}`),
  )
})

test('a range of time ends the search where it begins', async () => {
  const instant = (n: number) => new Date(gateway.clock.now() - rows + n).toISOString()
  const range = `since=${instant(14_000)}&until=${instant(16_000)}`
  assert.deepEqual(
    (await pagesOf(`problem=RARE&${range}`)).flatMap(({ found }) => found),
    ['n15000'],
  )
})
