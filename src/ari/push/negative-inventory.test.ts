import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'

/** An overbooked hotel says how many units too many it has sold: it has none. */

let supplier: TestSupplier

const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
})

const nights = { startDate: '2027-04-01', endDate: '2027-04-02' }
const push = (...ari: object[]) =>
  supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', mode: 'delta', ari })

async function held(): Promise<unknown> {
  const { body } = expectOk(await supplier.post('/push/getAri', { hotelId: 'H1', ...nights }))
  return body['ari']
}

const below = (path: string, value: number) => ({
  type: 'NEGATIVE_INVENTORY',
  message: 'inventory is below zero: stored as 0, nothing is sold',
  path,
  value,
  hint: 'If that is how you say "overbooked", nothing needs to be done; otherwise send the units that are left',
})

test('an inventory below zero is 0, with a warning, and the rest of its item is applied', async () => {
  const rates = [{ rateId: 'BAR', price: 100, inventory: -4 }]
  expectOk(await push({ ...nights, roomId: 'DBL', inventory: 5, rates: [{ rateId: 'BAR', inventory: 3 }] }))
  const { body } = expectOk(await push({ ...nights, roomId: 'DBL', inventory: -2, rates }))
  const [{ status, warnings }] = Object(body['results'])
  assert.deepEqual(
    [status, warnings],
    ['applied', [below('/ari/0/inventory', -2), below('/ari/0/rates/0/inventory', -4)]],
  )
  assert.deepEqual(await held(), [
    {
      roomId: 'DBL',
      ...nights,
      inventory: 0,
      rates: [{ rateId: 'BAR', inventory: 0, prices: [{ amount: 100 }] }],
    },
  ])
})

test('in the flat form too, however far below zero it is; a fraction or a text is refused', async () => {
  for (const inventory of [-1, -100_000, Number.MIN_SAFE_INTEGER]) {
    expectOk(await push({ ...nights, roomId: 'DBL', inventory: 7 }))
    const { body } = expectOk(await push({ ...nights, roomId: 'DBL', rateId: 'NRF', price: 90, inventory }))
    const [{ warnings }] = Object(body['results'])
    assert.deepEqual(warnings, [below('/ari/0/inventory', inventory)])
    assert.equal(Object(await held())[0].inventory, 0)
  }
  for (const inventory of [-1.5, '-1'])
    assert.equal((await push({ ...nights, roomId: 'DBL', inventory })).status, 400)
})
