import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'

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
  occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1, maxInfant: 1 },
  cancelPolicies: [
    {
      code: 'FLEX2',
      description: 'Free until two days before',
      startDate: '2027-01-01',
      cancelPenalties: [
        {
          noShow: false,
          cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
          penaltyCharge: { chargeBase: 'NightBase', nights: 1, percent: 100, amount: 0 },
        },
        { noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 80.5 } },
      ],
      fees: [{ name: 'Handling', valueType: 'fixed', value: '5.50', appliedPer: 'per_room_per_stay' }],
    },
  ],
}

let suppliers = 0
/** A supplier with only hotel H1. */
async function newSupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`products-${++suppliers}`)
  await supplier.post('/push/hotels', [hotel])
  return supplier
}

const push = (supplier: TestSupplier, ...products: unknown[]): Promise<Reply> =>
  supplier.post('/push/products', { hotelId: 'H1', products })

type Stored = { hotel: Record<string, unknown>[]; products: Record<string, unknown>[] }

/** The stored hotels, rooms and rates of the supplier. */
async function stored({ name }: TestSupplier): Promise<Stored> {
  const hotels = await gateway.db.query<Record<string, unknown>>(
    `select revision, catalog_version as "catalogVersion" from hotel join supplier on supplier.id = supplier_id
     where supplier.name = $1`,
    [name],
  )
  const products = await gateway.db.query<Record<string, unknown>>(
    `select room.code as "roomId", room.room_no as "roomNo", room.name as "roomName", room_type as "roomType",
       rate.code as "rateId", rate.rate_no as "rateNo", rate.name as "rateName", room_rate.is_available as "isAvailable",
       meal_plan as "mealPlan", max_occupancy as "maxOccupancy", max_adult as "maxAdult", max_child as "maxChild", max_infant as "maxInfant",
       cancel_policies as "cancelPolicies"
     from room_rate join room using (hotel_id, room_no) join rate using (hotel_id, rate_no)
       join hotel on hotel.id = hotel_id join supplier on supplier.id = supplier_id
     where supplier.name = $1 order by room_no, rate_no`,
    [name],
  )
  return { hotel: hotels.rows, products: products.rows }
}

const counts = ({ body }: Reply) => [body['created'], body['updated'], body['unchanged']]

