import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import {
  httpAnswer,
  startReceiver,
  type Behaviour,
  type Receiver,
} from '../../../test/stage/servers/receiver.ts'

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

async function receiving(behave?: Behaviour): Promise<Receiver & { url: string }> {
  const receiver = await startReceiver(behave)
  receivers.push(receiver)
  return { ...receiver, url: `http://127.0.0.1:${receiver.port}/book` }
}

/** Answers each call with the next of these statuses; repeats the last one. */
function answering(...statuses: number[]): Behaviour {
  return (socket, _call, index) => socket.write(httpAnswer(statuses[index] ?? statuses.at(-1) ?? 200, '{}'))
}

function later(ms: number): void {
  stage.gateway.clock.set(new Date(stage.gateway.clock.now() + ms).toISOString())
}

const statusOf = async (reservationId: number): Promise<string | undefined> =>
  (await deliveriesOf(stage.gateway, reservationId)).at(-1)?.status

async function attemptsOf(reservationId: number): Promise<unknown[]> {
  const { rows } = await stage.gateway.db.query<Record<string, unknown>>(
    `select attempt.attempt, attempt.trigger, attempt.outcome, attempt.http_status, attempt.answer
     from delivery_attempt as attempt join delivery on delivery.id = delivery_id
     where reservation_id = $1 order by delivery.version, attempt`,
    [reservationId],
  )
  return rows.map((row) => Object.values(row))
}

const fromNow = async (reservationId: number): Promise<unknown[]> =>
  (await deliveriesOf(stage.gateway, reservationId)).map(({ status, lane, dueInMs }) => [
    status,
    lane,
    dueInMs === null ? 'hourly run' : dueInMs,
  ])

/** Waits until they are refused, so that the next hourly run includes them. */
async function untilRefused(booked: readonly { reservationId: number }[]): Promise<void> {
  await until('all wait for the hourly run', async () => {
    const shown = await Promise.all(
      booked.map(({ reservationId }) => deliveriesOf(stage.gateway, reservationId)),
    )
    return shown.every((one) => one.at(-1)?.lane === 'hourly')
  })
  // Alerts raised at the moment of the run lock deliveries, and it would make a second body for those.
  const ids = booked.map(({ reservationId }) => reservationId)
  await stage.gateway.db.query(
    'update delivery set alerted_at = created_at where reservation_id = any($1::int8[])',
    [ids],
  )
}

const head200 = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'

const isDeliveredBy = (what: string, rest: string) =>
  test(`an answer of 200 is a delivery, also when its body ${what}`, async () => {
    const receiver = await receiving((socket) => socket.end(head200 + rest))
    const supplier = await stage.supplierAt(`its body ${what}`, receiver.url)
    const [booked] = await book(stage.gateway, supplier)
    assert.ok(booked)
    await until('it is delivered', async () => (await statusOf(booked.reservationId)) === 'delivered')
    const [attempt] = await attemptsOf(booked.reservationId)
    assert.deepEqual(Object.values(Object(attempt)).slice(0, 4), [1, 'realtime', 'accepted', 200])
  })
void isDeliveredBy('is larger than 256 KB', `content-length: 307200\r\n\r\n${'x'.repeat(307_200)}`)
void isDeliveredBy('breaks', 'content-length: 100\r\n\r\nhalf')

test('a reservation is delivered, signed, as soon as it is committed, and its attempt is stored', async () => {
  const receiver = await receiving()
  const supplier = await stage.supplierAt('prompt', undefined)
  const { body } = await supplier.post('/push/webhook/pushbook', { webhook: receiver.url })
  const pings = receiver.calls.length
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  await until('it is delivered', async () => (await statusOf(booked.reservationId)) === 'delivered')
  const [call, ...more] = receiver.calls.slice(pings)
  assert.ok(call)
  assert.deepEqual([more.length, call.headers.get('webhook-id')], [0, booked.deliveryId])
  // The library compares the timestamp with the system clock, so the timestamp is not verified here.
  const secret = new Webhook(String(body['signingSecret']))
  const sentAt = new Date(Number(call.headers.get('webhook-timestamp')) * 1_000)
  assert.equal(
    secret.sign(booked.deliveryId, sentAt, call.body.toString()),
    call.headers.get('webhook-signature'),
  )
  assert.deepEqual(await attemptsOf(booked.reservationId), [[1, 'realtime', 'accepted', 200, '{}']])
})

