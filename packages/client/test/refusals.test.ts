import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { refusalOf } from '../src/refusals.ts'
import type { BookingRefusal, CreateReservationBody } from '../src/api.ts'
import { bookingClient, type BookingClient } from '../src/clients.ts'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Refused bookings, as programs in TypeScript tell them apart. */

const gateway = await gatewayForTests()
let shop: Shop
let platform: BookingClient
before(async () => {
  shop = await openShop(gateway)
  platform = bookingClient({ url: gateway.url, token: await gateway.token('platform') })
})

const ada = { firstName: 'Ada', lastName: 'Lovelace' }
const body: CreateReservationBody = {
  hotel: { supplier: 'Acme', hotelId: 'H1' },
  checkin: '2027-04-20',
  checkout: '2027-04-22',
  rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2, guest: ada }],
  customer: ada,
  payment: { type: 'Channel Collect' },
}

async function refused(call: Promise<unknown>): Promise<BookingRefusal | undefined> {
  const error: unknown = await call.then(
    () => assert.fail('it was not refused'),
    (cause: unknown) => cause,
  )
  return refusalOf(error)
}

/** The compiler knows the details of each type. */
function told(refusal: BookingRefusal | undefined): unknown {
  if (refusal?.type === 'PRICE_CHANGED')
    return [refusal.expected.afterTax, refusal.total.afterTax, refusal.currency]
  if (refusal?.type === 'NOT_BOOKABLE') return refusal.rules.map(({ rule, dates }) => [rule, dates])
  if (refusal?.type === 'SOLD_OUT') return refusal.rules?.map(({ rule }) => rule)
  if (refusal?.type === 'PENALTY_DUE') return [refusal.forfeited?.amount, refusal.total?.afterTax]
  if (refusal?.type === 'PENALTY_CHANGED') return refusal.penalty?.amount
  if (refusal?.type === 'TERMS_CHANGED') return refusal.terms.map(({ expected }) => expected)
  return refusal?.problem.message
}

test('a refusal is one of a union by its type, with the details of the answer', async () => {
  const expected = { ...body, expectedTotal: { afterTax: '1.00' } }
  assert.deepEqual(told(await refused(platform.createReservation(expected))), ['1.00', '220.00', 'USD'])
  const rooms = Array.from({ length: 3 }, () => ({ roomId: 'DBL', rateId: 'BAR', adults: 2, guest: ada }))
  assert.deepEqual(told(await refused(platform.createReservation({ ...body, rooms }))), ['inventory'])
  const closed = { roomId: 'DBL', rateId: 'BAR', date: '2027-04-20', minLengthStay: 5 }
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari: [closed] }))
  assert.deepEqual(told(await refused(platform.createReservation(body))), [['minLengthStay', ['2027-04-20']]])
  const { reservationId } = await platform.createReservation({ ...body, checkin: '2027-04-21' })
  await platform.cancelReservation({ id: reservationId })
  const gone = await refused(
    platform.modifyReservation({ id: reservationId }, { ...body, checkin: '2027-04-21' }),
  )
  assert.equal(told(gone), 'The reservation is cancelled')
})

test('what a guest did not agree to is told apart: terms, what is forfeited, and a penalty', async () => {
  const cancelPolicies = [{ code: 'NRF' }]
  const products = [product('DBL', 'BAR'), product('DBL', 'NRF', { cancelPolicies })]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const fixed = { ...body, rooms: [{ roomId: 'DBL', rateId: 'NRF', adults: 2, guest: ada }] }
  const expectedTerms = ['6kS2t8LZ1bYv0nQeXw3hRg']
  const other = await refused(platform.createReservation({ ...fixed, expectedTerms }))
  assert.deepEqual(told(other), expectedTerms)
  const { reservationId: id } = await platform.createReservation(fixed)
  const shorter = { ...fixed, checkout: '2027-04-21' }
  assert.deepEqual(told(await refused(platform.modifyReservation({ id }, shorter))), ['88.00', '88.00'])
  const cancelled = platform.cancelReservation({ id }, { expectedPenalty: '0.00' })
  assert.equal(told(await refused(cancelled)), '176.00')
})

test('what is no refusal of a booking is none, and neither is one that this client does not know', async () => {
  assert.equal(await refused(platform.getReservation({ id: '999' })), undefined)
  const unknown = { code: '409', message: 'New', errors: [{ type: 'SOMETHING_NEW', message: 'New' }] }
  const fetch = async () => Response.json(unknown, { status: 409 })
  const newer = bookingClient({ url: gateway.url, token: 'x', fetch })
  assert.equal(await refused(newer.createReservation(body)), undefined)
  assert.equal(refusalOf(new Error('another')), undefined)
})

test('numbers of queries are numbers', async () => {
  const { cursor } = await platform.listChanges({ wait: 0, limit: 5 })
  const { changes } = await platform.listChanges({ after: cursor, wait: 0, limit: 5 })
  assert.deepEqual(changes, [])
  const { reservations, nextCursor } = await platform.listReservations({ supplier: 'Acme', limit: 2 })
  assert.deepEqual([reservations.length, nextCursor], [2, null])
})
