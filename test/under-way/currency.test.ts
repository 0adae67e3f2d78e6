import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../stage/scenes/bulk.ts'
import { expectStatus } from '../stage/scenes/booking.ts'
import { exported } from '../stage/scenes/exports.ts'
import { expectOk, problemsOf } from '../stage/story.ts'
import {
  adults,
  april,
  bar,
  bodyOf,
  gatewayUnderWay,
  guestPrices,
  pushAri,
  pushHotel,
  pushProduct,
  pushTaxes,
  underWay,
  type Fields,
} from '../stage/under-way/hotel.ts'
import { alertsOf, cardOf, deliveryOf, offerOf, stateOf } from '../stage/under-way/state.ts'

/** A hotel in US dollars that changes to yen, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const city = {
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 3,
  appliedOn: 'net',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: true,
}
const flat = { penaltyCharge: { chargeBase: 'FullStay', amount: 40 } }

const withoutPrices = (items: unknown): unknown =>
  Object(items).flatMap(({ rates, ...item }: Fields) => (rates === undefined ? [item] : []))

test('a hotel changes its currency: prices are unknown, and what was booked, sent and answered stays as it was', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushHotel(way, { currency: 'JPY' })
  const after = await stateOf(way)
  assert.deepEqual(withoutPrices(after.prices), withoutPrices(before.prices))
  assert.equal(JSON.stringify(after.prices).includes('amount'), false)
  assert.equal(String(after.exported).includes('"currency":"JPY"'), true)
  assert.equal(String(after.exported).includes('amount'), false)
  const { inv, res } = Object(before.digest)
  assert.deepEqual(after, {
    ...before,
    prices: after.prices,
    undo: [410, "History does not reach behind revision N: the hotel's currency changed"],
    offer: ['price FORMER_CURRENCY'],
    priceCheck: ['supplier_error', false, 'JPY', null],
    digest: { inv, res },
    exported: after.exported,
    alerts: ['coverage.low', 'mass.closed'],
    drift: ['JPY', 0, 0],
    history: [200],
    feed: ['hotel'],
  })
})

test('a price that is held in the former currency is not released, and names why; the hold ends with it', async () => {
  const way = await underWay(gateway)
  await pushHotel(way, { currency: 'JPY' })
  const released = await way.supplier.post('/push/guard/release', { hotelId: 'H1', holdIds: [way.holdId] })
  const { cellsChanged, skipped } = Object(expectStatus(released, 207).body)
  assert.deepEqual([cellsChanged, skipped.map(({ reason }: Fields) => reason)], [0, ['currency']])
  const { body } = expectOk(await way.supplier.post('/push/guard/holds', { hotelId: 'H1' }))
  assert.deepEqual(body['holds'], [])
})

test('the first prices in the new currency are compared with none, so that the guard holds none of them', async () => {
  const way = await underWay(gateway)
  await pushHotel(way, { currency: 'JPY' })
  expectOk(await pushAri(way, { ...april, ...bar(...guestPrices) }, { sequence: 13 }))
  assert.deepEqual(await offerOf(way), ['275', 'RO', [{ from: '2027-04-18T18:00:00+02:00', amount: '138' }]])
  const again = await pushAri(way, { date: '2027-04-20', ...bar(adults(2, 11)) }, { sequence: 14 })
  assert.equal(expectStatus(again, 207).body['code'], '207')
})

test('while the supplier is asked about a booking the currency changes: nothing is booked', async () => {
  const way = await underWay(gateway)
  way.live.answer = async () => {
    await pushHotel(way, { currency: 'JPY' })
    expectOk(await pushAri(way, { ...april, ...bar(...guestPrices) }, { sequence: 13 }))
    const amounts = { amountBeforeTax: [125, 125], amountAfterTax: [137.5, 137.5] }
    return [200, { roomRate: { roomId: 'DBL', rateId: 'BAR', currency: 'USD', inventory: 9, ...amounts } }]
  }
  const refused = await way.platform.post('/booking/reservations', bodyOf(way.supplier))
  const { errors, total, currency } = Object(expectStatus(refused, 409).body)
  assert.deepEqual([errors[0].type, total.afterTax, currency], ['PRICE_CHANGED', '275', 'JPY'])
})

test('a cancellation costs its penalty in the booked currency, its delivery says so, and its card goes a day later', async () => {
  const way = await underWay(gateway)
  await pushHotel(way, { currency: 'JPY' })
  gateway.clock.set('2027-04-19T12:00:00Z')
  const { body } = expectOk(await way.platform.post(`/booking/reservations/${way.reservationId}/cancel`, {}))
  gateway.clock.set('2027-03-01T12:00:00Z')
  const { amount, currency } = Object(body['penalty'])
  assert.deepEqual([amount, currency], ['137.50', 'USD'])
  const [, sent] = Object(await deliveryOf(way))
  const [{ status, currencycode, penalty, paymentcarddetail }] = sent.reservations.reservation
  assert.deepEqual(
    [status, currencycode, penalty.amount, paymentcarddetail],
    ['Cancel', 'USD', '137.50', undefined],
  )
  assert.deepEqual(await cardOf(way), [{ isKept: true, until: '2027-04-20 12:00:00+00' }])
})

for (const format of ['ndjson', 'csv'] as const)
  test(`an export from before is not loaded as amounts of the new currency, as ${format}`, async () => {
    const way = await underWay(gateway)
    const { text } = await exported(way.supplier, { kind: 'ari', format, hotelIds: ['H1'] })
    await pushHotel(way, { currency: 'JPY' })
    const job = await load(way.supplier, { kind: 'ari', format }, text)
    assert.deepEqual([job.state, job['applied'], job['partial']], ['done', 0, 0])
    const errors = await way.supplier.get(`/push/bulk/${job.jobId}/errors`)
    assert.match(errors.text, /CURRENCY_MISMATCH/)
    assert.deepEqual(await offerOf(way), ['price FORMER_CURRENCY'])
    await pushHotel(way, { currency: 'USD' })
    assert.equal((await load(way.supplier, { kind: 'ari', format }, text)).state, 'done')
    assert.deepEqual(Object(await offerOf(way))[0], '275.00')
  })

test('nor are the fixed taxes and flat penalties of one; a push that names another currency is refused', async () => {
  const way = await underWay(gateway)
  await pushTaxes(way, [city])
  await pushProduct(way, { cancelPolicies: [{ code: 'FLAT', cancelPenalties: [flat] }] })
  const files = await Promise.all(
    (['taxes', 'products'] as const).map(async (kind) => {
      const { text } = await exported(way.supplier, { kind, hotelIds: ['H1'] })
      return { kind, text }
    }),
  )
  await pushHotel(way, { currency: 'EUR' })
  expectOk(await pushAri(way, { ...april, ...bar(...guestPrices) }, { sequence: 13 }))
  const unknown = ['cancelPolicy FORMER_CURRENCY', 'taxes FORMER_CURRENCY']
  for (const { kind, text } of files) {
    const job = await load(way.supplier, { kind }, text)
    assert.deepEqual([kind, job.state, job['applied'], job['refused']], [kind, 'done', 0, 1])
    assert.match((await way.supplier.get(`/push/bulk/${job.jobId}/errors`)).text, /CURRENCY_MISMATCH/)
    const refused = expectStatus(await way.supplier.post(`/push/${kind}`, JSON.parse(text)), 400)
    assert.deepEqual(problemsOf(refused), [
      ['/currency', 'CURRENCY_MISMATCH', "currency must be the hotel's currency EUR"],
    ])
    assert.deepEqual(Object(await offerOf(way)).sort(), unknown)
  }
  for (const { kind, text } of files)
    expectOk(await way.supplier.post(`/push/${kind}`, { ...JSON.parse(text), currency: 'EUR' }))
  assert.equal(Object(await offerOf(way))[0], '268.00')
})

test('back in the first currency, prices that differed from the supplier’s own are no alert: they are not sold', async () => {
  const way = await underWay(gateway)
  assert.deepEqual(await alertsOf(way), ['drift.high'])
  await pushHotel(way, { currency: 'JPY' })
  await pushHotel(way, { currency: 'USD' })
  assert.deepEqual(await alertsOf(way), ['coverage.low', 'mass.closed'])
  const { body } = expectOk(await way.supplier.get('/push/priceChecks?hotelId=H1'))
  const { differingNights, worst } = Object(body['drift'])
  assert.deepEqual([differingNights, worst], [0, []])
})
