import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openShop, pushNights, room, type Shop } from '../../../test/stage/scenes/booking.ts'
import { startGateway, type TestGateway, type TestOperator } from '../../../test/stage/harness.ts'
import { pagesOf, expectOk, problemsOf } from '../../../test/stage/story.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import type { ConsoleCheck, DriftingNight, PriceCheckSummary } from './contract.ts'

let gateway: TestGateway
let viewer: TestOperator
let acme: Shop

let receiver: Receiver
/** acme's answer for one night of a room; undefined: 500. */
let live: number | undefined = 110
before(async () => {
  gateway = await startGateway({ allowPrivate: true, outbound: { reach: (to) => to } })
  viewer = await gateway.operator('viewer')
  acme = await openShop(gateway, 'Acme', { inventory: 9 })
  await openShop(gateway, 'Beta', { inventory: 9 })
  receiver = await startReceiver((socket, { body }) => {
    const { roomId, rateId, checkin, checkout } = JSON.parse(body.toString())
    const nights = (Date.parse(checkout) - Date.parse(checkin)) / 86_400_000
    if (live === undefined || Number.isNaN(nights)) return socket.write(httpAnswer(500, '{}'))
    const amounts = Array.from({ length: nights }, () => live)
    const roomRate = {
      roomId,
      rateId,
      currency: 'USD',
      inventory: 5,
      amountBeforeTax: amounts,
      amountAfterTax: amounts,
    }
    return socket.write(httpAnswer(200, JSON.stringify({ roomRate })))
  })
  const webhook = `http://127.0.0.1:${receiver.port}/check`
  expectOk(await acme.supplier.post('/push/webhook/availability', { webhook }))
})
after(async () => {
  await gateway.stop()
  await receiver.close()
})

async function check(supplier: string, checkin: string, checkout: string, more = {}): Promise<void> {
  expectOk(
    await acme.platform.post('/booking/priceCheck', {
      hotel: { supplier, hotelId: 'H1' },
      roomId: 'DBL',
      rateId: 'BAR',
      checkin,
      checkout,
      roomCount: 1,
      adultCount: room()['adults'],
      childAges: [],
      ...more,
    }),
  )
}

async function search(query = ''): Promise<ConsoleCheck[]> {
  return Object(expectOk(await viewer.get(`/price-checks?${query}`)).body)['priceChecks']
}

async function drift(query = ''): Promise<DriftingNight[]> {
  return Object(expectOk(await viewer.get(`/drift?${query}`)).body)['nights']
}

test('checks are found by supplier, hotel, outcome and time, with stored and live side by side', async () => {
  await check('Acme', '2027-04-20', '2027-04-22')
  await check('Beta', '2027-04-20', '2027-04-22')
  live = 99
  gateway.clock.set('2027-03-01T13:00:00Z')
  await check('Acme', '2027-04-10', '2027-04-12')
  live = undefined
  await check('Acme', '2027-04-20', '2027-04-21')
  const checks = await search()
  const [failed, changed] = checks
  const outcomes = async (query: string): Promise<string[]> =>
    (await search(query)).map(({ outcome }) => outcome)
  assert.deepEqual(
    {
      all: await outcomes(''),
      ofSupplier: await outcomes(`supplierId=${failed?.supplierId}`),
      ofHotel: await outcomes(`hotelId=${failed?.hotelId}`),
      ofOutcome: await outcomes('outcome=price_changed'),
      ofHotelAndOutcome: await outcomes(`hotelId=${failed?.hotelId}&outcome=available`),
      since: await outcomes('since=2027-03-01T12:30:00Z'),
      none: await outcomes('outcome=timeout'),
    },
    {
      all: ['supplier_error', 'price_changed', 'not_registered', 'available'],
      ofSupplier: ['supplier_error', 'price_changed', 'available'],
      ofHotel: ['supplier_error', 'price_changed', 'available'],
      ofOutcome: ['price_changed'],
      ofHotelAndOutcome: ['available'],
      since: ['supplier_error', 'price_changed'],
      none: [],
    },
  )
  assert.deepEqual(
    {
      supplier: changed?.supplier,
      hotel: [changed?.hotelCode, changed?.hotelName, changed?.timeZone],
      stay: [changed?.roomId, changed?.rateId, changed?.checkin, changed?.checkout],
      stored: changed?.stored.amountAfterTax,
      live: changed?.live?.amountAfterTax,
      difference: changed?.difference,
      failure: [failed?.live, failed?.failure?.reason, failed?.failure?.httpStatus],
    },
    {
      supplier: 'Acme',
      hotel: ['H1', 'Sea View', 'Europe/Paris'],
      stay: ['DBL', 'BAR', '2027-04-10', '2027-04-12'],
      stored: ['110.00', '110.00'],
      live: ['99.00', '99.00'],
      difference: '-22.00',
      failure: [null, 'http_status', 500],
    },
  )
  const { body } = await viewer.get('/price-checks?outcome=available')
  assert.equal(body['since'], '2027-02-22T13:00:00.000Z')
})

