import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cityTax,
  heldTaxes,
  pushHotel,
  pushHotelWithProducts,
  pushPropertyTax,
  vat,
} from '../../test/stage/taxes/taxes.ts'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { taxWarnings } from './tax-warnings.ts'

const gateway = await gatewayForTests()

let suppliers = 0

async function supplierWithHotel(currency = 'USD'): Promise<TestSupplier> {
  return pushHotelWithProducts(await gateway.supplier(`taxes-${++suppliers}`), currency)
}

async function revision(supplier: TestSupplier): Promise<unknown> {
  const { body } = await supplier.post('/push/getHotels', ['H1'])
  assert.ok(Array.isArray(body['hotels']))
  return body['hotels'][0].revision
}

test('taxes of all four kinds of scope are saved and read back as pushed, each entry with the ids that are set', async () => {
  const supplier = await supplierWithHotel()
  const pushed = {
    hotelId: 'H1',
    taxes: [vat, cityTax],
    products: [
      { rateId: 'NRF', taxes: [{ ...vat, type: 'GOV_TAX', value: 0 }] },
      { roomId: 'DBL', taxes: [cityTax] },
      { roomId: 'DBL', rateId: 'BAR', taxes: [vat, vat] },
    ],
  }
  const revisionBefore = await revision(supplier)
  const saved = await supplier.post('/push/taxes', pushed, { 'x-request-id': 'first-taxes' })
  assert.equal(saved.status, 200)
  assert.deepEqual(saved.body, {
    code: '200',
    message: 'Taxes saved successfully',
    hotelId: 'H1',
    outcome: 'applied',
    scopesChanged: 4,
    revision: Number(revisionBefore) + 1,
    requestId: 'first-taxes',
    warnings: [
      {
        ...taxWarnings.typeRepeated,
        message: 'VAT is charged twice on the same nights: /products/2/taxes/0 applies to them too',
        path: '/products/2/taxes/1',
      },
    ],
  })
  assert.deepEqual(await heldTaxes(supplier), {
    code: '200',
    message: 'Taxes retrieved successfully',
    ...pushed,
  })
  assert.equal(await revision(supplier), Number(revisionBefore) + 1)
})

test('a hotel without taxes reads back as two empty lists, and posting them changes nothing', async () => {
  const supplier = await supplierWithHotel()
  const empty = await heldTaxes(supplier)
  assert.deepEqual([empty['taxes'], empty['products']], [[], []])
  const { body } = await supplier.post('/push/taxes', empty)
  assert.deepEqual([body['outcome'], body['scopesChanged']], ['unchanged', 0])
})

test('posting back what was read changes nothing, is reported and logged as unchanged, and raises no revision', async () => {
  const supplier = await supplierWithHotel('KWD')
  await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [
      { ...vat, value: '12.3456780' },
      { ...cityTax, value: '2.500' },
      { ...cityTax, value: 0.001 },
    ],
    products: [{ roomId: 'SGL', rateId: 'NRF', taxes: [{ ...vat, value: 0.000001 }] }],
  })
  const read = await heldTaxes(supplier)
  const revisionBefore = await revision(supplier)
  const { body } = await supplier.post('/push/taxes', read)
  assert.deepEqual(
    [body['outcome'], body['scopesChanged'], body['revision']],
    ['unchanged', 0, revisionBefore],
  )
  assert.deepEqual(await heldTaxes(supplier), read)
  const { body: log } = await supplier.get('/push/log?kind=taxes&hotelId=H1')
  assert.ok(Array.isArray(log['pushes']))
  assert.deepEqual(
    log['pushes'].map(({ outcome, revision: at }) => [outcome, at]),
    [
      ['unchanged', revisionBefore],
      ['applied', revisionBefore],
    ],
  )
})

