import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestOperator, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import type { HotelListed, HotelPage } from './contract.ts'

/** Steps of the checklist that a supplier's contract doesn't need. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
let supplier: TestSupplier
let operator: TestOperator
let viewer: TestOperator
let person: TestOperator
let ids = { supplierId: 0, hotelId: 0 }
before(async () => {
  supplier = (await openShop(gateway, 'Acme')).supplier
  const { rows } = await gateway.db.query<typeof ids>(
    'select supplier_id as "supplierId", id as "hotelId" from hotel',
  )
  ids = rows[0] ?? ids
  operator = await gateway.operator('operator')
  viewer = await gateway.operator('viewer')
  person = await gateway.operator('viewer', ids.supplierId)
})

const change = (step: string, body: object, by = operator) =>
  by.put(`/suppliers/${ids.supplierId}/go-live/${step}`, body)

async function read(by = viewer): Promise<HotelPage> {
  return JSON.parse(expectOk(await by.get(`/hotels/${ids.hotelId}`)).text)
}

async function stepsOf(by = viewer): Promise<[status: string, reason?: string, operator?: string | null][]> {
  const { checklist } = await read(by)
  return checklist
    .slice(-2)
    .map(({ status, unneeded }) =>
      unneeded === undefined ? [status] : [status, unneeded.reason, unneeded.operator],
    )
}

async function pushedSteps(): Promise<unknown[]> {
  const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  const { availabilityWebhook, pushbookWebhook, ready } = Object(body['hotels'])[0].goLive
  return [availabilityWebhook.status, pushbookWebhook.status, ready]
}

async function stageOf(): Promise<string | undefined> {
  const { hotels }: { hotels: HotelListed[] } = JSON.parse(expectOk(await viewer.get('/hotels')).text)
  const [hotel] = hotels
  const listed = expectOk(await viewer.get(`/hotels?goLive=${hotel?.goLive}`))
  assert.equal(Object(listed.body['hotels']).length, 1, 'the filter says the same')
  return hotel?.goLive
}

test('a supplier’s page says how many of its hotels are at each stage', async () => {
  const goLiveOf = async () =>
    Object(expectOk(await viewer.get(`/suppliers/${ids.supplierId}`)).body['supplier']).goLive
  const none = { products: 0, ari: 0, webhooks: 0, ready: 0 }
  assert.deepEqual(await goLiveOf(), {
    stages: { ...none, webhooks: 1 },
    only: { webhooks: ids.hotelId },
    open: 0,
    isMore: false,
  })
  await gateway.db.query(
    `update supplier set unneeded_steps = '{"availabilityWebhook": {}, "pushbookWebhook": {}}'`,
  )
  assert.deepEqual(await goLiveOf(), {
    stages: { ...none, ready: 1 },
    only: { ready: ids.hotelId },
    open: 1,
    isMore: false,
  })
  await gateway.db.query(`update supplier set unneeded_steps = '{}'`)
})

test('an operator marks a step as not needed, with a reason, for all hotels of the supplier, and takes it back', async () => {
  assert.deepEqual([await stepsOf(), await stageOf()], [[['missing'], ['missing']], 'webhooks'])
  expectOk(await change('availabilityWebhook', { isNeeded: false, reason: ' Prices are fixed ' }))
  assert.deepEqual(await stepsOf(), [['notNeeded', 'Prices are fixed', operator.name], ['missing']])
  assert.deepEqual(await pushedSteps(), ['notNeeded', 'missing', false])
  assert.equal((await read()).isReady, false)
  expectOk(await change('pushbookWebhook', { isNeeded: false, reason: 'It fetches its reservations' }))
  assert.deepEqual([(await read()).isReady, await stageOf()], [true, 'ready'])
  assert.deepEqual(await pushedSteps(), ['notNeeded', 'notNeeded', true])
  assert.deepEqual(
    await stepsOf(person),
    [
      ['notNeeded', 'Prices are fixed', null],
      ['notNeeded', 'It fetches its reservations', null],
    ],
    'the supplier reads why, not who',
  )
  const webhook = 'https://supplier.example/ari'
  expectOk(await supplier.post('/push/webhook/availability', { webhook }))
  assert.equal((await stepsOf())[0]?.[0], 'done', 'a URL counts all the same')
  const undone = expectOk(await change('pushbookWebhook', { isNeeded: true }))
  assert.equal(undone.body['unneeded'], null)
  assert.deepEqual([await stepsOf(), await stageOf()], [[['done'], ['missing']], 'webhooks'])
  const { rows } = await gateway.db.query(
    `select action, before, after from audit_log where action like 'go-live.%' order by id`,
  )
  assert.deepEqual(
    rows,
    [
      ['go-live.not-needed', 'availabilityWebhook', {}, { reason: 'Prices are fixed' }],
      ['go-live.not-needed', 'pushbookWebhook', {}, { reason: 'It fetches its reservations' }],
      ['go-live.needed', 'pushbookWebhook', { reason: 'It fetches its reservations' }, {}],
    ].map(([action, step, was, is]) => ({
      action,
      before: { step, ...Object(was) },
      after: { step, ...Object(is) },
    })),
  )
})

test('a hotel whose two steps are not needed is ready in the list and on its page, also without a valid key', async () => {
  const both = ['availabilityWebhook', 'pushbookWebhook']
  for (const step of both) expectOk(await change(step, { isNeeded: false, reason: 'By file' }))
  await gateway.db.query('update api_key set revoked_at = now() where supplier_id = $1', [ids.supplierId])
  assert.deepEqual([(await read()).isReady, await stageOf()], [true, 'ready'])
})

test('only steps that depend on the contract, only with a reason, and only by operators', async () => {
  const cases: [string, object, number, string][] = [
    ['availabilityWebhook', { isNeeded: false }, 400, 'REASON_REQUIRED'],
    ['availabilityWebhook', { isNeeded: false, reason: '4111 1111 1111 1111' }, 400, 'CARD_IN_NOTE'],
    ['availabilityWebhook', { isNeeded: false, reason: '  ' }, 400, 'REASON_REQUIRED'],
    ['ari', { isNeeded: false, reason: 'No' }, 404, 'STEP_NOT_OPTIONAL'],
  ]
  for (const [step, body, status, type] of cases) {
    const reply = await change(step, body)
    assert.deepEqual([reply.status, Object(problemsOf(reply)[0])[1]], [status, type], JSON.stringify(body))
  }
  const asked = { isNeeded: false, reason: 'No' }
  assert.equal((await change('pushbookWebhook', asked, viewer)).status, 403)
  assert.equal((await change('pushbookWebhook', asked, person)).status, 403)
  assert.equal((await operator.put('/suppliers/999/go-live/pushbookWebhook', asked)).status, 404)
})
