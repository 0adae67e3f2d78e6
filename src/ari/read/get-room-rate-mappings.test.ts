import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { testNow } from '../../../test/stage/template.ts'

const gateway = await gatewayForTests()

const hotel = {
  hotelId: 'H1',
  hotelName: 'Sea View Resort',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}
const product = {
  roomId: 'DBL',
  roomType: 'Double',
  rateId: 'BAR',
  roomName: 'Double Room',
  rateName: 'Best Available Rate',
  isAvailable: true,
  mealPlan: 'BB',
  occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
}
const plainProduct = {
  roomId: 'TWN',
  roomType: 'Twin',
  rateId: 'NRF',
  roomName: 'Twin Room',
  rateName: 'Non-refundable',
  isAvailable: true,
  occupancy: { maxOccupancy: 2 },
}

let suppliers = 0
async function newSupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`mappings-${++suppliers}`)
  await supplier.post('/push/hotels', [hotel])
  await supplier.post('/push/products', { hotelId: 'H1', products: [product, plainProduct] })
  return supplier
}

async function push(supplier: TestSupplier, line: Record<string, unknown>): Promise<void> {
  const ari = [{ roomId: 'DBL', rateId: 'BAR', ...line }]
  const reply = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
  assert.equal(reply.status, 200, reply.text)
}

/** The ARI members in the mapping of DBL and BAR. */
async function held(supplier: TestSupplier): Promise<unknown[]> {
  const { body } = await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' })
  assert.ok(Array.isArray(body['mappings']))
  const [first]: Record<string, unknown>[] = body['mappings']
  return [first?.['ariFrom'], first?.['ariTo'], first?.['status']]
}

describe('mappings', () => {
  test('have every room-rate with the supplier’s codes and the platform’s identifiers', async () => {
    const supplier = await newSupplier()
    await push(supplier, { startDate: '2027-04-15', endDate: '2027-06-02', price: 110, inventory: 3 })
    await supplier.post('/push/products', {
      hotelId: 'H1',
      products: [{ ...plainProduct, isAvailable: false }],
    })
    const { status, body } = await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' })
    const id = String(body['platformHotelId'])
    assert.equal(status, 200)
    assert.match(id, /^\d+$/)
    assert.deepEqual(body, {
      code: '200',
      message: 'Room and rate mappings retrieved successfully',
      hotelId: 'H1',
      platformHotelId: id,
      mappings: [
        {
          ...product,
          platformRoomId: `${id}-R1`,
          platformRateId: `${id}-P1`,
          pricingModel: 'unit',
          ariFrom: '2027-04-15',
          ariTo: '2027-06-02',
          lastAriAt: new Date(testNow).toISOString(),
          status: 'active',
        },
        {
          ...plainProduct,
          isAvailable: false,
          platformRoomId: `${id}-R2`,
          platformRateId: `${id}-P2`,
          mealPlan: null,
          pricingModel: null,
          ariFrom: null,
          ariTo: null,
          lastAriAt: null,
          status: 'archived',
        },
      ],
    })
  })

  test('a room-rate without values is no_ari, even if the room has inventory', async () => {
    const supplier = await newSupplier()
    assert.deepEqual(await held(supplier), [null, null, 'no_ari'])
    await push(supplier, { rateId: undefined, date: '2027-04-15', inventory: 3 })
    assert.deepEqual(await held(supplier), [null, null, 'no_ari'])
  })

  test('nights and whole months that were cleared again don’t count', async () => {
    const supplier = await newSupplier()
    await push(supplier, { startDate: '2027-04-01', endDate: '2027-09-30', price: 110 })
    await push(supplier, { startDate: '2027-04-01', endDate: '2027-06-10', price: null })
    await push(supplier, { startDate: '2027-07-05', endDate: '2027-09-30', price: null })
    assert.deepEqual(await held(supplier), ['2027-06-11', '2027-07-04', 'active'])
    await push(supplier, { startDate: '2027-04-01', endDate: '2027-09-30', price: null })
    assert.deepEqual(await held(supplier), [null, null, 'no_ari'])
  })

  test('the pricing model is that of the last price that was set, not of a superseded one', async () => {
    const supplier = await newSupplier()
    const model = async (): Promise<unknown> => {
      const { body } = await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' })
      return Array.isArray(body['mappings']) ? body['mappings'][0].pricingModel : undefined
    }
    const unit = { pricingModel: 'unit', prices: [{ amount: 110 }] }
    const guest = { pricingModel: 'guest', prices: [{ guests: 1, ageCategory: 'adult', amount: 90 }] }
    const send = async (sequence: number, date: string, line: object): Promise<unknown> => {
      const ari = [{ roomId: 'DBL', date, rates: [{ rateId: 'BAR', ...line }] }]
      const { body } = await supplier.post('/push/ari', { hotelId: 'H1', sequence, ari })
      return Object(body['summary']).cellsChanged
    }
    assert.deepEqual([await send(5, '2027-04-15', unit), await model()], [1, 'unit'])
    // The closure is new, the price comes too late.
    assert.deepEqual([await send(4, '2027-04-15', { ...guest, closed: true }), await model()], [1, 'unit'])
    assert.deepEqual([await send(4, '2027-04-16', guest), await model()], [1, 'guest'])
    assert.deepEqual(
      [await send(6, '2027-04-15', { ...unit, prices: null, closed: false }), await model()],
      [1, 'guest'],
    )
  })

  test('a hotel without products has none', async () => {
    const supplier = await gateway.supplier(`mappings-${++suppliers}`)
    await supplier.post('/push/hotels', [hotel])
    const { status, body } = await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' })
    assert.deepEqual([status, body['mappings']], [200, []])
  })
})

describe('refused requests', () => {
  test('an unknown hotel and another supplier’s hotel: the same 404', async () => {
    const supplier = await newSupplier()
    const owner = await gateway.supplier(`mappings-${++suppliers}`)
    await owner.post('/push/hotels', [{ ...hotel, hotelId: 'OWN' }])
    const [foreign, absent] = await Promise.all(
      ['OWN', 'GHO'].map((hotelId) =>
        supplier.post('/push/getRoomRateMappings', { hotelId }, { 'x-request-id': 'same' }),
      ),
    )
    assert.equal(foreign?.text.replaceAll('OWN', 'GHO'), absent?.text)
    assert.deepEqual(
      [foreign?.status, foreign?.body],
      [
        404,
        {
          code: '404',
          message: 'Hotel ID is not found',
          requestId: 'same',
          errors: [
            {
              type: 'HOTEL_NOT_FOUND',
              docUrl: '/docs/guides/errors#HOTEL_NOT_FOUND',
              message: 'Hotel ID is not found',
              path: '/hotelId',
              value: 'OWN',
              hint: 'Push the hotel with POST /push/hotels first',
            },
          ],
        },
      ],
    )
  })

  test('no hotelId', async () => {
    const supplier = await newSupplier()
    const { status, body } = await supplier.post('/push/getRoomRateMappings', {})
    assert.deepEqual([status, body['message']], [400, 'hotelId is required'])
  })
})
