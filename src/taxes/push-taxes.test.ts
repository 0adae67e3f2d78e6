import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startGateway, type Reply, type TestGateway, type TestSupplier } from '../../test/harness.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway.stop())

const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: true,
  payNow: true,
}
const cityTax = {
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 2.5,
  appliedOn: 'net+vat',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: false,
  startDate: '2027-04-01',
  endDate: '2027-10-31',
}

let suppliers = 0

/** A supplier with hotel H1, rooms DBL and SGL, rates BAR and NRF; SGL is not sold at NRF. */
async function supplierWithHotel(currency = 'USD'): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`taxes-${++suppliers}`)
  await pushHotel(supplier, currency)
  const product = (roomId: string, rateId: string) => ({
    roomId,
    roomType: 'Double',
    rateId,
    roomName: roomId,
    rateName: rateId,
    isAvailable: true,
    occupancy: { maxOccupancy: 2 },
  })
  const products = [product('DBL', 'BAR'), product('DBL', 'NRF'), product('SGL', 'BAR')]
  assert.equal((await supplier.post('/push/products', { hotelId: 'H1', products })).status, 200)
  return supplier
}

async function pushHotel(supplier: TestSupplier, currency: string): Promise<void> {
  const hotel = {
    hotelId: 'H1',
    hotelName: 'Hôtel de la Gare',
    currency,
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }
  assert.equal((await supplier.post('/push/hotels', [hotel])).status, 200)
}

async function held(supplier: TestSupplier): Promise<Record<string, unknown>> {
  const { status, body } = await supplier.post('/push/getTaxes', { hotelId: 'H1' })
  assert.equal(status, 200)
  return body
}

async function revision(supplier: TestSupplier): Promise<unknown> {
  const { body } = await supplier.post('/push/getHotels', ['H1'])
  assert.ok(Array.isArray(body['hotels']))
  return body['hotels'][0].revision
}

function problems({ body }: Reply): unknown[] {
  assert.ok(Array.isArray(body['errors']))
  return body['errors'].map(({ type, message, path, value }) => [type, message, path, value])
}

/** The answer to a push of one property tax that differs from `vat` or `cityTax` in some members. */
async function pushOne(supplier: TestSupplier, tax: object): Promise<Reply> {
  return supplier.post('/push/taxes', { hotelId: 'H1', taxes: [tax] })
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
  })
  assert.deepEqual(await held(supplier), {
    code: '200',
    message: 'Taxes retrieved successfully',
    ...pushed,
  })
  assert.equal(await revision(supplier), Number(revisionBefore) + 1)
})

test('a hotel without taxes reads back as two empty lists, and posting them changes nothing', async () => {
  const supplier = await supplierWithHotel()
  const empty = await held(supplier)
  assert.deepEqual([empty['taxes'], empty['products']], [[], []])
  const { body } = await supplier.post('/push/taxes', empty)
  assert.deepEqual([body['outcome'], body['scopesChanged']], ['unchanged', 0])
})

test('posting back what was read changes nothing, is reported and logged as unchanged, and raises no revision', async () => {
  const supplier = await supplierWithHotel('KWD')
  await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [{ ...vat, value: '12.3456780' }, { ...cityTax, value: '2.500' }, { ...cityTax, value: 0.001 }],
    products: [{ roomId: 'SGL', rateId: 'NRF', taxes: [{ ...vat, value: 0.000001 }] }],
  })
  const read = await held(supplier)
  const revisionBefore = await revision(supplier)
  const { body } = await supplier.post('/push/taxes', read)
  assert.deepEqual([body['outcome'], body['scopesChanged'], body['revision']], ['unchanged', 0, revisionBefore])
  assert.deepEqual(await held(supplier), read)
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

test('a push replaces exactly the scopes it names: what is left out stays, an empty list clears', async () => {
  const supplier = await supplierWithHotel()
  const pair = { roomId: 'DBL', rateId: 'BAR', taxes: [vat] }
  const room = { roomId: 'DBL', taxes: [cityTax] }
  const rate = { rateId: 'BAR', taxes: [vat] }
  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [vat], products: [pair, room, rate] })

  await supplier.post('/push/taxes', { hotelId: 'H1', products: [{ ...pair, taxes: [cityTax, vat] }] })
  const afterPair = await held(supplier)
  assert.deepEqual(
    [afterPair['taxes'], afterPair['products']],
    [[vat], [rate, room, { ...pair, taxes: [cityTax, vat] }]],
  )
  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] })
  assert.deepEqual((await held(supplier))['taxes'], [])
  assert.deepEqual((await held(supplier))['products'], afterPair['products'])

  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [cityTax], products: [{ ...room, taxes: [] }] })
  const last = await held(supplier)
  assert.deepEqual([last['taxes'], last['products']], [[cityTax], [rate, { ...pair, taxes: [cityTax, vat] }]])

  const { body } = await supplier.post('/push/taxes', { hotelId: 'H1', products: [] })
  assert.equal(body['outcome'], 'unchanged')
  assert.deepEqual(await held(supplier), last)
})

