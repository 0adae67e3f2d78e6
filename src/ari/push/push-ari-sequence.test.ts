import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adult,
  bar,
  night,
  nights,
  outcomesOf,
  push,
  readAri,
  storySupplier,
  type Fields,
} from '../../../test/stage/scenes/ari.ts'
import { gatewayForTests, type Reply, type TestClient } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'

/** Sequences: the order of arrival does not matter. */

const gateway = await gatewayForTests()

test('sequence: each field keeps the value with the highest, regardless of the order of arrival', async () => {
  const supplier = await storySupplier(gateway)
  const send = (sequence: number | undefined, line: Fields, more: Fields = {}): Promise<Reply> =>
    push(supplier, night('2027-04-01', { rates: bar(line) }), {
      ...(sequence === undefined ? {} : { sequence }),
      ...more,
    })
  assert.deepEqual(outcomesOf(await send(10, { minLengthStay: 10, inventory: 10 })), ['applied 1'])
  const late = expectOk(await send(9, { minLengthStay: 9 }))
  assert.deepEqual(outcomesOf(late), ['superseded 0'])
  const [result] = Array.isArray(late.body['results']) ? late.body['results'] : []
  assert.deepEqual(
    result.warnings.map((warning: Fields) => [warning['type'], warning['message'], warning['path']]),
    [['SUPERSEDED', '1 night kept the values of a higher sequence', '/ari/0']],
  )
  assert.deepEqual(outcomesOf(await send(8, { minLengthStay: 8, maxLengthStay: 8 })), ['applied 1'])
  assert.deepEqual(outcomesOf(await send(10, { minLengthStay: 11 })), ['applied 1'])
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', {
      rates: bar({ inventory: 10, minLengthStay: 11, maxLengthStay: 8 }),
    }),
  ])
  // Without a sequence, arrival order counts and the remembered sequence stays.
  assert.deepEqual(outcomesOf(await send(undefined, { minLengthStay: 1 })), ['applied 1'])
  assert.deepEqual(outcomesOf(await send(9, { minLengthStay: 9 })), ['superseded 0'])
  assert.deepEqual(outcomesOf(await send(0, { maxStayArrival: 3 })), ['applied 1'])
  assert.deepEqual(outcomesOf(await send(Number.MAX_SAFE_INTEGER, { minLengthStay: 2 })), ['applied 1'])
  assert.deepEqual(outcomesOf(await send(10, { minLengthStay: 3 })), ['superseded 0'])
})

test('sequence: clears count too, even of prices that were never set', async () => {
  const supplier = await storySupplier(gateway)
  const send = (sequence: number, date: string, line: Fields, more: Fields = {}): Promise<Reply> =>
    push(supplier, night(date, { rates: bar(line) }), { sequence, ...more })
  // Cleared by null, by overlay and by the other model; then an older price arrives late.
  expectOk(await send(5, '2027-04-01', { prices: null }))
  expectOk(await send(5, '2027-04-02', { closed: true }, { mode: 'overlay' }))
  expectOk(await send(5, '2027-04-03', { price: 50 }, { pricingModel: 'unit' }))
  for (const date of ['2027-04-01', '2027-04-02', '2027-04-03']) {
    assert.deepEqual(outcomesOf(await send(4, date, { prices: [adult(2, 100)] })), ['superseded 0'], date)
    assert.deepEqual(
      outcomesOf(await send(4, date, { price: 70 }, { pricingModel: 'unit' })),
      ['superseded 0'],
      date,
    )
  }
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-02', '2027-04-02', { rates: bar({ closed: true }) }),
    nights('2027-04-03', '2027-04-03', { rates: bar({ prices: [{ amount: 50 }] }) }),
  ])
  // A newer guest price arrived first: the older unit price and the older clearing are not applied.
  expectOk(await send(7, '2027-04-04', { prices: [adult(2, 100)] }))
  assert.deepEqual(outcomesOf(await send(6, '2027-04-04', { price: 50 }, { pricingModel: 'unit' })), [
    'superseded 0',
  ])
  assert.deepEqual(outcomesOf(await send(6, '2027-04-04', {}, { mode: 'overlay' })), ['superseded 0'])
  assert.deepEqual(await readAri(supplier, '2027-04-04', '2027-04-04'), [
    nights('2027-04-04', '2027-04-04', { rates: bar({ prices: [adult(2, 100)] }) }),
  ])
})

test('sequence: a price is superseded by a newer price of the other model', async () => {
  const supplier = await storySupplier(gateway)
  const other = await gateway.supplier(supplier.name)
  const guest = night('2027-04-01', { rates: bar({ prices: [adult(2, 100)] }) })
  expectOk(await push(supplier, guest, { sequence: 5 }))
  expectOk(await push(other, night('2027-04-01', { rates: bar({ price: 50 }) }), { pricingModel: 'unit' }))
  // The first key's clearing of the unit price has sequence 5, so the same key's older push can't clear it
  // any more.
  const late = night('2027-04-01', { rates: bar({ prices: [adult(1, 90)] }) })
  assert.deepEqual(outcomesOf(await push(supplier, late, { sequence: 3 })), ['superseded 0'])
  // The other way round: a newer sequence keeps the guest price, which was pushed without one.
  expectOk(
    await push(supplier, night('2027-04-02', { rates: bar({ prices: [adult(2, null)] }) }), { sequence: 5 }),
  )
  expectOk(await push(supplier, night('2027-04-02', { rates: bar({ prices: [adult(2, 100)] }) })))
  const unit = night('2027-04-02', { rates: bar({ price: 70 }) })
  assert.deepEqual(outcomesOf(await push(supplier, unit, { sequence: 3, pricingModel: 'unit' })), [
    'superseded 0',
  ])
  const ari = await readAri(supplier)
  assert.deepEqual(ari, [
    nights('2027-04-01', '2027-04-01', { rates: bar({ pricingModel: 'unit', prices: [{ amount: 50 }] }) }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ prices: [adult(2, 100)] }) }),
  ])
  assert.deepEqual(
    outcomesOf(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari })),
    ['unchanged 0', 'unchanged 0'],
  )
})

test('sequences are separate for each key and hotel', async () => {
  const supplier = await storySupplier(gateway)
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  const other = await gateway.supplier(supplier.name)
  const send = (client: TestClient, sequence: number, inventory: number, hotelId = 'H1'): Promise<Reply> =>
    push(client, night('2027-04-01', { inventory }), { sequence, hotelId })
  assert.deepEqual(outcomesOf(await send(supplier, 100, 1)), ['applied 1'])
  assert.deepEqual(outcomesOf(await send(other, 1, 2)), ['applied 1'])
  assert.deepEqual(outcomesOf(await send(supplier, 99, 3)), ['superseded 0'])
  assert.deepEqual(outcomesOf(await send(other, 0, 3)), ['superseded 0'])
  assert.deepEqual(outcomesOf(await send(supplier, 1, 3, 'H2')), ['applied 1'])
})
