import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import { bookingBody, expectStatus, idOf, openShop, pushNights, type Shop } from '../stage/scenes/booking.ts'
import { operatorOf, type OperatorCall } from '../stage/scenes/calendar.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { exported } from '../stage/scenes/exports.ts'
import { gatewayForCalls, liveUrl, receiverOf, urlOf, type Fields } from '../stage/under-way/calls.ts'
import type { Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** Sales are stopped by the platform, or by the supplier who closes, while something is under way. */

const gateway = await gatewayForCalls()
gateway.app.startBulk()
const deliveries = gateway.app.startDeliveries()
after(() => deliveries.close())
let operator: OperatorCall
before(async () => {
  operator = await operatorOf(gateway)
})

type Stage = Shop & { hotel: number }

let shops = 0
async function stage(ari: Fields = {}): Promise<Stage> {
  const name = `stops ${++shops}`
  const shop = await openShop(gateway, name, ari)
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [name],
  )
  return { ...shop, hotel: rows[0]?.id ?? 0 }
}

const april = { from: '2027-04-01', to: '2027-04-30' }

async function platformStops({ hotel }: Stage, action: 'stop' | 'open' = 'stop', more = {}): Promise<void> {
  const order = { action, targets: [{ roomId: 'DBL' }], reason: 'Burst pipe', ...april, ...more }
  expectOk(await operator('POST', `/hotels/${hotel}/stop-sell`, order))
}

