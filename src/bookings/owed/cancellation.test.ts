import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { typesOf } from '../../../test/stage/under-way/calls.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** How a reservation can be cancelled. Each rate is named by the code of its policy. */

let shop: Shop
const gateway = await gatewayForTests()
const rateIds = ['FREE', 'FLEX2', 'FLEX7', 'NRF', 'NOBODY_KNOWS']
before(async () => {
  shop = await openShop(gateway)
  const products = rateIds.map((rateId) => product('DBL', rateId, { cancelPolicies: [{ code: rateId }] }))
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const rates = rateIds.map((rateId) => ({ rateId, price: 100 }))
  await pushNights(shop.supplier, { inventory: 99, rates })
})
beforeEach(() => gateway.clock.set('2027-03-01T12:00:00Z'))

const booked = async (...rates: string[]): Promise<string> =>
  idOf(await shop.book({ rooms: rates.map((rateId) => room({ rateId })) }))

test('a reservation is cancelled as its strictest room, unknown strictest of all, with the earliest freeUntil', async () => {
  const [week, days] = ['2027-04-13T18:00:00+02:00', '2027-04-18T18:00:00+02:00']
  const cases: [string[], string, string | null][] = [
    [['FREE', 'FREE'], 'always', null],
    [['FREE', 'FLEX2'], 'until', days],
    [['FLEX2', 'FLEX7', 'FREE'], 'until', week],
    [['FLEX2', 'NRF'], 'never', null],
    [['NOBODY_KNOWS', 'FREE'], 'unknown', null],
    [['NRF', 'NOBODY_KNOWS', 'FLEX2'], 'unknown', null],
  ]
  const ofRoom = new Map<string, [string, string | null]>([
    ['FREE', ['always', null]],
    ['FLEX2', ['until', days]],
    ['FLEX7', ['until', week]],
    ['NRF', ['never', null]],
    ['NOBODY_KNOWS', ['unknown', null]],
  ])
  for (const [rates, ...expected] of cases) {
    const id = await booked(...rates)
    const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
    const said = (one: unknown) => [Object(one).cancellation, Object(one).freeUntil]
    assert.deepEqual(
      [said(reservation), Array.from(Object(reservation).rooms, said)],
      [expected, rates.map((rateId) => ofRoom.get(rateId))],
    )
  }
})

test('once the stay has begun, or a guest was reported as arrived, a cancellation is not quoted', async () => {
  const id = await booked('NRF')
  const quote = () => shop.platform.get(`/booking/reservations/${id}/cancellation`)
  gateway.clock.set('2027-04-20T21:59:59Z')
  expectOk(await quote())
  gateway.clock.set('2027-04-20T22:00:00Z')
  assert.deepEqual(typesOf(expectStatus(await quote(), 409)), ['STAY_BEGUN'])
  gateway.clock.set('2027-04-20T12:00:00Z')
  expectOk(await quote())
  const report = { hotelId: 'H1', reservation_id: id, report: 'arrived' }
  expectOk(await shop.supplier.post('/push/reservations/report', report))
  assert.deepEqual(typesOf(expectStatus(await quote(), 409)), ['STAY_BEGUN'])
})

test('expectedTerms stand in the order of the rooms, and a refusal names each room whose terms are others', async () => {
  const rooms = ['FLEX2', 'NRF', 'FREE'].map((rateId) => room({ rateId }))
  const id = idOf(await shop.book({ rooms }))
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const digests = Array.from(Object(reservation).rooms, (one) => Object(one).termsDigest)
  expectStatus(await shop.book({ rooms, expectedTerms: digests }), 201)
  const [first, second, third] = digests
  const refused = expectStatus(await shop.book({ rooms, expectedTerms: [second, first, third] }), 409)
  assert.deepEqual(
    [
      typesOf(refused),
      Array.from(Object(refused.body['terms']), (one) => {
        const { room: position, expected, termsDigest, cancelPolicy } = Object(one)
        return [position, expected, termsDigest, cancelPolicy.code]
      }),
    ],
    [
      ['TERMS_CHANGED'],
      [
        [0, second, first, 'FLEX2'],
        [1, first, second, 'NRF'],
      ],
    ],
  )
})

const cancelAt = (id: string, expectedPenalty: string | null): Promise<Reply> =>
  shop.platform.post(`/booking/reservations/${id}/cancel`, { expectedPenalty })

test('a cancellation at another penalty than was expected is refused: known for unknown, and unknown for free', async () => {
  const cases: [string[], (string | null)[], string | null][] = [
    [['FREE'], [null, '0.01'], '0.00'],
    [['NRF'], [null, '0.00', '219.99'], '220.00'],
    [['NOBODY_KNOWS'], ['0.00'], null],
  ]
  for (const [rates, others, penalty] of cases) {
    const id = await booked(...rates)
    for (const other of others) {
      const refused = await expectRefusal(gateway, () => cancelAt(id, other))
      const told = refused.body['penalty']
      assert.deepEqual([typesOf(refused), told && Object(told).amount], [['PENALTY_CHANGED'], penalty])
    }
    expectOk(await cancelAt(id, penalty))
  }
})

test('a room with unknown terms is named wherever a penalty stands, and nothing is said of the refund', async () => {
  const id = await booked('NRF', 'NOBODY_KNOWS')
  const [path, unknown] = [`/booking/reservations/${id}`, [`${id}-2`]]
  const quote = async (rooms = ''): Promise<unknown[]> => {
    const { penalty, refund } = expectOk(await shop.platform.get(`${path}/cancellation${rooms}`)).body
    return [penalty && [Object(penalty).amount, Object(penalty).unknown], refund]
  }
  assert.deepEqual(
    [await quote(), await quote(`?rooms=${id}-1`), await quote(`?rooms=${id}-2`)],
    [
      [['220.00', unknown], null],
      [['220.00', undefined], '0.00'],
      [null, null],
    ],
  )
  const { penalty, reservation } = expectOk(await cancelAt(id, '220.00')).body
  for (const told of [penalty, Object(reservation).penalty])
    assert.deepEqual([Object(told).amount, Object(told).unknown], ['220.00', unknown])
})
