import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'

const gateway = await gatewayForTests()

const required = {
  hotelId: 'H1',
  hotelName: 'Sea View Resort',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
}
const full = {
  ...required,
  countryCodeISO2: 'FR',
  city: 'paris',
  email: 'desk@seaview.example',
  chainCode: 'SEA',
  latitude: -48.5,
  longitude: 180,
  state: 'Île-de-France',
  address: ['1 rue du Port', ''],
  phone: { CountryAccessCode: '+33', phoneNumber: '155501234' },
  timezone: 'Europe/Paris',
}

let suppliers = 0
/** A supplier without hotels. */
const newSupplier = (): Promise<TestSupplier> => gateway.supplier(`hotels-${++suppliers}`)

type StoredRow = { code: string; name: string; currency: string; revision: number; catalog_version: number }

async function stored({ name }: TestSupplier): Promise<StoredRow[]> {
  const { rows } = await gateway.db.query<StoredRow>(
    `select code, hotel.name, currency, revision, catalog_version from hotel
     join supplier on supplier.id = supplier_id where supplier.name = $1 order by code`,
    [name],
  )
  return rows
}

function withoutId({ body }: Reply): Record<string, unknown> {
  const { requestId, ...rest } = body
  assert.equal(typeof requestId, 'string')
  return rest
}

describe('accepted pushes', () => {
  test('a full hotel is created and the answer is the specification’s', async () => {
    const supplier = await newSupplier()
    const reply = await supplier.post('/push/hotels', [full])
    assert.equal(reply.status, 200)
    assert.deepEqual(withoutId(reply), {
      code: '200',
      message: 'Hotels updated successfully',
      created: 1,
      updated: 0,
      unchanged: 0,
      warnings: [],
    })
    assert.deepEqual(await stored(supplier), [
      { code: 'H1', name: 'Sea View Resort', currency: 'USD', revision: 1, catalog_version: 1 },
    ])
  })

  test('a hotel without timezone is kept in UTC, with a warning', async () => {
    const supplier = await newSupplier()
    const { status, body } = await supplier.post('/push/hotels', [required])
    assert.equal(status, 200)
    assert.deepEqual(body['warnings'], [
      {
        type: 'TIMEZONE_MISSING',
        message: 'No timezone sent: nights are counted in UTC',
        path: '/0/timezone',
        hint: "Send the hotel's IANA zone, for example Europe/Paris",
      },
    ])
  })

  test('a city that is not in the reference data is kept, with a warning', async () => {
    const supplier = await newSupplier()
    const { status, body } = await supplier.post('/push/hotels', [
      { ...full, city: 'Nowhereville an der Null' },
    ])
    assert.equal(status, 200)
    assert.deepEqual(body['warnings'], [
      {
        type: 'CITY_NOT_MATCHED',
        message: 'City is not found in the reference data',
        path: '/0/city',
        value: 'Nowhereville an der Null',
        hint: 'Kept as sent; check the spelling and countryCodeISO2',
      },
    ])
  })

  test('a city of another country does not match', async () => {
    const supplier = await newSupplier()
    const { body } = await supplier.post('/push/hotels', [
      { ...full, city: 'Reykjavík', countryCodeISO2: 'FR' },
    ])
    assert.deepEqual(warningTypes(body), ['CITY_NOT_MATCHED'])
  })

  test('unknown fields, __proto__ and constructor among them, do nothing', async () => {
    const supplier = await newSupplier()
    const text = JSON.stringify([full]).replace(
      '{',
      '{"__proto__":{"hotelName":"x"},"constructor":1,"stars":5,',
    )
    const { status, body } = await supplier.post('/push/hotels', text)
    assert.deepEqual([status, body['created']], [200, 1])
    assert.deepEqual((await supplier.post('/push/hotels', [full])).body['unchanged'], 1)
  })

  test('500 hotels go in one push', async () => {
    const supplier = await newSupplier()
    const hotels = Array.from({ length: 500 }, (_, index) => ({ ...full, hotelId: `H${index}` }))
    assert.equal((await supplier.post('/push/hotels', hotels)).body['created'], 500)
    const again = await supplier.post('/push/hotels', [...hotels.slice(1), { ...full, hotelId: 'NEW' }])
    assert.deepEqual([again.body['created'], again.body['unchanged']], [1, 499])
    assert.equal((await stored(supplier)).length, 501)
  })

  test('every boundary of every range is accepted', async () => {
    const supplier = await newSupplier()
    const hotels = [
      { ...full, hotelId: 'a', latitude: -90, longitude: -180, minChildAge: 1, maxChildAge: 1 },
      { ...full, hotelId: 'b', latitude: 90, longitude: 180, minChildAge: 99, maxChildAge: 99 },
      { ...full, hotelId: 'x'.repeat(64), timezone: 'UTC', address: [], phone: {} },
    ]
    assert.equal((await supplier.post('/push/hotels', hotels)).status, 200)
  })
})

