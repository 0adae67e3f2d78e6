import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ada, bookingBody, openShop, type Shop } from '../stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../stage/story.ts'

/**
 * Unknown members of a supplier's request change nothing in the result, and each one gets a warning. The platform's are
 * refused: unknown-platform-members.test.ts.
 */

let shop: Shop

const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})

const hotel = { supplier: 'Acme', hotelId: 'H1' }
const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }

const ignored = (name: string, path: string, meant?: string) => ({
  type: 'UNKNOWN_FIELD',
  message: `${name} is not known and was ignored`,
  path,
  ...(meant === undefined ? {} : { hint: `Did you mean ${meant}?` }),
})
/** A supplier's values are repeated. */
const ignoredValue = (name: string, path: string, value: unknown, meant?: string) => ({
  ...ignored(name, path, meant),
  value,
})

function warningsOf({ status, body, text }: Reply, expected = 200): unknown {
  assert.equal(status, expected, text)
  return body['warnings']
}

test('pushes of hotels and products say which members they did not know', async () => {
  const pushed = {
    hotelId: 'H2',
    hotelName: 'Mill',
    currency: 'USD',
    isAvailable: true,
    timezone: 'Europe/Rome',
  }
  const hotels = [{ ...pushed, minChildAge: 3, maxChildAge: 12, chaincode: 'X', phone: { phonenumber: '1' } }]
  assert.deepEqual(warningsOf(await shop.supplier.post('/push/hotels', hotels)), [
    ignoredValue('chaincode', '/0/chaincode', 'X', 'chainCode'),
    ignoredValue('phonenumber', '/0/phone/phonenumber', '1', 'phoneNumber'),
  ])
  const product = {
    roomId: 'A',
    roomType: 'Double',
    roomName: 'A',
    rateId: 'B',
    rateName: 'B',
    isAvailable: true,
  }
  const occupancy = { maxOccupancy: 2, maxAdults: 2 }
  const products = [{ ...product, mealplan: 'BB', occupancy }]
  assert.deepEqual(warningsOf(await shop.supplier.post('/push/products', { hotelId: 'H2', products })), [
    ignoredValue('mealplan', '/products/0/mealplan', 'BB', 'mealPlan'),
    ignoredValue('maxAdults', '/products/0/occupancy/maxAdults', 2, 'maxAdult'),
  ])
})

test('a missing member is reported with the member to send and the one sent in its place', async () => {
  const reply = await shop.platform.post('/booking/offers', {
    hotels: [hotel],
    checkIn: '2027-04-20',
    rooms: [{}],
  })
  assert.equal(reply.status, 400)
  const { errors } = JSON.parse(reply.text)
  assert.deepEqual(
    errors.map(({ path, hint }: { path: string; hint: string }) => [path, hint]),
    [
      ['/checkin', 'Send checkin: checkIn was sent, which is not known'],
      ['/checkout', 'Send checkout, a date in the form YYYY-MM-DD: Day of departure'],
      ['/rooms/0/adults', 'Send adults, an integer'],
      ['/checkIn', 'Did you mean checkin?'],
    ],
  )
})

test('of what cannot be booked, the rules that forbid it come first', async () => {
  await shop.supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'DBL', rateId: 'NRF', date: '2027-04-20', minLengthStay: 5, closedToArrival: true }],
  })
  const reply = await shop.platform.post('/booking/offers', {
    hotels: [hotel],
    ...stay,
    rooms: [{ adults: 2 }],
    explain: true,
  })
  const [{ unavailable }] = Object(reply.body['hotels'])
  const { rules } = unavailable.find(({ rateId }: { rateId: string }) => rateId === 'NRF')
  const failing = rules.filter(({ pass }: { pass: boolean }) => !pass)
  assert.deepEqual(rules.slice(0, failing.length), failing)
  assert.deepEqual(
    failing.map(({ rule }: { rule: string }) => rule),
    ['closedToArrival', 'minLengthStay'],
  )
})

