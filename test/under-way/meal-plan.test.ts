import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setAccount } from '../../src/keys/suppliers.ts'
import { expectStatus, idOf, room } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import {
  adults,
  april,
  bar,
  bodyOf,
  gatewayUnderWay,
  pushAri,
  pushProduct,
  underWay,
  type Fields,
  type UnderWay,
} from '../stage/under-way/hotel.ts'
import { deliveryOf, stateOf } from '../stage/under-way/state.ts'

/** A product with breakfast that is sold without, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const totalOf = async ({ platform, reservationId }: UnderWay): Promise<unknown> =>
  Object(expectOk(await platform.get(`/booking/reservations/${reservationId}`)).body['reservation']).total
    .afterTax
const typesOf = (list: unknown): unknown => Object(list ?? []).map(({ type }: Fields) => type)
const amounts = { amountBeforeTax: [125, 125], amountAfterTax: [137.5, 137.5] }
const roomRate = { roomId: 'DBL', rateId: 'BAR', currency: 'USD', inventory: 9, mealPlan: 'RO', ...amounts }

test('a product changes its meal plan: offers have it, and what was booked keeps its own', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushProduct(way, { mealPlan: 'BB' })
  const [total, , penalties] = Object(before.offer)
  assert.deepEqual(await stateOf(way), { ...before, offer: [total, 'BB', penalties], feed: ['products'] })
})

test('a reservation with breakfast that gives up a guest doesn’t get it at the price without', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, { mealPlan: 'BB' })
  const reservationId = idOf(await way.platform.post('/booking/reservations', bodyOf(way.supplier)))
  const withBreakfast = { ...way, reservationId }
  await pushProduct(way, { mealPlan: 'RO' })
  expectOk(await pushAri(way, { ...april, ...bar(adults(1, 70), adults(2, 80)) }))
  const put = async (rooms: Fields[]): Promise<void> => {
    const path = `/booking/reservations/${reservationId}`
    expectOk(await way.platform.put(path, bodyOf(way.supplier, { rooms })))
  }
  await put([room({ adults: 2 })])
  assert.equal(await totalOf(withBreakfast), '275.00')
  const [, sent] = Object(await deliveryOf(withBreakfast))
  assert.equal(sent.reservations.reservation[0].room[0].meal_plan, 'BB')
  await pushProduct(way, { mealPlan: 'BB' })
  await put([room({ adults: 1 })])
  assert.equal(await totalOf(withBreakfast), '154.00')
})

test('while the supplier is asked about a booking the meal plan changes: it is compared with the answer again', async () => {
  const way = await underWay(gateway)
  const book = () => way.platform.post('/booking/reservations', bodyOf(way.supplier))
  way.live.answer = async () => {
    await pushProduct(way, { mealPlan: 'BB' })
    return [200, { roomRate }]
  }
  const booked = await book()
  const reservation = { ...way, reservationId: idOf(booked) }
  assert.deepEqual(typesOf(booked.body['warnings']), ['MEAL_PLAN_DIFFERS'])
  const [, sent] = Object(await deliveryOf(reservation))
  assert.equal(sent.reservations.reservation[0].room[0].meal_plan, 'BB')

  await setAccount(gateway.db, way.supplier.name, { onTermsDiffer: 'reject' })
  await pushProduct(way)
  assert.deepEqual(typesOf(expectStatus(await book(), 409).body['errors']), ['TERMS_DIFFER'])
  await pushProduct(way)
  way.live.answer = async () => [200, { roomRate }]
  idOf(await book())
})
