import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  changeAsAsked,
  ada,
  expectStatus,
  idOf,
  openShop,
  bookingBody,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { until } from '../../../test/stage/scenes/deliveries.ts'
import { startGateway, type Reply, type TestGateway, type TestOperator } from '../../../test/stage/harness.ts'
import { pagesOf, expectOk, problemsOf } from '../../../test/stage/story.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { setAccount } from '../../keys/suppliers.ts'
import type { DeliveryWorker } from '../../deliveries/worker/worker.ts'
import type { ListedReservation, WholeReservation } from './contract.ts'

const card = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '837',
}

let gateway: TestGateway
let viewer: TestOperator
let acme: Shop
let beta: Shop
let receiver: Receiver
let worker: DeliveryWorker
let answered = 200
before(async () => {
  gateway = await startGateway({
    allowPrivate: true,
    outbound: { reach: (to) => to },
    vaultKey: Buffer.alloc(32, 7),
  })
  viewer = await gateway.operator('viewer')
  acme = await openShop(gateway, 'Acme', { inventory: 99 })
  beta = await openShop(gateway, 'Beta', { inventory: 99 })
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  receiver = await startReceiver((socket) => socket.write(httpAnswer(answered, '{"thanks":true}')))
  const webhook = `http://127.0.0.1:${receiver.port}/book?token=theirs`
  expectOk(await acme.supplier.post('/push/webhook/pushbook', { webhook }))
  receiver.calls.length = 0
  worker = gateway.app.startDeliveries()
})
after(async () => {
  await worker.close()
  await receiver.close()
  await gateway.stop()
})

const listOf = ({ body }: Reply): ListedReservation[] => Object(body)['reservations']

async function search(query: string): Promise<ListedReservation[]> {
  return listOf(expectOk(await viewer.get(`/reservations?${query}`)))
}

async function whole(id: string): Promise<WholeReservation> {
  const reply = expectOk(await viewer.get(`/reservations/${id}`))
  return Object(reply.body)['reservation']
}

async function delivered(id: string): Promise<WholeReservation> {
  await until(`${id} is delivered`, async () => (await whole(id)).reach.kind === 'reached')
  return await whole(id)
}

const supplierIdOf = async (name: string): Promise<number> => {
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  return rows[0]?.id ?? 0
}

test('a reservation is found by supplier, hotel, status, arrival, number and whether it reached the hotel', async () => {
  const reached = idOf(await acme.book())
  const waiting = idOf(await beta.book({ checkin: '2027-04-10', checkout: '2027-04-12' }))
  const cancelled = idOf(await acme.book())
  expectOk(await acme.platform.post(`/booking/reservations/${cancelled}/cancel`, {}))
  await delivered(reached)
  await delivered(cancelled)
  const [{ hotelId } = { hotelId: 0 }] = await search(`reservation=${reached}`)
  const ids = async (query: string): Promise<string[]> =>
    (await search(query)).map(({ reservationId }) => String(reservationId))
  const supplier = await supplierIdOf('Acme')
  assert.deepEqual(
    {
      all: await ids(''),
      ofSupplier: await ids(`supplierId=${supplier}`),
      ofHotel: await ids(`hotelId=${hotelId}`),
      confirmed: await ids('status=Confirm'),
      cancelled: await ids('status=Cancel'),
      early: await ids('arrivalTo=2027-04-15'),
      late: await ids('arrivalFrom=2027-04-15'),
      undelivered: await ids('undelivered=true'),
      undeliveredOfSupplier: await ids(`undelivered=true&supplierId=${supplier}`),
      sinceTomorrow: await ids('createdSince=2027-03-02'),
      untilToday: await ids('createdUntil=2027-03-01'),
      untilYesterday: await ids('createdUntil=2027-02-28'),
      none: await ids('reservation=999999'),
    },
    {
      all: [cancelled, waiting, reached],
      ofSupplier: [cancelled, reached],
      ofHotel: [cancelled, reached],
      confirmed: [waiting, reached],
      cancelled: [cancelled],
      early: [waiting],
      late: [cancelled, reached],
      undelivered: [waiting],
      undeliveredOfSupplier: [],
      sinceTomorrow: [],
      untilToday: [cancelled, waiting, reached],
      untilYesterday: [],
      none: [],
    },
  )
  const [row] = await search(`reservation=${waiting}`)
  assert.deepEqual(row, {
    reservationId: Number(waiting),
    version: 1,
    status: 'Confirm',
    supplierId: await supplierIdOf('Beta'),
    supplier: 'Beta',
    hotelId: row?.hotelId,
    hotelCode: 'H1',
    hotelName: 'Sea View',
    timeZone: 'Europe/Paris',
    checkin: '2027-04-10',
    checkout: '2027-04-12',
    rooms: 1,
    currency: 'USD',
    customer: 'Ada Lovelace',
    clientReference: null,
    channel: null,
    isAlerted: false,
    lastNote: null,
    afterTax: '220.00',
    createdAt: '2027-03-01T12:00:00.000Z',
    modifiedAt: '2027-03-01T12:00:00.000Z',
    delivery: 'no_url',
    attempts: 0,
  })
})