function warningTypes(body: Record<string, unknown>): unknown[] {
  assert.ok(Array.isArray(body['warnings']))
  const warnings: { type: unknown }[] = body['warnings']
  return warnings.map(({ type }) => type)
}

describe('pushing again', () => {
  test('the same state changes nothing and leaves the revision', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    const held = await stored(supplier)
    const { body } = await supplier.post('/push/hotels', [full])
    assert.deepEqual([body['created'], body['updated'], body['unchanged']], [0, 0, 1])
    assert.deepEqual(await stored(supplier), held)
    assert.deepEqual(await outcomes(supplier), ['applied', 'unchanged'])
  })

  test('uses up no platform identifiers', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [{ ...full, hotelId: 'first' }])
    for (let push = 0; push < 5; push++) await supplier.post('/push/hotels', [{ ...full, hotelId: 'first' }])
    await supplier.post('/push/hotels', [{ ...full, hotelId: 'second' }])
    const { rows } = await gateway.db.query<{ id: number }>(
      `select id from hotel where code in ('first', 'second') order by id`,
    )
    const [first, second] = rows
    assert.equal(Number(second?.id) - Number(first?.id), 1)
  })

  test('raises the revision of the hotels that changed, and of no other', async () => {
    const supplier = await newSupplier()
    const hotels = ['A', 'B', 'C'].map((hotelId) => ({ ...full, hotelId }))
    await supplier.post('/push/hotels', hotels)
    const changed = hotels.map((hotel) => (hotel.hotelId === 'B' ? { ...hotel, state: 'Bretagne' } : hotel))
    const { body } = await supplier.post('/push/hotels', changed)
    assert.deepEqual([body['created'], body['updated'], body['unchanged']], [0, 1, 2])
    assert.deepEqual(
      (await stored(supplier)).map(({ code, revision, catalog_version }) => [
        code,
        revision,
        catalog_version,
      ]),
      [
        ['A', 1, 1],
        ['B', 2, 2],
        ['C', 1, 1],
      ],
    )
  })

  test('any one field is an update', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    const changes = [
      { hotelName: 'Sea View' },
      { isAvailable: false },
      { minChildAge: 2 },
      { maxChildAge: 13 },
      { timezone: 'Europe/Rome' },
      { city: 'Paris' },
      { email: 'a@b.example' },
      { latitude: 1 },
      { phone: { phoneNumber: '155501234' } },
      { address: ['1 rue du Port'] },
    ]
    for (const change of changes) {
      await supplier.post('/push/hotels', [full])
      const { body } = await supplier.post('/push/hotels', [{ ...full, ...change }])
      assert.equal(body['updated'], 1, JSON.stringify(change))
    }
  })

  test('an optional field that is left out is cleared', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    await supplier.post('/push/hotels', [required])
    const { body } = await supplier.post('/push/getHotels', ['H1'])
    assert.ok(Array.isArray(body['hotels']))
    const hotels: Record<string, unknown>[] = body['hotels']
    assert.deepEqual(
      Object.keys(full).filter((member) => Object.hasOwn(hotels[0] ?? {}, member)),
      Object.keys(required),
    )
  })

  test('another currency causes a warning, and stores the revision up to which prices are in the former one', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    const { body } = await supplier.post('/push/hotels', [{ ...full, currency: 'EUR' }])
    assert.deepEqual(body['warnings'], [
      {
        type: 'CURRENCY_CHANGED',
        message: 'Currency was changed: stored prices cannot be sold until they are pushed again',
        path: '/0/currency',
        value: 'EUR',
        hint: 'Push the prices with POST /push/ari, fixed taxes with POST /push/taxes, and products with flat penalties or fees with POST /push/products',
      },
    ])
    await supplier.post('/push/hotels', [{ ...full, currency: 'EUR', state: '' }])
    const { rows } = await gateway.db.query(
      `select currency, revision, currency_revision from hotel join supplier on supplier.id = supplier_id
       where supplier.name = $1`,
      [supplier.name],
    )
    assert.deepEqual(rows, [{ currency: 'EUR', revision: 3, currency_revision: 2 }])
  })
})

