import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import {
  httpAnswer,
  startReceiver,
  type Behaviour,
  type Receiver,
} from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'

/** Lists a supplier's deliveries and sends them again. The clock stands still. */

let stage: DeliveryTest
const receivers: Receiver[] = []
before(async () => {
  stage = await startDeliveryTest()
  stage.worker()
})
after(() => stage.stop())
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

/** The current answer of the supplier's server. */
type Answers = { status: number; body: string }

async function supplierAnswering(
  name: string,
  answers: Answers,
): Promise<{ supplier: DeliverySupplier; receiver: Receiver }> {
  const behave: Behaviour = (socket) => socket.write(httpAnswer(answers.status, answers.body))
  const receiver = await startReceiver(behave)
  receivers.push(receiver)
  const supplier = await stage.supplierAt(name, `http://127.0.0.1:${receiver.port}/book`)
  return { supplier, receiver }
}

type Listed = Record<string, unknown> & { deliveryId: string; attempts: Record<string, unknown>[] }

function listed({ status, text, body }: Reply): Listed[] {
  assert.equal(status, 200, text)
  const { deliveries } = body
  assert.ok(Array.isArray(deliveries))
  return deliveries
}

const list = (supplier: DeliverySupplier, query = ''): Promise<Reply> =>
  supplier.get(`/push/deliveries?${query}`)
const again = (supplier: DeliverySupplier, body: unknown = {}): Promise<Reply> =>
  supplier.post('/push/deliveries/sendAgain', body)

const untilStatus = (supplier: DeliverySupplier, status: string, count: number): Promise<void> =>
  until(
    `${count} are ${status}`,
    async () => listed(await list(supplier, `status=${status}`)).length === count,
  )

test('a delivery is listed with each attempt: its time, the answer word for word, and the time of the next one', async () => {
  const answers = { status: 503, body: '{"error":"no room 4111 1111 1111 1111 for 55191"}' }
  const { supplier } = await supplierAnswering('listed', answers)
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  await untilStatus(supplier, 'failing', 1)
  const [one, ...others] = listed(await list(supplier))
  assert.ok(one)
  const { nextAttemptAt, attempts, ...rest } = one
  const now = new Date(stage.gateway.clock.now()).toISOString()
  assert.deepEqual(
    [others, rest],
    [
      [],
      {
        deliveryId: booked.deliveryId,
        hotelId: 'H1',
        reservation_id: String(booked.reservationId),
        reservation_version: '1',
        reservation_status: 'Confirm',
        status: 'failing',
        createdAt: now,
        deliveredAt: null,
        giveUpAt: new Date(stage.gateway.clock.now() + 72 * 3_600_000).toISOString(),
      },
    ],
  )
  const waitMs = Date.parse(String(nextAttemptAt)) - stage.gateway.clock.now()
  assert.ok(waitMs >= 10_000 && waitMs <= 11_000, String(waitMs))
  assert.deepEqual(
    attempts.map(({ durationMs, ...attempt }) => [typeof durationMs, attempt]),
    [
      [
        'number',
        {
          attempt: 1,
          at: now,
          trigger: 'realtime',
          webhookId: booked.deliveryId,
          outcome: 'unavailable',
          httpStatus: 503,
          answer: '{"error":"no room [card number removed] for 55191"}',
        },
      ],
    ],
  )
})

test('a delivery that waits for the hourly run states its time, and one without a URL says so', async () => {
  const { supplier } = await supplierAnswering('hourly', { status: 302, body: '' })
  await book(stage.gateway, supplier)
  await untilStatus(supplier, 'failing', 1)
  const [refused] = listed(await list(supplier))
  const nextHour = Math.floor(stage.gateway.clock.now() / 3_600_000 + 1) * 3_600_000
  assert.deepEqual(
    [refused?.['nextAttemptAt'], refused?.attempts.map(({ outcome, httpStatus }) => [outcome, httpStatus])],
    [new Date(nextHour).toISOString(), [['refused', 302]]],
  )
  const nowhere = await stage.supplierAt('nowhere', undefined)
  await book(stage.gateway, nowhere)
  const [waiting] = listed(await list(nowhere))
  assert.deepEqual([waiting?.['status'], waiting?.['nextAttemptAt'], waiting?.attempts], ['no_url', null, []])
})

test('the list is narrowed by hotel, reservation, status and time, and read page by page; long answers end a page early', async () => {
  const answers = { status: 500, body: 'x'.repeat(10_000) }
  const { supplier } = await supplierAnswering('pages', answers)
  const booked = await book(stage.gateway, supplier, { count: 7 })
  await untilStatus(supplier, 'failing', 7)
  const ids = async (query: string): Promise<string[]> =>
    listed(await list(supplier, query)).map(({ deliveryId }) => deliveryId)
  const all = await ids('')
  assert.deepEqual(all.toSorted(), booked.map(({ deliveryId }) => deliveryId).toSorted())
  const paged: string[] = []
  for (let query = 'limit=3'; query !== '';) {
    const reply = await list(supplier, query)
    paged.push(...listed(reply).map(({ deliveryId }) => deliveryId))
    const { nextCursor } = reply.body
    query = typeof nextCursor === 'string' ? `limit=3&cursor=${nextCursor}` : ''
  }
  assert.deepEqual(paged, all)
  const [third] = booked.slice(2)
  const found = [
    await ids(`reservation_id=${third?.reservationId}`),
    await ids('hotelId=H1&status=dead'),
    await ids('since=2037-01-01'),
    await ids('reservation_id=none'),
  ]
  assert.deepEqual(found, [[third?.deliveryId], [], [], []])
  // As if each had been retried for days.
  await stage.gateway.db.query(
    `insert into delivery_attempt (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome, answer)
     select delivery_id, attempt + n, at, 'retry', '', 1, outcome, answer from delivery_attempt, generate_series(1, 99) n
     where delivery_id in (select id from delivery where supplier_id = $1)`,
    [supplier.supplierId],
  )
  const reply = await list(supplier)
  const sizes = listed(reply).map(({ attempts }) => attempts.length)
  const [answer] = listed(reply)[0]?.attempts ?? []
  assert.deepEqual(
    [sizes, String(answer?.['answer']).length, typeof reply.body['nextCursor']],
    [[100, 100, 100, 100], 2_048, 'string'],
  )
  const refused = await list(supplier, 'status=lost&since=x&limit=101&cursor=x')
  assert.deepEqual(
    [refused.status, problemsOf(refused).map((problem) => [problem].flat()[0])],
    [400, ['?status', '?since', '?limit', '?cursor']],
  )
})

