import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestOperator,
  type TestSupplier,
} from '../stage/harness.ts'
import { startMailServer } from '../stage/servers/mail-server.ts'
import { load, ndjson } from '../stage/scenes/bulk.ts'
import { ada, bookingBody, expectStatus, idOf, openShop, room } from '../stage/scenes/booking.ts'
import { expectOk, problemsOf, product, storyHotel } from '../stage/story.ts'

/** Names that people tell apart: none is another's, none mixes scripts in a word, none is blank. */

const mailServer = await startMailServer()
after(() => mailServer.close())
const gateway = await gatewayForTests()
gateway.app.startBulk()
const openToAll = await gatewayForTests({
  allowsSignUp: true,
  publicUrl: 'https://sandbox.example',
  mail: { smtpUrl: mailServer.url, from: 'sandbox@gateway.example' },
})
let admin: TestOperator
let supplier: TestSupplier
before(async () => {
  admin = await gateway.operator('admin')
  supplier = await gateway.supplier('Namer')
})

const said = (reply: Reply): unknown[] => [reply.status, Object(problemsOf(reply)[0])[1]]

test('a supplier has no name that is told from another only by case or by the way its characters are written', async () => {
  expectStatus(await admin.post('/suppliers', { name: 'Straße Zoë' }), 201)
  for (const name of ['straße zoë', 'STRASSE ZOE\u0308', 'ｓｔｒａßｅ Zoë', 'Straße Zoë'])
    assert.deepEqual(
      [name, ...said(await admin.post('/suppliers', { name }))],
      [name, 409, 'SUPPLIER_EXISTS'],
    )
  const both = await Promise.all(['Twin', 'TWIN'].map((name) => admin.post('/suppliers', { name })))
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409],
  )
})

test('nor has an operator', async () => {
  expectOk(await admin.post('/operators', { name: 'Weiß', role: 'viewer' }))
  for (const name of ['weiß', 'WEISS', 'Weiss'])
    assert.deepEqual(
      [name, ...said(await admin.post('/operators', { name, role: 'viewer' }))],
      [name, 409, 'OPERATOR_EXISTS'],
    )
})

test('a view that is saved under the name of another one in other letters takes its place', async () => {
  const saved = async (name: string) => expectOk(await admin.put('/me/views', { path: '/hotels', name }))
  await saved('Stale')
  await saved('ｓｔａｌｅ')
  const views = () => admin.get('/me/views').then((reply) => expectOk(reply).body['views'])
  assert.deepEqual(await views(), [{ path: '/hotels', name: 'ｓｔａｌｅ', query: '' }])
  expectOk(await admin.post('/me/views/remove', { path: '/hotels', name: 'STALE' }))
  assert.deepEqual(await views(), [])
})

test('a new name has no word in several scripts', async () => {
  const visitor = client(openToAll.url, {}, '/console/api')
  for (const name of ['dеmo', 'Αthens', 'Hotel dеmo', 'Жanna-x'])
    for (const reply of [
      await admin.post('/suppliers', { name }),
      await admin.post('/operators', { name, role: 'viewer' }),
      await admin.put('/me/views', { path: '/hotels', name }),
      await visitor.post('/sign-up', { email: 'dev@company.example', company: name }),
    ])
      assert.deepEqual([name, ...said(reply)], [name, 400, 'MIXED_SCRIPTS'])
  for (const name of ['Демо Hotel', 'Ξενία 2', '東京ツアー JTB', 'Tシャツ', 'Müller & Söhne', 'فندق Sea'])
    expectStatus(await admin.post('/suppliers', { name }), 201)
})

/** They show nothing, alone or among other characters. */
const invisibles = [
  ...'\u00AD\u034F\u115F\u1160\u17B4\u180B\u200B\u200D\u202E\u2060\u2800\u3164\uFE0F\uFEFF\uFFA0\u{1D173}\u{E0001}\u{E0100}',
]

