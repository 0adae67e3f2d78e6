import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../../../test/stage/harness.ts'
import { bookingBody, expectStatus, idOf, room } from '../../../test/stage/scenes/booking.ts'
import {
  asPushed,
  gatewayForPriceChecks,
  priceCheckStage,
  pushPrice,
  stay,
  type LiveRoomRate,
} from '../../../test/stage/scenes/price-checks.ts'
import { httpAnswer } from '../../../test/stage/servers/receiver.ts'
import { expectOk, product } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** The meal plan and the penalties that a supplier answers, beside those that are sold: RO, free until two days before. */

const gateway = await gatewayForPriceChecks()
const { platform, supplierWith, check } = await priceCheckStage(gateway)

const fullStay = { chargeBase: 'FullStay', percent: 100 }
const until = (offsetTimeUnit: string, offsetTimeValue: number) => ({ offsetTimeUnit, offsetTimeValue })
const flexible = { cancelDeadline: until('D', 2), penaltyCharge: fullStay }
const strict = { penaltyCharge: fullStay }

async function terms(sold: Record<string, unknown> = { cancelPolicies: [{ cancelPenalties: [flexible] }] }) {
  let roomRate: LiveRoomRate = asPushed
  const { supplier } = await supplierWith((socket) =>
    socket.write(httpAnswer(200, JSON.stringify({ roomRate }))),
  )
  const products = [product('DBL', 'BAR', sold), product('DBL', 'NRF', sold)]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const { checkin, checkout } = stay
  const rooms = [room({ adults: 2, childAges: [5] })]
  const answered = (more: LiveRoomRate): void => void (roomRate = { ...asPushed, ...more })
  const body = (more: Record<string, unknown> = {}) =>
    bookingBody(supplier.name, { checkin, checkout, rooms, ...more })
  const book = (more: Record<string, unknown> = {}) => platform.post('/booking/reservations', body(more))
  return { supplier, answered, book, body, rooms }
}

const types = ({ body }: Reply): unknown[] => [body['warnings'] ?? []].flat().map((one) => Object(one).type)

test('terms that differ from those sold are told, kept with the check, told of the booking and counted in the drift', async () => {
  const { supplier, answered, book } = await terms()
  answered({ mealPlan: 'BB', cancelPolicy: { code: 'NR', cancelPenalties: [strict] } })
  const checked = expectOk(await check(supplier))
  const { outcome, bookable, termsDiffer, warnings } = checked.body
  const [soldPenalty] = Object(Object(termsDiffer)[1]).sold
  assert.deepEqual([outcome, bookable], ['available', true])
  assert.deepEqual(termsDiffer, [
    { what: 'mealPlan', sold: 'RO', live: 'BB' },
    { what: 'cancelPolicy', sold: [soldPenalty], live: [{ from: null, amount: '220.00' }] },
  ])
  assert.equal(soldPenalty.amount, '220.00')
  assert.deepEqual(
    [warnings].flat().map((one) => [Object(one).type, Object(one).path, Object(one).message]),
    [
      ['MEAL_PLAN_DIFFERS', '/rateId', 'The supplier’s meal plan is BB, and RO is sold'],
      [
        'CANCEL_POLICY_DIFFERS',
        '/rateId',
        'The supplier’s cancellation penalties differ from those that are sold',
      ],
    ],
  )
  const booked = expectStatus(await book(), 201)
  assert.deepEqual(
    [booked.body['warnings']].flat().map((one) => [Object(one).type, Object(one).path]),
    [
      ['MEAL_PLAN_DIFFERS', '/rooms/0/rateId'],
      ['CANCEL_POLICY_DIFFERS', '/rooms/0/rateId'],
    ],
  )
  answered({ mealPlan: 'BB' })
  await check(supplier)
  const { body } = expectOk(await supplier.get('/push/priceChecks?hotelId=H1'))
  assert.deepEqual(
    Object(body['priceChecks']).map((one: Record<string, unknown>) => one['termsDiffer']),
    [[{ what: 'mealPlan', sold: 'RO', live: 'BB' }], termsDiffer, termsDiffer],
  )
  const { checks, mealPlanDiffers, cancelPolicyDiffers, worst } = Object(body['drift'])
  assert.deepEqual([checks, mealPlanDiffers, cancelPolicyDiffers], [6, 6, 4])
  assert.deepEqual(
    worst.map((night: Record<string, unknown>) => [
      night['differing'],
      night['mealPlanDiffers'],
      night['cancelPolicyDiffers'],
    ]),
    [
      [0, 3, 2],
      [0, 3, 2],
    ],
  )
})

