import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openShop, platformOf, pushNights } from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { gatewayForTests, type Reply } from '../../test/stage/harness.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'

/** A sandbox account is reset while others read its data. */

const gateway = await gatewayForTests({
  allowPrivate: true,
  outbound: { reach: (vetted) => vetted },
  checkBudgetMs: 600_000,
})

test('a price check in progress while its hotel is removed leaves no trace, and others of the same batch are stored', async () => {
  const shop = await openShop(gateway, 'Checked')
  const beside = await openShop(gateway, 'Checked beside')
  const answers: (() => void)[] = []
  const receiver = await startReceiver(
    (socket) => void answers.push(() => void socket.write(httpAnswer(500, '{}'))),
  )
  const webhook = `http://127.0.0.1:${receiver.port}/check`
  for (const { supplier } of [shop, beside])
    expectOk(await supplier.post('/push/webhook/availability', { webhook }))
  const stay = { checkin: '2027-04-20', checkout: '2027-04-21', roomId: 'DBL', rateId: 'BAR', adultCount: 2 }
  const platform = await platformOf(gateway)
  const check = (supplier: string): Promise<Reply> =>
    platform.post('/booking/priceCheck', { hotel: { supplier, hotelId: 'H1' }, ...stay, childAges: [] })
  const asked = [check('Checked'), check('Checked beside')]
  await until('both are asked', () => answers.length === 2)
  expectOk(await shop.supplier.post('/push/sandbox/reset', {}))
  for (const answer of answers) answer()
  for (const reply of await Promise.all(asked)) assert.ok(reply.status < 500, reply.text)
  await receiver.close()
  const kept = async (): Promise<unknown[]> => {
    const { rows } = await gateway.db.query(
      `select supplier.name, hotel.id is not null as "isThere" from price_check
         join supplier on supplier.id = supplier_id left join hotel on hotel.id = hotel_id`,
    )
    return rows
  }
  await until('it is kept', async () => (await kept()).length > 0)
  expectOk(await (await gateway.operator('viewer')).get('/price-checks'))
  assert.deepEqual(await kept(), [{ name: 'Checked beside', isThere: true }])
})

test('a price check in progress while its hotel is removed and pushed again answers for the old hotel, and is not stored', async () => {
  const shop = await openShop(gateway, 'Pushed again')
  const answers: (() => void)[] = []
  const live = {
    roomId: 'DBL',
    rateId: 'BAR',
    currency: 'USD',
    inventory: 5,
    amountBeforeTax: [120],
    amountAfterTax: [132],
  }
  const receiver = await startReceiver(
    (socket) =>
      void answers.push(() => void socket.write(httpAnswer(200, JSON.stringify({ roomRate: live })))),
  )
  const webhook = `http://127.0.0.1:${receiver.port}/check`
  expectOk(await shop.supplier.post('/push/webhook/availability', { webhook }))
  const check = (): Promise<Reply> =>
    shop.platform.post('/booking/priceCheck', {
      hotel: { supplier: 'Pushed again', hotelId: 'H1' },
      checkin: '2027-04-20',
      checkout: '2027-04-21',
      roomId: 'DBL',
      rateId: 'BAR',
      adultCount: 2,
      childAges: [],
    })
  const storedIn = ({ body }: Reply): unknown => Object(body['stored']).amountBeforeTax
  const asked = check()
  await until('it is asked', () => answers.length === 1)
  expectOk(await shop.supplier.post('/push/sandbox/reset', {}))
  await pushStoryHotel(shop.supplier)
  await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', price: 120 }] })
  answers.shift()?.()
  assert.deepEqual(storedIn(expectOk(await asked)), ['100.00'])
  const askedAgain = check()
  await until('the new one is asked', () => answers.length === 1)
  answers.shift()?.()
  assert.deepEqual(storedIn(expectOk(await askedAgain)), ['120.00'])
  await receiver.close()
  // The checks are stored one after another, in their order.
  const viewer = await gateway.operator('viewer')
  const listed = async (): Promise<unknown[]> => {
    const { body } = expectOk(await shop.supplier.get('/push/priceChecks?limit=1'))
    return [
      Array.from(Object(body)['priceChecks']).map((one) => Object(one).stored.amountBeforeTax),
      body['nextCursor'],
    ]
  }
  await until('the second is kept', async () => JSON.stringify(await listed()).includes('120.00'))
  assert.deepEqual(await listed(), [[['120.00']], null])
  expectOk(await viewer.get('/price-checks'))
  const { rows } = await gateway.db.query(
    `select count(*)::int as checks, (select count(*)::int from price_drift) as nights from price_check
     where supplier_id = (select id from supplier where name = 'Pushed again')`,
  )
  assert.deepEqual(rows, [{ checks: 1, nights: 1 }])
})