test('pages follow each other without a gap', async () => {
  const all = (await search()).map(({ priceCheckId }) => priceCheckId)
  const pages = await pagesOf(viewer, '/price-checks?limit=1')
  const seen = pages.flatMap((body): ConsoleCheck[] => Object(body)['priceChecks'])
  assert.deepEqual(
    seen.map(({ priceCheckId }) => priceCheckId),
    all,
  )
})

test('a summary shows outcomes and latency for a period and a supplier', async () => {
  const summary = async (query: string): Promise<PriceCheckSummary> =>
    Object(expectOk(await viewer.get(`/price-checks/summary?${query}`)).body)
  const day = await summary('period=day')
  assert.equal(day.since, '2027-02-28T13:00:00.000Z')
  assert.deepEqual(
    day.suppliers.map(({ supplier, checks, outcomes, countedSince }) => [
      supplier,
      checks,
      outcomes,
      countedSince,
    ]),
    [
      ['Acme', 3, { available: 1, price_changed: 1, supplier_error: 1 }, null],
      ['Beta', 1, { not_registered: 1 }, null],
    ],
  )
  const [acmes, betas] = day.suppliers
  assert.ok(typeof acmes?.p50Ms === 'number' && acmes.p50Ms <= Number(acmes.p99Ms))
  assert.deepEqual([betas?.p50Ms, betas?.p95Ms, betas?.p99Ms], [null, null, null], 'no call was made')
  assert.deepEqual(
    day.series.map(({ at, checks, failed }) => [at, checks, failed]),
    [
      ['2027-03-01T12:00:00.000Z', 2, 0],
      ['2027-03-01T13:00:00.000Z', 2, 1],
    ],
  )
  gateway.clock.set('2027-03-01T13:30:00Z')
  const hour = await summary(`period=hour&supplierId=${acmes.supplierId}`)
  assert.deepEqual(
    hour.suppliers.map(({ outcomes }) => outcomes),
    [{ price_changed: 1, supplier_error: 1 }],
  )
})

test('drift lists the nights that differ, largest share first, with the push since which they differ', async () => {
  live = 132
  await check('Acme', '2027-04-25', '2027-04-26')
  await check('Acme', '2027-04-25', '2027-04-26')
  const nights = await drift()
  assert.deepEqual(
    nights.map(({ night, checks, differing, stored, live: said, difference, differencePercent, largest }) => [
      night,
      [checks, differing],
      [stored, said, difference, differencePercent, largest],
    ]),
    [
      ['2027-04-25', [2, 2], ['110.00', '132.00', '22.00', 20, '22.00']],
      ['2027-04-11', [1, 1], ['110.00', '99.00', '-11.00', 10, '-11.00']],
      ['2027-04-10', [1, 1], ['110.00', '99.00', '-11.00', 10, '-11.00']],
    ],
  )
  const [worst] = nights
  assert.deepEqual(
    [worst?.supplier, worst?.hotelName, worst?.roomName, worst?.rateName, worst?.since?.at],
    ['Acme', 'Sea View', 'Room DBL', 'Rate BAR', '2027-03-01T13:30:00.000Z'],
  )
  const { body } = expectOk(
    await viewer.get(`/hotels/${worst?.hotelId}/revisions/${worst?.since?.revision}/push`),
  )
  const { rows } = await gateway.db.query<{ id: number }>(
    `select id from push_log where hotel_id = $1 and kind = 'ari' order by id`,
    [worst?.hotelId],
  )
  assert.deepEqual(body, { pushId: rows[0]?.id })
  const none = expectOk(await viewer.get(`/hotels/${worst?.hotelId}/revisions/999999/push`))
  assert.deepEqual(none.body, { pushId: null })

  const pages = await pagesOf(viewer, '/drift?limit=1')
  const seen = pages.flatMap((page): DriftingNight[] => Object(page)['nights'])
  assert.deepEqual(
    seen.map(({ night }) => night),
    ['2027-04-25', '2027-04-11', '2027-04-10'],
  )
  assert.deepEqual(await drift('supplierId=999'), [])

  // The supplier pushes its live price: the next answer matches, and the night no longer drifts.
  await pushNights(acme.supplier, {
    startDate: '2027-04-25',
    endDate: '2027-04-25',
    rates: [{ rateId: 'BAR', price: 120 }],
  })
  await check('Acme', '2027-04-25', '2027-04-26')
  assert.deepEqual(
    (await drift(`hotelId=${worst?.hotelId}`)).map(({ night }) => night),
    ['2027-04-11', '2027-04-10'],
  )
})

test('all problems of a search are reported at once', async () => {
  const wrong = await viewer.get(
    '/price-checks?supplierId=x&hotelId=0&outcome=odd&since=x&cursor=x&limit=9999',
  )
  assert.deepEqual(
    [wrong.status, problemsOf(wrong).map((problem) => Object.values(Object(problem))[0])],
    [400, ['?outcome', '?hotelId', '?cursor', '?supplierId', '?since', '?limit']],
  )
  assert.equal((await viewer.get('/drift?cursor=cm93IDE')).status, 400)
  assert.equal((await viewer.get('/price-checks/summary?period=week')).status, 400)
})