test('terms are compared by what they cost and when, not by how they are written', async () => {
  const { supplier, answered } = await terms()
  const same: LiveRoomRate[] = [
    {},
    { mealPlan: 'RO', cancelPolicy: { code: 'OTHER', description: 'Other words' } },
    { mealPlan: null, cancelPolicy: null },
    { mealPlan: ' ', cancelPolicy: { cancelPenalties: null } },
    { cancelPolicy: { cancelPenalties: [{ ...flexible, noShow: null }] } },
    { cancelPolicy: { cancelPenalties: [flexible, { noShow: true, penaltyCharge: fullStay }] } },
    {
      cancelPolicy: {
        cancelPenalties: [{ ...flexible, penaltyCharge: { chargeBase: 'NightBase', nights: 2 } }],
      },
    },
    {
      cancelPolicy: {
        cancelPenalties: [{ ...flexible, penaltyCharge: { chargeBase: 'FullStay', amount: '220' } }],
      },
    },
    {
      cancelPolicy: {
        cancelPenalties: [flexible, { penaltyCharge: { chargeBase: 'FullStay', percent: 0 } }],
      },
    },
    { inventory: 0, mealPlan: 'BB' },
  ]
  for (const one of same) {
    answered(one)
    const reply = expectOk(await check(supplier))
    assert.deepEqual([one, types(reply), reply.body['termsDiffer']], [one, [], undefined])
  }
  const other: LiveRoomRate[] = [
    { cancelPenalties: [] },
    { cancelPenalties: [{ ...flexible, cancelDeadline: until('D', 3) }] },
    { cancelPenalties: [{ ...flexible, penaltyCharge: { chargeBase: 'NightBase', nights: 1 } }] },
    { cancelPenalties: 'none' },
    { cancelPenalties: [{ penaltyCharge: {} }] },
  ]
  for (const cancelPolicy of other) {
    answered({ cancelPolicy })
    const reply = expectOk(await check(supplier))
    assert.deepEqual([cancelPolicy, types(reply)], [cancelPolicy, ['CANCEL_POLICY_DIFFERS']])
  }
  answered({ mealPlan: 'B\u0000\ud800' })
  const odd = expectOk(await check(supplier))
  assert.deepEqual(types(odd), ['MEAL_PLAN_DIFFERS'])
  const { body } = expectOk(await supplier.get('/push/priceChecks?limit=1'))
  assert.deepEqual(Object(body['priceChecks'])[0].termsDiffer, odd.body['termsDiffer'])
})

test('a rate sold without a meal plan and a policy differs from one that the supplier answers with them', async () => {
  const { supplier, answered } = await terms({ mealPlan: undefined })
  answered({ mealPlan: 'BB', cancelPolicy: { cancelPenalties: [strict] } })
  assert.deepEqual(expectOk(await check(supplier)).body['termsDiffer'], [
    { what: 'mealPlan', sold: null, live: 'BB' },
    { what: 'cancelPolicy', sold: null, live: [{ from: null, amount: '220.00' }] },
  ])
  answered({ cancelPolicy: { cancelPenalties: [] } })
  assert.equal(expectOk(await check(supplier)).body['termsDiffer'], undefined)
})

test('an account may reject bookings at other terms, but not a change that only gives up', async () => {
  const { supplier, answered, book, body, rooms } = await terms()
  answered({})
  const id = idOf(await book())
  await setAccount(gateway.db, supplier.name, { onTermsDiffer: 'reject' })
  answered({ mealPlan: 'BB' })
  const { outcome, bookable } = expectOk(await check(supplier)).body
  assert.deepEqual([outcome, bookable], ['available', false])
  const refused = expectStatus(await book(), 409).body
  assert.deepEqual(
    [
      Object(refused['errors'])[0].type,
      refused['message'],
      [refused['priceChecks']].flat().map((one) => Object(one).outcome),
    ],
    ['TERMS_DIFFER', 'The supplier’s terms differ from those that are sold', ['available']],
  )
  answered({ mealPlan: 'BB', amountBeforeTax: [90, 90], amountAfterTax: [99, 99] })
  expectStatus(await book({ expectedTotal: { afterTax: '198.00' } }), 409)
  answered({ mealPlan: 'BB' })
  const fewer = [{ ...rooms[0], childAges: [] }]
  expectOk(await platform.put(`/booking/reservations/${id}`, body({ rooms: fewer })))
  answered({})
  await pushPrice(supplier, 100)
  idOf(await book())
})