test('a failure is tried again by the schedule, with the same id and the same body', async () => {
  const receiver = await receiving(answering(503, 503, 200))
  const supplier = await stage.supplierAt('again', receiver.url)
  receiver.calls.length = 0
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  await until('the first failed', async () => (await attemptsOf(reservationId)).length === 1)
  const [[status, lane, dueInMs] = []] = (await fromNow(reservationId)).map((row) => [row].flat())
  assert.deepEqual([status, lane], ['queued', 'retry'])
  assert.ok(Number(dueInMs) >= 10_000 && Number(dueInMs) <= 11_000, String(dueInMs))
  later(11_000)
  await until('the second failed', async () => (await attemptsOf(reservationId)).length === 2)
  later(33_000)
  await until('it is delivered', async () => (await statusOf(reservationId)) === 'delivered')
  const said = receiver.calls.map(({ headers, body }) => `${headers.get('webhook-id')} ${body.toString()}`)
  assert.deepEqual([said.length, new Set(said).size], [3, 1])
  assert.deepEqual(
    (await attemptsOf(reservationId)).map((row) => [row].flat().slice(0, 4)),
    [
      [1, 'realtime', 'unavailable', 503],
      [2, 'retry', 'unavailable', 503],
      [3, 'retry', 'accepted', 200],
    ],
  )
})

