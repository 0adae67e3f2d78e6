import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  unitsLeft,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Single rooms are cancelled: what becomes of their units, and of the numbers of all. NRF is non-refundable. */

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
  const products = [
    product('DBL', 'BAR', { cancelPolicies: [{ code: 'FREE' }] }),
    product('DBL', 'NRF', { cancelPolicies: [{ code: 'NRF' }] }),
  ]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
})
beforeEach(() => pushNights(shop.supplier))

const cancelled = (id: string, body: object): Promise<Reply> =>
  shop.platform.post(`/booking/reservations/${id}/cancel`, body)
const changed = (id: string, ...rooms: unknown[]): Promise<Reply> =>
  changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms }))

/** The ids of the rooms, without the reservation's. */
async function roomsOf(id: string): Promise<string[]> {
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  return Array.from(Object(reservation).rooms, (one) => Object(one).roomReservationId.replace(`${id}-`, ''))
}

test('units of a room that was cancelled are taken back without another, until a push sets them', async () => {
  const id = idOf(await shop.book({ rooms: [room(), room()] }))
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 2])
  expectOk(await cancelled(id, { rooms: [`${id}-1`] }))
  expectStatus(await shop.book(), 409)
  expectOk(await changed(id, room(), room()))
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 2])
  assert.deepEqual(await roomsOf(id), ['2', '3'])

  expectOk(await cancelled(id, { rooms: [`${id}-2`] }))
  await pushNights(shop.supplier, { inventory: 1 })
  expectOk(await changed(id, room(), room()))
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 1])

  expectOk(await cancelled(id, { rooms: [`${id}-3`] }))
  await pushNights(shop.supplier, { inventory: 0 })
  const rooms = [room(), room()]
  expectStatus(
    await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', { rooms, dryRun: true })),
    409,
  )
})

test('answers have the reservation as it is read afterwards; a repeat under its key has the first answer', async () => {
  await pushNights(shop.supplier, { inventory: 9 })
  const id = idOf(await shop.book({ rooms: [room(), room(), room()] }))
  const read = async () =>
    Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation'])
  const change = bookingBody('Acme', { rooms: [room(), room({ adults: 1 }), room()] })
  const { body } = expectOk(await shop.platform.put(`/booking/reservations/${id}`, change))
  assert.deepEqual(body['reservation'], await read())
  const keyed = (number: number) =>
    shop.platform.post(
      `/booking/reservations/${id}/cancel`,
      { rooms: [`${id}-${number}`] },
      { 'idempotency-key': `of-${id}` },
    )
  const first = expectOk(await keyed(1)).body
  assert.deepEqual(first['reservation'], await read())
  const all = expectOk(await cancelled(id, { rooms: [`${id}-2`] })).body
  assert.deepEqual(all['reservation'], await read())
  const again = expectOk(await keyed(1))
  assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first, 'true'])
  expectStatus(await keyed(3), 422)
  assert.deepEqual(await roomsOf(id), ['3'])
  const last = expectOk(await cancelled(id, { rooms: [`${id}-3`] })).body
  assert.deepEqual([last['status'], last['reservation']], ['Cancel', await read()])
})

/** As reservations are that were booked before rooms had numbers. */
async function withoutNumbers(id: string): Promise<void> {
  await gateway.db.query(
    `update reservation_version set content = jsonb_set(content - 'roomNumbersUsed', '{rooms}',
       (select jsonb_agg(room - 'number' order by position)
        from jsonb_array_elements(content -> 'rooms') with ordinality as numbered (room, position)))
     where reservation_id = $1`,
    [id],
  )
}

test('rooms that were booked before they had numbers keep those of their order when one is cancelled, none is used again, and the hotel is told what each owed', async () => {
  await pushNights(shop.supplier, { inventory: 9 })
  const fixed = room({ rateId: 'NRF' })
  const id = idOf(await shop.book({ rooms: [fixed, room(), room()] }))
  await withoutNumbers(id)
  assert.deepEqual(await roomsOf(id), ['1', '2', '3'])
  const first = { rooms: [`${id}-1`] }
  assert.equal(Object(expectOk(await cancelled(id, first)).body['penalty']).amount, '176.00')
  assert.deepEqual(await roomsOf(id), ['2', '3'])
  const again = expectOk(await cancelled(id, first)).body
  assert.deepEqual([again['version'], again['status'], again['penalty']], [2, 'Confirm', null])
  expectOk(await cancelled(id, { rooms: [`${id}-3`] }))
  expectOk(await changed(id, room(), room()))
  assert.deepEqual(await roomsOf(id), ['2', '4'])

  const gone = (penalty: string) => [
    { room_reservation_id: `${id}-1`, penalty },
    { room_reservation_id: `${id}-3`, penalty: '0.00' },
  ]
  assert.deepEqual(await fetched(id), ['176.00', gone('176.00')])
  const report = { hotelId: 'H1', reservation_id: id, report: 'waived', room_reservation_id: `${id}-1` }
  expectOk(await shop.supplier.post('/push/reservations/report', report))
  assert.deepEqual(await fetched(id), ['0.00', gone('0.00')])
})

/** What the hotel fetches as forfeited, and of rooms that went. */
async function fetched(id: string): Promise<unknown[]> {
  const { body } = expectOk(await shop.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`))
  const [{ forfeited, cancelled_room: gone }] = Object(body['data'])[0].reservations.reservation
  return [forfeited, gone]
}
