import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { testNow } from '../../test/stage/template.ts'

const gateway = await gatewayForTests()

const full = {
  hotelId: 'H1',
  hotelName: 'Sea View Resort',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  countryCodeISO2: 'BR',
  city: 'SAO PAULO',
  email: 'desk@seaview.example',
  chainCode: 'SEA',
  latitude: -23.55,
  longitude: -46.633_308,
  address: ['Rua 1', ''],
  phone: { CountryAccessCode: '+55', phoneNumber: '11 5550' },
  timezone: 'America/Sao_Paulo',
}
const product = {
  roomId: 'DBL',
  roomType: 'Double',
  rateId: 'BAR',
  roomName: 'Double Room',
  rateName: 'Best Available Rate',
  isAvailable: true,
  occupancy: { maxOccupancy: 2 },
}

let suppliers = 0
const newSupplier = (): Promise<TestSupplier> => gateway.supplier(`get-hotels-${++suppliers}`)

const nowText = new Date(testNow).toISOString()

async function platformHotelId({ name }: TestSupplier): Promise<string> {
  const { rows } = await gateway.db.query<{ id: number }>(
    `select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1`,
    [name],
  )
  return String(rows[0]?.id)
}

describe('hotels read back', () => {
  test('are as pushed, with the values that the platform derived from them', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    const { status, body } = await supplier.post('/push/getHotels', { hotelIds: ['H1', 'H9'] })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      code: '200',
      message: 'Hotels retrieved successfully',
      hotels: [
        {
          ...full,
          platformHotelId: await platformHotelId(supplier),
          cityMatched: 'São Paulo',
          productCount: 0,
          lastAriAt: null,
          revision: 1,
          goLive: {
            hotels: { status: 'done', at: nowText },
            products: { status: 'missing' },
            taxes: { status: 'notNeeded' },
            ari: { status: 'missing' },
            availabilityWebhook: { status: 'missing' },
            pushbookWebhook: { status: 'missing' },
            ready: false,
          },
        },
      ],
      notFound: ['H9'],
    })
  })

  test('can be pushed back without changing anything', async () => {
    const supplier = await newSupplier()
    const plain = { ...full, timezone: undefined, city: undefined }
    await supplier.post('/push/hotels', [full, { ...plain, hotelId: 'H2' }])
    const read = await supplier.post('/push/getHotels', ['H1', 'H2'])
    const { body } = await supplier.post('/push/hotels', read.body['hotels'])
    assert.deepEqual([body['created'], body['updated'], body['unchanged']], [0, 0, 2])
  })

  test('come in the requested order, each once, also for a bare array', async () => {
    const supplier = await newSupplier()
    await supplier.post(
      '/push/hotels',
      ['A', 'B', 'C'].map((hotelId) => ({ ...full, hotelId })),
    )
    const asked = ['C', 'X', 'A', 'C', 'X', 'a']
    for (const request of [asked, { hotelIds: asked }]) {
      const { body } = await supplier.post('/push/getHotels', request)
      const hotels: { hotelId: string }[] = Array.isArray(body['hotels']) ? body['hotels'] : []
      assert.deepEqual(
        hotels.map(({ hotelId }) => hotelId),
        ['C', 'A'],
      )
      assert.deepEqual(body['notFound'], ['X', 'a'])
    }
  })

  test('of another supplier are not found', async () => {
    const [owner, supplier] = [await newSupplier(), await newSupplier()]
    await owner.post('/push/hotels', [full])
    const { status, body } = await supplier.post('/push/getHotels', ['H1'])
    assert.equal(status, 200)
    assert.deepEqual([body['hotels'], body['notFound']], [[], ['H1']])
  })
})

