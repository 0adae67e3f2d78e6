import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { changeAsAsked, bookingBody, expectStatus, idOf, openShop, room } from '../stage/scenes/booking.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { gatewayForCalls, liveUrl, typesOf, type Fields } from '../stage/under-way/calls.ts'
import type { Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** What an account's contract says of price checks changes: its tolerance, what a failure and other terms mean. */

const gateway = await gatewayForCalls()
const admin = await gateway.operator('admin')
const shop = await openShop(gateway, 'Contract', { inventory: 90 })
const url = await liveUrl(shop)
beforeEach(async () => {
  url.answers({})
  await contract({ priceTolerance: '0', onFailure: 'reject', onTermsDiffer: 'warn' })
})

async function contract(changed: Fields): Promise<void> {
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Contract'`)
  expectOk(await admin.put(`/suppliers/${rows[0]?.id}/account`, changed))
}

const messageOf = ({ body }: Reply): unknown => body['message']
const totalOf = ({ body }: Reply): unknown => Object(body['total']).afterTax
/** Five per cent more than pushed. */
const dearer = { before: [105, 105], after: [115.5, 115.5] }

test('a check that is on its way is judged by the contract of its beginning', async () => {
  url.answers(dearer)
  const strict = await url.held(() => shop.book())
  await contract({ priceTolerance: '10' })
  strict.letGo()
  assert.equal(messageOf(expectStatus(await strict.answer, 409)), 'The price has changed')
  const tolerant = await url.held(() => shop.book())
  await contract({ priceTolerance: '0' })
  tolerant.letGo()
  assert.equal(totalOf(expectStatus(await tolerant.answer, 201)), '220.00')

  url.answers({ status: 500 })
  const lenient = await url.held(() => shop.book())
  await contract({ onFailure: 'use_stored' })
  lenient.letGo()
  assert.equal(
    messageOf(expectStatus(await lenient.answer, 409)),
    'The price could not be checked with the supplier',
  )
  idOf(await shop.book())
})

test('what was booked under one contract stays, is repeated as it was, and cancelled without a check', async () => {
  await contract({ priceTolerance: '10' })
  url.answers(dearer)
  const key = { 'idempotency-key': 'tolerated' }
  const booked = expectStatus(await shop.book({}, key), 201)
  await contract({ priceTolerance: '0' })
  const calls = url.receiver.calls.length
  assert.equal((await shop.book({}, key)).text, booked.text)
  const path = `/booking/reservations/${idOf(booked)}`
  expectOk(await shop.platform.post(`${path}/cancel`, {}))
  assert.equal(url.receiver.calls.length, calls)
})

test('a change is judged by the contract of now for what it adds, and not for what it gives up', async () => {
  const id = idOf(await shop.book({ rooms: [room(), room()] }))
  const put = (count: number): Promise<Reply> => {
    const rooms = Array.from({ length: count }, () => room())
    return changeAsAsked(shop.platform, id, bookingBody('Contract', { rooms }))
  }
  await contract({ onTermsDiffer: 'reject' })
  url.answers({ more: { mealPlan: 'AI' } })
  assert.deepEqual(typesOf(expectStatus(await put(3), 409)), ['TERMS_DIFFER'])
  expectOk(await put(1))
  await contract({ onTermsDiffer: 'warn' })
  const added = expectOk(await put(2))
  assert.ok(JSON.stringify(added.body['warnings']).includes('MEAL_PLAN_DIFFERS'))
})

test('the drift counts what differs, whatever is tolerated', async () => {
  const drift = async (): Promise<string> =>
    JSON.stringify(expectOk(await shop.supplier.get('/push/priceChecks?hotelId=H1')).body['drift'])
  assert.doesNotMatch(await drift(), /2027-04-28/)
  await contract({ priceTolerance: '10' })
  url.answers(dearer)
  idOf(await shop.book({ checkin: '2027-04-28', checkout: '2027-04-30' }))
  await until('it is counted', async () => (await drift()).includes('2027-04-28'))
})
