import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  unitsLeft,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** What is owed to the hotel doesn't shrink: BAR is flexible, NRF non-refundable, both at 100.00 without taxes. */

let shop: Shop
const gateway = await gatewayForTests()
const fullStay = [{ penaltyCharge: { chargeBase: 'FullStay' } }]
const firstNightFrom = (days: number) => [
  {
    cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: days, deadline: '18:00' },
    penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
  },
]
const bar = (cancelPenalties: unknown) =>
  product('DBL', 'BAR', { cancelPolicies: [{ code: 'CUSTOM', cancelPenalties }] })
const nrf = product('DBL', 'NRF', { cancelPolicies: [{ code: 'CUSTOM', cancelPenalties: fullStay }] })
const pushProducts = async (...products: unknown[]): Promise<void> => {
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
}
before(async () => {
  shop = await openShop(gateway)
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
})
beforeEach(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  await pushProducts(bar(firstNightFrom(1)), nrf)
  await pushNights(shop.supplier, {
    endDate: '2027-05-31',
    inventory: 9,
    closed: false,
    rates: ['BAR', 'NRF'].map((rateId) => ({ rateId, price: 100, closed: false })),
  })
})

const flexible = room()
const fixed = room({ rateId: 'NRF' })
const four = { checkin: '2027-04-20', checkout: '2027-04-24' }
const book = async (more: Record<string, unknown>): Promise<string> =>
  idOf(await shop.book({ ...four, ...more }))
const bodyOf = (more: Record<string, unknown>) => bookingBody('Acme', { ...four, ...more })
const put = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bodyOf(more))
const agreed = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  changeAsAsked(shop.platform, id, bodyOf(more))
const cancelled = async (id: string, body: object = {}): Promise<Reply> =>
  shop.platform.post(`/booking/reservations/${id}/cancel`, body)

function refusalOf(reply: Reply): string {
  return String(Object(Object(expectStatus(reply, 409).body['errors'])[0]).type)
}
/** Charged, forfeited, and what cancelling would cost in all. */
async function stateOf(id: string): Promise<unknown[]> {
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const quote = expectOk(await shop.platform.get(`/booking/reservations/${id}/cancellation`)).body
  const { total, forfeited, cancellation } = Object(reservation)
  return [total.afterTax, forfeited, Object(quote['penalty']).amount, cancellation]
}

test('non-refundable, four nights to one: the rest is forfeited with the guest’s consent, and cancelling costs no less', async () => {
  const id = await book({ rooms: [fixed] })
  const one = { rooms: [fixed], checkout: '2027-04-21' }
  const refused = await put(id, one)
  assert.deepEqual(
    [refusalOf(refused), refused.body['forfeited']],
    ['PENALTY_DUE', { before: '0.00', amount: '300.00', currency: 'USD' }],
  )
  assert.equal(refusalOf(await put(id, { ...one, acceptForfeit: '299.99' })), 'PENALTY_DUE')
  const reply = expectOk(await put(id, { ...one, acceptForfeit: '300.00' }))
  assert.equal(reply.body['forfeited'], '300.00')
  assert.deepEqual(await stateOf(id), ['100.00', '300.00', '400.00', 'never'])
  expectOk(await agreed(id, { rooms: [fixed] }))
  assert.deepEqual(await stateOf(id), ['400.00', '0.00', '400.00', 'never'])
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  assert.deepEqual(
    [body['versions']].flat().map((version) => Object(version).forfeited),
    ['0.00', '300.00', '0.00'],
  )
})

test('three rooms to one: what went is forfeited whole', async () => {
  const id = await book({ rooms: [fixed, fixed, fixed] })
  expectOk(await agreed(id, { rooms: [fixed] }))
  assert.deepEqual(await stateOf(id), ['400.00', '800.00', '1200.00', 'never'])
})

test('moved to a flexible rate and cancelled: what was owed is due', async () => {
  const id = await book({ rooms: [fixed] })
  expectOk(await agreed(id, { rooms: [flexible] }))
  assert.deepEqual(await stateOf(id), ['400.00', '0.00', '400.00', 'never'])
  const { penalty } = expectOk(await cancelled(id)).body
  assert.equal(Object(penalty).amount, '400.00')
})

test('moved three weeks after its deadline: the first night is forfeited at once, and taken back with the dates', async () => {
  const id = await book({ rooms: [flexible] })
  gateway.clock.set('2027-04-19T22:00:00Z')
  const later = { rooms: [flexible], checkin: '2027-05-11', checkout: '2027-05-15' }
  expectOk(await agreed(id, later))
  assert.deepEqual(await stateOf(id), ['400.00', '100.00', '100.00', 'never'])
  expectOk(await agreed(id, { rooms: [flexible] }))
  assert.deepEqual(await stateOf(id), ['400.00', '0.00', '100.00', 'never'])
})