async function outcomes({ name }: TestSupplier): Promise<string[]> {
  const { rows } = await gateway.db.query<{ outcome: string }>(
    `select outcome from push_log join supplier on supplier.id = supplier_id where supplier.name = $1 order by push_log.id`,
    [name],
  )
  return rows.map(({ outcome }) => outcome)
}

describe('concurrent pushes', () => {
  test('two pushes of the same new hotels, in opposite order, both succeed and make each hotel once', async () => {
    const supplier = await newSupplier()
    const hotels = Array.from({ length: 40 }, (_, index) => ({ ...full, hotelId: `H${index}` }))
    const pushes = [hotels, hotels.toReversed(), hotels, hotels.toReversed()]
    const replies = await Promise.all(pushes.map((push) => supplier.post('/push/hotels', push)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    const created = replies.map(({ body }) => Number(body['created']))
    assert.deepEqual(
      created.toSorted((left, right) => left - right),
      [0, 0, 0, 40],
    )
    assert.deepEqual(new Set((await stored(supplier)).map(({ revision }) => revision)), new Set([1]))
    assert.equal((await stored(supplier)).length, 40)
  })

  test('pushes of the same existing hotels in opposite order are applied one after another', async () => {
    const supplier = await newSupplier()
    const hotels = Array.from({ length: 40 }, (_, index) => ({ ...full, hotelId: `H${index}` }))
    await supplier.post('/push/hotels', hotels)
    const pushes = Array.from({ length: 8 }, (_, push) => {
      const renamed = hotels.map((hotel) => ({ ...hotel, hotelName: `Name ${push}` }))
      return push % 2 === 0 ? renamed : renamed.toReversed()
    })
    const replies = await Promise.all(pushes.map((push) => supplier.post('/push/hotels', push)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const rows = await stored(supplier)
    assert.equal(new Set(rows.map(({ name }) => name)).size, 1)
    assert.deepEqual(new Set(rows.map(({ revision }) => revision)), new Set([9]))
  })
})

describe('two suppliers with identical codes', () => {
  test('have hotels of their own', async () => {
    const [one, other] = [await newSupplier(), await newSupplier()]
    await one.post('/push/hotels', [full])
    const { body } = await other.post('/push/hotels', [{ ...full, hotelName: 'Other', currency: 'EUR' }])
    assert.deepEqual([body['created'], body['warnings']], [1, []])
    assert.deepEqual(
      (await stored(one)).map(({ name }) => name),
      ['Sea View Resort'],
    )
    assert.deepEqual(
      (await stored(other)).map(({ name }) => name),
      ['Other'],
    )
  })
})

describe('the push log', () => {
  test('keeps a push of one hotel under that hotel, a push of several under all of them', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    await supplier.post('/push/hotels', [full, { ...full, hotelId: 'H2' }])
    const { rows } = await gateway.db.query(
      `select kind, outcome, push_log.revision, hotel_code, hotel_id is null as "isSeveral",
         (select array_agg(code order by code) from hotel where id = hotel_id or id = any(hotel_ids)) as codes
       from push_log join supplier on supplier.id = supplier_id where supplier.name = $1 order by push_log.id`,
      [supplier.name],
    )
    assert.deepEqual(rows, [
      { kind: 'hotels', outcome: 'applied', revision: 1, hotel_code: 'H1', isSeveral: false, codes: ['H1'] },
      {
        kind: 'hotels',
        outcome: 'applied',
        revision: null,
        hotel_code: null,
        isSeveral: true,
        codes: ['H1', 'H2'],
      },
    ])
  })
})