test('a reservation is found by the current and earlier names of all its guests', async () => {
  const zoe = { firstName: 'Zoë', lastName: 'Müller-Lüdenscheidt' }
  const guest = { firstName: 'Søren', lastName: 'O’Neill' }
  const id = idOf(await acme.book({ customer: zoe, rooms: [room({ guest })] }))
  const later = { firstName: 'Władysław', lastName: 'Łukasiewicz' }
  const body = bookingBody('Acme', { customer: later, rooms: [room({ guest: later })] })
  expectOk(await acme.platform.put(`/booking/reservations/${id}`, body))
  const ids = async (guestName: string): Promise<string[]> =>
    (await search(`guest=${encodeURIComponent(guestName)}`)).map(({ reservationId }) => String(reservationId))
  for (const typed of ['zoe', 'MULLER', 'ludenscheidt zoe', 'soren', "o'neill", 'wladyslaw lukas'])
    assert.deepEqual(await ids(typed), [id], typed)
  for (const typed of ['uller', 'zoe ada', 'zoe_', '%'])
    assert.deepEqual((await ids(typed)).includes(id), typed === 'zoe_' || typed === '%', typed)
  assert.equal((await search(`guest=zoe&supplierId=${await supplierIdOf('Beta')}`)).length, 0)
})

test('pages follow each other without a gap', async () => {
  const all = (await search('')).map(({ reservationId }) => reservationId)
  const pages = await pagesOf(viewer, '/reservations?limit=2')
  const seen = pages.flatMap((body): ListedReservation[] => Object(body)['reservations'])
  assert.deepEqual(
    seen.map(({ reservationId }) => reservationId),
    all,
  )
})

test('all problems of a search are reported at once', async () => {
  const reply = expectStatus(
    await viewer.get(
      '/reservations?supplierId=Acme&hotelId=0&reservation=x&status=Gone&arrivalFrom=2027-02-30&createdSince=now&undelivered=no&cursor=x&limit=0',
    ),
    400,
  )
  assert.deepEqual(
    problemsOf(reply).map((problem) => Object.values(Object(problem))[0]),
    [
      '?status',
      '?undelivered',
      '?arrivalFrom',
      '?reservation',
      '?supplierId',
      '?hotelId',
      '?createdSince',
      '?cursor',
      '?limit',
    ],
  )
})

test('ranges that end before they begin are refused', async () => {
  const reply = await viewer.get(
    '/reservations?arrivalFrom=2027-04-02&arrivalTo=2027-04-01&createdSince=2027-03-02&createdUntil=2027-03-01',
  )
  assert.deepEqual(
    problemsOf(expectStatus(reply, 400)).map((problem) => Object.values(Object(problem))[0]),
    ['?arrivalTo', '?createdUntil'],
  )
})

test('a reservation shows its versions with their differences, its timeline, and the body sent to the supplier', async () => {
  const id = idOf(await acme.book())
  await delivered(id)
  answered = 503
  const longer = bookingBody('Acme', {
    checkout: '2027-04-23',
    rooms: [room({ guest: { firstName: 'Grace', lastName: 'Hopper' } })],
  })
  expectOk(await changeAsAsked(acme.platform, id, longer))
  await until('it failed', async () => (await whole(id)).reach.kind === 'failing')
  const shown = await whole(id)
  assert.deepEqual(
    shown.versions.map(({ version, changes }) => [
      version,
      changes.map(({ path, before: was, after: is }) => [path.join('.'), was, is]),
    ]),
    [
      [
        2,
        [
          ['checkout', '2027-04-22', '2027-04-23'],
          ['total.beforeTax', '200.00', '300.00'],
          ['total.tax', '20.00', '30.00'],
          ['total.afterTax', '220.00', '330.00'],
          ['total.allIn', '220.00', '330.00'],
          ['rooms.0.guest.lastName', 'Lovelace', 'Hopper'],
          ['rooms.0.guest.firstName', 'Ada', 'Grace'],
          ['rooms.0.taxes.0.amount', '20.00', '30.00'],
          ['rooms.0.total.beforeTax', '200.00', '300.00'],
          ['rooms.0.total.tax', '20.00', '30.00'],
          ['rooms.0.total.afterTax', '220.00', '330.00'],
          ['rooms.0.total.allIn', '220.00', '330.00'],
          ['rooms.0.nights.2027-04-22', undefined, { beforeTax: '100.00', afterTax: '110.00' }],
        ],
      ],
      [1, []],
    ],
  )
  const { reach, deliveries } = shown
  assert.deepEqual(
    { ...reach, nextAt: typeof reach.nextAt, lastAttempt: reach.lastAttempt?.httpStatus },
    {
      kind: 'failing',
      at: '2027-03-01T12:00:00.000Z',
      attempts: 1,
      nextAt: 'string',
      earlierVersion: 1,
      lastAttempt: deliveries[0]?.timeline.at(-1)?.httpStatus,
    },
  )
  assert.deepEqual(
    deliveries.map(({ version, state, endpoint, timeline }) => [
      version,
      state,
      endpoint?.place,
      timeline.map(({ attempt, trigger, outcome, httpStatus, answer }) => [
        attempt,
        trigger,
        outcome,
        httpStatus,
        answer,
      ]),
    ]),
    [
      [
        2,
        'failing',
        `127.0.0.1:${receiver.port}/book`,
        [[1, 'realtime', 'unavailable', 503, '{"thanks":true}']],
      ],
      [
        1,
        'delivered',
        `127.0.0.1:${receiver.port}/book`,
        [[1, 'realtime', 'accepted', 200, '{"thanks":true}']],
      ],
    ],
  )
  answered = 200
  const [, sent] = receiver.calls.filter(({ body }) => body.includes(`"reservation_id":"${id}"`))
  assert.deepEqual(shown.body, JSON.parse(String(sent?.body)))
  assert.deepEqual(
    shown.priceChecks.map(({ version, outcome, stored, live }) => [
      version,
      outcome,
      stored.amountAfterTax?.length,
      live,
    ]),
    [
      [1, 'not_registered', 2, null],
      // The added night alone.
      [2, 'not_registered', 1, null],
    ],
  )
})