test('a newer version takes the place of an older one, and the supplier reads versions in their order', async () => {
  const held: (() => void)[] = []
  const receiver = await receiving((socket, call) => {
    const answer = (): void => void socket.write(httpAnswer(200, '{}'))
    if (namedIn(call).length > 0) held.push(answer)
    else answer()
  })
  const supplier = await stage.supplierAt('versions', undefined)
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  await book(stage.gateway, supplier, { reservationId })
  await supplier.post('/push/webhook/pushbook', { webhook: receiver.url })
  await supplier.post('/push/webhook/test', { kind: 'pushbook' })
  await until('the second version is on its way', () => held.length === 1)
  // While it is being sent, no other delivery of the reservation is.
  await book(stage.gateway, supplier, { reservationId })
  await book(stage.gateway, supplier, { reservationId, status: 'Cancel' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(held.length, 1)
  held[0]?.()
  await until('the last version is on its way', () => held.length === 2)
  held[1]?.()
  await until('it is delivered', async () => (await statusOf(reservationId)) === 'delivered')
  assert.deepEqual(receiver.calls.flatMap(namedIn), [`${reservationId}.2`, `${reservationId}.4`])
  assert.deepEqual(
    (await deliveriesOf(stage.gateway, reservationId)).map(({ status }) => status),
    ['superseded', 'delivered', 'superseded', 'delivered'],
  )
})

test('an older version that fails while a newer one waits is not tried again', async () => {
  const held: (() => void)[] = []
  const receiver = await receiving((socket, _call, index) => {
    const answer = (): boolean => socket.write(httpAnswer(index < 2 ? 500 : 200, '{}'))
    if (index === 0) answer()
    else held.push(answer)
  })
  const supplier = await stage.supplierAt('outdated', receiver.url)
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  await until('the first is on its way', () => held.length === 1)
  await book(stage.gateway, supplier, { reservationId, status: 'Cancel' })
  held[0]?.()
  await until('the second is on its way', () => held.length === 2)
  held[1]?.()
  await until('it is delivered', async () => (await statusOf(reservationId)) === 'delivered')
  assert.deepEqual(
    (await deliveriesOf(stage.gateway, reservationId)).map(({ status }) => status),
    ['superseded', 'delivered'],
  )
})

test('refused deliveries are sent in the hourly run, several of a hotel and status in one body; those of a refused body one by one', async () => {
  let isMended = false
  const receiver = await receiving((socket, call) => {
    // A body with several reservations is refused even then.
    const isFine = isMended && namedIn(call).length === 1
    socket.write(httpAnswer(isFine ? 200 : 422, '{}'))
  })
  const supplier = await stage.supplierAt('hourly', receiver.url)
  const confirmed = await book(stage.gateway, supplier, { count: 3 })
  const [cancelled] = await book(stage.gateway, supplier)
  assert.ok(cancelled)
  await book(stage.gateway, supplier, { reservationId: cancelled.reservationId, status: 'Cancel' })
  await untilRefused([...confirmed, cancelled])
  receiver.calls.length = 0
  isMended = true
  later(3_600_000)
  await until('the run is over', async () => {
    const statuses = await Promise.all([...confirmed, cancelled].map((one) => statusOf(one.reservationId)))
    return statuses.every((status) => status === 'delivered')
  })
  const ids = confirmed.map(({ reservationId }) => `${reservationId}.1`)
  assert.deepEqual(
    receiver.calls
      .map(namedIn)
      .map((names) => names.join())
      .sort(),
    [ids.join(), ...ids, `${cancelled.reservationId}.2`].sort(),
  )
  for (const { headers, body } of receiver.calls) {
    const { status, reservations } = JSON.parse(body.toString())
    assert.ok(reservations.reservation.every((one: Record<string, unknown>) => one['status'] === status))
    assert.match(String(headers.get('webhook-id')), reservations.reservation.length > 1 ? /^dlb_/ : /^dlv_/)
  }
})

const breaksBodies = (what: string, fail: Behaviour) =>
  test(`a reservation because of which a body of the hourly run is ${what} holds up none of those that go out with it`, async () => {
    let behave: Behaviour = (socket) => socket.write(httpAnswer(422, '{}'))
    const receiver = await receiving((...call) => behave(...call))
    const supplier = await stage.supplierAt(`a body is ${what}`, receiver.url)
    const booked = await book(stage.gateway, supplier, { count: 3 })
    await untilRefused(booked)
    const names = booked.map(({ reservationId }) => `${reservationId}.1`)
    const sent = (): string[] => receiver.calls.splice(0).map((call) => namedIn(call).join())
    const areTried = (times: number) => async (): Promise<boolean> =>
      (await Promise.all(booked.map((one) => attemptsOf(one.reservationId)))).every(
        ({ length }) => length === times,
      )
    sent()
    behave = (...call) => {
      const isBroken = namedIn(call[1]).some((name) => name === names[0])
      if (isBroken) fail(...call)
      else call[0].write(httpAnswer(200, '{}'))
    }
    later(3_600_000)
    await until('the body failed', areTried(2))
    // Perhaps the supplier is merely down: it gets no more calls in this run.
    assert.deepEqual(sent(), [names.join()])
    later(3_600_000)
    await until('each was sent alone', areTried(3))
    assert.deepEqual(sent().sort(), names.toSorted())
    const statuses = await Promise.all(booked.map((one) => statusOf(one.reservationId)))
    assert.deepEqual(statuses, ['queued', 'delivered', 'delivered'])
    const [broken] = booked
    await stage.gateway.db.query(`update delivery set status = 'dead' where reservation_id = $1`, [
      broken?.reservationId,
    ])
  })
void breaksBodies('answered by a 5xx', (socket) => socket.write(httpAnswer(500, '{}')))
void breaksBodies('left without an answer', (socket) => socket.destroy())

test('a body of the hourly run that asks for fewer calls, by 429, goes out together again', async () => {
  let status = 422
  const receiver = await receiving((socket) => socket.write(httpAnswer(status, '{}')))
  const supplier = await stage.supplierAt('fewer calls', receiver.url)
  const booked = await book(stage.gateway, supplier, { count: 2 })
  await untilRefused(booked)
  receiver.calls.length = 0
  status = 429
  const [{ reservationId } = { reservationId: 0 }] = booked
  later(3_600_000)
  await until('it failed', async () => (await attemptsOf(reservationId)).length === 2)
  status = 200
  later(3_600_000)
  await until('all are delivered', async () =>
    (await Promise.all(booked.map((one) => statusOf(one.reservationId)))).every((one) => one === 'delivered'),
  )
  const all = booked.map((one) => `${one.reservationId}.1`)
  assert.deepEqual(receiver.calls.map(namedIn), [all, all])
})

test('a reservation that cannot be read holds up none of those that go out with it', async () => {
  let isMended = false
  const receiver = await receiving((socket) => socket.write(httpAnswer(isMended ? 200 : 422, '{}')))
  const supplier = await stage.supplierAt('half read', receiver.url)
  const booked = await book(stage.gateway, supplier, { count: 3 })
  await untilRefused(booked)
  const [broken, ...others] = booked.map(({ reservationId }) => reservationId)
  assert.ok(broken)
  await stage.gateway.db.query(`update reservation_version set content = '{}' where reservation_id = $1`, [
    broken,
  ])
  receiver.calls.length = 0
  isMended = true
  later(3_600_000)
  await until('the others are delivered', async () =>
    (await Promise.all(others.map(statusOf))).every((status) => status === 'delivered'),
  )
  assert.deepEqual(receiver.calls.flatMap(namedIn).sort(), others.map((id) => `${id}.1`).sort())
  await until('it waits for the next run', async () =>
    (await attemptsOf(broken)).some((attempt) => Object.values(Object(attempt))[2] === 'unreadable'),
  )
  assert.equal(await statusOf(broken), 'queued')
  await stage.gateway.db.query(`update delivery set status = 'dead' where reservation_id = $1`, [broken])
})

test('a URL that was replaced meanwhile is not called any more: the new one is', async () => {
  const former = await receiving(answering(200, 500))
  const present = await receiving()
  const supplier = await stage.supplierAt('moved', former.url)
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  await until('the first failed', async () => (await attemptsOf(reservationId)).length === 1)
  await supplier.post('/push/webhook/pushbook', { webhook: present.url })
  // The worker relies on data that may be half a second old.
  await new Promise((resolve) => setTimeout(resolve, 600))
  const calls = former.calls.length
  present.calls.length = 0
  later(11_000)
  await until('it is delivered', async () => (await statusOf(reservationId)) === 'delivered')
  assert.deepEqual([former.calls.length - calls, present.calls.length], [0, 1])
  assert.deepEqual(
    (await attemptsOf(reservationId)).map((row) => [row].flat()[0]),
    [1, 2],
  )
})

test('a reservation that is undelivered for half an hour, or fails within two days of arrival, is reported once', async () => {
  const receiver = await receiving(answering(200, 500))
  const supplier = await stage.supplierAt('alerts', receiver.url)
  const [far] = await book(stage.gateway, supplier)
  const arrival = new Date(stage.gateway.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const [near] = await book(stage.gateway, supplier, { arrival })
  assert.ok(far && near)
  const reasons = async (): Promise<unknown[]> => {
    const { rows } = await stage.gateway.db.query<{ reservation: number; reason: string }>(
      `select reservation_id as reservation, reason from delivery_alert
       where supplier_id = $1 and cleared_at is null order by id`,
      [supplier.supplierId],
    )
    return rows.map(({ reservation, reason }) => [reservation, reason])
  }
  await until('the near one is reported', async () => (await reasons()).length === 1)
  assert.deepEqual(await reasons(), [[near.reservationId, 'arrival_near']])
  later(31 * 60_000)
  await until('the far one is reported', async () => (await reasons()).length === 2)
  assert.deepEqual((await reasons())[1], [far.reservationId, 'undelivered'])
})