test('unknown fields are ignored, and a value is the same as number and as text', async () => {
  const supplier = await supplierWithHotel()
  await pushOne(supplier, { ...vat, note: 'x', value: '10.50' })
  assert.deepEqual((await held(supplier))['taxes'], [{ ...vat, value: 10.5 }])
  const { body } = await pushOne(supplier, { ...vat, value: 10.5 })
  assert.equal(body['outcome'], 'unchanged')
})

test('taxes of a room-rate may come before it is a product, as long as its room and its rate exist', async () => {
  const supplier = await supplierWithHotel()
  const products = [{ roomId: 'SGL', rateId: 'NRF', taxes: [vat] }]
  assert.equal((await supplier.post('/push/taxes', { hotelId: 'H1', products })).status, 200)
  assert.deepEqual((await held(supplier))['products'], products)
})

test('every rule between the fields of a tax has its own message and path', async () => {
  const supplier = await supplierWithHotel()
  const { startDate, endDate, ...undated } = cityTax
  const cases: [object, string, string, string, unknown][] = [
    [{ ...vat, appliedOn: 'net+vat' }, 'TAX_APPLIED_ON_INVALID', 'Tax appliedOn must be net when type is VAT', 'appliedOn', 'net+vat'],
    [{ ...vat, payNow: false }, 'TAX_PAY_NOW_REQUIRED', 'Tax payNow must be true when included is true', 'payNow', false],
    [{ ...undated, startDate }, 'TAX_DATES_INCOMPLETE', 'Tax endDate is required together with startDate', 'endDate', undefined],
    [{ ...undated, endDate }, 'TAX_DATES_INCOMPLETE', 'Tax startDate is required together with endDate', 'startDate', undefined],
    [{ ...cityTax, startDate: '2027-11-01' }, 'TAX_DATES_REVERSED', 'Tax startDate must not be after endDate', 'startDate', '2027-11-01'],
    [{ ...vat, value: -0.01 }, 'TAX_VALUE_INVALID', 'Tax value must be greater than or equal to zero', 'value', -0.01],
    [{ ...cityTax, value: '-1' }, 'TAX_VALUE_INVALID', 'Tax value must be greater than or equal to zero', 'value', '-1'],
    [{ ...vat, value: 1000.5 }, 'TAX_VALUE_TOO_LARGE', 'Tax value must be less than or equal to 1000 when valueType is %', 'value', 1000.5],
    [{ ...vat, value: '0.0000001' }, 'TAX_VALUE_TOO_FINE', 'Tax value must have at most 6 decimals when valueType is %', 'value', '0.0000001'],
    [{ ...vat, value: 1e-7 }, 'TAX_VALUE_TOO_FINE', 'Tax value must have at most 6 decimals when valueType is %', 'value', 1e-7],
    [{ ...cityTax, value: 1e9 }, 'TAX_VALUE_TOO_LARGE', 'Tax value must be less than or equal to 999999999 when valueType is fixed', 'value', 1e9],
    [{ ...cityTax, value: 2.505 }, 'TAX_VALUE_TOO_FINE', 'Tax value must not have more decimals than the currency', 'value', 2.505],
    [{ ...vat, type: 'vat' }, 'NOT_ALLOWED', 'Tax type must be one of VAT, CITY_TAX, LOCAL_TAX, GOV_TAX, OTHER_TAX', 'type', 'vat'],
    [{ ...vat, valueType: 'percent' }, 'NOT_ALLOWED', 'Tax valueType must be one of %, fixed', 'valueType', 'percent'],
    [{ ...vat, appliedOn: 'gross' }, 'NOT_ALLOWED', 'Tax appliedOn must be one of net, net+vat', 'appliedOn', 'gross'],
    [{ ...vat, appliedPer: 'per_stay' }, 'NOT_ALLOWED', 'Tax appliedPer must be one of per_room_per_night, per_person_per_night, per_room_per_stay, per_person_per_stay', 'appliedPer', 'per_stay'],
    [{ ...vat, included: 1 }, 'WRONG_TYPE', 'included must be true or false', 'included', 1],
    [{ ...vat, payNow: 'true' }, 'WRONG_TYPE', 'payNow must be true or false', 'payNow', 'true'],
    [{ ...vat, value: null }, 'WRONG_TYPE', 'value must be a number or a string', 'value', null],
    [{ ...cityTax, startDate: '2027-02-30' }, 'INVALID_DATE', 'startDate must be a date in the form YYYY-MM-DD', 'startDate', '2027-02-30'],
  ]
  for (const [tax, type, message, member, value] of cases) {
    for (const [body, path] of [
      [{ hotelId: 'H1', taxes: [tax] }, `/taxes/0/${member}`],
      [{ hotelId: 'H1', products: [{ roomId: 'DBL', taxes: [tax] }] }, `/products/0/taxes/0/${member}`],
    ] as const) {
      const refused = await supplier.post('/push/taxes', body)
      assert.deepEqual([refused.status, refused.body['code'], refused.body['message']], [400, '400', message])
      assert.deepEqual(problems(refused), [[type, message, path, value]], message)
    }
  }
  assert.deepEqual((await held(supplier))['taxes'], [])
})

