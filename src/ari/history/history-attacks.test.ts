import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { client, gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'
import { removePastMonths } from '../blocks/past-months.ts'

/** History, undo and digests as a careless or hostile supplier calls them. */

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>

let shops = 0
const shop = (): Promise<Shop> => openShop(gateway, `attack ${++shops}`)
const nights = { roomId: 'DBL', startDate: '2027-04-12', endDate: '2027-04-18' }
const range = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30' }
const digestRange = { hotelId: 'H1', from: '2027-04-01', to: '2029-03-01', level: 'day' }

/** Returns the revision. */
async function push({ supplier }: Shop, price: number, more: Fields = {}): Promise<number> {
  const ari = [{ ...nights, rates: [{ rateId: 'BAR', price }], ...more }]
  const reply = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
  return Number(expectOk(reply).body['revision'])
}

const ariOf = async ({ supplier }: Shop): Promise<unknown> =>
  expectOk(await supplier.post('/push/getAri', range)).body['ari']

const types = (reply: Reply): unknown[] => problemsOf(reply).map((problem) => Object(problem).slice(0, 2))

test('a moment with a wrong value has one problem', async () => {
  const { supplier } = await shop()
  for (const [member, type] of [
    [{ revision: -1 }, 'OUT_OF_RANGE'],
    [{ time: 5 }, 'WRONG_TYPE'],
  ] as const) {
    const [name] = Object.keys(member)
    const diff = expectStatus(await supplier.post('/push/getAriDiff', { hotelId: 'H1', from: member }), 400)
    assert.deepEqual(types(diff), [[`/from/${name}`, type]])
    const asOf = expectStatus(await supplier.post('/push/getAri', { ...range, asOf: member }), 400)
    assert.deepEqual(types(asOf), [[`/asOf/${name}`, type]])
  }
})

test('a cursor of another hotel, another list or other filters is refused', async () => {
  const stage = await shop()
  const { supplier } = stage
  for (const price of [1, 2, 3]) await push(stage, price)
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  const diff = { hotelId: 'H1', from: { revision: 0 }, limit: 1 }
  const cell = { hotelId: 'H1', roomId: 'DBL', rateId: 'BAR', date: '2027-04-12', limit: 1 }
  const cursorAt = async (path: string, body: object): Promise<unknown> =>
    expectOk(await supplier.post(path, body)).body['nextCursor']
  const [ofDiff, ofCell] = [
    await cursorAt('/push/getAriDiff', diff),
    await cursorAt('/push/getCellHistory', cell),
  ]
  const refused: [string, Fields][] = [
    ['/push/getAriDiff', { ...diff, hotelId: 'H2', cursor: ofDiff }],
    ['/push/getAriDiff', { ...diff, rateIds: ['BAR'], cursor: ofDiff }],
    ['/push/getAriDiff', { ...diff, cursor: ofCell }],
    ['/push/getCellHistory', { ...cell, cursor: ofDiff }],
    ['/push/getCellHistory', { ...cell, date: '2027-04-13', cursor: ofCell }],
  ]
  for (const [path, body] of refused)
    assert.deepEqual(types(expectStatus(await supplier.post(path, body), 400)), [
      ['/cursor', 'INVALID_CURSOR'],
    ])
  expectOk(await supplier.post('/push/getAriDiff', { ...diff, limit: 2, cursor: ofDiff }))
  expectOk(await supplier.post('/push/getCellHistory', { ...cell, limit: 2, cursor: ofCell }))
})

test('a cursor of digests belongs to a hotel, its dates and a level', async () => {
  const { supplier } = await shop()
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  const rateIds = Array.from({ length: 9 }, (_, number) => `R${number}`)
  const products = rateIds.map((rateId) => product('DBL', rateId))
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const rates = rateIds.map((rateId) => ({ rateId, closed: true }))
  const ari = [{ roomId: 'DBL', startDate: digestRange.from, endDate: digestRange.to, rates }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
  const { nextCursor: cursor } = expectOk(await supplier.post('/push/getAriDigest', digestRange)).body
  assert.equal(typeof cursor, 'string')
  for (const other of [{ hotelId: 'H2' }, { from: '2027-04-02' }, { level: 'month' }]) {
    const reply = await supplier.post('/push/getAriDigest', { ...digestRange, ...other, cursor })
    assert.deepEqual(types(expectStatus(reply, 400)), [['/cursor', 'INVALID_CURSOR']])
  }
  expectOk(await supplier.post('/push/getAriDigest', { ...digestRange, cursor }))
})

test('archived products: their changes are listed and undone, again and again, by any key of the account', async () => {
  const stage = await shop()
  const { supplier } = stage
  const first = await ariOf(stage)
  let revision = await push(stage, 1)
  const second = await ariOf(stage)
  const products = ['BAR', 'NRF'].map((rateId) => product('DBL', rateId, { isAvailable: false }))
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const digest = { ...digestRange, level: 'hotel' }
  const { hotel } = expectOk(await supplier.post('/push/getAriDigest', digest)).body
  const keys = [supplier, await gateway.supplier(supplier.name)]
  for (let round = 0; round < 6; round++) {
    const by = keys[round % 2] ?? supplier
    revision = Number(expectOk(await by.post('/push/undo', { hotelId: 'H1', revision })).body['revision'])
    assert.deepEqual(await ariOf(stage), round % 2 === 0 ? first : second)
  }
  assert.deepEqual(expectOk(await supplier.post('/push/getAriDigest', digest)).body['hotel'], hotel)
  const cell = { hotelId: 'H1', roomId: 'DBL', rateId: 'BAR', date: '2027-04-12' }
  const { changes } = expectOk(await supplier.post('/push/getCellHistory', cell)).body
  assert.deepEqual(
    Array.from(Object(changes), ({ by, before, after }: Fields) => [by, before, after]),
    [
      ...[1, 2, 3].flatMap(() => [
        ['undo', 100, 1],
        ['undo', 1, 100],
      ]),
      ['push', 100, 1],
      ['push', null, 100],
    ],
  )
})

test('months that are removed by now: nothing of them is undone, listed or read', async () => {
  const fresh = await gatewayForTests({ now: '2027-04-10T12:00:00Z' })
  const stage = await openShop(fresh, 'past', { startDate: '2027-04-10' })
  const { supplier } = stage
  const long = { endDate: '2027-08-18' }
  const first = await push(stage, 1, { ...long, inventory: 1 })
  const second = await push(stage, 2, { ...long, inventory: 2 })
  fresh.clock.set('2027-06-15T12:00:00Z')
  assert.ok((await removePastMonths(fresh.db, fresh.clock.now())) > 0)
  const early = { startDate: '2027-04-01', endDate: '2027-05-31' }
  const diff = { hotelId: 'H1', from: { revision: 0 }, ...early }
  assert.deepEqual(expectOk(await supplier.post('/push/getAriDiff', diff)).body['changes'], [])
  const past = { hotelId: 'H1', ...early, asOf: { revision: first } }
  assert.deepEqual(expectOk(await supplier.post('/push/getAri', past)).body['ari'], [])
  const body = { hotelId: 'H1', revision: second, fields: ['price', 'inventory'] }
  const { summary, changes } = expectOk(await supplier.post('/push/undo', body)).body
  // 63 nights of the room and 63 of the room-rate.
  assert.deepEqual(summary, { cellsChanged: 132, conflicts: 0, inventoryLeftOut: 0, pastNights: 126 })
  assert.deepEqual(
    Array.from(Object(changes), ({ startDate, endDate, after }: Fields) => [startDate, endDate, after]),
    [
      ['2027-06-14', '2027-08-18', 1],
      ['2027-06-14', '2027-08-18', 1],
    ],
  )
})

test('while the sandbox is reset, each request is answered from before or after it', async () => {
  const stage = await shop()
  const revision = await push(stage, 1)
  const { apiKey } = stage.supplier
  const second = client((await gateway.second()).url, { 'x-api-key': apiKey })
  const diff = { hotelId: 'H1', from: { revision: 0 } }
  const calls: [string, Fields][] = [
    ['/push/undo', { hotelId: 'H1', revision }],
    ['/push/undo', { hotelId: 'H1', revision, dryRun: true, onConflict: 'skip' }],
    ['/push/getAriDiff', diff],
    ['/push/getAri', { ...range, asOf: { revision } }],
    ['/push/getAriDigest', { ...digestRange, level: 'hotel' }],
  ]
  const [reset, ...replies] = await Promise.all([
    second.post('/push/sandbox/reset', {}),
    ...calls.map(([path, body]) => stage.supplier.post(path, body)),
    ...calls.map(([path, body]) => second.post(path, body)),
  ])
  expectOk(reset)
  for (const { status, text } of replies) assert.ok([200, 207, 404, 409].includes(status), text)
  // The hotel is a new one: nothing of the former can be undone or read.
  await pushStoryHotel(stage.supplier)
  const { type } = Object(
    expectStatus(await stage.supplier.post('/push/undo', { hotelId: 'H1', revision }), 410).body['errors'],
  )[0]
  assert.equal(type, 'HISTORY_EXPIRED')
})