describe('accepted pushes', () => {
  test('a full product is created and the answer is the specification’s', async () => {
    const supplier = await newSupplier()
    const { status, body } = await push(supplier, product)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      code: '200',
      message: 'Hotel rates & rooms saved successfully',
      hotelId: 'H1',
      revision: 2,
      requestId: body['requestId'],
      created: 1,
      updated: 0,
      unchanged: 0,
      warnings: [],
    })
    const { cancelPolicies, occupancy, ...plain } = product
    assert.deepEqual(await stored(supplier), {
      hotel: [{ revision: 2, catalogVersion: 2 }],
      products: [{ ...plain, ...occupancy, roomNo: 1, rateNo: 1, cancelPolicies }],
    })
  })

  test('only the required fields', async () => {
    const supplier = await newSupplier()
    const plain = { ...product, mealPlan: undefined, cancelPolicies: undefined }
    const { status } = await push(supplier, { ...plain, occupancy: { maxOccupancy: 1 } })
    assert.equal(status, 200)
    const [row] = (await stored(supplier)).products
    assert.deepEqual(
      [
        row?.['mealPlan'],
        row?.['maxOccupancy'],
        row?.['maxAdult'],
        row?.['maxChild'],
        row?.['cancelPolicies'],
      ],
      [null, 1, null, null, []],
    )
  })

  test('a cancel policy that has only fees, as the specification shows it', async () => {
    const supplier = await newSupplier()
    const fees = [{ name: 'Handling', valueType: '%', value: 2.5, appliedPer: 'per_person_per_night' }]
    const { status } = await push(supplier, { ...product, cancelPolicies: [{ fees }] })
    assert.equal(status, 200)
    assert.deepEqual((await stored(supplier)).products[0]?.['cancelPolicies'], [{ fees }])
  })

  test('unknown fields and channelManagerId are ignored: the key identifies the channel manager', async () => {
    const [supplier, other] = [await newSupplier(), await newSupplier()]
    const { status } = await supplier.post('/push/products', {
      channelManagerId: other.name,
      hotelId: 'H1',
      products: [
        { ...product, channelManagerId: 5, colour: 'blue', occupancy: { ...product.occupancy, beds: 2 } },
      ],
    })
    assert.equal(status, 200)
    assert.equal((await stored(supplier)).products.length, 1)
    assert.equal((await stored(other)).products.length, 0)
    assert.deepEqual(counts(await push(supplier, product)), [0, 0, 1])
  })

  test('rooms and rates get their numbers in the order sent and keep them', async () => {
    const supplier = await newSupplier()
    const pairs = [
      ['B', 'Y'],
      ['A', 'Y'],
      ['A', 'X'],
    ]
    await push(supplier, ...pairs.map(([roomId, rateId]) => ({ ...product, roomId, rateId })))
    await push(supplier, { ...product, roomId: 'C', rateId: 'X' }, { ...product, roomId: 'A', rateId: 'Z' })
    assert.deepEqual(
      (await stored(supplier)).products.map(({ roomId, roomNo, rateId, rateNo }) => [
        roomId,
        roomNo,
        rateId,
        rateNo,
      ]),
      [
        ['B', 1, 'Y', 1],
        ['A', 2, 'Y', 1],
        ['A', 2, 'X', 2],
        ['A', 2, 'Z', 3],
        ['C', 3, 'X', 2],
      ],
    )
  })
})