describe('the go-live checklist', () => {
  test('follows each step until the hotel is ready', async () => {
    const supplier = await newSupplier()
    const goLive = async (): Promise<Record<string, unknown>> => {
      const { body } = await supplier.post('/push/getHotels', ['H1'])
      const [hotel]: { goLive: Record<string, unknown> }[] = Array.isArray(body['hotels'])
        ? body['hotels']
        : []
      return hotel?.goLive ?? {}
    }
    const missing = async () => {
      const { ready, ...steps } = await goLive()
      const open = Object.entries(steps).flatMap(([step, state]) =>
        JSON.stringify(state).includes('missing') ? [step] : [],
      )
      assert.equal(ready, open.length === 0)
      return open
    }
    await supplier.post('/push/hotels', [full])
    assert.deepEqual(await missing(), ['products', 'ari', 'availabilityWebhook', 'pushbookWebhook'])
    await supplier.post('/push/products', { hotelId: 'H1', products: [product] })
    assert.deepEqual(await missing(), ['ari', 'availabilityWebhook', 'pushbookWebhook'])
    const ari = [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', price: 100, inventory: 1 }]
    await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
    assert.deepEqual(await missing(), ['availabilityWebhook', 'pushbookWebhook'])
    await supplier.post('/push/webhook/availability', { webhook: 'https://supplier.example/price' })
    assert.deepEqual(await missing(), ['pushbookWebhook'])
    await supplier.post('/push/webhook/pushbook', { webhook: 'https://supplier.example/book' })
    assert.deepEqual(await missing(), [])
    const tax = {
      type: 'VAT',
      valueType: '%',
      value: 10,
      appliedOn: 'net',
      appliedPer: 'per_room_per_night',
      included: true,
      payNow: true,
    }
    assert.equal((await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [tax] })).status, 200)
    assert.deepEqual(await goLive(), {
      hotels: { status: 'done', at: nowText },
      products: { status: 'done' },
      taxes: { status: 'done' },
      ari: { status: 'done', at: nowText },
      availabilityWebhook: { status: 'done' },
      pushbookWebhook: { status: 'done' },
      ready: true,
    })
  })
})

describe('the steps that the checklist counts as done', () => {
  const steps = async (supplier: TestSupplier, hotelIds: readonly string[] = ['H1']): Promise<unknown[]> => {
    const { body } = await supplier.post('/push/getHotels', hotelIds)
    const hotels: { goLive: Record<string, unknown>; lastAriAt: string | null }[] = Array.isArray(
      body['hotels'],
    )
      ? body['hotels']
      : []
    return hotels.map(({ goLive }) => [goLive['products'], goLive['ari']])
  }
  const done = { status: 'done' }
  const missing = { status: 'missing' }
  const since = { status: 'done', at: nowText }
  const at = (rateId: string, more: object = {}) => ({ ...product, rateId, ...more })
  const pushProducts = (supplier: TestSupplier, ...products: object[]) =>
    supplier.post('/push/products', { hotelId: 'H1', products })
  const pushAri = async (supplier: TestSupplier, item: object, pricingModel = 'unit', hotelId = 'H1') => {
    const pushed = { hotelId, pricingModel, ari: [{ roomId: 'DBL', rateId: 'BAR', ...item }] }
    assert.equal((await supplier.post('/push/ari', pushed)).status, 200)
  }
  const hotelAndProducts = async (...products: object[]): Promise<TestSupplier> => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    await pushProducts(supplier, ...products)
    return supplier
  }

  test('archived products are not done, nor is the ARI of archived products', async () => {
    const supplier = await hotelAndProducts(at('BAR'), at('NRF'))
    await pushAri(supplier, { date: '2027-04-01', price: 100 })
    assert.deepEqual(await steps(supplier), [[done, since]])
    await pushProducts(supplier, at('BAR', { isAvailable: false }))
    assert.deepEqual(await steps(supplier), [[done, missing]])
    await pushProducts(supplier, at('NRF', { isAvailable: false }))
    assert.deepEqual(await steps(supplier), [[missing, missing]])
    await pushProducts(supplier, at('BAR'))
    assert.deepEqual(await steps(supplier), [[done, since]])
  })

  test('prices of a former currency are not done until one is pushed again', async () => {
    const supplier = await hotelAndProducts(at('BAR'), at('NRF'))
    const nights = { startDate: '2027-03-01', endDate: '2027-12-31' }
    await pushAri(supplier, { ...nights, price: 100 })
    await pushAri(supplier, { ...nights, rateId: 'NRF', price: 90 })
    await supplier.post('/push/hotels', [{ ...full, currency: 'EUR' }])
    assert.deepEqual(await steps(supplier), [[done, missing]])
    // Neither restrictions nor switching back to the currency add a price.
    await pushAri(supplier, { ...nights, rateId: 'NRF', minLengthStay: 2 })
    await supplier.post('/push/hotels', [full])
    assert.deepEqual(await steps(supplier), [[done, missing]])
    await pushAri(supplier, { date: '2027-12-31', rateId: 'NRF', price: 90 })
    assert.deepEqual(await steps(supplier), [[done, since]])
  })

  test('only prices that somebody could pay count: from today on, for adults, within the occupancy', async () => {
    const supplier = await hotelAndProducts(at('BAR', { occupancy: { maxOccupancy: 2 } }))
    const adults = (guests: number, date: string, amount: number | null) =>
      pushAri(supplier, { date, amount, guests, ageCategory: 'adult' }, 'guest')
    await pushAri(supplier, { date: '2027-04-01', inventory: 5, minLengthStay: 2 })
    await adults(1, '2027-02-28', 100)
    await pushAri(supplier, { date: '2027-04-01', amount: 5, guests: 1, ageCategory: 'child' }, 'guest')
    assert.deepEqual(await steps(supplier), [[done, missing]])
    await adults(2, '2027-04-01', 110)
    assert.deepEqual(await steps(supplier), [[done, since]])
    await pushProducts(supplier, at('BAR', { occupancy: { maxOccupancy: 1 } }))
    assert.deepEqual(await steps(supplier), [[done, missing]])
    await adults(1, '2027-03-01', 100)
    assert.deepEqual(await steps(supplier), [[done, since]])
    await adults(1, '2027-03-01', null)
    assert.deepEqual(await steps(supplier), [[done, missing]])
  })

  test('the only price of a hotel is found behind hundreds of months without prices, and each hotel has its own', async () => {
    const supplier = await hotelAndProducts(...Array.from({ length: 20 }, (_, index) => at(`R${index}`)))
    const nights = { startDate: '2027-03-01', endDate: '2028-12-31' }
    for (let index = 0; index < 20; index++) {
      await pushAri(supplier, { ...nights, rateId: `R${index}`, price: 100, minLengthStay: 2 })
      await pushAri(supplier, { ...nights, rateId: `R${index}`, price: null })
    }
    await supplier.post('/push/hotels', [{ ...full, hotelId: 'H2' }])
    await supplier.post('/push/products', { hotelId: 'H2', products: [product] })
    assert.deepEqual(await steps(supplier, ['H1', 'H2']), [
      [done, missing],
      [done, missing],
    ])
    await pushAri(supplier, { date: '2028-12-31', rateId: 'R19', price: 100 })
    assert.deepEqual(await steps(supplier, ['H2', 'H1']), [
      [done, missing],
      [done, since],
    ])
    await pushAri(supplier, { date: '2027-03-01', price: 100 }, 'unit', 'H2')
    assert.deepEqual(await steps(supplier, ['H2', 'H1']), [
      [done, since],
      [done, since],
    ])
  })
})

