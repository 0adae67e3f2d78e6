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
const newSupplier = (): Promise<TestSupplier> => gateway.supplier(`refused-hotels-${++suppliers}`)

type StoredRow = { code: string; name: string; currency: string; revision: number; catalog_version: number }

async function stored({ name }: TestSupplier): Promise<StoredRow[]> {
  const { rows } = await gateway.db.query<StoredRow>(
    `select code, hotel.name, currency, revision, catalog_version from hotel
     join supplier on supplier.id = supplier_id where supplier.name = $1 order by code`,
    [name],
  )
  return rows
}

function problems({ body }: Reply): { type: string; message: string; path: string }[] {
  assert.ok(Array.isArray(body['errors']))
  const listed: { type: string; message: string; path: string }[] = body['errors']
  return listed.map(({ type, message, path }) => ({ type, message, path }))
}

const childAge = {
  type: 'CHILD_AGE_INVALID',
  message: 'Validation failure on minChildAge or maxChildAge',
}

describe('refused pushes', () => {
  test('501 hotels', async () => {
    const supplier = await newSupplier()
    const hotels = Array.from({ length: 501 }, (_, index) => ({ ...full, hotelId: `H${index}` }))
    const reply = await supplier.post('/push/hotels', hotels)
    assert.deepEqual([reply.status, reply.body['code']], [400, '400'])
    assert.equal(reply.body['message'], 'Maximum 500 hotels can be updated at a time')
    assert.deepEqual(await stored(supplier), [])
  })

  const refusals: [
    why: string,
    change: Record<string, unknown>,
    type: string,
    message: string,
    path: string,
  ][] = [
    ...['minChildAge', 'maxChildAge'].flatMap((member) =>
      [undefined, null, 0, -1, 1.5, '5', true, 100].map(
        (value): [string, Record<string, unknown>, string, string, string] => [
          `${member} ${value === undefined ? 'missing' : JSON.stringify(value)}`,
          { [member]: value },
          childAge.type,
          childAge.message,
          `/0/${member}`,
        ],
      ),
    ),
    ['minChildAge above maxChildAge', { minChildAge: 13 }, childAge.type, childAge.message, '/0/minChildAge'],
    ['hotelId missing', { hotelId: undefined }, 'HOTEL_ID_REQUIRED', 'hotelId is required', '/0/hotelId'],
    ['hotelId empty', { hotelId: '' }, 'TOO_SHORT', 'hotelId must not be empty', '/0/hotelId'],
    [
      'hotelId of 65 characters',
      { hotelId: 'x'.repeat(65) },
      'TOO_LONG',
      'hotelId must have at most 64 characters',
      '/0/hotelId',
    ],
    ['hotelId a number', { hotelId: 5 }, 'WRONG_TYPE', 'hotelId must be a string', '/0/hotelId'],
    ['hotelName missing', { hotelName: undefined }, 'REQUIRED', 'hotelName is required', '/0/hotelName'],
    ['hotelName empty', { hotelName: '' }, 'TOO_SHORT', 'hotelName must not be empty', '/0/hotelName'],
    ['currency missing', { currency: undefined }, 'REQUIRED', 'currency is required', '/0/currency'],
    [
      'currency in small letters',
      { currency: 'usd' },
      'CURRENCY_INVALID',
      'Currency is not valid',
      '/0/currency',
    ],
    [
      'currency unknown to ISO 4217',
      { currency: 'XXX' },
      'CURRENCY_INVALID',
      'Currency is not valid',
      '/0/currency',
    ],
    ['currency a number', { currency: 840 }, 'WRONG_TYPE', 'currency must be a string', '/0/currency'],
    [
      'isAvailable missing',
      { isAvailable: undefined },
      'REQUIRED',
      'isAvailable is required',
      '/0/isAvailable',
    ],
    [
      'isAvailable 1',
      { isAvailable: 1 },
      'WRONG_TYPE',
      'isAvailable must be true or false',
      '/0/isAvailable',
    ],
    [
      'a country outside ISO 3166-1',
      { countryCodeISO2: 'XX' },
      'COUNTRY_INVALID',
      'Country code is not valid',
      '/0/countryCodeISO2',
    ],
    [
      'a country in small letters',
      { countryCodeISO2: 'fr' },
      'COUNTRY_INVALID',
      'Country code is not valid',
      '/0/countryCodeISO2',
    ],
    [
      'a timezone outside IANA',
      { timezone: 'Europe/Atlantis' },
      'TIMEZONE_INVALID',
      'Timezone is not valid',
      '/0/timezone',
    ],
    [
      'an offset as timezone',
      { timezone: '+02:00' },
      'TIMEZONE_INVALID',
      'Timezone is not valid',
      '/0/timezone',
    ],
    ['an e-mail without @', { email: 'desk' }, 'EMAIL_INVALID', 'Email is not valid', '/0/email'],
    ['two e-mails', { email: 'a@b.example, c@d.example' }, 'EMAIL_INVALID', 'Email is not valid', '/0/email'],
    [
      'an e-mail of 255 characters',
      { email: `${'x'.repeat(245)}@b.example` },
      'EMAIL_INVALID',
      'Email is not valid',
      '/0/email',
    ],
    [
      'latitude beyond the pole',
      { latitude: 90.1 },
      'OUT_OF_RANGE',
      'latitude must be less than or equal to 90',
      '/0/latitude',
    ],
    [
      'longitude beyond 180',
      { longitude: -180.1 },
      'OUT_OF_RANGE',
      'longitude must be greater than or equal to -180',
      '/0/longitude',
    ],
    ['latitude as text', { latitude: '48' }, 'WRONG_TYPE', 'latitude must be a number', '/0/latitude'],
    ['address as text', { address: 'x' }, 'WRONG_TYPE', 'address must be an array', '/0/address'],
    [
      'an address line null',
      { address: [null] },
      'WRONG_TYPE',
      'An element of address must be a string',
      '/0/address/0',
    ],
    ['phone as text', { phone: '1' }, 'WRONG_TYPE', 'phone must be an object', '/0/phone'],
    [
      'NUL in a name',
      { hotelName: 'a\0b' },
      'INVALID_CHARACTERS',
      'hotelName has characters that cannot be stored',
      '/0/hotelName',
    ],
    [
      'a lone surrogate in a line of the address',
      { address: ['\ud800'] },
      'INVALID_CHARACTERS',
      'An element of address has characters that cannot be stored',
      '/0/address/0',
    ],
    [
      'a blank at the end of hotelId',
      { hotelId: 'H1 ' },
      'INVALID_CHARACTERS',
      'hotelId has characters that cannot be stored',
      '/0/hotelId',
    ],
  ]
  for (const [why, change, type, message, path] of refusals) {
    test(`${why}: ${message}`, async () => {
      const supplier = await newSupplier()
      const reply = await supplier.post('/push/hotels', [{ ...full, ...change }])
      assert.deepEqual([reply.status, reply.body['code'], reply.body['message']], [400, '400', message])
      assert.deepEqual(problems(reply), [{ type, message, path }])
      assert.deepEqual(await stored(supplier), [])
    })
  }

  test('NUL, lone surrogates and control characters in any text member', async () => {
    const supplier = await newSupplier()
    const members = [
      'hotelId',
      'hotelName',
      'currency',
      'countryCodeISO2',
      'city',
      'email',
      'chainCode',
      'state',
      'timezone',
    ]
    for (const member of members) {
      for (const junk of ['\0', '\ud800', '\u001b']) {
        const { status, body } = await supplier.post('/push/hotels', [{ ...full, [member]: `U${junk}D` }])
        assert.equal(status, 400, `${member} ${JSON.stringify(junk)}`)
        assert.ok(!JSON.stringify(body).includes('\\ud800'))
      }
    }
    assert.deepEqual(await stored(supplier), [])
  })

  test('1e400 as a coordinate', async () => {
    const supplier = await newSupplier()
    const text = JSON.stringify([full]).replace('-48.5', '1e400')
    assert.equal((await supplier.post('/push/hotels', text)).status, 400)
  })

  test('a key that appears twice', async () => {
    const supplier = await newSupplier()
    const text = JSON.stringify([full]).replace('{', '{"currency":"EUR",')
    const reply = await supplier.post('/push/hotels', text)
    assert.equal(reply.status, 400)
    assert.deepEqual(problems(reply), [
      { type: 'DUPLICATE_KEY', message: 'currency appears twice in one object', path: '/0/currency' },
    ])
  })

  test('an object, an empty array, null', async () => {
    const supplier = await newSupplier()
    for (const [body, message] of [
      [full, 'Request body must be an array'],
      [[], 'At least one hotel is required'],
      [[null], 'An element of the request body must be an object'],
      ['null', 'Request body must be an array'],
    ]) {
      const reply = await supplier.post('/push/hotels', body)
      assert.deepEqual([reply.status, reply.body['message']], [400, message])
    }
  })

  test('the same hotelId twice, with both paths reported', async () => {
    const supplier = await newSupplier()
    const { status, body } = await supplier.post('/push/hotels', [full, { ...full, hotelId: 'h1' }, full])
    assert.equal(status, 400)
    assert.deepEqual(body['errors'], [
      {
        type: 'DUPLICATE_HOTEL',
        docUrl: '/docs/guides/errors#DUPLICATE_HOTEL',
        message: 'hotelId appears twice in one request',
        path: '/2/hotelId',
        value: 'H1',
        hint: 'First at /0/hotelId; send each hotel once',
      },
    ])
  })

  test('one invalid element refuses all, and every invalid element is listed regardless of its problem', async () => {
    const supplier = await newSupplier()
    await supplier.post('/push/hotels', [full])
    const held = await stored(supplier)
    const reply = await supplier.post('/push/hotels', [
      { ...full, hotelName: 'Renamed' },
      { ...full, hotelId: 'H2', minChildAge: 0 },
      { ...full, hotelId: 'H3', currency: 'XXX' },
      { ...full, hotelId: 'H4', hotelName: undefined, timezone: 'Mars/Base' },
      7,
    ])
    assert.equal(reply.status, 400)
    assert.deepEqual(
      new Set(problems(reply).map(({ path }) => path)),
      new Set(['/1/minChildAge', '/2/currency', '/3/hotelName', '/3/timezone', '/4']),
    )
    assert.deepEqual(await stored(supplier), held)
  })

  test('without a valid key', async () => {
    const supplier = await newSupplier()
    const { status, body } = await supplier.post('/push/hotels', [full], { 'x-api-key': 'nonsense' })
    assert.deepEqual([status, body['message']], [401, 'Unauthorized API KEY'])
  })
})

test('a list that is too long is reported without its elements; the longest allowed list is validated completely', async () => {
  const supplier = await newSupplier()
  const wrong = { ...required, hotelId: 5, currency: 5, isAvailable: 'yes' }
  const push = (count: number) =>
    supplier.post(
      '/push/hotels',
      Array.from({ length: count }, () => wrong),
    )
  const tooMany = await push(501)
  const types = (reply: Reply): unknown[] =>
    Array.isArray(reply.body['errors']) ? reply.body['errors'].map(({ type }) => type) : []
  assert.deepEqual(
    [tooMany.status, types(tooMany), tooMany.body['moreErrors']],
    [400, ['TOO_MANY_HOTELS'], undefined],
  )
  const most = await push(500)
  assert.deepEqual([most.status, types(most).length, most.body['moreErrors']], [400, 100, 3 * 500 - 100])
  assert.deepEqual(await stored(supplier), [])
})