describe('a card', () => {
  test('is shown by brand, last four digits and expiry of storage, and its number nowhere', async () => {
    const id = idOf(await acme.book({ payment: { type: 'Channel Collect', card } }))
    await delivered(id)
    const replies = [
      await viewer.get(`/reservations/${id}`),
      await viewer.get('/reservations'),
      await viewer.get('/deliveries'),
    ]
    const [{ body }] = [expectOk(replies[0] ?? assert.fail())]
    assert.deepEqual(Object(body['reservation']).card, {
      brand: 'VI',
      last4: '1111',
      keptUntil: '2027-04-30T00:00:00.000Z',
      // Destroyed by the delivery.
      isCvvKept: false,
      virtual: null,
    })
    // Six digits alone may be those of an id.
    for (const { text } of replies)
      assert.doesNotMatch(text, /41111111|411111\*|paymentcarddetail|cvv"|CardHolder/)
  })

  test('whose brand is a number shows no number, and a replaced card is a change', async () => {
    const id = idOf(await acme.book({ payment: { type: 'Channel Collect', card } }))
    await gateway.db.query(
      `update reservation_version set content = jsonb_set(content, '{payment,card,type}', '"4111111111111111"')
       where reservation_id = $1`,
      [id],
    )
    const other = { ...card, number: '5555555555554444', type: 'MC' }
    expectStatus(
      await acme.platform.put(
        `/booking/reservations/${id}`,
        bookingBody('Acme', { payment: { type: 'Channel Collect', card: other } }),
      ),
      200,
    )
    const { card: shown, versions } = await whole(id)
    assert.deepEqual([shown?.brand, shown?.last4], ['MC', '4444'])
    assert.deepEqual(versions[0]?.changes, [
      { path: ['card', 'brand'], before: 'Card', after: 'MC' },
      { path: ['card', 'last4'], before: '1111', after: '4444' },
    ])
    const { text } = await viewer.get(`/reservations/${id}`)
    assert.doesNotMatch(text, /411111|555555/)
  })

  test('that is destroyed differs from one that is stored', async () => {
    const id = idOf(await acme.book({ payment: { type: 'Channel Collect', card } }))
    gateway.clock.set('2027-04-30T00:00:00Z')
    // A session from March has expired.
    const later = await gateway.operator('viewer')
    const { body } = await later.get(`/reservations/${id}`)
    gateway.clock.set('2027-03-01T12:00:00Z')
    assert.deepEqual(Object(body['reservation']).card, {
      brand: 'VI',
      last4: '1111',
      keptUntil: null,
      isCvvKept: false,
      virtual: null,
    })
  })
})

test('names chosen by suppliers and guests are returned unchanged, as text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  await pushNights(beta.supplier, { inventory: 9 })
  const id = idOf(
    await beta.book({ customer: { firstName: name, lastName: 'X' }, rooms: [room({ guest: ada })] }),
  )
  const [row] = await search(`reservation=${id}`)
  assert.equal(row?.customer, `${name} X`)
  const { headers } = await viewer.get(`/reservations/${id}`)
  assert.match(String(headers.get('content-type')), /^application\/json/)
})

test('an unknown reservation is 404, and nobody can read one without signing in', async () => {
  for (const id of ['999999', 'x', '0', '%00'])
    assert.ok([400, 404].includes((await viewer.get(`/reservations/${id}`)).status), id)
  const response = await fetch(`${gateway.url}/console/api/reservations`)
  assert.equal(response.status, 401)
})
