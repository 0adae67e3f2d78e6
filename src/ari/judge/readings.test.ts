import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storySupplier } from '../../../test/stage/scenes/ari.ts'
import { client, gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { createKey } from '../../keys/manage.ts'
import { pushedRestrictions, restrictions, type Restriction } from '../restrictions.ts'

/** What the answer to a push says about the meaning of its fields. */

const gateway = await gatewayForTests()
type Fields = Record<string, unknown>

function readingsIn({ body }: Reply): Fields[][] {
  const results: Fields[] = Array.isArray(body['results']) ? body['results'] : []
  return results.map(({ readings }) => (Array.isArray(readings) ? readings : []))
}

function textsIn(reply: Reply): unknown[] {
  return readingsIn(reply).flatMap((readings) => readings.map(({ text }) => text))
}

const weekends = {
  roomId: 'DBL',
  startDate: '2027-04-15',
  endDate: '2027-05-15',
  daysOfWeek: ['FRI', 'SAT'],
}
const night = '2027-04-15'
const inventory = { roomId: 'DBL', date: night, inventory: 1 }

test('a field is explained in a sentence and as data', async () => {
  const supplier = await storySupplier(gateway)
  const ari = [{ ...weekends, rates: [{ rateId: 'BAR', minStayArrival: 3 }] }]
  const reply = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', echo: true, ari }))
  assert.deepEqual(readingsIn(reply), [
    [
      {
        text: 'DBL / BAR, nights 15 Apr–15 May 2027, Fri and Sat only (10 nights): guests arriving on these nights stay at least 3 nights; stays passing through are not affected',
        roomId: 'DBL',
        rateId: 'BAR',
        field: 'minStayArrival',
        scope: 'arrival',
        value: 3,
        nights: 10,
        dates: ['2027-04-16', '2027-04-17', '2027-04-23', '2027-04-24', '2027-04-30'],
      },
    ],
  ])
  const { push } = expectOk(await supplier.get(`/push/log/${String(reply.body['requestId'])}`)).body
  assert.deepEqual(Object(push).answer, reply.body)
})

test('every field has its sentence, and an overlay says what it clears', async () => {
  const supplier = await storySupplier(gateway)
  const rate = {
    rateId: 'BAR',
    inventory: 1,
    closed: true,
    closedToArrival: false,
    closedToDeparture: true,
    minLengthStay: 1,
    maxLengthStay: 14,
    maxStayArrival: 7,
    minAdvanceDays: 0,
    maxAdvanceDays: 365,
    prices: [
      { ageCategory: 'adult', guests: 1, amount: 90 },
      { ageCategory: 'child', guests: 2, amount: '20.50' },
      { ageCategory: 'infant', guests: 1, amount: null },
    ],
  }
  const room = { roomId: 'DBL', startDate: '2027-04-15', endDate: '2027-04-17', inventory: 6, closed: false }
  const body = { hotelId: 'H1', pricingModel: 'guest', mode: 'overlay', echo: true }
  const reply = await supplier.post('/push/ari', { ...body, ari: [{ ...room, rates: [rate] }] })
  const [ofRoom, ofRate] = ['DBL, ', 'DBL / BAR, ']
  const [nights, days] = ['nights 15–17 Apr 2027 (3 nights): ', 'days 15–17 Apr 2027 (3 days): ']
  // What the push doesn't name, such as a restriction of a later version.
  const cleared = pushedRestrictions
    .filter((name) => !(name in rate))
    .map((name) => {
      const { kind, tests, label }: Restriction = restrictions[name]
      const title = label.slice(0, 1).toLowerCase() + label.slice(1)
      return `${ofRate}${tests === 'departure' ? days : nights}${kind === 'switch' ? 'not' : 'no'} ${title}`
    })
  assert.ok(cleared.includes(`${ofRate}${nights}no minimum stay on arrival`))
  const texts = textsIn(expectOk(reply))
  assert.deepEqual(texts, [
    `${ofRoom}${nights}6 units to sell, shared by the room's rates`,
    `${ofRoom}${nights}not closed`,
    `${ofRate}${nights}1 unit to sell at this rate`,
    `${ofRate}${nights}closed, no stay may include any of these nights`,
    `${ofRate}${nights}not closed to arrival`,
    `${ofRate}${days}closed to departure, no stay may end on these days; stays passing through are not affected`,
    `${ofRate}${nights}guests staying on any of these nights stay at least 1 night, whenever they arrive`,
    `${ofRate}${nights}guests staying on any of these nights stay at most 14 nights, whenever they arrive`,
    `${ofRate}${nights}guests arriving on these nights stay at most 7 nights; stays passing through are not affected`,
    `${ofRate}${nights}no minimum days ahead`,
    `${ofRate}${nights}guests arriving on these nights book at most 365 days ahead; stays passing through are not affected`,
    `${ofRate}${nights}1 adult pays 90.00 USD a night in total`,
    `${ofRate}${nights}2 children add 20.50 USD a night in total`,
    `${ofRate}${nights}no price for 1 infant`,
    ...cleared,
    `${ofRate}${nights}no other prices`,
  ])
  const unit = { roomId: 'DBL', rateId: 'NRF', date: night, price: 99, closedToArrival: true }
  const flat = { hotelId: 'H1', pricingModel: 'unit', echo: true, ari: [unit] }
  assert.deepEqual(textsIn(expectOk(await supplier.post('/push/ari', flat))), [
    'DBL / NRF, night 15 Apr 2027: closed to arrival, no stay may begin on this night; stays passing through are not affected',
    'DBL / NRF, night 15 Apr 2027: the unit costs 99.00 USD a night, whoever stays',
  ])
})

test('a key can have readings by default; a push overrides it', async () => {
  const { name } = await storySupplier(gateway)
  const wanted = { supplier: name, channelManager: 'echoing', expiresAtMs: null, limits: {}, echo: true }
  const { apiKey } = await createKey(gateway.db, 'sandbox', wanted)
  const echoing = client(gateway.url, { 'x-api-key': apiKey })
  const body = { hotelId: 'H1', ari: [inventory] }
  const text = "DBL, night 15 Apr 2027: 1 unit to sell, shared by the room's rates"
  assert.deepEqual(textsIn(await echoing.post('/push/ari', body)), [text])
  assert.deepEqual(textsIn(await echoing.post('/push/ari', { ...body, echo: false })), [])
})

test('what was rejected has no readings, what was not has some', async () => {
  const supplier = await storySupplier(gateway)
  const unknown = { roomId: 'X', date: night, inventory: 1 }
  const body = { hotelId: 'H1', echo: true, ari: [unknown, inventory] }
  const partial = await supplier.post('/push/ari', body)
  assert.deepEqual(
    readingsIn(partial).map((readings) => readings.length),
    [0, 1],
  )
  assert.deepEqual(textsIn(await supplier.post('/push/ari', { ...body, atomic: true })), [])
})

test('an answer lists at most 500 readings, and counts the others', async () => {
  const supplier = await gateway.supplier('Many readings')
  await pushStoryHotel(supplier)
  const ari = Array.from({ length: 300 }, () => ({ ...inventory, closed: false }))
  const reply = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', echo: true, ari }))
  const lengths = readingsIn(reply).map((readings) => readings.length)
  assert.deepEqual([lengths.reduce((sum, length) => sum + length, 0), reply.body['moreReadings']], [500, 100])
})