describe('pushing again', () => {
  test('the same state changes nothing and leaves the revision', async () => {
    const supplier = await newSupplier()
    await push(supplier, product, { ...product, rateId: 'NRF' })
    const held = await stored(supplier)
    const reply = await push(supplier, { ...product, rateId: 'NRF' }, product)
    assert.deepEqual([...counts(reply), reply.body['revision']], [0, 0, 2, 2])
    assert.deepEqual(await stored(supplier), held)
    const { rows } = await gateway.db.query<{ outcome: string; hotel_code: string; revision: number }>(
      `select outcome, hotel_code, revision from push_log join supplier on supplier.id = supplier_id
       where supplier.name = $1 and kind = 'products' order by push_log.id`,
      [supplier.name],
    )
    assert.deepEqual(rows, [
      { outcome: 'applied', hotel_code: 'H1', revision: 2 },
      { outcome: 'unchanged', hotel_code: 'H1', revision: 2 },
    ])
  })

  test('any one field is an update, and raises revision and catalog version once', async () => {
    const supplier = await newSupplier()
    await push(supplier, product)
    let revision = 2
    for (const change of [
      { roomType: 'Twin' },
      { roomName: 'Other' },
      { rateName: 'Other' },
      { isAvailable: false },
      { mealPlan: 'RO' },
      { occupancy: { ...product.occupancy, maxOccupancy: 4 } },
      { occupancy: { ...product.occupancy, maxAdult: 3 } },
      { occupancy: { ...product.occupancy, maxChild: undefined } },
      { occupancy: { ...product.occupancy, maxInfant: 0 } },
      { cancelPolicies: [] },
    ]) {
      const reply = await push(supplier, { ...product, ...change })
      assert.deepEqual(
        [...counts(reply), reply.body['revision']],
        [0, 1, 0, ++revision],
        JSON.stringify(change),
      )
      await push(supplier, product)
      revision++
    }
    assert.deepEqual((await stored(supplier)).hotel, [{ revision, catalogVersion: revision }])
  })

  test('an optional field that is left out is cleared; products that are not sent stay', async () => {
    const supplier = await newSupplier()
    await push(supplier, product, { ...product, rateId: 'NRF' })
    const plain = { ...product, mealPlan: undefined, cancelPolicies: undefined }
    assert.deepEqual(counts(await push(supplier, plain)), [0, 1, 0])
    assert.deepEqual(
      (await stored(supplier)).products.map(({ rateId, mealPlan, cancelPolicies }) => [
        rateId,
        mealPlan,
        cancelPolicies,
      ]),
      [
        ['BAR', null, []],
        ['NRF', 'BB', product.cancelPolicies],
      ],
    )
  })

  test('isAvailable false archives the row and true brings it back', async () => {
    const supplier = await newSupplier()
    await push(supplier, product)
    for (const isAvailable of [false, true]) {
      await push(supplier, { ...product, isAvailable })
      assert.deepEqual(
        (await stored(supplier)).products.map((row) => row['isAvailable']),
        [isAvailable],
      )
    }
  })

  test('a room’s name applies to all its rates: the last push wins', async () => {
    const supplier = await newSupplier()
    await push(supplier, product, { ...product, rateId: 'NRF' })
    const reply = await push(supplier, { ...product, roomName: 'Renamed', roomType: 'Twin' })
    assert.deepEqual(counts(reply), [0, 1, 0])
    assert.deepEqual(
      (await stored(supplier)).products.map(({ rateId, roomName, roomType }) => [rateId, roomName, roomType]),
      [
        ['BAR', 'Renamed', 'Twin'],
        ['NRF', 'Renamed', 'Twin'],
      ],
    )
  })

  test('names that differ within one push: the last wins, with a warning', async () => {
    const supplier = await newSupplier()
    const { body } = await push(supplier, { ...product, roomName: 'First' }, { ...product, rateId: 'NRF' })
    assert.deepEqual(body['warnings'], [
      {
        type: 'ATTRIBUTE_OVERRULED',
        message: 'roomName is overridden by a later product of the same push',
        path: '/products/0/roomName',
        value: 'First',
        hint: 'Kept: Double Room; it belongs to the whole room',
      },
    ])
    assert.deepEqual(
      new Set((await stored(supplier)).products.map(({ roomName }) => roomName)),
      new Set(['Double Room']),
    )
  })
})

describe('a lowered occupancy', () => {
  const lowered = (index: number) => ({
    type: 'OCCUPANCY_LOWERED',
    message: 'Occupancy was lowered: stored prices for more guests cannot be sold',
    path: `/products/${index}/occupancy`,
    hint: 'They are kept, but not read back; they can be sold again once the occupancy allows them',
  })
  const price = (supplier: TestSupplier, rateId: string, pricingModel: string, more: object) =>
    supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel,
      ari: [{ roomId: 'DBL', rateId, date: '2027-04-01', amount: 100, ...more }],
    })
  const at = (rateId: string, occupancy: object) => ({ ...product, rateId, occupancy })

  test('causes a warning if guest prices are stored, and otherwise none', async () => {
    const supplier = await newSupplier()
    const three = { maxOccupancy: 3, maxAdult: 2 }
    await push(supplier, at('BAR', three), at('UNIT', three), at('NONE', three))
    await price(supplier, 'BAR', 'guest', { guests: 2, ageCategory: 'adult' })
    await price(supplier, 'UNIT', 'unit', {})
    const warningsAt = async (occupancy: object): Promise<unknown> => {
      const rates = ['NONE', 'UNIT', 'BAR']
      const reply = await push(supplier, ...rates.map((rateId) => at(rateId, occupancy)))
      assert.equal(reply.status, 200, reply.text)
      return [reply.body['warnings'] ?? []].flat().filter((one) => Object(one).type !== 'CLEARED')
    }
    assert.deepEqual(await warningsAt({ maxOccupancy: 3, maxAdult: 1 }), [lowered(2)])
    assert.deepEqual(await warningsAt({ maxOccupancy: 3, maxAdult: 1 }), [])
    assert.deepEqual(await warningsAt({ maxOccupancy: 4 }), [])
    assert.deepEqual(await warningsAt({ maxOccupancy: 4, maxChild: 3 }), [lowered(2)])
    // Written differently, but no limit is lower.
    assert.deepEqual(await warningsAt({ maxOccupancy: 4, maxAdult: 4, maxChild: 3 }), [])
    assert.deepEqual(await warningsAt({ maxOccupancy: 2 }), [lowered(2)])
  })
})

