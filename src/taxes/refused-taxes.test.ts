import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cityTax,
  heldTaxes,
  pushHotelWithProducts,
  pushPropertyTax,
  vat,
} from '../../test/stage/taxes/taxes.ts'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'

const gateway = await gatewayForTests()

let suppliers = 0

async function supplierWithHotel(currency = 'USD'): Promise<TestSupplier> {
  return pushHotelWithProducts(await gateway.supplier(`taxes-${++suppliers}`), currency)
}

function problems({ body }: Reply): unknown[] {
  assert.ok(Array.isArray(body['errors']))
  return body['errors'].map(({ type, message, path, value }) => [type, message, path, value])
}

test('every rule between the fields of a tax has its own message and path', async () => {
  const supplier = await supplierWithHotel()
  const { startDate, endDate, ...undated } = cityTax
  const cases: [object, string, string, string, unknown][] = [
    [
      { ...vat, appliedOn: 'net+vat' },
      'TAX_APPLIED_ON_INVALID',
      'Tax appliedOn must be net when type is VAT',
      'appliedOn',
      'net+vat',
    ],
    [
      { ...vat, payNow: false },
      'TAX_PAY_NOW_REQUIRED',
      'Tax payNow must be true when included is true',
      'payNow',
      false,
    ],
    [
      { ...undated, startDate },
      'TAX_DATES_INCOMPLETE',
      'Tax endDate is required together with startDate',
      'endDate',
      undefined,
    ],
    [
      { ...undated, endDate },
      'TAX_DATES_INCOMPLETE',
      'Tax startDate is required together with endDate',
      'startDate',
      undefined,
    ],
    [
      { ...cityTax, startDate: '2027-11-01' },
      'TAX_DATES_REVERSED',
      'Tax startDate must not be after endDate',
      'startDate',
      '2027-11-01',
    ],
    [
      { ...vat, value: -0.01 },
      'TAX_VALUE_INVALID',
      'Tax value must be greater than or equal to zero',
      'value',
      -0.01,
    ],
    [
      { ...cityTax, value: '-1' },
      'TAX_VALUE_INVALID',
      'Tax value must be greater than or equal to zero',
      'value',
      '-1',
    ],
    [
      { ...vat, value: 1000.5 },
      'TAX_VALUE_TOO_LARGE',
      'Tax value must be less than or equal to 1000 when valueType is %',
      'value',
      1000.5,
    ],
    [
      { ...vat, value: '0.0000001' },
      'TAX_VALUE_TOO_FINE',
      'Tax value must have at most 6 decimals when valueType is %',
      'value',
      '0.0000001',
    ],
    [
      { ...vat, value: 1e-7 },
      'TAX_VALUE_TOO_FINE',
      'Tax value must have at most 6 decimals when valueType is %',
      'value',
      1e-7,
    ],
    [
      { ...cityTax, value: 1e9 },
      'TAX_VALUE_TOO_LARGE',
      'Tax value must be less than or equal to 999999999 when valueType is fixed',
      'value',
      1e9,
    ],
    [
      { ...cityTax, value: 2.505 },
      'TAX_VALUE_TOO_FINE',
      'Tax value must not have more decimals than the currency',
      'value',
      2.505,
    ],
    [
      { ...vat, type: 'vat' },
      'NOT_ALLOWED',
      'Tax type must be one of VAT, CITY_TAX, LOCAL_TAX, GOV_TAX, OTHER_TAX',
      'type',
      'vat',
    ],
    [
      { ...vat, valueType: 'percent' },
      'NOT_ALLOWED',
      'Tax valueType must be one of %, fixed',
      'valueType',
      'percent',
    ],
    [
      { ...vat, appliedOn: 'gross' },
      'NOT_ALLOWED',
      'Tax appliedOn must be one of net, net+vat',
      'appliedOn',
      'gross',
    ],
    [
      { ...vat, appliedPer: 'per_stay' },
      'NOT_ALLOWED',
      'Tax appliedPer must be one of per_room_per_night, per_person_per_night, per_room_per_stay, per_person_per_stay',
      'appliedPer',
      'per_stay',
    ],
    [{ ...vat, included: 1 }, 'WRONG_TYPE', 'included must be true or false', 'included', 1],
    [{ ...vat, payNow: 'true' }, 'WRONG_TYPE', 'payNow must be true or false', 'payNow', 'true'],
    [{ ...vat, value: null }, 'WRONG_TYPE', 'value must be a number or a string', 'value', null],
    [
      { ...cityTax, startDate: '2027-02-30' },
      'INVALID_DATE',
      'startDate must be a date in the form YYYY-MM-DD',
      'startDate',
      '2027-02-30',
    ],
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
  assert.deepEqual((await heldTaxes(supplier))['taxes'], [])
})

test('every missing member of a tax is named', async () => {
  const supplier = await supplierWithHotel()
  for (const member of ['type', 'valueType', 'value', 'appliedOn', 'appliedPer', 'included', 'payNow']) {
    const refused = await pushPropertyTax(supplier, { ...vat, [member]: undefined })
    assert.equal(refused.status, 400)
    assert.deepEqual(problems(refused), [
      ['REQUIRED', `${member} is required`, `/taxes/0/${member}`, undefined],
    ])
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
  assert.deepEqual((await heldTaxes(supplier))['taxes'], taxes)
})

test("a fixed value has at most the decimals of the hotel's currency, a percentage has its own", async () => {
  const supplier = await supplierWithHotel('JPY')
  const message = 'Tax value must not have more decimals than the currency'
  assert.equal((await pushPropertyTax(supplier, { ...cityTax, value: 100.5 })).body['message'], message)
  assert.equal((await pushPropertyTax(supplier, { ...cityTax, value: '100.00' })).status, 200)
  assert.equal((await pushPropertyTax(supplier, { ...vat, value: 7.75 })).status, 200)
})

test('the rules of the specification are reported in its words', async () => {
  const supplier = await supplierWithHotel()
  const cases: [unknown, number, unknown[]][] = [
    [{ taxes: [] }, 400, ['HOTEL_ID_REQUIRED', 'hotelId is required', '/hotelId', undefined]],
    [
      { hotelId: 'H1' },
      400,
      ['TAXES_REQUIRED', 'at least one of taxes or products is required', '', undefined],
    ],
    [
      { hotelId: 'H1', products: [{ taxes: [vat] }] },
      400,
      [
        'TAX_SCOPE_REQUIRED',
        'each product entry requires at least one of roomId or rateId',
        '/products/0',
        undefined,
      ],
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
      {
        hotelId: 'H1',
        products: [
          { roomId: 'DBL', taxes: [] },
          { rateId: 'BAR', taxes: [] },
          { roomId: 'DBL', taxes: [vat] },
        ],
      },
      400,
      ['DUPLICATE_TAX_SCOPE', 'each product entry must have its own scope', '/products/2', undefined],
    ],
    [
      { hotelId: 'H1', products: [{ roomId: 'DBL' }] },
      400,
      ['REQUIRED', 'taxes is required', '/products/0/taxes', undefined],
    ],
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

test('at most 50 taxes per scope and 2,000 entries per request', async () => {
  const supplier = await supplierWithHotel()
  const many = (count: number) => Array.from({ length: count }, () => vat)
  assert.equal((await supplier.post('/push/taxes', { hotelId: 'H1', taxes: many(50) })).status, 200)
  const refused = await supplier.post('/push/taxes', { hotelId: 'H1', taxes: many(51) })
  assert.deepEqual(problems(refused), [
    ['TOO_MANY_TAXES', 'Maximum 50 taxes can be saved for one scope', '/taxes', 'an array of 51'],
  ])
  const products = Array.from({ length: 2_001 }, (_, index) => ({ roomId: `R${index}`, taxes: [] }))
  assert.deepEqual(problems(await supplier.post('/push/taxes', { hotelId: 'H1', products })), [
    [
      'TOO_MANY_SCOPES',
      'Maximum 2000 product entries can be saved at a time',
      '/products',
      'an array of 2001',
    ],
  ])
})

test('one invalid entry refuses the whole push, and the answer lists every invalid entry at once', async () => {
  const supplier = await supplierWithHotel()
  await pushPropertyTax(supplier, vat)
  const heldBefore = await heldTaxes(supplier)
  const rules = await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [
      { ...vat, appliedOn: 'net+vat', value: -1, type: 'VAT' },
      { ...vat, payNow: 'no' },
    ],
    products: [{ taxes: [{ ...cityTax, endDate: undefined }] }, { roomId: 'DBL', taxes: [cityTax] }],
  })
  assert.equal(rules.status, 400)
  assert.deepEqual(
    new Set(problems(rules).map((problem) => (Array.isArray(problem) ? problem[2] : ''))),
    new Set([
      '/products/0',
      '/products/0/taxes/0/endDate',
      '/taxes/0/appliedOn',
      '/taxes/0/value',
      '/taxes/1/payNow',
    ]),
  )
  const unknown = await supplier.post('/push/taxes', {
    hotelId: 'H1',
    taxes: [],
    products: [
      { roomId: 'X', rateId: 'Y', taxes: [] },
      { roomId: 'SGL', taxes: [vat] },
    ],
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
  assert.deepEqual(await heldTaxes(supplier), heldBefore)
})

test('malformed members hide no broken rule, no unknown id and no misfit, and nothing is reported twice', async () => {
  const supplier = await supplierWithHotel()
  const told = async (body: object): Promise<unknown[]> => {
    const refused = await supplier.post('/push/taxes', body)
    assert.equal(refused.status, 400, refused.text)
    return problems(refused).map((problem) => (Array.isArray(problem) ? [problem[2], problem[0]] : []))
  }
  const wrong = {
    taxes: [{ ...cityTax, payNow: 'no', value: 0.123 }],
    products: [
      { roomId: 'X', rateId: 5, taxes: [{ ...vat, appliedOn: 'net+vat' }] },
      { roomId: 5, rateId: 5, taxes: [] },
      { roomId: '', taxes: [{ ...cityTax, startDate: '2027-12-01', endDate: '2027-02-30' }] },
    ],
  }
  const shapesAndRules = [
    ['/taxes/0/payNow', 'WRONG_TYPE'],
    ['/products/0/rateId', 'WRONG_TYPE'],
    ['/products/1/roomId', 'WRONG_TYPE'],
    ['/products/1/rateId', 'WRONG_TYPE'],
    ['/products/2/roomId', 'TOO_SHORT'],
    ['/products/2/taxes/0/endDate', 'INVALID_DATE'],
    ['/products/0/taxes/0/appliedOn', 'TAX_APPLIED_ON_INVALID'],
  ]
  assert.deepEqual(await told({ hotelId: 'H1', ...wrong }), [
    ...shapesAndRules,
    ['/taxes/0/value', 'TAX_VALUE_TOO_FINE'],
    ['/products/0/roomId', 'ROOM_NOT_FOUND'],
  ])
  assert.deepEqual(await told({ hotelId: 'H9', ...wrong }), [
    ['/hotelId', 'HOTEL_NOT_FOUND'],
    ...shapesAndRules,
  ])
  assert.deepEqual(await told({ hotelId: 5, ...wrong }), [['/hotelId', 'WRONG_TYPE'], ...shapesAndRules])
  assert.deepEqual((await heldTaxes(supplier))['taxes'], [])
})

test('getTaxes names a missing and an unknown hotel in the words of the specification', async () => {
  const supplier = await supplierWithHotel()
  const missing = await supplier.post('/push/getTaxes', {})
  assert.deepEqual([missing.status, missing.body['message']], [400, 'hotelId is required'])
  const unknown = await supplier.post('/push/getTaxes', { hotelId: 'H2' })
  assert.deepEqual([unknown.status, unknown.body['message']], [404, 'Hotel not found'])
})