/** One night of the double room of the story's hotel. */
const night = { roomId: 'DBL', date: '2027-04-20' }
const bar = { rateId: 'BAR' }
const pushOf = (item: object, more: object = {}) => ({
  hotelId: 'H1',
  pricingModel: 'unit',
  ari: [{ ...night, ...item }],
  ...more,
})

const misspeltPushes = [
  ['dryrun', pushOf({ inventory: 7 }, { dryrun: true }), '/dryrun', true, 'dryRun'],
  ['Atomic', pushOf({ inventory: 8 }, { Atomic: true }), '/Atomic', true, 'atomic'],
  ['stopSell', pushOf({ inventory: 9, stopSell: true }), '/ari/0/stopSell', true, 'closed'],
  ['inventroy', pushOf({ inventroy: 3 }), '/ari/0/inventroy', 3, 'inventory'],
  ['colsed', pushOf({ rates: [{ ...bar, colsed: true }] }), '/ari/0/rates/0/colsed', true, 'closed'],
  [
    'closedToArival',
    pushOf({ rates: [{ ...bar, minLengthStay: 2, closedToArival: true }] }),
    '/ari/0/rates/0/closedToArival',
    true,
    'closedToArrival',
  ],
] as const

async function expectTold(body: object, told: ReturnType<typeof ignoredValue>): Promise<void> {
  const requestId = `unknown${told.path.replaceAll('/', '-')}`
  const reply = expectOk(await shop.supplier.post('/push/ari', body, { 'x-request-id': requestId }))
  assert.deepEqual(warningsOf(reply), [told])
  const found = expectOk(await shop.supplier.get('/push/log?problem=UNKNOWN_FIELD&limit=1'))
  const [{ requestId: foundId, problems, warnings }] = Object(found.body['pushes'])
  assert.deepEqual(
    [foundId, problems, warnings.types[0], warnings.message],
    [requestId, null, 'UNKNOWN_FIELD', told.message],
  )
  const kept = expectOk(await shop.supplier.get(`/push/log/${requestId}`)).body['push']
  assert.deepEqual(Object(kept).answer, reply.body)
}

describe('a push of ARI', () => {
  for (const [name, body, path, value, meant] of misspeltPushes) {
    const told = ignoredValue(name, path, value, meant)
    test(`tells of ${name}, which was misspelt, in its answer and in the push log`, () =>
      expectTold(body, told))
  }

  test('with nothing left to set is found by NOTHING_SENT', async () => {
    const headers = { 'x-request-id': 'nothing-sent' }
    expectOk(await shop.supplier.post('/push/ari', pushOf({ inventroy: 3 }), headers))
    const found = expectOk(await shop.supplier.get('/push/log?problem=NOTHING_SENT&hotelId=H1'))
    const [{ requestId, warnings }] = Object(found.body['pushes'])
    assert.deepEqual(
      [requestId, warnings.count, warnings.types],
      ['nothing-sent', 2, ['UNKNOWN_FIELD', 'NOTHING_SENT']],
    )
  })

  test('that is refused tells of them beside what is wrong', async () => {
    const reply = await shop.supplier.post(
      '/push/ari',
      pushOf({ roomId: 'NONE', inventory: 1, colsed: true }),
    )
    assert.equal(reply.status, 404)
    assert.deepEqual(reply.body['warnings'], [ignoredValue('colsed', '/ari/0/colsed', true, 'closed')])
  })

  test('is told where a member belongs that stands in the wrong place', async () => {
    const reply = expectOk(
      await shop.supplier.post('/push/ari', pushOf({ inventory: 5 }, { minLengthStay: 2 })),
    )
    const [told] = Object(reply.body['warnings'])
    assert.equal(told.hint, 'It is known in ari[], not here')
  })

  test('lists 100 of them and counts the others', async () => {
    const ari = Array.from({ length: 130 }, () => ({ ...night, inventory: 5, colsed: true }))
    const reply = expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }))
    assert.deepEqual([Object(reply.body['warnings']).length, reply.body['moreWarnings']], [100, 30])
  })

  test('that repeats one under its Idempotency-Key has its warnings too', async () => {
    const headers = { 'idempotency-key': 'unknown-repeated' }
    const body = pushOf({ inventory: 4, colsed: true })
    const first = expectOk(await shop.supplier.post('/push/ari', body, headers))
    const again = expectOk(await shop.supplier.post('/push/ari', body, headers))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
  })

  test('that posts back what was read has nothing to be told', async () => {
    const asked = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30' }
    const read = expectOk(await shop.supplier.post('/push/getAri', asked)).body
    const again = expectOk(await shop.supplier.post('/push/ari', read))
    assert.deepEqual([again.body['warnings'], Object(again.body['summary']).cellsChanged], [undefined, 0])
  })
})