describe('retired reference data', () => {
  test('stays valid where it is used, and nowhere else', async () => {
    const supplier = await newSupplier()
    await gateway.db.query(`insert into room_type values ('Igloo', 'Of ice')`)
    await gateway.db.query(`insert into meal_plan values ('FISH', 'Fish', 'Fish only')`)
    const used = { ...product, roomType: 'Igloo', mealPlan: 'FISH' }
    assert.equal((await push(supplier, used)).status, 200)
    await gateway.db.query(`update room_type set retired_at = now() where name = 'Igloo'`)
    await gateway.db.query(`update meal_plan set retired_at = now() where code = 'FISH'`)
    assert.deepEqual(counts(await push(supplier, used)), [0, 0, 1])
    const elsewhere = await push(supplier, { ...used, roomId: 'TWN' })
    assert.deepEqual(
      [
        elsewhere.status,
        elsewhere.body['message'],
        Array.isArray(elsewhere.body['errors']) && elsewhere.body['errors'].length,
      ],
      [400, 'RoomType is not valid', 2],
    )
    assert.equal((await push(supplier, { ...used, rateId: 'NRF' })).body['message'], 'MealPlan is not valid')
  })
})

describe('concurrent pushes', () => {
  test('for the same new products all succeed and create each once', async () => {
    const supplier = await newSupplier()
    const products = Array.from({ length: 30 }, (_, index) => ({
      ...product,
      roomId: `R${index % 6}`,
      rateId: `P${index}`,
    }))
    const pushes = [products, products.toReversed(), products, products.toReversed()]
    const replies = await Promise.all(pushes.map((sent) => push(supplier, ...sent)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const created = replies.map(({ body }) => Number(body['created']))
    assert.deepEqual(
      created.toSorted((left, right) => left - right),
      [0, 0, 0, 30],
    )
    assert.equal((await stored(supplier)).products.length, 30)
  })

  test('for different products of one hotel assign no number twice', async () => {
    const supplier = await newSupplier()
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        push(supplier, { ...product, roomId: `R${index}`, rateId: `P${index}` }),
      ),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const {
      products,
      hotel: [row],
    } = await stored(supplier)
    assert.deepEqual(
      products.map(({ roomNo }) => roomNo),
      Array.from({ length: 12 }, (_, index) => index + 1),
    )
    assert.deepEqual(row, { revision: 13, catalogVersion: 13 })
  })
})

describe('two suppliers with identical codes', () => {
  test('have rooms and rates of their own', async () => {
    const [one, other] = [await newSupplier(), await newSupplier()]
    await push(one, product)
    await push(other, { ...product, roomName: 'Other' })
    assert.deepEqual(
      [(await stored(one)).products, (await stored(other)).products].map(([row]) => row?.['roomName']),
      ['Double Room', 'Other'],
    )
  })

  test('the hotel of the other is answered like an unknown one', async () => {
    const owner = await gateway.supplier(`products-${++suppliers}`)
    await owner.post('/push/hotels', [{ ...hotel, hotelId: 'OWN' }])
    const supplier = await newSupplier()
    const [foreign, absent] = await Promise.all(
      ['OWN', 'GHO'].map((hotelId) =>
        supplier.post('/push/products', { hotelId, products: [product] }, { 'x-request-id': 'same' }),
      ),
    )
    assert.equal(foreign?.status, 404)
    assert.equal(foreign.text.replaceAll('OWN', 'GHO'), absent?.text)
  })
})