test('a name or a remark changes nothing of what is owed', async () => {
  const id = await book({ rooms: [flexible] })
  gateway.clock.set('2027-04-19T22:00:00Z')
  const guest = { firstName: 'Grace', lastName: 'Hopper' }
  const remarked = { rooms: [room({ guest })], customer: { ...guest, remarks: 'Late arrival' } }
  const { version, reservation } = expectOk(await put(id, remarked)).body
  assert.deepEqual([version, Object(reservation).rooms[0].owedAtLeast], [2, '0.00'])
})

test('nights that stay keep the price that they were booked at, and what is added has that of now', async () => {
  const id = await book({ rooms: [flexible], checkout: '2027-04-22' })
  await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', price: 70 }] })
  const longer = { rooms: [flexible], checkout: '2027-04-23' }
  assert.equal(refusalOf(await put(id, longer)), 'PRICE_CHANGED')
  expectOk(await put(id, { ...longer, expectedTotal: { afterTax: '270.00' } }))
  assert.deepEqual(await stateOf(id), ['270.00', '0.00', '0.00', 'until'])
  await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', price: 200 }] })
  expectOk(await put(id, { rooms: [flexible], checkin: '2027-04-21', checkout: '2027-04-23' }))
  assert.deepEqual((await stateOf(id)).slice(0, 2), ['170.00', '0.00'])
})

test('units, prices and closures are judged on the added nights alone', async () => {
  const id = await book({ rooms: [flexible], checkout: '2027-04-22' })
  const longer = { rooms: [flexible], checkout: '2027-04-23' }
  await pushNights(shop.supplier, {
    endDate: '2027-04-21',
    inventory: 0,
    closed: true,
    rates: [{ rateId: 'BAR', price: null, closed: true }],
  })
  expectOk(await agreed(id, longer))
  await pushNights(shop.supplier, { startDate: '2027-04-23', closed: true })
  assert.equal(refusalOf(await put(id, { rooms: [flexible], checkout: '2027-04-24' })), 'NOT_BOOKABLE')
})

test('units that were given up are taken back without another, until a push sets them', async () => {
  const id = await book({ rooms: [flexible], checkout: '2027-04-23' })
  const units = () => unitsLeft(gateway)
  assert.deepEqual(await units(), [8, 8, 8])
  expectOk(await put(id, { rooms: [flexible], checkout: '2027-04-21' }))
  assert.deepEqual(await units(), [8, 8, 8])
  await pushNights(shop.supplier, { startDate: '2027-04-21', endDate: '2027-04-21', inventory: 8 })
  await pushNights(shop.supplier, { startDate: '2027-04-22', endDate: '2027-04-22', inventory: undefined })
  expectOk(await agreed(id, { rooms: [flexible], checkout: '2027-04-23' }))
  assert.deepEqual(await units(), [8, 7, 8])
  expectOk(await put(id, { rooms: [flexible], checkin: '2027-04-22', checkout: '2027-04-23' }))
  expectOk(await agreed(id, { rooms: [flexible], checkout: '2027-04-23' }))
  assert.deepEqual(await units(), [8, 7, 8])
})

test('while a room keeps its rate and a night it keeps its policy; moved away it takes that of now with consent', async () => {
  const id = await book({ rooms: [flexible] })
  await pushProducts(bar(firstNightFrom(7)), nrf)
  const { reservation } = expectOk(await agreed(id, { rooms: [flexible], checkout: '2027-04-25' })).body
  assert.equal(Object(reservation).freeUntil, '2027-04-19T18:00:00+02:00')
  const away = { rooms: [flexible], checkin: '2027-05-11', checkout: '2027-05-13' }
  const refused = await put(id, away)
  assert.equal(refusalOf(refused), 'TERMS_CHANGED')
  const [{ room: position, expected, termsDigest, freeUntil }] = Object(refused.body['terms'])
  assert.deepEqual([position, freeUntil], [0, '2027-05-04T18:00:00+02:00'])
  assert.notEqual(expected, termsDigest)
  assert.equal(refusalOf(await put(id, { ...away, expectedTerms: [expected] })), 'TERMS_CHANGED')
  expectOk(await put(id, { ...away, expectedTerms: [termsDigest] }))
})

