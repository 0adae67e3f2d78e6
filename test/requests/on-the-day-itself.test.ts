import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../stage/scenes/bulk.ts'
import { exported } from '../stage/scenes/exports.ts'
import { expectStatus, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { gatewayForTests, type TestSupplier } from '../stage/harness.ts'
import { expectOk, pushStoryHotel } from '../stage/story.ts'

/** `maxAdvanceDays: 0`, the one limit that 0 does not clear: a stay is booked on the day of its arrival. */

const gateway = await gatewayForTests({ now: '2027-04-10T10:00:00Z' })
gateway.app.startBulk()
const days = { startDate: '2027-04-10', endDate: '2027-04-20' }

const shop = (name: string): Promise<Shop> => openShop(gateway, name, days)

async function pushBar(supplier: TestSupplier, line: object, more: object = {}) {
  const ari = [{ roomId: 'DBL', ...days, rates: [{ rateId: 'BAR', ...line }] }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, ...more }))
  const [{ status, warnings = [] }] = Object(body['results'])
  return { status, warnings: warnings.map(({ type, message }: Record<string, string>) => [type, message]) }
}

/** What BAR has in the read-back, by range. */
async function stored(supplier: TestSupplier): Promise<unknown[]> {
  const range = { hotelId: 'H1', startDate: days.startDate, endDate: days.endDate }
  const { body } = expectOk(await supplier.post('/push/getAri', range))
  return Object(body['ari']).flatMap(({ rates = [] }: { rates?: Record<string, unknown>[] }) =>
    rates.filter(({ rateId }) => rateId === 'BAR').map(({ maxAdvanceDays }) => maxAdvanceDays),
  )
}

async function offered({ platform }: Shop, name: string, checkin: string, checkout: string) {
  const asked = { hotels: [{ supplier: name, hotelId: 'H1' }], checkin, checkout, rooms: [{ adults: 2 }] }
  const { body } = expectOk(await platform.post('/booking/offers', { ...asked, explain: true }))
  const [{ offers, unavailable }] = Object(body['hotels'])
  return {
    rates: offers.map(({ rateId }: { rateId: string }) => rateId),
    failing: unavailable.flatMap(({ rules }: { rules: Record<string, unknown>[] }) =>
      rules.flatMap(({ rule, pass, held, asked: wanted }) => (pass ? [] : [[rule, held, wanted]])),
    ),
  }
}

const todayOnly = (nights: string) => [
  'TODAY_ONLY',
  `maxAdvanceDays is 0 on ${nights} after tomorrow: a stay from there can be booked only on the day of its arrival`,
]

test('maxAdvanceDays 0 sells a stay on the day of its arrival alone; null clears it', async () => {
  const stage = await shop('Today')
  await pushBar(stage.supplier, { maxAdvanceDays: 0 })
  assert.deepEqual(await offered(stage, 'Today', '2027-04-10', '2027-04-12'), {
    rates: ['BAR', 'NRF'],
    failing: [],
  })
  assert.deepEqual(await offered(stage, 'Today', '2027-04-11', '2027-04-12'), {
    rates: ['NRF'],
    failing: [['maxAdvanceDays', 0, 1]],
  })
  const tomorrow = { checkin: '2027-04-11', checkout: '2027-04-12' }
  const refused = expectStatus(await stage.book(tomorrow), 409)
  assert.match(refused.text, /maxAdvanceDays/)
  expectStatus(await stage.book({ checkin: '2027-04-10', checkout: '2027-04-11', rooms: [room()] }), 201)
  assert.deepEqual(await pushBar(stage.supplier, { maxAdvanceDays: null }), {
    status: 'applied',
    warnings: [],
  })
  assert.deepEqual((await offered(stage, 'Today', '2027-04-11', '2027-04-12')).rates, ['BAR', 'NRF'])
})