test('every required member of a tax is required by name', async () => {
  const supplier = await supplierWithHotel()
  for (const member of ['type', 'valueType', 'value', 'appliedOn', 'appliedPer', 'included', 'payNow']) {
    const refused = await pushOne(supplier, { ...vat, [member]: undefined })
    assert.equal(refused.status, 400)
    assert.deepEqual(problems(refused), [['REQUIRED', `${member} is required`, `/taxes/0/${member}`, undefined]])
  }
})

test('one date for both ends, zero, the largest percentage and the finest fixed value are accepted', async () => {
  const supplier = await supplierWithHotel('KWD')
  const taxes = [
    { ...cityTax, startDate: '2027-05-01', endDate: '2027-05-01', value: 0.001 },
    { ...vat, value: 0 },
    { ...vat, value: 1000 },
    { ...vat, value: 12.345678 },
    { ...cityTax, value: 999999999 },
    { ...vat, type: 'GOV_TAX', appliedOn: 'net+vat' },
  ]
  assert.equal((await supplier.post('/push/taxes', { hotelId: 'H1', taxes })).status, 200)
  assert.deepEqual((await held(supplier))['taxes'], taxes)
})

test("a fixed value has at most the decimals of the hotel's currency, a percentage has its own", async () => {
  const supplier = await supplierWithHotel('JPY')
  const message = 'Tax value must not have more decimals than the currency'
  assert.equal((await pushOne(supplier, { ...cityTax, value: 100.5 })).body['message'], message)
  assert.equal((await pushOne(supplier, { ...cityTax, value: '100.00' })).status, 200)
  assert.equal((await pushOne(supplier, { ...vat, value: 7.75 })).status, 200)
})

test('what the specification requires of the request has its words', async () => {
  const supplier = await supplierWithHotel()
  const cases: [unknown, number, unknown[]][] = [
    [{ taxes: [] }, 400, ['HOTEL_ID_REQUIRED', 'hotelId is required', '/hotelId', undefined]],
    [{ hotelId: 'H1' }, 400, ['TAXES_REQUIRED', 'at least one of taxes or products is required', '', undefined]],
    [
      { hotelId: 'H1', products: [{ taxes: [vat] }] },
      400,
      ['TAX_SCOPE_REQUIRED', 'each product entry requires at least one of roomId or rateId', '/products/0', undefined],
    ],
    [
      { hotelId: 'H1', products: [{ roomId: 'SUI', taxes: [vat] }] },
      404,
      ['ROOM_NOT_FOUND', 'room id not found', '/products/0/roomId', 'SUI'],
    ],
    [
      { hotelId: 'H1', products: [{ roomId: 'DBL', rateId: 'bar', taxes: [vat] }] },
      404,
      ['RATE_NOT_FOUND', 'rate id not found', '/products/0/rateId', 'bar'],
    ],
    [{ hotelId: 'H2', taxes: [vat] }, 404, ['HOTEL_NOT_FOUND', 'Hotel not found', '/hotelId', 'H2']],
    [
      { hotelId: 'H1', products: [{ roomId: 'DBL', taxes: [] }, { rateId: 'BAR', taxes: [] }, { roomId: 'DBL', taxes: [vat] }] },
      400,
      ['DUPLICATE_TAX_SCOPE', 'each product entry must have a scope of its own', '/products/2', undefined],
    ],
    [{ hotelId: 'H1', products: [{ roomId: 'DBL' }] }, 400, ['REQUIRED', 'taxes is required', '/products/0/taxes', undefined]],
    [{ hotelId: 'H1', taxes: {} }, 400, ['WRONG_TYPE', 'taxes must be an array', '/taxes', 'an object']],
    [{ hotelId: 7, taxes: [] }, 400, ['WRONG_TYPE', 'hotelId must be a string', '/hotelId', 7]],
    [[], 400, ['WRONG_TYPE', 'Request body must be an object', '', 'an array of 0']],
  ]
  for (const [body, status, problem] of cases) {
    const refused = await supplier.post('/push/taxes', body)
    assert.deepEqual([refused.status, refused.body['message']], [status, problem[1]])
    assert.deepEqual(problems(refused), [problem])
  }
})