test('a push replaces exactly the scopes in it: absent scopes stay unchanged, an empty list clears', async () => {
  const supplier = await supplierWithHotel()
  const pair = { roomId: 'DBL', rateId: 'BAR', taxes: [vat] }
  const room = { roomId: 'DBL', taxes: [cityTax] }
  const rate = { rateId: 'BAR', taxes: [vat] }
  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [vat], products: [pair, room, rate] })

  await supplier.post('/push/taxes', { hotelId: 'H1', products: [{ ...pair, taxes: [cityTax, vat] }] })
  const afterPair = await heldTaxes(supplier)
  assert.deepEqual(
    [afterPair['taxes'], afterPair['products']],
    [[vat], [rate, room, { ...pair, taxes: [cityTax, vat] }]],
  )
  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] })
  assert.deepEqual((await heldTaxes(supplier))['taxes'], [])
  assert.deepEqual((await heldTaxes(supplier))['products'], afterPair['products'])

  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [cityTax], products: [{ ...room, taxes: [] }] })
  const last = await heldTaxes(supplier)
  assert.deepEqual([last['taxes'], last['products']], [[cityTax], [rate, { ...pair, taxes: [cityTax, vat] }]])

  const { body } = await supplier.post('/push/taxes', { hotelId: 'H1', products: [] })
  assert.equal(body['outcome'], 'unchanged')
  assert.deepEqual(await heldTaxes(supplier), last)
})

test('unknown fields are ignored, and a value is the same as number and as text', async () => {
  const supplier = await supplierWithHotel()
  await pushPropertyTax(supplier, { ...vat, note: 'x', value: '10.50' })
  assert.deepEqual((await heldTaxes(supplier))['taxes'], [{ ...vat, value: 10.5 }])
  const { body } = await pushPropertyTax(supplier, { ...vat, value: 10.5 })
  assert.equal(body['outcome'], 'unchanged')
})

test('taxes of a room-rate may come before it is a product, as long as its room and its rate exist', async () => {
  const supplier = await supplierWithHotel()
  const products = [{ roomId: 'SGL', rateId: 'NRF', taxes: [vat] }]
  assert.equal((await supplier.post('/push/taxes', { hotelId: 'H1', products })).status, 200)
  assert.deepEqual((await heldTaxes(supplier))['products'], products)
})

test("another supplier's hotel is answered like an unknown one, for reads and writes", async () => {
  const owner = await supplierWithHotel()
  const stranger = await gateway.supplier('stranger')
  await pushPropertyTax(owner, vat)
  for (const [path, body] of [
    ['/push/taxes', { hotelId: 'H1', taxes: [] }],
    ['/push/getTaxes', { hotelId: 'H1' }],
  ] as const) {
    const same = { 'x-request-id': 'same' }
    const foreign = await stranger.post(path, body, same)
    const absent = await stranger.post(path, { ...body, hotelId: 'H9' }, same)
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text.replaceAll('H1', 'H9'), absent.text)
  }
  await pushHotel(stranger, 'JPY')
  await pushPropertyTax(stranger, { ...vat, value: 5 })
  assert.deepEqual((await heldTaxes(owner))['taxes'], [vat])
  assert.deepEqual((await heldTaxes(stranger))['taxes'], [{ ...vat, value: 5 }])
})

test('simultaneous pushes of one hotel are applied one after another: the final state is exactly one of them', async () => {
  const supplier = await supplierWithHotel()
  const bodies = Array.from({ length: 12 }, (_, index) => ({
    hotelId: 'H1',
    taxes: [
      { ...vat, value: index },
      { ...vat, value: index },
    ],
    products: [{ roomId: 'DBL', taxes: [{ ...vat, value: index }] }],
  }))
  const answers = await Promise.all(bodies.map((body) => supplier.post('/push/taxes', body)))
  const revisions = answers.map(({ body }) => Number(body['revision']))
  assert.equal(new Set(revisions).size, bodies.length)
  const winner = bodies[revisions.indexOf(Math.max(...revisions))]
  const { taxes, products } = await heldTaxes(supplier)
  assert.deepEqual({ hotelId: 'H1', taxes, products }, winner)
})