test('maxAdvanceDays 0 warns TODAY_ONLY with the number of its nights after tomorrow', async () => {
  const { supplier } = await shop('Warned')
  const zero = { maxAdvanceDays: 0 }
  assert.deepEqual((await pushBar(supplier, zero, { dryRun: true })).warnings, [todayOnly('9 nights')])
  assert.deepEqual((await pushBar(supplier, zero)).warnings, [todayOnly('9 nights')])
  assert.deepEqual((await pushBar(supplier, { maxAdvanceDays: 1 })).warnings, [])
  assert.deepEqual((await pushBar(supplier, { minAdvanceDays: 0, minLengthStay: 0 })).warnings, [])
  const push = async (...items: object[]) => {
    const ari = items.map((item) => ({ roomId: 'DBL', rateId: 'BAR', ...item }))
    const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
    return Object(body['results']).map(({ warnings = [] }: { warnings?: Record<string, string>[] }) =>
      warnings.map(({ message }) => message),
    )
  }
  const near = { startDate: '2027-04-10', endDate: '2027-04-11', ...zero }
  assert.deepEqual(await push(near), [[]])
  assert.deepEqual(await push({ ...near, endDate: '2027-04-12' }), [[todayOnly('1 night')[1]]])
  // A later item of the push counts.
  assert.deepEqual(await push({ ...days, ...zero }, { ...days, maxAdvanceDays: 30 }), [[], []])
  const found = expectOk(await supplier.get('/push/log?problem=TODAY_ONLY'))
  assert.equal(Object(found.body['pushes']).length, 3)
})

test('maxAdvanceDays 0 is read back, posted back, overlaid and exported as it was pushed', async () => {
  const { supplier } = await shop('Kept')
  await pushBar(supplier, { maxAdvanceDays: 0 })
  assert.deepEqual(await stored(supplier), [0])
  assert.equal((await pushBar(supplier, { maxAdvanceDays: 0 })).status, 'unchanged')
  assert.equal((await pushBar(supplier, { minLengthStay: 0 })).status, 'unchanged')
  assert.deepEqual(await stored(supplier), [0])
  for (const format of ['csv', 'ndjson'] as const) {
    const { text } = await exported(supplier, { kind: 'ari', format })
    const other = await gateway.supplier(`Loaded ${format}`)
    await pushStoryHotel(other)
    assert.equal((await load(other, { kind: 'ari', format }, text)).state, 'done')
    assert.deepEqual(await stored(other), [0], format)
  }
  const overlay = { mode: 'overlay', pricingModel: 'unit' }
  await pushBar(supplier, { price: 100, maxAdvanceDays: 0 }, overlay)
  assert.deepEqual(await stored(supplier), [0])
  await pushBar(supplier, { price: 100 }, overlay)
  assert.deepEqual(await stored(supplier), [undefined])
})

test('maxAdvanceDays 0 below minAdvanceDays can never be booked', async () => {
  const { supplier } = await shop('Never')
  const { warnings } = await pushBar(supplier, { minAdvanceDays: 1, maxAdvanceDays: 0 })
  assert.deepEqual(warnings.map(([type]: string[]) => type).toSorted(), ['NEVER_BOOKABLE', 'TODAY_ONLY'])
})

test('the certification counts maxAdvanceDays 0 as set, and null as cleared', async () => {
  const { supplier } = await shop('Certified')
  const cleared = async (): Promise<string> => {
    const { body } = expectOk(await supplier.get('/push/certification'))
    return Object(body['checks']).find(({ id }: { id: string }) => id === 'restrictions-cleared').why
  }
  await pushBar(supplier, {
    closedToArrival: false,
    closedToDeparture: false,
    minLengthStay: 0,
    maxLengthStay: 0,
    minStayArrival: 0,
    maxStayArrival: 0,
    minAdvanceDays: 0,
    maxAdvanceDays: 0,
  })
  assert.equal(await cleared(), 'Not cleared yet: maxAdvanceDays')
  await pushBar(supplier, { maxAdvanceDays: null })
  assert.equal(await cleared(), 'Every restriction was cleared')
})