test('a booking at other terms than expected is refused, and one with other amounts due at the property', async () => {
  const { hotels } = expectOk(
    await shop.platform.post('/booking/offers', {
      hotels: [{ supplier: 'Acme', hotelId: 'H1' }],
      ...four,
      rooms: [{ adults: 2, childAges: [] }],
    }),
  ).body
  const offer = [Object(hotels)[0].offers].flat().find(({ rateId }) => rateId === 'BAR')
  const { termsDigest, total } = Object(offer)
  const seen = {
    expectedTerms: [termsDigest],
    expectedTotal: { afterTax: total.afterTax, dueAtProperty: '0.00' },
  }
  await pushProducts(bar(fullStay), nrf)
  assert.equal(refusalOf(await shop.book({ ...four, rooms: [flexible], ...seen })), 'TERMS_CHANGED')
  await pushProducts(bar(firstNightFrom(1)), nrf)
  const cityTax = {
    type: 'CITY_TAX',
    valueType: 'fixed',
    value: 4,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: false,
    payNow: false,
  }
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [cityTax] }))
  assert.equal(
    refusalOf(await shop.book({ ...four, rooms: [flexible], expectedTotal: seen.expectedTotal })),
    'PRICE_CHANGED',
  )
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  idOf(await shop.book({ ...four, rooms: [flexible], ...seen }))
})

test('a dry run answers as the call does, and leaves nothing', async () => {
  const body = bodyOf({ rooms: [fixed] })
  const stored = await versionsStored()
  const dry = expectStatus(await shop.platform.post('/booking/reservations', { ...body, dryRun: true }), 201)
  assert.deepEqual(await versionsStored(), stored)
  const id = idOf(await shop.platform.post('/booking/reservations', body))
  assert.deepEqual(
    Object(dry.body['reservation']).total,
    Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation']).total,
  )
  const change = { rooms: [fixed], checkout: '2027-04-21' }
  const asked = expectOk(await put(id, { ...change, dryRun: true })).body
  assert.deepEqual(
    [asked['asks'], asked['forfeited'], asked['version']],
    [{ acceptForfeit: '300.00' }, '300.00', 2],
  )
  assert.deepEqual((await stateOf(id)).slice(0, 2), ['400.00', '0.00'])
})

async function versionsStored(): Promise<unknown> {
  const { rows } = await gateway.db.query('select count(*)::int as count from reservation_version')
  return rows[0]
}

test('a cancellation is quoted, and refused at another penalty than the guest agreed to', async () => {
  const id = await book({ rooms: [flexible] })
  const path = `/booking/reservations/${id}/cancellation`
  const quote = expectOk(await shop.platform.get(path)).body
  delete quote['requestId']
  assert.deepEqual(quote, {
    code: '200',
    message: 'Cancellation quoted',
    reservationId: id,
    penalty: { amount: '0.00', currency: 'USD', by: [] },
    until: '2027-04-19T18:00:00+02:00',
    // oxlint-disable-next-line unicorn/no-thenable -- No promise: a text as "until … then".
    then: {
      amount: '100.00',
      currency: 'USD',
      by: [
        {
          roomReservationId: `${id}-1`,
          roomId: 'DBL',
          rateId: 'BAR',
          code: 'CUSTOM',
          from: '2027-04-19T18:00:00+02:00',
          amount: '100.00',
        },
      ],
    },
    refund: '400.00',
    currency: 'USD',
  })
  gateway.clock.set('2027-04-19T22:00:00Z')
  const refused = await cancelled(id, { expectedPenalty: '0.00' })
  assert.deepEqual(
    [refusalOf(refused), Object(refused.body['penalty']).amount],
    ['PENALTY_CHANGED', '100.00'],
  )
  assert.equal(Object(expectOk(await shop.platform.get(path)).body).refund, '300.00')
  const { penalty, reservation } = expectOk(await cancelled(id, { expectedPenalty: '100.00' })).body
  assert.deepEqual([Object(penalty).amount, Object(reservation).status], ['100.00', 'Cancel'])
  assert.equal(refusalOf(await shop.platform.get(path)), 'RESERVATION_CANCELLED')
})

test('single rooms are cancelled, each with its penalty; the last one’s cancel is the reservation’s', async () => {
  const id = await book({ rooms: [fixed, flexible] })
  const one = { rooms: [`${id}-1`] }
  assert.equal(
    Object(expectOk(await shop.platform.get(`/booking/reservations/${id}/cancellation?rooms=${id}-1`)).body)
      .refund,
    '0.00',
  )
  const first = expectOk(await cancelled(id, { ...one, expectedPenalty: '400.00' })).body
  assert.deepEqual(
    [first['status'], first['version'], Object(first['reservation']).rooms.length],
    ['Confirm', 2, 1],
  )
  assert.deepEqual(await stateOf(id), ['400.00', '400.00', '400.00', 'until'])
  const again = expectOk(await cancelled(id, one)).body
  assert.deepEqual([again['version'], again['penalty']], [2, null])
  assert.equal((await cancelled(id, { rooms: [`${id}-9`] })).status, 400)
  const last = expectOk(await cancelled(id, { rooms: [`${id}-2`] })).body
  assert.deepEqual([last['status'], Object(last['penalty']).amount], ['Cancel', '400.00'])
})
