import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { spawnWorker } from '../../../test/stage/deliveries/crashes.ts'
import { book, startDeliveryTest, until, type DeliveryTest } from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { passOnMissedTimes } from './missed-times.ts'

/** Since when a reservation is undelivered, where the process ends before it has passed that on to the newer version. */

let stage: DeliveryTest
let receiver: Receiver
let answers: ((status: number) => void)[] = []
before(async () => {
  stage = await startDeliveryTest({ systemTime: true })
  receiver = await startReceiver((socket) => {
    answers.push((status) => void socket.write(httpAnswer(status, '{}')))
  })
})
after(async () => {
  await stage.stop()
  await receiver.close()
})

type Row = { version: number; status: string; undelivered_since: Date; alerted_at: Date | null }

async function rowsOf(reservationId: number): Promise<Row[]> {
  const { rows } = await stage.gateway.db.query<Row>(
    `select version, status, undelivered_since, alerted_at from delivery where reservation_id = $1 order by version`,
    [reservationId],
  )
  return rows
}

test('a process that ends between the settlement and the passing on of times loses none', async () => {
  const { gateway } = stage
  const supplier = await supplierWithUrl('times')
  const child = await spawnWorker(gateway.db.address, { step: 'before times', at: 1 })
  const [first] = await book(gateway, supplier)
  assert.ok(first)
  const { reservationId } = first
  child.stdin.write('go\n')
  await until('the first version is being sent', async () => answers.length === 1)
  await gateway.db.query(
    `update delivery set alerted_at = now(), undelivered_since = undelivered_since - interval '29 minutes' where reservation_id = $1`,
    [reservationId],
  )
  await book(gateway, supplier, { reservationId, status: 'Cancel' })
  const ended = once(child, 'exit')
  answers[0]?.(500)
  await ended
  const [older, newer] = await rowsOf(reservationId)
  assert.deepEqual([older?.status, newer?.status], ['superseded', 'queued'])
  assert.notDeepEqual(newer?.undelivered_since, older?.undelivered_since, 'the process ended before')
  stage.worker()
  await until('the newer version is undelivered since the older one was', async () => {
    const [, row] = await rowsOf(reservationId)
    return row?.undelivered_since.getTime() === older?.undelivered_since.getTime() && row?.alerted_at !== null
  })
})

test('what arrived meanwhile ends it, and a second look changes nothing', async () => {
  const { gateway } = stage
  const supplier = await supplierWithUrl('arrived')
  const [first] = await book(gateway, supplier)
  const reservationId = first?.reservationId ?? 0
  await book(gateway, supplier, { reservationId, status: 'Confirm' })
  await book(gateway, supplier, { reservationId, status: 'Cancel' })
  const set = (version: number, state: string) =>
    gateway.db.query(`update delivery set ${state} where reservation_id = $1 and version = $2`, [
      reservationId,
      version,
    ])
  await set(1, `status = 'superseded', leased_until = null, undelivered_since = now() - interval '1 hour'`)
  await set(2, `status = 'delivered', leased_until = null, delivered_at = now()`)
  await set(3, `status = 'dead', leased_until = null, undelivered_since = now()`)
  const nowMs = gateway.clock.now()
  const rows = await rowsOf(reservationId)
  assert.equal(await passOnMissedTimes(gateway.db, nowMs), 0)
  assert.deepEqual(await rowsOf(reservationId), rows)
  await set(2, `status = 'superseded', delivered_at = null, undelivered_since = now() - interval '1 hour'`)
  assert.equal(await passOnMissedTimes(gateway.db, nowMs), 1)
  assert.equal(await passOnMissedTimes(gateway.db, nowMs), 0)
})

async function supplierWithUrl(name: string) {
  const url = `http://127.0.0.1:${receiver.port}/book`
  const supplier = stage.supplierAt(name, url)
  // Its test call, and the registration's ping.
  const life = { isDone: false }
  const answering = (async () => {
    while (!life.isDone) {
      for (const answer of answers) answer(200)
      answers = []
      await new Promise(setImmediate)
    }
  })()
  const made = await supplier
  life.isDone = true
  await answering
  answers = []
  return made
}
