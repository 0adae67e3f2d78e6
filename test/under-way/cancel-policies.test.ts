import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setAccount } from '../../src/keys/suppliers.ts'
import { changeAsAsked, expectStatus, idOf } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import {
  bodyOf,
  family,
  flexible,
  gatewayUnderWay,
  pushProduct,
  underWay,
  type Fields,
} from '../stage/under-way/hotel.ts'
import { penaltiesOf, stateOf } from '../stage/under-way/state.ts'

/** A product that could be cancelled and no longer can, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const strict = {
  cancelPolicies: [{ code: 'NRF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }] }],
}
const whole = [{ from: null, amount: '275.00' }]
const amounts = { amountBeforeTax: [125, 125], amountAfterTax: [137.5, 137.5] }
const cancelPolicy = { cancelPenalties: flexible.cancelPenalties }
const roomRate = { roomId: 'DBL', rateId: 'BAR', currency: 'USD', inventory: 9, cancelPolicy, ...amounts }

test('a product changes its cancellation policies: offers have them, and what was booked keeps its own', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushProduct(way, strict)
  assert.deepEqual(await stateOf(way), { ...before, offer: ['275.00', 'RO', whole], feed: ['products'] })
  const { body } = expectOk(await way.platform.post(`/booking/reservations/${way.reservationId}/cancel`, {}))
  assert.deepEqual(Object(body['penalty']).amount, '0.00')
})

test('other dates of a reservation have the policy of now, fewer nights the one that was booked', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, strict)
  const put = async (more: Fields): Promise<unknown> => {
    const body = bodyOf(way.supplier, { rooms: [family], ...more })
    expectOk(await changeAsAsked(way.platform, way.reservationId, body))
    return penaltiesOf(way)
  }
  assert.deepEqual(await put({ checkout: '2027-04-21' }), [
    { from: '2027-04-18T18:00:00+02:00', amount: '137.50' },
  ])
  assert.deepEqual(await put({ checkin: '2027-04-21', checkout: '2027-04-23' }), whole)
})

test('while the supplier is asked about a booking the policies change: they are compared with the answer again', async () => {
  const way = await underWay(gateway)
  const book = () => way.platform.post('/booking/reservations', bodyOf(way.supplier))
  way.live.answer = async () => {
    await pushProduct(way, strict)
    return [200, { roomRate }]
  }
  const booked = await book()
  const reservationId = idOf(booked)
  assert.deepEqual(
    Object(booked.body['warnings']).map(({ type }: Fields) => type),
    ['CANCEL_POLICY_DIFFERS'],
  )
  assert.deepEqual(await penaltiesOf({ ...way, reservationId }), whole)
  await setAccount(gateway.db, way.supplier.name, { onTermsDiffer: 'reject' })
  await pushProduct(way)
  const { errors } = Object(expectStatus(await book(), 409).body)
  assert.equal(errors[0].type, 'TERMS_DIFFER')
})
