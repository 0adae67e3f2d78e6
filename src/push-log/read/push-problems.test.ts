import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import type { PushProblems } from '../contract.ts'

/** Lists of pushes show their problems, and filters find pushes by them. */

type Listed = { requestId: string; outcome: string; problems: PushProblems | null }

let supplier: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('problems', { ariItemsMax: 20_000 })
  await pushStoryHotel(supplier)
})

const good = { roomId: 'DBL', rateId: 'BAR', date: '2027-03-05', price: 110 }
const noRoom = { ...good, roomId: '"errors":[{"type":"MINE"' }
const noPrice = { ...good, price: -1 }

const push = (requestId: string, ari: readonly object[], more: object = {}) =>
  supplier.post(
    '/push/ari',
    { hotelId: 'H1', pricingModel: 'unit', ari, ...more },
    { 'x-request-id': requestId },
  )

const listed = (text: string): Listed[] => JSON.parse(text).pushes
const bySupplier = async (query = ''): Promise<Listed[]> =>
  listed(expectOk(await supplier.get(`/push/log?limit=200${query}`)).text)
const inConsole = async (query = ''): Promise<Listed[]> => {
  const viewer = await gateway.operator('viewer')
  return listed(expectOk(await viewer.get(`/pushes?limit=200${query}`)).text)
}

/** As seen by the supplier and in the console: request ids with the outcome and the problems. */
async function told(): Promise<Map<string, unknown>> {
  const short = (pushes: readonly Listed[]): [string, unknown][] =>
    pushes.map(({ requestId, outcome, problems }) => [
      requestId,
      problems ? [outcome, problems.count, problems.types, problems.message] : [outcome],
    ])
  const found = short(await bySupplier())
  assert.deepEqual(short(await inConsole(`&supplierId=1`)), found)
  return new Map(found)
}

test('the list summarizes the problems: their number, types and first message', async () => {
  await push('whole', [good])
  await push('part', [good, noRoom, noPrice, noRoom])
  await push('refused', [noRoom, noRoom])
  await push('atomic', [noRoom, good], { atomic: true })
  await push('dry', [good, noRoom], { dryRun: true })
  await push('many', [good, ...Array.from({ length: 250 }, () => noRoom)])
  await push('endless', [noRoom, ...Array.from({ length: 15_000 }, () => good)])
  await supplier.post('/push/hotels', [{}, {}], { 'x-request-id': 'hotels' })
  const unknown = [['ROOM_NOT_FOUND'], 'RoomID not found']
  const all = await told()
  assert.deepEqual(all.get('whole'), ['applied'])
  assert.deepEqual(all.get('part'), ['partial', 3, ['ROOM_NOT_FOUND', 'INVALID_AMOUNT'], 'RoomID not found'])
  assert.deepEqual(all.get('refused'), ['rejected', 2, ...unknown])
  assert.deepEqual(all.get('atomic'), ['rejected', 1, ...unknown])
  assert.deepEqual(all.get('dry'), ['dryRun', 1, ...unknown])
  assert.deepEqual(all.get('many'), ['partial', 250, ...unknown])
  assert.deepEqual(all.get('endless'), ['partial', 1, ...unknown])
  const [outcome, count, types, message] = Object.values(Object(all.get('hotels')))
  assert.deepEqual(
    [outcome, count, Object(types)[0], message],
    ['rejected', 12, 'HOTEL_ID_REQUIRED', 'hotelId is required'],
  )
})

describe('pushes are found by a type of problem', () => {
  const found = async (query: string): Promise<string[][]> =>
    [await bySupplier(query), await inConsole(query)].map((pushes) =>
      pushes.map(({ requestId }) => requestId),
    )

  test('not only the first of a push, newest first', async () => {
    await push('price-second', [noRoom, noPrice])
    await push('price-alone', [noPrice])
    const expected = ['price-alone', 'price-second', 'part']
    assert.deepEqual(await found('&problem=INVALID_AMOUNT'), [expected, expected])
  })

  test('together with other filters; one that nobody had finds none', async () => {
    assert.deepEqual(await found('&problem=INVALID_AMOUNT&outcome=partial'), [['part'], ['part']])
    assert.deepEqual(await found('&problem=NO_SUCH_TYPE'), [[], []])
    const { status } = await supplier.get(`/push/log?problem=${'x'.repeat(65)}`)
    assert.equal(status, 400)
  })

  test('of another supplier are not visible', async () => {
    const other = await gateway.supplier('other')
    assert.deepEqual(listed(expectOk(await other.get('/push/log?problem=ROOM_NOT_FOUND')).text), [])
  })
})

test('a message that quotes characters that the database cannot store is stored without them', async () => {
  for (const [requestId, key] of Object.entries({ nul: 'a\\u0000b', half: 'a\\ud800b' })) {
    const body = `[{"${key}":1,"${key}":2}]`
    const reply = await supplier.post('/push/hotels', body, { 'x-request-id': requestId })
    assert.equal(reply.status, 400)
  }
  const all = await told()
  assert.deepEqual(all.get('nul'), ['rejected', 1, ['DUPLICATE_KEY'], 'a b appears twice in one object'])
  assert.deepEqual(all.get('half'), [
    'rejected',
    1,
    ['DUPLICATE_KEY'],
    'a\ufffdb appears twice in one object',
  ])
})
