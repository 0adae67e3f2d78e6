import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  pushGuestNights,
  pushNights,
  room,
  unitsLeft,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { startExampleSupplier, type ExampleSupplier } from '../../../test/stage/scenes/examples.ts'
import {
  client,
  startGateway,
  type Reply,
  type TestClient,
  type TestGateway,
} from '../../../test/stage/harness.ts'
import { minutes } from '../../../test/stage/pace.ts'
import { httpAnswer } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** Bookings that ask the supplier for its price: the stored price is 100.00 a night, 110.00 with tax. */

type Live = {
  after?: number[]
  before?: number[]
  inventory?: number
  status?: number
  onAsked?: () => void
  until?: Promise<void>
}

let live: Live = {}
let supplierServer: ExampleSupplier
let gateway: TestGateway
let shop: Shop
before(async () => {
  supplierServer = await startExampleSupplier((socket, { body }) => {
    const asked = JSON.parse(body.toString())
    const { before: beforeTax = [100, 100], after: afterTax = [110, 110], inventory = 9, status = 200 } = live
    const roomRate = {
      roomId: asked.roomId,
      rateId: asked.rateId,
      currency: 'USD',
      inventory,
      amountBeforeTax: beforeTax,
      amountAfterTax: afterTax,
    }
    live.onAsked?.()
    void Promise.resolve(live.until).then(() =>
      socket.write(httpAnswer(status, JSON.stringify({ roomRate }))),
    )
  })
  gateway = await startGateway({ outbound: supplierServer.outbound, checkBudgetMs: minutes(1) })
  shop = await openShop(gateway)
  expectOk(
    await shop.supplier.post('/push/webhook/availability', {
      webhook: 'https://pms.example.com/ari/price-check',
    }),
  )
})
beforeEach(async () => {
  live = {}
  await setAccount(gateway.db, 'Acme', { onFailure: 'reject', priceTolerance: '0' })
  await pushNights(shop.supplier)
})
after(async () => {
  await gateway.stop()
  await supplierServer.close()
})

test('a supplier that confirms the price gets the booking at it', async () => {
  const { body } = expectStatus(await shop.book(), 201)
  assert.deepEqual(
    Object.values(Object(body['priceChecks'])).map((check) => Object(check).outcome),
    ['available'],
  )
})

test('another price of the supplier is refused with its total, and booked where just that is expected', async () => {
  live = { before: [110, 105.5], after: [121, 116.05] }
  const { body } = expectStatus(await shop.book(), 409)
  const total = {
    beforeTax: '215.50',
    tax: '21.55',
    afterTax: '237.05',
    dueAtProperty: '0.00',
    feesAtProperty: '0.00',
    allIn: '237.05',
  }
  assert.deepEqual([body['message'], body['total']], ['The price has changed', total])
  const stored = { afterTax: '220.00', dueAtProperty: '0.00', currency: 'USD' }
  assert.deepEqual(body['expected'], stored)
  const refused = expectStatus(await shop.book({ expectedTotal: { afterTax: '219.50' } }), 409)
  assert.deepEqual(refused.body['expected'], { afterTax: '219.50', currency: 'USD' })
  assert.deepEqual(await unitsLeft(gateway), [2, 2, 2])

  const id = idOf(await shop.book({ expectedTotal: { afterTax: '237.05' } }))
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const [booked] = Object(reservation).rooms
  assert.deepEqual([Object(reservation).total, booked.total], [total, total])
  assert.deepEqual(booked.nights, [
    { date: '2027-04-20', beforeTax: '110.00', afterTax: '121.00' },
    { date: '2027-04-21', beforeTax: '105.50', afterTax: '116.05' },
  ])
  assert.deepEqual(booked.taxes, [{ type: 'VAT', included: false, payNow: true, amount: '21.55' }])
})

test('within the tolerance of the account the stored price is booked, and the supplier’s own where that is expected', async () => {
  await setAccount(gateway.db, 'Acme', { priceTolerance: '5' })
  live = { before: [102, 102], after: [112.2, 112.2] }
  const stored = expectStatus(await shop.book(), 201)
  assert.equal(Object(stored.body['total']).afterTax, '220.00')
  const asAnswered = expectStatus(await shop.book({ expectedTotal: { afterTax: '224.40' } }), 201)
  assert.equal(Object(asAnswered.body['total']).afterTax, '224.40')
})

test('sold out at the supplier is sold out, also where single parties would fit', async () => {
  live = { inventory: 0 }
  assert.equal(expectStatus(await shop.book(), 409).body['message'], 'Sold out')
  live = { inventory: 1 }
  for (const other of [room({ adults: 1 }), room({ rateId: 'NRF' })]) {
    const rooms = [room(), other]
    assert.equal(expectStatus(await shop.book({ rooms }), 409).body['message'], 'Sold out')
  }
  assert.deepEqual(await unitsLeft(gateway), [2, 2, 2])
})