test('failed deliveries are resent at once, by id or all of them; a repeat changes nothing', async () => {
  const answers = { status: 422, body: '{}' }
  const { supplier, receiver } = await supplierAnswering('again', answers)
  const booked = await book(stage.gateway, supplier, { count: 3 })
  await untilStatus(supplier, 'failing', 3)
  const [first, ...others] = booked.map(({ deliveryId }) => deliveryId)
  assert.ok(first)
  // Two concurrent requests: only one of them sends it.
  answers.status = 200
  const replies = await Promise.all([
    again(supplier, { deliveryIds: [first] }),
    again(supplier, { deliveryIds: [first] }),
  ])
  assert.deepEqual(
    replies
      .map((reply) => expectOk(reply).body['sentAgain'])
      .toSorted((left, right) => Number(left) - Number(right)),
    [0, 1],
  )
  await untilStatus(supplier, 'delivered', 1)
  const all = expectOk(await again(supplier)).body
  assert.deepEqual(
    [all['sentAgain'], new Set([all['deliveryIds']].flat()), all['left'], all['isMore']],
    [2, new Set(others), [], false],
  )
  await untilStatus(supplier, 'delivered', 3)
  const calls = receiver.calls.length
  const nothing = expectOk(await again(supplier, { deliveryIds: [first] })).body
  assert.deepEqual(nothing, {
    code: '200',
    message: 'No delivery was resent',
    sentAgain: 0,
    deliveryIds: [],
    left: [{ deliveryId: first, status: 'delivered' }],
    isMore: false,
  })
  assert.equal(expectOk(await again(supplier)).body['sentAgain'], 0)
  assert.equal(receiver.calls.length, calls)
  const [one] = listed(await list(supplier, `reservation_id=${booked[0]?.reservationId}`))
  assert.deepEqual(
    one?.attempts.map(({ attempt, trigger, httpStatus }) => [attempt, trigger, httpStatus]),
    [
      [1, 'realtime', 422],
      [2, 'again', 200],
    ],
  )
})

test('a delivery that was given up is resent with a new schedule; an older version never is', async () => {
  const answers = { status: 500, body: '{}' }
  const { supplier } = await supplierAnswering('given up', answers)
  const [dead, changed] = await book(stage.gateway, supplier, { count: 2 })
  assert.ok(dead && changed)
  await untilStatus(supplier, 'failing', 2)
  await book(stage.gateway, supplier, { reservationId: changed.reservationId, status: 'Cancel' })
  await untilStatus(supplier, 'failing', 2)
  await stage.gateway.db.query(`update delivery set status = 'dead', retries = 6 where reservation_id = $1`, [
    dead.reservationId,
  ])
  const { body } = expectOk(await again(supplier, { deliveryIds: [dead.deliveryId, changed.deliveryId] }))
  assert.deepEqual(
    [body['deliveryIds'], body['left']],
    [[dead.deliveryId], [{ deliveryId: changed.deliveryId, status: 'superseded' }]],
  )
  await until('it was tried again', async () => {
    const [one] = await deliveriesOf(stage.gateway, dead.reservationId)
    return one?.attempts === 2 && one.status === 'queued'
  })
  await untilStatus(supplier, 'failing', 2)
  const [{ status, retries } = { status: '', retries: 0 }] = await deliveriesOf(
    stage.gateway,
    dead.reservationId,
  )
  assert.deepEqual([status, retries], ['queued', 1])
})

test("without a URL nothing is sent again, and another supplier's deliveries are not there", async () => {
  const { supplier } = await supplierAnswering('own', { status: 500, body: '{}' })
  const [booked] = await book(stage.gateway, supplier)
  await untilStatus(supplier, 'failing', 1)
  const deliveryIds = [booked?.deliveryId ?? '']
  const stranger = await stage.supplierAt('stranger', 'http://127.0.0.1:4711/')
  assert.deepEqual(listed(await list(stranger)), [])
  const foreign = await again(stranger, { deliveryIds: [...deliveryIds, 'dlv_no'] })
  assert.deepEqual(
    [foreign.status, problemsOf(foreign)],
    [404, [0, 1].map((index) => [`/deliveryIds/${index}`, 'DELIVERY_NOT_FOUND', 'Delivery not found'])],
  )
  assert.equal(expectOk(await again(stranger)).body['sentAgain'], 0)
  expectOk(await supplier.delete('/push/webhook/pushbook'))
  for (const body of [{}, { deliveryIds }, { hotelId: 'H1' }]) {
    const reply = await again(supplier, body)
    assert.deepEqual([reply.status, reply.body['message']], [409, 'Push booking webhook is not registered'])
  }
  const unknown = await again(supplier, { hotelId: 'H9' })
  assert.deepEqual([unknown.status, unknown.body['message']], [404, 'Hotel not found'])
})
