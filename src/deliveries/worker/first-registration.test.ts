import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import {
  book,
  deliveriesOf,
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { addressWaiting } from './watch.ts'

/**
 * A supplier gets its secret with the answer to its first registration, and its endpoint has it a moment later: what
 * waited is not spent on the time in between. The clock stands still.
 */

let stage: DeliveryTest
let receiver: Receiver
let status = 200
before(async () => {
  stage = await startDeliveryTest()
  receiver = await startReceiver((socket) => socket.write(httpAnswer(status, '{}')))
})
after(async () => {
  await stage.stop()
  await receiver.close()
})
beforeEach(() => {
  status = 200
})

const minuteMs = 60_000
const later = (ms: number): void =>
  stage.gateway.clock.set(new Date(stage.gateway.clock.now() + ms).toISOString())
const register = async (supplier: DeliverySupplier) =>
  expectOk(
    await supplier.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${receiver.port}/book` }),
  )
const tested = async (supplier: DeliverySupplier) =>
  expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))

/** How many of the supplier's waiting reservations a look-up gives an endpoint. */
const released = (): Promise<number> => addressWaiting(stage.gateway)

const lastOf = async (reservationId: number) => (await deliveriesOf(stage.gateway, reservationId)).at(-1)

async function attemptsOf(reservationId: number): Promise<unknown[]> {
  const { rows } = await stage.gateway.db.query<{ outcome: string; httpStatus: number }>(
    `select attempt.outcome, attempt.http_status as "httpStatus" from delivery_attempt as attempt
       join delivery on delivery.id = delivery_id where reservation_id = $1 order by attempt`,
    [reservationId],
  )
  return rows.map(({ outcome, httpStatus }) => `${outcome} ${httpStatus}`)
}

test('what waited is sent once a test call with the new secret was answered 2xx', async () => {
  const supplier = await stage.supplierAt('tested', undefined)
  await book(stage.gateway, supplier, { count: 2 })
  await register(supplier)
  assert.equal(await released(), 0)
  // The second registration of the key makes a ping.
  await register(supplier)
  assert.equal(await released(), 0)
  status = 401
  await tested(supplier)
  assert.equal(await released(), 0)
  status = 200
  await tested(supplier)
  assert.equal(await released(), 2)
})

test('what waited is sent after five minutes at the latest', async () => {
  const supplier = await stage.supplierAt('untested', undefined)
  await book(stage.gateway, supplier)
  await register(supplier)
  later(5 * minuteMs - 1)
  assert.equal(await released(), 0)
  later(1)
  assert.equal(await released(), 1)
})

test('with a secret that is not new, what waited is sent at once', async () => {
  const supplier = await stage.supplierAt('known', undefined)
  await register(supplier)
  expectOk(await supplier.delete('/push/webhook/pushbook'))
  later(6 * minuteMs)
  await book(stage.gateway, supplier)
  await register(supplier)
  assert.equal(await released(), 1)
})

test('a fresh reservation is sent at once, and what waited follows when it was answered 2xx', async () => {
  const { gateway } = stage
  const supplier = await stage.supplierAt('fresh', undefined)
  const [waiting] = await book(gateway, supplier)
  await register(supplier)
  const worker = stage.worker()
  assert.ok(waiting)
  assert.equal((await lastOf(waiting.reservationId))?.status, 'queued')
  status = 401
  const [fresh] = await bookAt(supplier)
  assert.ok(fresh)
  await until('the fresh one was tried', async () => (await attemptsOf(fresh)).length === 1)
  assert.deepEqual(
    [await attemptsOf(fresh), await attemptsOf(waiting.reservationId)],
    [['unavailable 401'], []],
  )
  status = 200
  later(11_000)
  for (const id of [fresh, waiting.reservationId])
    await until(`${id} is delivered`, async () => (await lastOf(id))?.status === 'delivered')
  assert.deepEqual(
    [await attemptsOf(fresh), await attemptsOf(waiting.reservationId)],
    [['unavailable 401', 'accepted 200'], ['accepted 200']],
  )
  await worker.close()
})

/** A reservation for the URL that is registered now. */
async function bookAt(supplier: DeliverySupplier): Promise<number[]> {
  return (await book(stage.gateway, supplier)).map(({ reservationId }) => reservationId)
}

test('401 and 403 are retried like a 5xx within an hour of a new secret or URL, and wait for the hourly run later', async () => {
  const supplier = await stage.supplierAt('settling', undefined)
  await register(supplier)
  await tested(supplier)
  const worker = stage.worker()
  const refused = async (answered: number): Promise<unknown[]> => {
    status = answered
    const [id = 0] = await bookAt(supplier)
    await until('it was tried', async () => (await attemptsOf(id)).length === 1)
    const { lane, status: state } = (await lastOf(id)) ?? assert.fail()
    return [state, lane, ...(await attemptsOf(id))]
  }
  assert.deepEqual(
    [await refused(401), await refused(403), await refused(404)],
    [
      ['queued', 'retry', 'unavailable 401'],
      ['queued', 'retry', 'unavailable 403'],
      ['queued', 'hourly', 'refused 404'],
    ],
  )
  later(61 * minuteMs)
  assert.deepEqual(await refused(403), ['queued', 'hourly', 'refused 403'])
  status = 200
  expectOk(await supplier.post('/push/webhook/rotate', { overlapHours: 0 }))
  assert.deepEqual(await refused(401), ['queued', 'retry', 'unavailable 401'])
  await worker.close()
})