test('who holds the last unit gives up guests and nights, whatever the supplier answers, and gets no other unit', async () => {
  live = { inventory: 1 }
  const id = idOf(await shop.book())
  const modify = (more: Record<string, unknown>): Promise<Reply> =>
    shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more))
  const rooms = [room({ adults: 1 })]
  const cases: [string, Live, Record<string, unknown>, number, unknown][] = [
    ['another room', {}, { rooms: [room({ adults: 1 }), room()] }, 409, 'SOLD_OUT'],
    ['another room like it', {}, { rooms: [...rooms, ...rooms] }, 409, 'SOLD_OUT'],
    ['another rate', {}, { rooms: [room({ rateId: 'NRF' })] }, 409, 'SOLD_OUT'],
    ['another night', oneNight(), { checkin: '2027-04-22', checkout: '2027-04-23' }, 409, 'SOLD_OUT'],
    ['fewer guests', {}, { rooms }, 200, '220.00'],
    ['fewer nights', oneNight(), { rooms, checkout: '2027-04-21' }, 200, '110.00'],
    ['a night that it no longer holds', {}, { rooms }, 409, 'SOLD_OUT'],
  ]
  for (const [what, answered, change, status, expected] of cases) {
    live = { ...answered, inventory: 0 }
    const reply = await modify(change)
    const { type } = Object(Object(reply.body['errors'])[0])
    const found = type ?? Object(reply.body['total']).afterTax
    assert.deepEqual([what, reply.status, found], [what, status, expected])
  }
})

test('fewer guests are never refused; a lower price of now is theirs where the supplier does not say otherwise', async () => {
  const answers: [string, Live, string][] = [
    ['confirms the lower price', { before: [70, 70], after: [77, 77] }, '154.00'],
    ['has a lower one of its own', { before: [60, 60], after: [66, 66] }, '132.00'],
    ['has a higher one', { before: [130, 130], after: [143, 143] }, '220.00'],
    ['has no unit', { before: [70, 70], after: [77, 77], inventory: 0 }, '154.00'],
    ['has no price', { before: [0, 0], after: [0, 0], inventory: 0 }, '220.00'],
    ['fails', { status: 500 }, '220.00'],
    ['answers nonsense', { before: [70] }, '220.00'],
  ]
  for (const [what, answered, afterTax] of answers) {
    live = {}
    await pushGuestNights(shop.supplier, [100, 100], { inventory: 2 })
    const id = idOf(await shop.book())
    await pushGuestNights(shop.supplier, [70, 90], { inventory: 0 })
    live = answered
    const body = bookingBody('Acme', { rooms: [room({ adults: 1 })] })
    const reply = expectOk(await shop.platform.put(`/booking/reservations/${id}`, body))
    assert.deepEqual([what, Object(reply.body['total']).afterTax], [what, afterTax])
  }
})

test('fewer guests for whom no price is pushed have a lower one that the supplier answers', async () => {
  const prices = [{ guests: 2, ageCategory: 'adult', amount: 100 }]
  const nights = { startDate: '2027-04-01', endDate: '2027-04-30', rates: [{ rateId: 'BAR', prices }] }
  const ari = [{ roomId: 'DBL', ...nights }]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari }))
  const id = idOf(await shop.book())
  live = { before: [60, 60], after: [66, 66] }
  const body = bookingBody('Acme', { rooms: [room({ adults: 1 })] })
  const reply = expectOk(await shop.platform.put(`/booking/reservations/${id}`, body))
  assert.equal(Object(reply.body['total']).afterTax, '132.00')
})

test('fewer nights are not checked with the supplier', async () => {
  const id = idOf(await shop.book())
  const from = supplierServer.calls.length
  live = { status: 500 }
  const body = bookingBody('Acme', { checkout: '2027-04-21' })
  const reply = expectOk(await shop.platform.put(`/booking/reservations/${id}`, body))
  assert.deepEqual([Object(reply.body['total']).afterTax, reply.body['priceChecks']], ['110.00', []])
  assert.equal(supplierServer.calls.length, from)
})

test('an inventory below zero in the answer is sold out', async () => {
  live = { inventory: -3 }
  const { body } = expectStatus(await shop.book(), 409)
  assert.deepEqual(
    [body['message'], Object(Object(body['priceChecks'])[0]).outcome],
    ['Sold out', 'sold_out'],
  )
})

const oneNight = (): Live => ({ before: [100], after: [110] })

test('a check that fails refuses the booking, or lets it go on at the stored price, as the account says', async () => {
  live = { status: 500 }
  const { body } = expectStatus(await shop.book(), 409)
  assert.equal(body['message'], 'The price could not be checked with the supplier')
  assert.deepEqual(
    Object.values(Object(body['priceChecks'])).map((check) => Object(check).outcome),
    ['supplier_error'],
  )
  await setAccount(gateway.db, 'Acme', { onFailure: 'use_stored' })
  expectStatus(await shop.book(), 201)
})