test('taxes, webhooks, reads and the console report them too', async () => {
  const { supplier } = shop
  const taxes = expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [], product: [] }))
  assert.deepEqual(taxes.body['warnings'], [ignoredValue('product', '/product', 'an array of 0', 'products')])
  const read = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'], hotelid: 'H1' }))
  assert.deepEqual(Object(read.body['warnings'])[0].path, '/hotelid')
  const asked = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-02', roomIDs: ['DBL'] }
  assert.deepEqual(warningsOf(await supplier.post('/push/getAri', asked)), [
    ignoredValue('roomIDs', '/roomIDs', 'an array of 1', 'roomIds'),
  ])
  const operator = await gateway.operator('admin')
  const made = await operator.post('/suppliers', { name: 'Made', nmae: 'secret' })
  assert.deepEqual([made.status, made.body['warnings']], [201, [ignored('nmae', '/nmae', 'name')]])
})

test('unknown query parameters are reported, with the place where they belong', async () => {
  const { supplier } = shop
  const listed = expectOk(await supplier.get('/push/log?outcom=rejected'))
  assert.deepEqual(listed.body['warnings'], [ignoredValue('outcom', '?outcom', 'rejected', 'outcome')])
  const pushed = expectOk(await supplier.post('/push/ari?dryRun=true', pushOf({ inventory: 5 })))
  assert.deepEqual(pushed.body['warnings'], [
    { ...ignoredValue('dryRun', '?dryRun', 'true'), hint: 'Send it in the body' },
  ])
})

test('the specification’s channelManagerId is passed over', async () => {
  const reply = await shop.supplier.post('/push/ari', pushOf({ inventory: 5 }, { channelManagerId: 'X' }))
  assert.equal(warningsOf(reply), undefined)
})

describe('a request that is to be refused for them', () => {
  const reject = { 'x-unknown-fields': 'reject' }
  const refusedMember = (name: string, path: string, value: unknown, meant: string) => ({
    ...ignoredValue(name, path, value, meant),
    message: `${name} is not known`,
    docUrl: '/docs/guides/errors#UNKNOWN_FIELD',
  })

  test('by its header changes nothing and names each, beside what else is wrong', async () => {
    const held = expectOk(await shop.supplier.post('/push/getHotels', ['H1'])).body
    const body = pushOf({ inventory: 'all', colsed: true }, { dryrun: true })
    const reply = await shop.supplier.post('/push/ari', body, {
      ...reject,
      'x-request-id': 'rejected-unknown',
    })
    assert.equal(reply.status, 400)
    const { errors, warnings } = JSON.parse(reply.text)
    assert.deepEqual(errors.slice(0, 2), [
      refusedMember('colsed', '/ari/0/colsed', true, 'closed'),
      refusedMember('dryrun', '/dryrun', true, 'dryRun'),
    ])
    assert.deepEqual([errors.length, warnings], [3, undefined])
    assert.deepEqual(expectOk(await shop.supplier.post('/push/getHotels', ['H1'])).body, held)
    const found = expectOk(
      await shop.supplier.get('/push/log?problem=UNKNOWN_FIELD&outcome=rejected&limit=1'),
    )
    assert.deepEqual(
      Object(found.body['pushes']).map((push: { requestId: string }) => push.requestId),
      ['rejected-unknown'],
    )
  })

  test('is one of any kind: hotels, products, a read, a search, a booking', async () => {
    const { supplier, platform } = shop
    const calls = [
      await supplier.post('/push/hotels', [{ hotelID: 'H1' }], reject),
      await supplier.post('/push/products', { hotelId: 'H1', products: [{ mealplan: 'BB' }] }, reject),
      await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [], tax: 1 }, reject),
      await supplier.get('/push/log?outcom=rejected', reject),
      await platform.post('/booking/offers', { explian: true }, reject),
      await platform.post('/booking/reservations', { ...bookingBody('Acme'), note: 'x' }, reject),
    ]
    for (const reply of calls) {
      const types = problemsOf(reply).map((problem) => Object.values(Object(problem))[1])
      assert.ok(reply.status === 400 && types.includes('UNKNOWN_FIELD'), reply.text)
    }
  })

  test('with more than 100 of them has the others counted', async () => {
    const ari = Array.from({ length: 130 }, () => ({ ...night, inventory: 5, colsed: true }))
    const reply = await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }, reject)
    assert.deepEqual([reply.status, reply.body['moreErrors']], [400, 30])
  })

  test('by another word than warn or reject is told which there are', async () => {
    const reply = await shop.supplier.post('/push/ari', pushOf({}), { 'x-unknown-fields': 'error' })
    assert.deepEqual(
      [reply.status, reply.body['message']],
      [400, 'X-Unknown-Fields must be one of warn, reject'],
    )
  })

  test('by the setting of its key is, unless its header says otherwise', async () => {
    const strict = await gateway.supplier('Strict', {}, 'reject')
    await pushStoryHotel(strict)
    const body = pushOf({ inventory: 11, colsed: true })
    assert.equal((await strict.post('/push/ari', body)).status, 400)
    assert.equal((await strict.post('/push/ari', body, { 'x-unknown-fields': 'warn' })).status, 200)
  })
})