test('at most 50 taxes a scope and 2,000 entries a request', async () => {
  const supplier = await supplierWithHotel()
  const many = (count: number) => Array.from({ length: count }, () => vat)
  assert.equal((await supplier.post('/push/taxes', { hotelId: 'H1', taxes: many(50) })).status, 200)
  const refused = await supplier.post('/push/taxes', { hotelId: 'H1', taxes: many(51) })
  assert.deepEqual(problems(refused), [
    ['TOO_MANY_TAXES', 'Maximum 50 taxes can be saved for one scope', '/taxes', 'an array of 51'],
  ])
  const products = Array.from({ length: 2_001 }, (_, index) => ({ roomId: `R${index}`, taxes: [] }))
  assert.deepEqual(problems(await supplier.post('/push/taxes', { hotelId: 'H1', products })), [
    ['TOO_MANY_SCOPES', 'Maximum 2000 product entries can be saved at a time', '/products', 'an array of 2001'],
  ])
})

test('one bad entry refuses the whole push, and the answer lists every bad entry at once', async () => {
  const supplier = await supplierWithHotel()
  await pushOne(supplier, vat)
  const before = await held(supplier)
  const rules = await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [{ ...vat, appliedOn: 'net+vat', value: -1, type: 'VAT' }, { ...vat, payNow: 'no' }],
    products: [{ taxes: [{ ...cityTax, endDate: undefined }] }, { roomId: 'DBL', taxes: [cityTax] }],
  })
  assert.equal(rules.status, 400)
  assert.deepEqual(
    problems(rules)
      .map((problem) => (Array.isArray(problem) ? problem[2] : ''))
      .sort(),
    [
      '/products/0',
      '/products/0/taxes/0/endDate',
      '/taxes/0/appliedOn',
      '/taxes/0/value',
      '/taxes/1/payNow',
    ],
  )
  const unknown = await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [],
    products: [{ roomId: 'X', rateId: 'Y', taxes: [] }, { roomId: 'SGL', taxes: [vat] }],
  })
  assert.equal(unknown.status, 404)
  assert.deepEqual(problems(unknown), [
    ['ROOM_NOT_FOUND', 'room id not found', '/products/0/roomId', 'X'],
    ['RATE_NOT_FOUND', 'rate id not found', '/products/0/rateId', 'Y'],
  ])
  const mixed = await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [{ ...cityTax, value: 0.123 }],
    products: [{ roomId: 'X', taxes: [] }],
  })
  assert.deepEqual([mixed.status, problems(mixed).length], [400, 2])
  assert.deepEqual(await held(supplier), before)
})

test('getTaxes names a missing and an unknown hotel in the words of the specification', async () => {
  const supplier = await supplierWithHotel()
  const missing = await supplier.post('/push/getTaxes', {})
  assert.deepEqual([missing.status, missing.body['message']], [400, 'hotelId is required'])
  const unknown = await supplier.post('/push/getTaxes', { hotelId: 'H2' })
  assert.deepEqual([unknown.status, unknown.body['message']], [404, 'Hotel not found'])
})

test("another supplier's hotel is as unknown as none, for reading and for writing", async () => {
  const owner = await supplierWithHotel()
  const stranger = await gateway.supplier('stranger')
  await pushOne(owner, vat)
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
  await pushOne(stranger, { ...vat, value: 5 })
  assert.deepEqual((await held(owner))['taxes'], [vat])
  assert.deepEqual((await held(stranger))['taxes'], [{ ...vat, value: 5 }])
})

test('pushes of one hotel at once are applied one after another: the last state is one of them, whole', async () => {
  const supplier = await supplierWithHotel()
  const bodies = Array.from({ length: 12 }, (_, index) => ({
    hotelId: 'H1',
    taxes: [{ ...vat, value: index }, { ...vat, value: index }],
    products: [{ roomId: 'DBL', taxes: [{ ...vat, value: index }] }],
  }))
  const answers = await Promise.all(bodies.map((body) => supplier.post('/push/taxes', body)))
  const revisions = answers.map(({ body }) => Number(body['revision']))
  assert.equal(new Set(revisions).size, bodies.length)
  const winner = bodies[revisions.indexOf(Math.max(...revisions))]
  const { taxes, products } = await held(supplier)
  assert.deepEqual({ hotelId: 'H1', taxes, products }, winner)
})