test('each room-rate and party is checked once, with its number of rooms', async () => {
  await pushNights(shop.supplier, { inventory: 9 })
  const from = supplierServer.calls.length
  const rooms = [room(), room({ adults: 1 }), room(), room({ rateId: 'NRF', childAges: [4, 3], adults: 1 })]
  live = { before: [100, 100], after: [110, 110] }
  await setAccount(gateway.db, 'Acme', { priceTolerance: '100' })
  expectStatus(await shop.book({ rooms }), 201)
  const asked = supplierServer.calls.slice(from).map(({ body }) => {
    const { rateId, roomCount, adultCount, childAges } = JSON.parse(body.toString())
    return [rateId, roomCount, adultCount, childAges].join(' ')
  })
  assert.deepEqual(asked.sort(), ['BAR 1 1 ', 'BAR 2 2 ', 'NRF 1 1 3,4'])
})

test('no transaction is open during a price check: a push of the hotel in between counts', async () => {
  const held = Promise.withResolvers<void>()
  const asked = new Promise<void>((resolve) => {
    live = { onAsked: resolve, until: held.promise }
  })
  const booking = shop.book()
  await asked
  await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', price: 120 }] })
  held.resolve()
  const { body } = expectStatus(await booking, 409)
  assert.deepEqual([body['message'], Object(body['total']).afterTax], ['The price has changed', '264.00'])
})

/** A call whose price check is held until `letGo`; resolves once the supplier is asked. */
async function heldInCheck(
  call: () => Promise<Reply>,
): Promise<{ first: Promise<Reply>; letGo: () => void }> {
  const held = Promise.withResolvers<void>()
  const asked = new Promise<void>((resolve) => {
    live = { onAsked: resolve, until: held.promise }
  })
  const first = call()
  await asked
  live = {}
  return { first, letGo: held.resolve }
}

describe('a call that comes again while the first one is inside its price check', () => {
  const full = { inventory: 0, closed: true }
  const calls = {
    booking: async (key: string) => (platform: TestClient) =>
      platform.post('/booking/reservations', bookingBody('Acme'), { 'idempotency-key': key }),
    change: async (key: string) => {
      const id = idOf(await shop.book())
      const body = bookingBody('Acme', {
        rooms: [room({ rateId: 'NRF' })],
        expectedTotal: { afterTax: '220.00' },
      })
      return (platform: TestClient) =>
        platform.put(`/booking/reservations/${id}`, body, { 'idempotency-key': key })
    },
  }
  type Prepare = (typeof calls)[keyof typeof calls]
  const waits = async (prepare: Prepare): Promise<void> => {
    const call = await prepare(`waits:${prepare.name}`)
    const { first, letGo } = await heldInCheck(() => call(shop.platform))
    await pushNights(shop.supplier, full)
    const again = call(shop.platform)
    expectStatus(await shop.book(), 409)
    await pushNights(shop.supplier, { closed: false })
    letGo()
    const replies = [await first, await again]
    assert.deepEqual(
      replies.map(({ status, headers }) => [status < 300, headers.get('idempotency-replayed')]),
      [
        [true, null],
        [true, 'true'],
      ],
    )
    assert.deepEqual(replies[1]?.body, replies[0]?.body)
  }
  const isTold = async (prepare: Prepare): Promise<void> => {
    const other = await gateway.second()
    const headers = { authorization: `Bearer ${await gateway.token('platform')}` }
    const platform = client(other.url, headers)
    const call = await prepare(`elsewhere:${prepare.name}`)
    const { first, letGo } = await heldInCheck(() => call(platform))
    await pushNights(shop.supplier, full)
    const elsewhere = client(gateway.url, headers)
    const again = expectStatus(await call(elsewhere), 409)
    assert.equal(Object(Object(again.body['errors'])[0]).type, 'IDEMPOTENCY_KEY_IN_USE')
    await pushNights(shop.supplier, { closed: false })
    letGo()
    const { status, body } = await first
    assert.ok(status < 300)
    const replayed = await call(elsewhere)
    assert.deepEqual([replayed.headers.get('idempotency-replayed'), replayed.body], ['true', body])
  }
  for (const [what, prepare] of Object.entries(calls)) {
    test(`gets its answer, whatever is pushed meanwhile: a ${what}`, () => waits(prepare))
    test(`is told so by another process: a ${what}`, () => isTold(prepare))
  }

  test('is judged afresh where the process of the first one died', async () => {
    await gateway.db.query(
      `insert into booking_call (token_id, idempotency_key, call, at)
       select id, 'died', gen_random_uuid(), now() - interval '16 seconds' from access_token`,
    )
    idOf(await shop.book({}, { 'idempotency-key': 'died' }))
  })
})

test('a call under a key that is refused books nothing, and books when it comes again', async () => {
  const headers = { 'idempotency-key': 'refused' }
  live = { inventory: 0 }
  assert.equal(expectStatus(await shop.book({}, headers), 409).body['message'], 'Sold out')
  assert.deepEqual(await unitsLeft(gateway), [2, 2, 2])
  live = {}
  idOf(await shop.book({}, headers))
})