describe('empty values', () => {
  test('of optional text are as absent', async () => {
    const { supplier } = shop
    const pushed = { hotelId: 'E1', hotelName: 'Empty', currency: 'USD', isAvailable: true, minChildAge: 3 }
    const empty = { city: '', email: '', countryCodeISO2: '', timezone: '', state: '', chainCode: '' }
    expectOk(await supplier.post('/push/hotels', [{ ...pushed, maxChildAge: 12, ...empty }]))
    const [read] = Object(expectOk(await supplier.post('/push/getHotels', ['E1'])).body['hotels'])
    for (const name of Object.keys(empty)) assert.equal(read[name], undefined, name)
    const customer = { ...ada, email: '', phone: '', countryCode: '', remarks: '' }
    assert.equal((await shop.book({ customer })).status, 201)
  })

  test('of codes and closed sets are wrong: without them more would be meant', async () => {
    const { supplier } = shop
    const taxes = { hotelId: 'H1', products: [{ roomId: '', rateId: 'BAR', taxes: [] }] }
    assert.equal((await supplier.post('/push/taxes', taxes)).status, 400)
    assert.equal((await supplier.post('/push/ari', pushOf({ rateId: '', closed: true }))).status, 400)
    assert.equal((await supplier.post('/push/ari', pushOf({ inventory: 1 }, { mode: '' }))).status, 400)
    assert.equal((await supplier.get('/push/log?hotelId=')).status, 400)
  })

  test('of required text are wrong, as before', async () => {
    const reply = await shop.supplier.post('/push/hotels', [{ hotelId: '', hotelName: '' }])
    assert.equal(reply.status, 400)
  })

  test('of lists: rates beside an inventory, and ari as getAri answers of nothing', async () => {
    const { supplier } = shop
    const dates = { date: '', startDate: '2027-04-20', endDate: '2027-04-20' }
    const rates = expectOk(await supplier.post('/push/ari', pushOf({ inventory: 21, rates: [], ...dates })))
    assert.deepEqual(Object(rates.body['results'])[0].status, 'applied')
    const nothing = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: [] }))
    const { items, cellsChanged } = Object(nothing.body['summary'])
    assert.deepEqual([items, cellsChanged, nothing.body['results']], [0, 0, []])
    assert.equal(Object(nothing.body['warnings'])[0].type, 'NOTHING_SENT')
  })
})