async function supplierCloses({ supplier }: Stage, closed = true): Promise<void> {
  const ari = [{ roomId: 'DBL', startDate: april.from, endDate: april.to, closed }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
}

/** Each way to stop, and to lift the stop. */
const ways = {
  stopSell: { stop: platformStops, lift: (one: Stage) => platformStops(one, 'open') },
  closed: { stop: supplierCloses, lift: (one: Stage) => supplierCloses(one, false) },
}

const rulesOf = ({ body }: Reply): unknown[] => [
  ...new Set(Object.values<Fields>(Object(body['rules'])).map(({ rule }) => rule)),
]

async function offers({ supplier, platform }: Stage): Promise<number> {
  const { hotel, checkin, checkout } = bookingBody(supplier.name)
  const search = { hotels: [hotel], checkin, checkout, rooms: [{ adults: 2 }] }
  return Object(expectOk(await platform.post('/booking/offers', search)).body['hotels'])[0].offers.length
}

async function isTold(rule: string, stop: (one: Stage) => Promise<void>): Promise<void> {
  const one = await stage()
  const { supplier, platform } = one
  await stop(one)
  const cell = { hotelId: 'H1', roomId: 'DBL', date: '2027-04-20', field: rule, limit: 1 }
  const { body: history } = expectOk(await supplier.post('/push/getCellHistory', cell))
  const [{ before: was, after: is, by, requestId }] = Object(history['changes'])
  assert.deepEqual([was ?? false, is, by], [false, true, rule === 'stopSell' ? 'stop' : 'push'])
  const { hotel, checkin, checkout } = bookingBody(supplier.name)
  const search = { hotels: [hotel], checkin, checkout, rooms: [{ adults: 2 }], explain: true }
  const [{ unavailable }] = Object(expectOk(await platform.post('/booking/offers', search)).body['hotels'])
  const [{ setBy }] = unavailable[0].rules.filter(({ pass }: Fields) => pass === false)
  assert.deepEqual(
    [setBy.operator, setBy.requestId === requestId],
    [rule === 'stopSell' ? operator.id : undefined, true],
  )
}

for (const [rule, { stop, lift }] of Object.entries(ways)) {
  test(`${rule} during a price check refuses the booking, and a lifted one doesn't`, async () => {
    const one = await stage()
    const url = await liveUrl(one)
    const first = await url.held(() => one.book())
    await stop(one)
    first.letGo()
    assert.deepEqual(rulesOf(expectStatus(await first.answer, 409)), [rule])
    await lift(one)
    const second = await url.held(() => one.book())
    await stop(one)
    await lift(one)
    second.letGo()
    idOf(await second.answer)
  })

  test(`${rule} takes nothing from who has booked: repeats, what is given up, the cancel and its delivery`, async () => {
    const one = await stage()
    const { supplier, platform } = one
    const key = { 'idempotency-key': 'before' }
    const booked = expectStatus(await one.book({ checkout: '2027-04-23' }, key), 201)
    const path = `/booking/reservations/${idOf(booked)}`
    await stop(one)
    assert.equal((await one.book({ checkout: '2027-04-23' }, key)).text, booked.text)
    const longer = await platform.put(path, bookingBody(supplier.name, { checkout: '2027-04-24' }))
    assert.deepEqual(rulesOf(expectStatus(longer, 409)), [rule])
    const shorter = bookingBody(supplier.name, { checkout: '2027-04-21' })
    assert.equal(expectOk(await platform.put(path, shorter)).body['version'], 2)
    expectOk(await platform.post(`${path}/cancel`, {}))
    const receiver = await receiverOf()
    expectOk(await supplier.post('/push/webhook/pushbook', { webhook: urlOf(receiver) }))
    expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
    await until('the cancel is delivered', () =>
      receiver.calls.some(({ body }) => JSON.parse(body.toString()).status === 'Cancel'),
    )
  })

  test(`${rule} is in the history; a search that explains names the push, or the operator who stopped`, () =>
    isTold(rule, stop))

  test(`${rule} on most nights is an alert of the supplier until it is lifted`, async () => {
    const one = await stage({ startDate: '2027-03-02', endDate: '2027-05-30' })
    const whole = { from: '2027-03-02', to: '2027-05-30' }
    const alerts = async (): Promise<unknown[]> => {
      const { db, clock } = gateway
      await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
      const wanted = { kinds: ['mass.closed', 'coverage.low'], states: ['open'] }
      const { body } = expectOk(await one.supplier.post('/push/alerts', wanted))
      const kinds = Object.values<Fields>(Object(body['alerts'])).map(({ kind }) => String(kind))
      return kinds.toSorted()
    }
    const closed = async (isClosed: boolean): Promise<void> => {
      if (rule === 'stopSell') return platformStops(one, isClosed ? 'stop' : 'open', whole)
      const ari = [{ roomId: 'DBL', startDate: whole.from, endDate: whole.to, closed: isClosed }]
      expectOk(await one.supplier.post('/push/ari', { hotelId: 'H1', ari }))
    }
    assert.deepEqual(await alerts(), [])
    await closed(true)
    assert.deepEqual(await alerts(), ['coverage.low', 'mass.closed'])
    await closed(false)
    assert.deepEqual(await alerts(), [])
  })
}

test('the guard judges no stop-sell: its end opens nights that a push could not, and a release doesn’t lift it', async () => {
  const one = await stage()
  const { supplier } = one
  const rules = [
    { kind: 'massOpen', nights: 1, action: 'hold' },
    { kind: 'priceDrop', percent: 30, action: 'hold' },
  ]
  expectOk(await supplier.post('/push/guard', { rules }))
  await platformStops(one)
  const rates = [{ rateId: 'BAR', price: 10 }]
  const ari = [{ roomId: 'DBL', startDate: april.from, endDate: april.to, rates }]
  expectStatus(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }), 207)
  expectOk(await supplier.post('/push/guard/release', { hotelId: 'H1' }))
  assert.equal(await offers(one), 0)
  await platformStops(one, 'open')
  assert.equal(await offers(one), 2)
})

test('an export has the supplier’s closures alone, and what is loaded lifts no stop-sell', async () => {
  const one = await stage()
  const first = await exported(one.supplier, { kind: 'ari' })
  await platformStops(one)
  const { text } = await exported(one.supplier, { kind: 'ari' })
  assert.doesNotMatch(text, /stopSell/)
  const ariOf = (exportedText: string): unknown[] =>
    exportedText
      .split('\n')
      .filter((line) => line.includes('"ari"'))
      .map((line) => JSON.parse(line).ari)
  assert.deepEqual(ariOf(text), ariOf(first.text))
  await pushNights(one.supplier, { closed: false })
  assert.equal(await offers(one), 0)
})

test('a closure has the sequence of its push: an older opening is superseded, and the units and prices stay', async () => {
  const one = await stage()
  const { supplier } = one
  const push = async (closed: boolean, sequence: number): Promise<void> => {
    const ari = [{ roomId: 'DBL', startDate: april.from, endDate: april.to, closed }]
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, sequence }))
  }
  await push(true, 5)
  await push(false, 4)
  assert.equal(await offers(one), 0)
  await push(false, 6)
  assert.equal(await offers(one), 2)
})
