import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  platformOf,
  pushNights,
  room,
} from '../../../test/stage/scenes/booking.ts'
import type { TestClient } from '../../../test/stage/harness.ts'
import {
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'

/** The hotel's own numbers: in the answer to a delivery, and in an acknowledgement. */

let stage: DeliveryTest
let platform: TestClient
const receivers: Receiver[] = []
before(async () => {
  stage = await startDeliveryTest()
  platform = await platformOf(stage.gateway)
  stage.worker()
})
after(() => stage.stop())
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

type Answer = (ids: string[]) => unknown
type Answered = { supplier: DeliverySupplier; id: string }

/** Books two rooms of a supplier whose URL answers so, and waits until it is settled. */
async function answeredWith(name: string, answer: Answer, status = 200): Promise<Answered> {
  const receiver = await startReceiver((socket, { body }) => {
    const { reservations } = body.includes('reservations')
      ? JSON.parse(body.toString())
      : { reservations: { reservation: [] } }
    const ids = reservations.reservation.map((one: Record<string, unknown>) => one['reservation_id'])
    const said = answer(ids)
    socket.write(httpAnswer(status, typeof said === 'string' ? said : JSON.stringify(said)))
  })
  receivers.push(receiver)
  const supplier = await stage.supplierAt(name, `http://127.0.0.1:${receiver.port}/book`)
  await pushNights(supplier, { inventory: 99 })
  const body = bookingBody(name, { rooms: [room(), room({ rateId: 'NRF' })] })
  const id = idOf(await platform.post('/booking/reservations', body))
  await until('it is settled', async () => (await attemptsOf({ supplier, id })).length === 1)
  return { supplier, id }
}

async function attemptsOf({ supplier, id }: Answered): Promise<Record<string, unknown>[]> {
  const { body } = expectOk(await supplier.get(`/push/deliveries?reservation_id=${id}`))
  return Object(body['deliveries'])[0]?.attempts ?? []
}

const confirmationsOf = async ({ id }: { id: string }): Promise<unknown> =>
  Object(expectOk(await platform.get(`/booking/reservations/${id}`)).body['reservation']).confirmations

test('the answer to a delivery may tell the hotel’s numbers, of the reservation and of its rooms; the platform reads them', async () => {
  const { body: start } = expectOk(await platform.get('/booking/changes'))
  const answered = await answeredWith('Numbers', ([id]) => ({
    confirmations: [
      { reservation_id: id, confirmation_number: 'Zi-77/é' },
      { reservation_id: id, confirmation_number: '77-2', room_reservation_id: `${id}-2` },
    ],
  }))
  const at = '2027-03-01T12:00:00.000Z'
  const confirmations = [
    { confirmationNumber: 'Zi-77/é', at },
    { confirmationNumber: '77-2', roomReservationId: `${answered.id}-2`, at },
  ]
  assert.deepEqual(await confirmationsOf(answered), confirmations)
  const [attempt] = await attemptsOf(answered)
  assert.deepEqual([attempt?.['outcome'], attempt?.['ignored']], ['accepted', undefined])
  const listed = expectOk(await platform.get(`/booking/reservations?supplier=Numbers`))
  assert.deepEqual(Object(listed.body['reservations'])[0].confirmations, confirmations)
  const { events } = await toldSince(String(start['cursor']), answered.supplier)
  assert.deepEqual(
    events
      .filter(({ kind }) => kind === 'confirmation')
      .map(({ reservationId, revision }) => [reservationId, revision]),
    [[answered.id, undefined]],
  )
})

let units = 50

/** What the feed tells of a supplier, up to a push made now. */
async function toldSince(
  cursor: string,
  supplier: DeliverySupplier,
): Promise<{ events: Record<string, unknown>[]; cursor: string }> {
  await pushNights(supplier, { inventory: ++units })
  const events: Record<string, unknown>[] = []
  for (let position = cursor; ;) {
    const { body } = expectOk(await platform.get(`/booking/changes?after=${position}&wait=30`))
    const changes: Record<string, unknown>[] = Object(body['changes'])
    const own = changes.filter((change) => change['supplier'] === supplier.name)
    events.push(...own)
    position = String(body['cursor'])
    const isThere = own.some(({ kind, nights }) => kind === 'ari' && isOwnInventory(nights))
    if (isThere) return { events, cursor: position }
  }
}

/** Nights of the room alone. */
function isOwnInventory(nights: unknown): boolean {
  return Array.isArray(nights) && nights.every((range) => !('rateId' in Object(range)))
}

test('what names no reservation or room of the body, or is no number, is ignored, and the attempt says so', async () => {
  const { id: foreign } = await answeredWith('Foreign', () => ({}))
  const card = '4111 1111 1111 1111'
  const answered = await answeredWith('Odd', ([id]) => ({
    confirmations: [
      { reservation_id: foreign, confirmation_number: 'A-1' },
      { reservation_id: Number(id), confirmation_number: 'A-2' },
      { reservation_id: ` ${id}`, confirmation_number: 'A-3' },
      { reservation_id: id, confirmation_number: card },
      { reservation_id: id, confirmation_number: '' },
      { reservation_id: id, confirmation_number: 'x'.repeat(65) },
      { reservation_id: id, confirmation_number: 'two\nlines' },
      { reservation_id: id, confirmation_number: 7 },
      { reservation_id: id, confirmation_number: 'A-4', room_reservation_id: `${foreign}-1` },
      'A-5',
      { reservation_id: id, confirmation_number: 'x'.repeat(64) },
    ],
  }))
  const notOfBody = 'Must be a reservation_id of the body, as text'
  const notText = 'Must be text of 1 to 64 printable characters'
  const [attempt] = await attemptsOf(answered)
  assert.deepEqual(
    Object(attempt?.['ignored']).map(({ path, message }: Record<string, unknown>) => [path, message]),
    [
      ['/confirmations/0/reservation_id', notOfBody],
      ['/confirmations/1/reservation_id', notOfBody],
      ['/confirmations/2/reservation_id', notOfBody],
      ['/confirmations/3/confirmation_number', 'Must not contain a card number'],
      ['/confirmations/4/confirmation_number', notText],
      ['/confirmations/5/confirmation_number', notText],
      ['/confirmations/6/confirmation_number', notText],
      ['/confirmations/7/confirmation_number', notText],
      [
        '/confirmations/8/room_reservation_id',
        'Must be a room_reservation_id of that reservation in the body',
      ],
      ['/confirmations/9', 'Must be an object'],
    ],
  )
  assert.deepEqual(
    [await confirmationsOf(answered), await confirmationsOf({ id: foreign })],
    [[{ confirmationNumber: 'x'.repeat(64), at: '2027-03-01T12:00:00.000Z' }], []],
  )
  assert.equal(JSON.stringify(await attemptsOf(answered)).includes('1111 1111'), false)
  const operator = await stage.gateway.operator('viewer')
  const { deliveries } = Object(
    expectOk(await operator.get(`/reservations/${answered.id}`)).body['reservation'],
  )
  assert.equal(deliveries[0].timeline[0].ignored.length, 10)
})

test('a number with characters that nobody sees is none, in an answer as in an acknowledgement', async () => {
  const unseen = ['\u200b', 'A\u202e-1', 'A\u2028-1', '\u3164', ' A-1', 'A-1\u00a0']
  const answered = await answeredWith('Unseen', ([id]) => ({
    confirmations: unseen.map((number) => ({ reservation_id: id, confirmation_number: number })),
  }))
  const [attempt] = await attemptsOf(answered)
  assert.deepEqual(
    Object(attempt?.['ignored']).map(({ path }: Record<string, unknown>) => path),
    unseen.map((_, index) => `/confirmations/${index}/confirmation_number`),
  )
  assert.deepEqual(await confirmationsOf(answered), [])
  for (const number of unseen) {
    const acknowledged = {
      reservation_id: answered.id,
      reservation_version: '1',
      confirmation_number: number,
    }
    const path = '/push/webhook/pushbook/ack'
    expectStatus(await answered.supplier.post(path, { reservations: [acknowledged] }), 400)
  }
})

test('an answer that is no JSON, or whose confirmations are no list, is accepted, and says what was ignored', async () => {
  for (const [name, said, ignored] of [
    ['Cut', '{"confirmations": [{"reservation_id"', [{ path: '', message: 'The answer is not valid JSON' }]],
    ['Bare', '{"confirmations": "A-1"}', [{ path: '/confirmations', message: 'Must be a list' }]],
    ['Plain', 'thanks', undefined],
    ['Other', '[{"confirmations": []}]', undefined],
    [
      'Deep',
      `{"confirmations":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      [{ path: '/confirmations/0', message: 'Must be an object' }],
    ],
  ] as const) {
    const answered = await answeredWith(name, () => said)
    const [attempt] = await attemptsOf(answered)
    assert.deepEqual([name, attempt?.['outcome'], attempt?.['ignored']], [name, 'accepted', ignored])
    assert.deepEqual(await confirmationsOf(answered), [])
  }
})

test('an answer that does not accept the delivery tells no numbers', async () => {
  const say: Answer = ([id]) => ({ confirmations: [{ reservation_id: id, confirmation_number: 'A-1' }] })
  const answered = await answeredWith('Refusing', say, 422)
  const [attempt] = await attemptsOf(answered)
  assert.deepEqual(
    [attempt?.['outcome'], attempt?.['ignored'], await confirmationsOf(answered)],
    ['refused', undefined, []],
  )
})

test('a delivery on request tells numbers too, a newer number takes the place of the former and is told by itself, and the same tells nothing', async () => {
  let number = 'A-1'
  const answered = await answeredWith('Again', ([id]) => ({
    confirmations: [{ reservation_id: id, confirmation_number: number }],
  }))
  const { body: now } = expectOk(await platform.get('/booking/changes'))
  // What came before is told by now.
  const { cursor } = await toldSince(String(now['cursor']), answered.supplier)
  const push = { hotelId: 'H1', reservation_id: answered.id }
  for (number of ['A-1', 'A-2', 'A-3']) expectOk(await answered.supplier.post('/push/webhook/booking', push))
  assert.deepEqual(await confirmationsOf(answered), [
    { confirmationNumber: 'A-3', at: '2027-03-01T12:00:00.000Z' },
  ])
  const { events } = await toldSince(cursor, answered.supplier)
  assert.deepEqual(
    events.map(({ kind, reservationId }) => [kind, reservationId]),
    [
      ['confirmation', answered.id],
      ['confirmation', answered.id],
      ['ari', undefined],
    ],
  )
})

test('an acknowledgement takes the hotel’s number; one with a card number is refused, and one of another supplier unknown', async () => {
  const { supplier, id } = await answeredWith('Fetching', () => ({}), 500)
  const acknowledge = (confirmation_number: string, by: DeliverySupplier = supplier) =>
    by.post('/push/webhook/pushbook/ack', {
      reservations: [{ reservation_id: id, reservation_version: '1', confirmation_number }],
    })
  const card = await acknowledge('4111111111111111')
  assert.deepEqual(problemsOf(expectStatus(card, 400)), [
    ['/reservations/0/confirmation_number', 'CARD_NUMBER_MISPLACED', 'A card number is not allowed here'],
  ])
  expectStatus(await acknowledge('x'.repeat(65)), 400)
  const { supplier: other } = await answeredWith('Foreigner', () => ({}))
  expectStatus(await acknowledge('THEIRS', other), 404)
  assert.deepEqual([await confirmationsOf({ id }), (await acknowledge('A-1')).body['acknowledged']], [[], 1])
  assert.deepEqual((await acknowledge('A-2')).body['acknowledged'], 0)
  assert.deepEqual(await confirmationsOf({ id }), [
    { confirmationNumber: 'A-2', at: '2027-03-01T12:00:00.000Z' },
  ])
})

test('a room that went by a change is named in what is delivered, and its number is never used again', async () => {
  const { supplier, id } = await answeredWith('Fewer', () => ({}))
  const keep = { ...room({ rateId: 'NRF' }), roomReservationId: `${id}-2` }
  const put = (rooms: unknown[]) => changeAsAsked(platform, id, bookingBody('Fewer', { rooms }))
  expectOk(await put([keep]))
  const delivered = async () => {
    const { body } = expectOk(await supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`))
    const [one] = Object(body['data'])[0].reservations.reservation
    const ids = one.room.map((each: Record<string, unknown>) => each['room_reservation_id'])
    return [ids, one.cancelled_room]
  }
  assert.deepEqual(await delivered(), [[`${id}-2`], [{ room_reservation_id: `${id}-1` }]])
  expectOk(await put([keep, room()]))
  assert.deepEqual(await delivered(), [[`${id}-2`, `${id}-3`], [{ room_reservation_id: `${id}-1` }]])
})