describe('refused requests', () => {
  const tooMany = Array.from({ length: 501 }, (_, index) => `H${index}`)
  const refusals: [request: unknown, message: string, path: string][] = [
    [{}, 'hotelIds is required', '/hotelIds'],
    [{ hotelIds: 'H1' }, 'hotelIds must be an array', '/hotelIds'],
    [{ hotelIds: [] }, 'At least one hotelId is required', '/hotelIds'],
    [[], 'At least one hotelId is required', ''],
    [{ hotelIds: tooMany }, 'Maximum 500 hotels can be retrieved at a time', '/hotelIds'],
    [tooMany, 'Maximum 500 hotels can be retrieved at a time', ''],
    [['H1', 5], 'An element of the request body must be a string', '/1'],
    [{ hotelIds: ['H1', ''] }, 'An element of hotelIds must not be empty', '/hotelIds/1'],
    [{ hotelIds: ['a\0'] }, 'An element of hotelIds has characters that cannot be stored', '/hotelIds/0'],
    [['\ud800'], 'An element of the request body has characters that cannot be stored', '/0'],
    ['"H1"', 'Request body must be an object or an array', ''],
  ]
  for (const [request, message, path] of refusals) {
    test(`${JSON.stringify(request).slice(0, 40)}: ${message}`, async () => {
      const supplier = await newSupplier()
      const { status, body } = await supplier.post('/push/getHotels', request)
      assert.deepEqual([status, body['message']], [400, message])
      const errors: { path: string }[] = Array.isArray(body['errors']) ? body['errors'] : []
      assert.deepEqual(
        errors.map((error) => error.path),
        [path],
      )
    })
  }
})
