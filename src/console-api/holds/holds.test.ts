import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests()
let shop: Shop
before(async () => {
  shop = await openShop(gateway)
  const rules = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
  expectOk(await shop.supplier.post('/push/guard', { rules, expiryHours: 24 }))
})

async function holdPrice(date: string): Promise<void> {
  gateway.clock.set(new Date(gateway.clock.now() + 1_000).toISOString())
  const ari = [{ roomId: 'DBL', date, rates: [{ rateId: 'BAR', price: 10 }] }]
  const { status } = await shop.supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
  assert.equal(status, 207)
}

async function priceOn(date: string): Promise<unknown> {
  const { body } = await shop.supplier.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date })
  return Object(body)['ari'][0].rates[0].prices[0].amount
}

type Listed = {
  holdId: string
  supplier: string
  hotelName: string
  currency: string | null
  rule: string
  resolvedBy: string
}

test('operators see what is held, release and discard it with an audit entry; a viewer may not', async () => {
  const [operator, viewer] = [await gateway.operator('operator'), await gateway.operator('viewer')]
  let reader = viewer
  const list = async (query = ''): Promise<Listed[]> =>
    Object(expectOk(await reader.get(`/holds?${query}`)).body).holds
  const overview = async () => Object(expectOk(await viewer.get('/overview')).body).holds
  for (const date of ['2027-04-10', '2027-04-11', '2027-04-12']) await holdPrice(date)
  assert.deepEqual(await overview(), { count: 3, isMore: false, hotels: 1 })
  const [third, second, first] = await list()
  assert.deepEqual(
    [first?.supplier, first?.hotelName, first?.currency, first?.rule],
    ['Acme', 'Sea View', 'USD', 'priceDrop'],
  )
  const { holds: page, nextCursor } = Object(expectOk(await viewer.get('/holds?limit=2')).body)
  const rest = await list(`limit=2&cursor=${nextCursor}`)
  assert.deepEqual([page.length, rest.map(({ holdId }) => holdId)], [2, [first?.holdId]])

  const path = (hold: Listed | undefined, action: string) => `/holds/${hold?.holdId}/${action}`
  for (const action of ['release', 'discard'])
    assert.equal((await viewer.post(path(first, action), {})).status, 403)
  const released = expectOk(await operator.post(path(first, 'release'), { reason: 'The hotel called' }))
  assert.deepEqual([released.body['cellsChanged'], await priceOn('2027-04-10')], [1, 10])
  assert.equal(expectOk(await operator.post(path(second, 'discard'), {})).body['discarded'], 1)
  assert.equal(await priceOn('2027-04-11'), 100)
  for (const action of ['release', 'discard'])
    assert.equal((await operator.post(path(second, action), {})).status, 409)
  assert.equal((await operator.post('/holds/hld_x/release', {})).status, 404)

  assert.deepEqual(
    (await list()).map(({ holdId }) => holdId),
    [third?.holdId],
  )
  assert.deepEqual(
    (await list('state=released')).map(({ resolvedBy }) => resolvedBy),
    ['platform'],
  )
  const { rows } = await gateway.db.query<{ action: string; after: unknown }>(
    `select action, after from audit_log where action like 'hold.%' order by id`,
  )
  assert.deepEqual(rows[0], {
    action: 'hold.release',
    after: { holdId: first?.holdId, reason: 'The hotel called' },
  })
  const log = await shop.supplier.get(`/push/log/${String(released.body['requestId'])}`)
  assert.deepEqual([Object(log.body)['push'].kind, Object(log.body)['push'].keyId], ['release', null])

  gateway.clock.set(new Date(gateway.clock.now() + 24 * 3_600_000).toISOString())
  reader = await gateway.operator('viewer')
  assert.deepEqual([await list(), (await list('state=expired')).length], [[], 1])
})
