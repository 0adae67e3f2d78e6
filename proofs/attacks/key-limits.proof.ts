import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { defaultLimits } from '../../src/keys/store.ts'
import { client, gatewayForTests, type TestGateway, type TestSupplier } from '../../test/stage/harness.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { runAri } from '../../test/stage/programs/programs.ts'
import { supplierDigests } from '../../test/stage/stored-state.ts'
import { expectOk, problemsOf, pushStoryHotel, storyHotel } from '../../test/stage/story.ts'

/** The limits of a key: its rate, the size of its bodies, and the items and nights of its pushes. */

const gateway = await gatewayForTests()

test('a key has its burst, then its rate; requests beyond it get the time of the next one', async () => {
  const { clock } = gateway
  const supplier = await gateway.supplier('sixty a minute', { requestsPerMinute: 60, requestsBurst: 3 })
  const ask = async () => {
    const { status, headers } = await supplier.get('/push/limits')
    return [status, headers.get('ratelimit'), headers.get('retry-after')]
  }
  assert.deepEqual(
    [await ask(), await ask(), await ask(), await ask(), await ask()],
    [
      [200, '"key";r=2;t=0', null],
      [200, '"key";r=1;t=0', null],
      [200, '"key";r=0;t=1', null],
      [429, '"key";r=0;t=1', '1'],
      [429, '"key";r=0;t=1', '1'],
    ],
  )
  const refused = await supplier.post('/push/hotels', [storyHotel()], { 'x-request-id': 'over' })
  assert.deepEqual(
    [refused.status, refused.headers.get('ratelimit-policy'), refused.body],
    [
      429,
      '"key";q=60;w=60;burst=3',
      {
        code: '429',
        message: 'Rate limit of 60 requests a minute exceeded',
        requestId: 'over',
        errors: [
          {
            type: 'RATE_LIMITED',
            docUrl: '/docs/guides/errors#RATE_LIMITED',
            message: 'Rate limit of 60 requests a minute exceeded',
            hint: 'Send the same again in 1 s; put several rooms and dates into one push',
          },
        ],
      },
    ],
  )
  clock.set('2027-03-01T12:00:01Z')
  assert.deepEqual(
    [await ask(), await ask()],
    [
      [200, '"key";r=0;t=1', null],
      [429, '"key";r=0;t=1', '1'],
    ],
  )
  clock.set('2027-03-01T13:00:00Z')
  assert.deepEqual(await ask(), [200, '"key";r=2;t=0', null])
  // Another key is unaffected.
  expectOk(await (await gateway.supplier('somebody else')).get('/push/limits'))
})

test('without a rate of its own a key has the default one; with --rate-limit 0 none', async () => {
  const { address } = gateway.db
  assert.ok('host' in address)
  const created = await runAri(
    environOf(address),
    'key',
    'create',
    '--supplier',
    'unlimited',
    '--rate-limit',
    '0',
  )
  assert.equal(created.code, 0, created.stderr)
  const unlimited = client(gateway.url, { 'x-api-key': JSON.parse(created.stdout).apiKey })
  const usual = await gateway.supplier('usual')
  const asked = defaultLimits.requestsBurst + 20
  const statuses: Record<string, number> = {}
  for (let sent = 0; sent < asked; sent += 20) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, async () => [
        await unlimited.get('/push/limits'),
        await usual.get('/push/limits'),
      ]),
    )
    for (const [one, other] of replies) {
      assert.equal(one?.headers.get('ratelimit'), null)
      for (const [name, reply] of [
        ['unlimited', one],
        ['usual', other],
      ] as const) {
        const key = `${name} ${reply?.status}`
        statuses[key] = (statuses[key] ?? 0) + 1
      }
    }
  }
  assert.deepEqual(statuses, {
    'unlimited 200': asked,
    'usual 200': defaultLimits.requestsBurst,
    'usual 429': 20,
  })
})

test('a body is counted after decompression, by the limit of its key', async () => {
  const bodyBytesMax = 4_096
  const small = await gateway.supplier('small bodies', { bodyBytesMax })
  const large = await gateway.supplier('large bodies')
  const bodyOf = (bytes: number): string => JSON.stringify([storyHotel()]).padEnd(bytes, ' ')
  const encodings = {
    identity: (body: string) => Buffer.from(body),
    gzip: gzipSync,
    br: (body: string) => brotliCompressSync(body),
    zstd: (body: string) => zstdCompressSync(body),
  }
  for (const [encoding, pack] of Object.entries(encodings)) {
    const push = (supplier: TestSupplier, bytes: number) =>
      supplier.post('/push/hotels', pack(bodyOf(bytes)), { 'content-encoding': encoding })
    expectOk(await push(small, bodyBytesMax))
    expectOk(await push(large, bodyBytesMax + 1))
    const before = await storedFor(gateway, small)
    for (const bytes of [bodyBytesMax + 1, 5_000_000]) {
      const { status, body } = await push(small, bytes)
      assert.deepEqual(
        [encoding, status, body['message']],
        [encoding, 413, 'Request body is larger than 4096 bytes'],
      )
    }
    const bomb = await push(large, defaultLimits.bodyBytesMax + 1)
    assert.deepEqual(
      [encoding, bomb.status, bomb.body['message']],
      [encoding, 413, 'Request body is larger than 10485760 bytes'],
    )
    assert.equal(await storedFor(gateway, small), before)
  }
  const unknown = await small.post('/push/hotels', bodyOf(500), { 'content-encoding': 'deflate' })
  assert.deepEqual(
    [unknown.status, problemsOf(unknown)],
    [415, [['content-encoding', 'UNSUPPORTED_ENCODING', 'Content-Encoding deflate is not supported']]],
  )
  const lie = await small.post('/push/hotels', bodyOf(500), { 'content-encoding': 'gzip' })
  assert.deepEqual([lie.status, lie.body['message']], [400, 'Request body could not be read'])
})

test('an ARI push has the items and the cells of its key, and is refused as a whole beyond', async () => {
  const supplier = await gateway.supplier('small pushes', { ariItemsMax: 2, ariCellsMax: 10 })
  await pushStoryHotel(supplier)
  const item = (startDate: string, endDate: string) => ({ roomId: 'DBL', startDate, endDate, inventory: 3 })
  const push = (...ari: unknown[]) => supplier.post('/push/ari', { hotelId: 'H1', ari })
  expectOk(await push(item('2027-04-01', '2027-04-05'), item('2027-05-01', '2027-05-05')))
  const before = await storedFor(gateway, supplier)
  const tooMany = await push(
    item('2027-06-01', '2027-06-01'),
    item('2027-06-02', '2027-06-02'),
    item('2027-06-03', '2027-06-03'),
  )
  assert.deepEqual(
    [tooMany.status, problemsOf(tooMany)],
    [400, [['/ari', 'TOO_MANY_ITEMS', 'ari must have at most 2 elements']]],
  )
  const tooLarge = await push(item('2027-06-01', '2027-06-06'), item('2027-07-01', '2027-07-05'))
  assert.equal(tooLarge.status, 400)
  assert.deepEqual(
    problemsOf(tooLarge).map((problem) => Array.isArray(problem) && problem[1]),
    ['TOO_MANY_CELLS'],
  )
  assert.equal(await storedFor(gateway, supplier), before)
})

async function storedFor({ db }: TestGateway, { name }: TestSupplier): Promise<string | undefined> {
  const { rows } = await db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const id = rows[0]?.id ?? 0
  return (await supplierDigests(db, [id])).get(id)
}