test('a new name has no invisible character, with which it could look like another', async () => {
  const visitor = client(openToAll.url, {}, '/console/api')
  expectStatus(await admin.post('/suppliers', { name: 'Seen' }), 201)
  for (const invisible of invisibles)
    for (const name of invisible === '\uFE0F' ? [`Seen${invisible}`, invisible] : [`Se${invisible}en`])
      for (const reply of [
        await admin.post('/suppliers', { name }),
        await admin.post('/operators', { name, role: 'viewer' }),
        await admin.put('/me/views', { path: '/hotels', name: `Se${invisible}en` }),
        await visitor.post('/sign-up', { email: 'dev@company.example', company: name }),
      ])
        assert.deepEqual(
          [encodeURIComponent(name), ...said(reply)],
          [encodeURIComponent(name), 400, 'INVALID_NAME'],
        )
})

test('a code has no invisible character, in a push, a booking and a load, as the published pattern says', async () => {
  const shop = await openShop(gateway, 'Coder', { inventory: 9 })
  const ari = { roomId: 'DBL', rateId: 'BAR', startDate: '2027-04-10', endDate: '2027-04-11', price: 100 }
  const hint = 'Remove invisible characters, control characters and spaces at the ends'
  const { components } = Object(expectOk(await client(gateway.url, {}, '').get('/openapi.json')).body)
  const pattern = new RegExp(components.schemas.Hotel.properties.hotelId.pattern)
  for (const invisible of invisibles)
    for (const id of invisible === '\u2800' ? [`DBL${invisible}`, invisible] : [`D${invisible}BL`]) {
      if (id.length === [...id].length) assert.doesNotMatch(id, pattern)
      for (const [reply, path] of [
        [await supplier.post('/push/hotels', [storyHotel({ hotelId: id })]), '/0/hotelId'],
        [
          await shop.supplier.post('/push/products', { hotelId: 'H1', products: [product(id, 'BAR')] }),
          '/products/0/roomId',
        ],
        [
          await shop.supplier.post('/push/ari', {
            hotelId: 'H1',
            pricingModel: 'unit',
            ari: [{ ...ari, rateId: id }],
          }),
          '/ari/0/rateId',
        ],
        [await shop.book({ rooms: [room({ rateId: id })] }), '/rooms/0/rateId'],
      ] as const) {
        const [problem] = Array.from(Object(expectStatus(reply, 400).body['errors'])).map(Object)
        assert.deepEqual([problem.path, problem.type, problem.hint], [path, 'INVALID_CHARACTERS', hint])
      }
    }
  const [line, csv] = [
    { hotelId: 'H\uFE0F1' },
    'hotelId,roomId,rateId,startDate,endDate,a1\nH\u28001,DBL,BAR,2027-04-10,2027-04-11,9\n',
  ]
  for (const job of [
    await load(shop.supplier, { kind: 'hotels', format: 'ndjson' }, ndjson([storyHotel(line)])),
    await load(shop.supplier, { kind: 'ari', format: 'csv' }, csv),
  ]) {
    const errors = await shop.supplier.get(`/push/bulk/${job.jobId}/errors`)
    assert.deepEqual([job.refused, errors.text.includes('INVALID_CHARACTERS')], [1, true], errors.text)
  }
  for (const id of ['H 1', 'Zimmer/Ä-1', '客房', 'é', 'e\u0301', '\u{1F3E8}']) {
    assert.match(id, pattern)
    expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId: id })]))
  }
})

test('a name of blanks alone is refused, of whatever blanks', async () => {
  const shop = await openShop(gateway, 'Blank', { inventory: 9 })
  for (const blank of [' ', '\u00A0\u2003', '\u200B', '\u3164', '\u2800', '\uFE0F\u034F', '\u00AD\u{E0100}'])
    for (const [reply, path] of [
      [await supplier.post('/push/hotels', [storyHotel({ hotelName: blank })]), '/0/hotelName'],
      [
        await shop.supplier.post('/push/products', {
          hotelId: 'H1',
          products: [product('DBL', 'BAR', { roomName: blank })],
        }),
        '/products/0/roomName',
      ],
      [await shop.book({ customer: { ...ada, lastName: blank } }), '/customer/lastName'],
      [
        await shop.book({ rooms: [room({ guest: { ...ada, firstName: blank } })] }),
        '/rooms/0/guest/firstName',
      ],
      [await admin.put('/me/views', { path: '/hotels', name: blank }), '/name'],
    ] as const) {
      const name = path.split('/').at(-1)
      assert.deepEqual(problemsOf(expectStatus(reply, 400)), [
        [path, 'TOO_SHORT', `${name} must not be blank`],
      ])
    }
})

