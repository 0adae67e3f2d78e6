import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../stage/scenes/bulk.ts'
import { exported } from '../stage/scenes/exports.ts'
import { expectStatus, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { gatewayForTests, type TestSupplier } from '../stage/harness.ts'
import { expectOk, problemsOf, product } from '../stage/story.ts'

/** `occupancy.maxInfant`: a house for adults alone takes no baby, and another takes so many. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
gateway.app.startBulk()

const adultsAlone = { maxOccupancy: 2, maxAdult: 2, maxChild: 0, maxInfant: 0 }
const baby = { adults: 2, childAges: [1] }

/** The warnings, as [type, path]. */
async function pushBar(supplier: TestSupplier, occupancy: object, hotelId = 'H1'): Promise<string[][]> {
  const products = [product('DBL', 'BAR', { occupancy })]
  const { body } = expectOk(await supplier.post('/push/products', { hotelId, products }))
  return Object(body['warnings']).map(({ type, path }: Record<string, string>) => [type, path])
}

async function shop(name: string, occupancy: object): Promise<Shop> {
  const opened = await openShop(gateway, name)
  await pushBar(opened.supplier, occupancy)
  return opened
}

async function asked({ platform }: Shop, name: string, rooms: object[]) {
  const hotels = [{ supplier: name, hotelId: 'H1' }]
  const stay = { checkin: '2027-04-20', checkout: '2027-04-22', rooms, explain: true }
  const { body } = expectOk(await platform.post('/booking/offers', { hotels, ...stay }))
  const [{ offers, unavailable }] = Object(body['hotels'])
  const failing = unavailable.flatMap(({ rules }: { rules: Record<string, unknown>[] }) =>
    rules.filter(({ pass }) => pass !== true),
  )
  return { rates: offers.map(({ rateId }: { rateId: string }) => rateId), failing }
}

test('a house for adults alone offers and books no baby, and explains it by occupancy', async () => {
  const stage = await shop('Adults', adultsAlone)
  assert.deepEqual(await asked(stage, 'Adults', [{ adults: 2 }]), { rates: ['BAR', 'NRF'], failing: [] })
  const { rates, failing } = await asked(stage, 'Adults', [baby])
  assert.deepEqual(rates, ['NRF'])
  const [{ setBy, ...rule }, ...others] = failing
  assert.deepEqual(others, [])
  assert.deepEqual(rule, {
    rule: 'occupancy',
    pass: false,
    dates: [],
    held: adultsAlone,
    asked: { adults: 2, children: 0, infants: 1 },
  })
  assert.equal(typeof setBy.requestId, 'string')
  const refused = expectStatus(await stage.book({ rooms: [room(baby)] }), 409)
  assert.match(refused.text, /"rule":"occupancy"/)
  const hotel = { supplier: 'Adults', hotelId: 'H1' }
  const nights = { checkin: '2027-04-20', checkout: '2027-04-22' }
  const check = {
    hotel,
    roomId: 'DBL',
    rateId: 'BAR',
    ...nights,
    roomCount: 1,
    adultCount: 2,
    childAges: [1],
  }
  const checked = expectOk(await stage.platform.post('/booking/priceCheck', check))
  assert.equal(checked.body['bookable'], false)
  expectStatus(await stage.book(), 201)
})

test('maxInfant limits the infants of each room; absent, there are as many as maxOccupancy', async () => {
  const stage = await shop('Some', { maxOccupancy: 2, maxAdult: 2, maxChild: 1, maxInfant: 1 })
  const rates = async (...rooms: object[]) => (await asked(stage, 'Some', rooms)).rates
  assert.deepEqual(await rates(baby), ['BAR', 'NRF'])
  assert.deepEqual(await rates({ adults: 1, childAges: [0, 1] }), ['NRF'])
  assert.deepEqual(await rates(baby, baby), ['BAR', 'NRF'])
  expectStatus(await stage.book({ rooms: [room({ adults: 1, childAges: [0, 1] })] }), 409)
  await pushBar(stage.supplier, { maxOccupancy: 2, maxAdult: 2, maxChild: 0 })
  assert.deepEqual(await rates({ adults: 1, childAges: [0, 1] }), ['BAR', 'NRF'])
})

test('maxChild 0 without maxInfant warns INFANTS_STILL_SOLD, and only then', async () => {
  const { supplier } = await shop('Warned', { maxOccupancy: 3 })
  const warned = [['INFANTS_STILL_SOLD', '/products/0/occupancy/maxChild']]
  assert.deepEqual(await pushBar(supplier, { maxOccupancy: 3, maxChild: 0 }), warned)
  assert.deepEqual(await pushBar(supplier, { maxOccupancy: 3, maxChild: 0 }), warned)
  assert.deepEqual(await pushBar(supplier, { maxOccupancy: 3, maxChild: 0, maxInfant: 0 }), [])
  assert.deepEqual(await pushBar(supplier, { maxOccupancy: 3, maxChild: 0, maxInfant: 2 }), [])
  assert.deepEqual(await pushBar(supplier, { maxOccupancy: 3, maxChild: 1, maxInfant: 2 }), [])
})

test('maxInfant is read back, mapped, exported and loaded as it was pushed', async () => {
  const { supplier } = await shop('Kept', adultsAlone)
  const read = async (caller: TestSupplier) => {
    const { body } = expectOk(await caller.post('/push/getProducts', { hotelId: 'H1', rateIds: ['BAR'] }))
    const mapped = expectOk(await caller.post('/push/getRoomRateMappings', { hotelId: 'H1' }))
    return [body, mapped.body].map((one) => Object(one['products'] ?? one['mappings'])[0].occupancy)
  }
  assert.deepEqual(await read(supplier), [adultsAlone, adultsAlone])
  const products = Object(expectOk(await supplier.post('/push/getProducts', { hotelId: 'H1' })).body)[
    'products'
  ]
  const again = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  assert.equal(again.body['unchanged'], 2)
  const { text } = await exported(supplier, { kind: 'products' })
  const { supplier: other } = await openShop(gateway, 'Loaded')
  assert.equal((await load(other, { kind: 'products' }, text)).state, 'done')
  assert.deepEqual(await read(other), [adultsAlone, adultsAlone])
})

test('a house for adults alone takes no price for infants, and is compared without those it has', async () => {
  const { supplier } = await shop('Prices', { maxOccupancy: 2 })
  const line = (ageCategory: string, guests: number, amount: number) => ({ ageCategory, guests, amount })
  const prices = [line('adult', 2, 110), line('infant', 1, 10)]
  const item = { roomId: 'DBL', date: '2027-04-20', rates: [{ rateId: 'BAR', prices }] }
  const body = { hotelId: 'H1', pricingModel: 'guest', ari: [item] }
  expectOk(await supplier.post('/push/ari', body))
  assert.deepEqual(await pushBar(supplier, adultsAlone), [['OCCUPANCY_LOWERED', '/products/0/occupancy']])
  const range = { hotelId: 'H1', rateIds: ['BAR'], startDate: '2027-04-20', endDate: '2027-04-20' }
  const { body: read } = expectOk(await supplier.post('/push/getAri', range))
  assert.deepEqual(Object(read['ari'])[0].rates[0].prices, [line('adult', 2, 110)])
  const refused = expectStatus(await supplier.post('/push/ari', body), 400)
  assert.deepEqual(Object(refused.body['results'])[0].errors[0].type, 'OCCUPANCY_EXCEEDED', refused.text)
})

test('maxInfant is a whole number within maxOccupancy', async () => {
  const { supplier } = await shop('Refused', { maxOccupancy: 2 })
  const push = (occupancy: object) =>
    supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR', { occupancy })] })
  const path = '/products/0/occupancy/maxInfant'
  assert.deepEqual(problemsOf(expectStatus(await push({ maxOccupancy: 2, maxInfant: 3 }), 400)), [
    [path, 'OCCUPANCY_INVALID', 'maxInfant must be less than or equal to maxOccupancy'],
  ])
  assert.deepEqual(problemsOf(expectStatus(await push({ maxOccupancy: 2, maxInfant: -1 }), 400)), [
    [path, 'OCCUPANCY_INVALID', 'maxInfant must not be negative'],
  ])
})
