import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createToken } from '../../keys/manage.ts'
import { setTokenChannel } from '../../keys/token-channel.ts'
import {
  bookingBody,
  bookingBy,
  changeAsAsked,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { client, gatewayForTests, type Reply, type TestClient } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product } from '../../../test/stage/story.ts'

/** What the platform calls a reservation and its rooms. */

const gateway = await gatewayForTests()
let shop: Shop
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
})

const names = { clientReference: 'order-4711', channel: 'app' }
const change = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more))
const reservation = async (id: string) =>
  Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation'])
const namesOf = async (id: string): Promise<unknown[]> => {
  const { clientReference, channel } = await reservation(id)
  return [clientReference, channel]
}
const delivered = async (id: string) => {
  const { body } = expectOk(await shop.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`))
  return Object(body['data'])[0].reservations.reservation[0]
}

test('a reservation has the platform’s reference and channel, in answers and in what is delivered', async () => {
  const id = idOf(await shop.book(names))
  assert.deepEqual(await namesOf(id), ['order-4711', 'app'])
  const { channel_reference: reference, channel } = await delivered(id)
  assert.deepEqual([reference, channel], ['order-4711', 'app'])
  const bare = idOf(await shop.book())
  assert.deepEqual(await namesOf(bare), [undefined, undefined])
  const sent = await delivered(bare)
  assert.deepEqual(['channel_reference' in sent, 'channel' in sent], [false, false])
})

test('a change keeps them unless it sends others, which makes a new version', async () => {
  const id = idOf(await shop.book(names))
  const unchanged = expectOk(await change(id, {}))
  assert.equal(unchanged.body['message'], 'Reservation unchanged')
  expectOk(await change(id, { checkout: '2027-04-21' }))
  assert.deepEqual(await namesOf(id), ['order-4711', 'app'])
  const renamed = expectOk(await change(id, { checkout: '2027-04-21', clientReference: 'order-4712' }))
  assert.deepEqual([renamed.body['version'], await namesOf(id)], [3, ['order-4712', 'app']])
  expectOk(await change(id, { checkout: '2027-04-21', channel: 'web' }))
  assert.deepEqual(await namesOf(id), ['order-4712', 'web'])
})

test('reservations are searched by exactly these names', async () => {
  const id = idOf(await shop.book({ clientReference: 'Searched 1', channel: 'kiosk' }))
  const other = idOf(await shop.book({ clientReference: 'Searched 2', channel: 'kiosk' }))
  const found = async (query: string): Promise<unknown> => {
    const { body } = expectOk(await shop.platform.get(`/booking/reservations?${query}`))
    return Object(body['reservations']).map((one: Record<string, unknown>) => one['reservationId'])
  }
  assert.deepEqual(
    [
      await found('clientReference=Searched%201'),
      await found('clientReference=searched%201'),
      await found('clientReference=Searched'),
      await found('channel=kiosk'),
      await found('channel=kiosk&clientReference=Searched%202'),
      await found('channel=app&clientReference=Searched%202'),
    ],
    [[id], [], [], [other, id], [other], []],
  )
  expectOk(await change(id, { clientReference: 'Searched 3' }))
  assert.deepEqual(
    [await found('clientReference=Searched%201'), await found('clientReference=Searched%203')],
    [[], [id]],
  )
  const operator = await gateway.operator('viewer')
  const inConsole = async (query: string): Promise<unknown> =>
    Object(expectOk(await operator.get(`/reservations?${query}`)).body['reservations']).map(
      ({ reservationId, clientReference, channel }: Record<string, unknown>) => [
        reservationId,
        clientReference,
        channel,
      ],
    )
  assert.deepEqual(
    [await inConsole('clientReference=Searched%203'), await inConsole('channel=kiosk&guest=ada')],
    [
      [[Number(id), 'Searched 3', 'kiosk']],
      [
        [Number(other), 'Searched 2', 'kiosk'],
        [Number(id), 'Searched 3', 'kiosk'],
      ],
    ],
  )
  const { clientReference, channel, versions } = Object(
    expectOk(await operator.get(`/reservations/${id}`)).body['reservation'],
  )
  assert.deepEqual(
    [clientReference, channel, versions[0].changes],
    ['Searched 3', 'kiosk', [{ path: ['clientReference'], before: 'Searched 1', after: 'Searched 3' }]],
  )
})

test('a name of no character or of more than 64, with a line break or a card number is refused, and repeated nowhere', async () => {
  const card = '4111 1111 1111 1111'
  for (const name of ['clientReference', 'channel']) {
    for (const wrong of ['', 'x'.repeat(65), 'two\nlines', ' blank', 7])
      expectStatus(await shop.book({ [name]: wrong }), 400)
    const refused = expectStatus(await shop.book({ [name]: card }), 400)
    assert.deepEqual(problemsOf(refused), [
      [`/${name}`, 'CARD_NUMBER_MISPLACED', 'A card number is not allowed here'],
    ])
    assert.equal(refused.text.includes('1111 1111'), false)
  }
  const id = idOf(await shop.book({ clientReference: 'x'.repeat(64), channel: 'é' }))
  assert.deepEqual(await namesOf(id), ['x'.repeat(64), 'é'])
})

async function tokenOf(channel?: string): Promise<{ platform: TestClient; tokenId: number }> {
  const wanted = { role: 'platform', name: 'engine', expiresAtMs: null, channel } as const
  const { token, tokenId } = await createToken(gateway.db, 'sandbox', wanted)
  return { platform: client(gateway.url, { authorization: `Bearer ${token}` }), tokenId }
}

test('a booking without a channel has its token’s; a change by another token keeps it', async () => {
  const { platform, tokenId } = await tokenOf('partner')
  const book = bookingBy(platform, 'Acme')
  const id = idOf(await book())
  assert.deepEqual(
    [await namesOf(id), await namesOf(idOf(await book({ channel: 'app' })))],
    [
      [undefined, 'partner'],
      [undefined, 'app'],
    ],
  )
  const { platform: other } = await tokenOf('elsewhere')
  const later = bookingBody('Acme', { checkout: '2027-04-21' })
  expectOk(await other.put(`/booking/reservations/${id}`, later))
  assert.deepEqual(await namesOf(id), [undefined, 'partner'])
  assert.equal(await setTokenChannel(gateway.db, tokenId, null), 'partner')
  assert.deepEqual(await namesOf(idOf(await book())), [undefined, undefined])
  const bare = idOf(await shop.book())
  expectOk(await other.put(`/booking/reservations/${bare}`, later))
  assert.deepEqual(await namesOf(bare), [undefined, undefined])
})

test('only a platform’s token has a channel', async () => {
  const wanted = { role: 'operator', name: 'night shift', expiresAtMs: null, channel: 'app' } as const
  await assert.rejects(createToken(gateway.db, 'sandbox', wanted), /has no channel/)
  for (const channel of ['', ' x', 'x'.repeat(65), '4111111111111111', 'a\nb'])
    await assert.rejects(
      createToken(gateway.db, 'sandbox', { ...wanted, role: 'platform', channel }),
      /1 to 64/,
    )
})

test('a test booking of a supplier takes both names', async () => {
  const booked = await shop.supplier.post('/push/sandbox/booking', {
    hotelId: 'H1',
    checkin: '2027-04-20',
    checkout: '2027-04-22',
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }],
    ...names,
  })
  assert.deepEqual(await namesOf(idOf(booked)), ['order-4711', 'app'])
})

test('the answer to a change says which booked room each room is, how it was found, and which went', async () => {
  const grace = { firstName: 'Grace', lastName: 'Hopper' }
  const alan = { firstName: 'Alan', lastName: 'Turing' }
  const booked = await shop.book({
    rooms: [room(), room({ guest: grace, rateId: 'NRF' }), room({ guest: alan })],
  })
  const id = idOf(booked)
  const isNew = (number: number) => ({ roomReservationId: `${id}-${number}`, matchedBy: 'new' })
  assert.deepEqual([booked.body['rooms'], booked.body['roomsGone']], [[isNew(1), isNew(2), isNew(3)], []])
  const said = async (rooms: unknown[]): Promise<unknown[]> => {
    const { body } = expectOk(await changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms })))
    const found: readonly Record<string, unknown>[] = Object(body['rooms'])
    return [
      found.map(
        ({ roomReservationId, matchedBy }) =>
          `${String(roomReservationId).split('-')[1]} ${String(matchedBy)}`,
      ),
      Object(body['roomsGone']).map((gone: string) => gone.split('-')[1]),
    ]
  }
  // The third room first, by its id; the second by its guest; the first left out.
  assert.deepEqual(
    await said([
      { ...room({ guest: alan }), roomReservationId: `${id}-3` },
      room({ guest: grace, rateId: 'NRF' }),
    ]),
    [['3 id', '2 guest'], ['1']],
  )
  // Another guest and rate, but the same room; one more is new.
  assert.deepEqual(
    await said([
      { ...room({ guest: alan }), roomReservationId: `${id}-3` },
      room({ guest: { firstName: 'Joan', lastName: 'Clarke' } }),
      room({ guest: grace }),
    ]),
    [['3 id', '2 room', '4 new'], []],
  )
  const { rooms } = await reservation(id)
  assert.deepEqual(
    rooms.map((one: Record<string, unknown>) => one['roomReservationId']),
    [3, 2, 4].map((number) => `${id}-${number}`),
  )
})

test('rooms that are like no booked one are matched in their order', async () => {
  const products = [product('DBL', 'BAR'), product('DBL', 'NRF'), product('TWN', 'BAR')]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  await pushNights(shop.supplier, { roomId: 'TWN', inventory: 9, rates: [{ rateId: 'BAR', price: 90 }] })
  const id = idOf(await shop.book({ rooms: [room(), room()] }))
  const twin = room({ roomId: 'TWN', guest: { firstName: 'Joan', lastName: 'Clarke' } })
  const { body } = expectOk(
    await changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms: [twin, twin, twin] })),
  )
  assert.deepEqual(
    [body['rooms'], body['roomsGone']],
    [
      [
        { roomReservationId: `${id}-1`, matchedBy: 'order' },
        { roomReservationId: `${id}-2`, matchedBy: 'order' },
        { roomReservationId: `${id}-3`, matchedBy: 'new' },
      ],
      [],
    ],
  )
  const fewer = expectOk(
    await changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms: [room({ rateId: 'NRF' })] })),
  ).body
  assert.deepEqual(
    [fewer['rooms'], fewer['roomsGone']],
    [[{ roomReservationId: `${id}-1`, matchedBy: 'order' }], [`${id}-2`, `${id}-3`]],
  )
})

test('an unknown or repeated id of a room is refused with its path, and any in a booking', async () => {
  const id = idOf(await shop.book({ rooms: [room(), room()] }))
  const other = idOf(await shop.book())
  const named = (roomReservationId: string) => ({ ...room(), roomReservationId })
  const unknown = (position: number) => [
    `/rooms/${position}/roomReservationId`,
    'ROOM_RESERVATION_NOT_FOUND',
    'The reservation has no such room',
  ]
  const refused = async (call: () => Promise<Reply>): Promise<unknown[]> =>
    problemsOf(await expectRefusal(gateway, call, 400))
  for (const wrong of [`${id}-3`, `${other}-1`, id, 'x'])
    assert.deepEqual(await refused(() => change(id, { rooms: [room(), named(wrong)] })), [unknown(1)])
  assert.deepEqual(await refused(() => change(id, { rooms: [named(`${id}-2`), named(`${id}-2`)] })), [
    ['/rooms/1/roomReservationId', 'ROOM_RESERVATION_REPEATED', 'Two rooms have the same roomReservationId'],
  ])
  assert.deepEqual(await refused(() => shop.book({ rooms: [named(`${id}-1`), room()] })), [unknown(0)])
  // A room that went has no number any more.
  expectOk(await changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms: [named(`${id}-2`)] })))
  assert.deepEqual(await refused(() => change(id, { rooms: [named(`${id}-1`)] })), [unknown(0)])
})