test('a concurrent reader or writer of removed data finds it, or gets a 404', async () => {
  const shop = await openShop(gateway, 'Looked at', { inventory: 1_000 })
  const operator = await gateway.operator('operator')
  const ids = async (): Promise<{ hotel: number; reservation: number }> => {
    const { rows } = await gateway.db.query<{ hotel: number; reservation: number }>(
      `select hotel.id as hotel, max(reservation.id)::float8 as reservation from hotel
         join supplier on supplier.id = supplier_id left join reservation on hotel_id = hotel.id
       where supplier.name = 'Looked at' group by hotel.id`,
    )
    return rows[0] ?? { hotel: 1, reservation: 1 }
  }
  let now = await ids()
  let isOver = false
  const statuses = new Map<string, Set<number>>()
  const again = async (what: string, call: () => Promise<Reply>): Promise<void> => {
    while (!isOver) {
      const { status, text } = await call()
      assert.ok(status < 500, `${what}: ${text}`)
      statuses.set(what, (statuses.get(what) ?? new Set<number>()).add(status))
    }
  }
  const stay = {
    checkin: '2027-04-20',
    checkout: '2027-04-21',
    roomId: 'DBL',
    rateId: 'BAR',
    adultCount: 2,
    childAges: [],
  }
  const stop = {
    action: 'stop',
    reason: 'Flood',
    from: '2027-04-01',
    to: '2027-04-09',
    targets: [{ roomId: 'DBL' }],
  }
  const running = Promise.all([
    again('reservation', () => operator.get(`/reservations/${now.reservation}`)),
    again('reservation once more', () => operator.get(`/reservations/${now.reservation}`)),
    again('note', () => operator.post(`/reservations/${now.reservation}/notes`, { text: 'Late' })),
    again('hotel', () => operator.get(`/hotels/${now.hotel}`)),
    again('calendar', () => operator.get(`/hotels/${now.hotel}/calendar?from=2027-04-01&days=14`)),
    again('stop', () => operator.post(`/hotels/${now.hotel}/stop-sell`, stop)),
    again('price check', () =>
      shop.platform.post('/booking/priceCheck', { hotel: { supplier: 'Looked at', hotelId: 'H1' }, ...stay }),
    ),
    again('cancel', () => shop.platform.post(`/booking/reservations/${now.reservation}/cancel`, {})),
    again('read', () => shop.platform.get(`/booking/reservations/${now.reservation}`)),
    again('checks', () => operator.get('/price-checks')),
    again('overview', () => operator.get('/overview')),
  ])
  // Its error is asserted below, even if it arrives before that.
  running.catch(() => {})
  for (let round = 0; round < 12; round++) {
    for (let booked = 0; booked < 3; booked++) await shop.book()
    now = await ids()
    // So that the reset hits a different moment of theirs each time.
    await wait(Math.random() * 60)
    expectOk(await shop.supplier.post('/push/sandbox/reset', {}))
    await pushStoryHotel(shop.supplier)
    await pushNights(shop.supplier, { inventory: 1_000 })
  }
  isOver = true
  await running
  for (const [what, seen] of statuses) assert.ok(seen.has(200) || seen.has(201), what)
})