test('a name of one word is a name, in either member: it is the last name, and delivered with an empty first name', async () => {
  const shop = await openShop(gateway, 'One word', { inventory: 9 })
  const rooms = [
    room({ guest: { lastName: 'Sukarno' } }),
    room({ rateId: 'NRF', guest: { firstName: '', lastName: 'Pelé' } }),
  ]
  const booking = { rooms, customer: { firstName: 'Cher' } }
  const id = idOf(await shop.book(booking))
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const { rooms: booked, customer } = Object(body['reservation'])
  const named = (lastName: string) => ({ firstName: '', lastName })
  assert.deepEqual(
    [customer, ...booked.map(({ guest }: { guest: object }) => guest)],
    [named('Cher'), named('Sukarno'), named('Pelé')],
  )
  const { body: fetched } = expectOk(await shop.supplier.get('/push/webhook/pushbook/retrieve'))
  const [delivered] = Object(fetched['data'])[0].reservations.reservation
  const names = ({ first_name, last_name }: Record<string, unknown>) => [first_name, last_name]
  assert.deepEqual([delivered.customer, ...delivered.room].map(names), [
    ['', 'Cher'],
    ['', 'Sukarno'],
    ['', 'Pelé'],
  ])
  // The same people, written otherwise.
  const same = {
    rooms: [room({ guest: { firstName: 'Sukarno' } }), rooms[1]],
    customer: { lastName: 'Cher' },
  }
  const put = await shop.platform.put(`/booking/reservations/${id}`, { ...bookingBody('One word'), ...same })
  assert.equal(expectOk(put).body['version'], 1)
  const found = expectOk(await admin.get('/reservations?guest=sukarno'))
  assert.deepEqual(
    Object(found.body['reservations']).map((one: Record<string, unknown>) => one['customer']),
    ['Cher'],
  )
})

test('a person without any name is refused, with what a name of one word is', async () => {
  const shop = await openShop(gateway, 'No word', { inventory: 9 })
  const hint = 'A name of one word is the lastName; firstName may be left out'
  for (const nobody of [{}, { firstName: '', lastName: '' }]) {
    const { body } = expectStatus(
      await shop.book({ rooms: [room({ guest: nobody })], customer: nobody }),
      400,
    )
    assert.deepEqual(
      Object(body['errors']).map(({ path, type, message, hint: remedy }: Record<string, string>) => [
        path,
        type,
        message,
        remedy,
      ]),
      ['/customer/lastName', '/rooms/0/guest/lastName'].map((path) => [
        path,
        'REQUIRED',
        'lastName is required',
        hint,
      ]),
    )
  }
})

test('reservation_datetime is UTC, in the guide and in the description of the field', async () => {
  const guide = await readFile('docs/deliveries.md', 'utf8')
  assert.match(guide, /`reservation_datetime` and `modified_datetime` are UTC/)
  const described = await fetch(`${gateway.url}/openapi.json`)
  assert.match(await described.text(), /"Time of booking in UTC, written without a zone/)
})

test('since takes the time of a reservation as it was delivered', async () => {
  const shop = await openShop(gateway, 'Since', { inventory: 9 })
  expectStatus(await shop.book(), 201)
  const path = '/push/webhook/pushbook/retrieve'
  const { body } = expectOk(await shop.supplier.get(path))
  const [{ reservations }] = Object(body['data'])
  const at = String(reservations.reservation[0].reservation_datetime)
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  const found = async (since: string) =>
    Object(expectOk(await shop.supplier.get(`${path}?since=${since}`)).body['data']).length
  assert.deepEqual([await found(at), await found(`${at}Z`), await found('2199-01-01T00:00:00')], [1, 1, 0])
  expectOk(await shop.supplier.get(`/push/deliveries?since=${at}`))
  expectOk(await shop.supplier.get(`/push/log?since=${at}`))
  expectStatus(await shop.supplier.get(`${path}?since=2027-04-31T10:00:00`), 400)
})
