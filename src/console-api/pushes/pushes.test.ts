import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { client, gatewayForTests, type TestClient } from '../../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../../test/stage/story.ts'
import type { PushListed, PushItem, PushPage } from './contract.ts'

let viewer: TestClient
const gateway = await gatewayForTests()
before(async () => {
  // A token, because the clock of these tests advances past the end of any session.
  const authorization = `Bearer ${await gateway.token('operator')}`
  viewer = client(gateway.url, { authorization }, '/console/api')
})

type Page = { pushes: PushListed[]; nextCursor: string | null; searchedTo: string | null }

async function list(query: Record<string, string>): Promise<Page> {
  return JSON.parse(expectOk(await viewer.get(`/pushes?${new URLSearchParams(query).toString()}`)).text)
}

const ids = async (query: Record<string, string>) =>
  (await list(query)).pushes.map(({ requestId }) => requestId)
const sent = (requestId: string) => ({ 'x-request-id': requestId })

async function page(requestId: string): Promise<PushPage> {
  const [push] = (await list({ requestId })).pushes
  return JSON.parse(expectOk(await viewer.get(`/pushes/${push?.pushId}`)).text)
}

async function items(requestId: string, query: Record<string, string> = {}) {
  const [push] = (await list({ requestId })).pushes
  const reply = await viewer.get(`/pushes/${push?.pushId}/items?${new URLSearchParams(query).toString()}`)
  const read: { items: PushItem[]; total: number; matching: number; from: number; nextFrom: number | null } =
    JSON.parse(expectOk(reply).text)
  return read
}

const hotel = (hotelId: string, hotelName: string) => ({
  hotelId,
  hotelName,
  currency: 'USD',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
})
const nights = { startDate: '2027-03-05', endDate: '2027-03-07' }

test('pushes of all suppliers are listed newest first and narrowed by every filter', async () => {
  const [alpha, beta] = [await gateway.supplier('log alpha'), await gateway.supplier('log beta')]
  gateway.clock.set('2027-02-20T12:00:00Z')
  await alpha.post('/push/hotels', [hotel('L1', 'One'), hotel('L2', 'Two')], sent('l-both'))
  gateway.clock.set('2027-02-28T12:00:00Z')
  await alpha.post('/push/hotels', [hotel('L1', 'One')], sent('l-one'))
  await beta.post('/push/hotels', [hotel('L1', 'Other')], sent('l-other'))
  await beta.post('/push/products', { hotelId: 'L9', products: [product('DBL', 'BAR')] }, sent('l-refused'))
  gateway.clock.set('2027-03-01T12:00:00Z')
  await beta.post('/push/hotels', '{', sent('l-broken'))
  assert.deepEqual(await ids({}), ['l-broken', 'l-refused', 'l-other', 'l-one', 'l-both'])
  const { pushes } = await list({})
  const of = (requestId: string) => pushes.find((push) => push.requestId === requestId)
  const ofAlpha = { supplierId: String(of('l-one')?.supplierId) }
  assert.deepEqual(await ids(ofAlpha), ['l-one', 'l-both'])
  assert.deepEqual(await ids({ hotelId: String(of('l-one')?.hotelId) }), ['l-one', 'l-both'])
  assert.deepEqual(await ids({ kind: 'products' }), ['l-refused'])
  assert.deepEqual(await ids({ outcome: 'unchanged' }), ['l-one'])
  assert.deepEqual(await ids({ outcome: 'rejected' }), ['l-broken', 'l-refused'])
  assert.deepEqual(await ids({ status: '404' }), ['l-refused'])
  assert.deepEqual(await ids({ requestId: 'l-other' }), ['l-other'])
  assert.deepEqual(await ids({ until: '2027-02-27' }), ['l-both'])
  assert.deepEqual(await ids({ since: '2027-02-28', until: '2027-02-28', outcome: 'applied' }), ['l-other'])
  const { pushId, supplierId, hotelId, keyId, durationMs, bodyBytes, ...refused } = of('l-refused') ?? {}
  assert.ok(
    Number(pushId) > 0 &&
      Number(supplierId) > 0 &&
      keyId === beta.keyId &&
      typeof durationMs === 'number' &&
      Number(bodyBytes) > 0 &&
      hotelId === null,
  )
  assert.deepEqual(refused, {
    requestId: 'l-refused',
    at: '2027-02-28T12:00:00.000Z',
    supplier: 'log beta',
    kind: 'products',
    hotelCode: 'L9',
    hotelName: null,
    hotels: 0,
    outcome: 'rejected',
    status: 404,
    revision: null,
    cellsChanged: 0,
    channelManager: 'log beta',
    problems: { count: 1, types: ['HOTEL_NOT_FOUND'], message: 'Hotel ID is not found' },
  })
})

test('pages of the log follow each other without gaps or repeats, also across days', async () => {
  const supplier = await gateway.supplier('log pages')
  const [first] = (await list({})).pushes
  const wanted: string[] = []
  for (let index = 0; index < 12; index++) {
    gateway.clock.set(`2027-03-0${1 + Math.floor(index / 4)}T0${index % 4}:00:00Z`)
    await supplier.post('/push/hotels', [hotel('P1', `Name ${index}`)], sent(`pg-${index}`))
    wanted.unshift(`pg-${index}`)
  }
  for (const query of [{}, { outcome: 'applied' }, { kind: 'hotels' }]) {
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null && found.length < 12) {
      const read = await list({ ...query, limit: '5', ...(cursor === '' ? {} : { cursor }) })
      found.push(...read.pushes.map(({ requestId }) => requestId))
      cursor = read.nextCursor
    }
    assert.deepEqual(found.slice(0, 12), wanted)
  }
  assert.ok(first)
})

test('all invalid parameters are reported', async () => {
  const { status, body } = await viewer.get('/pushes?hotelId=H1&status=x&since=y&kind=z&cursor=!&limit=1000')
  assert.equal(status, 400)
  assert.ok(Array.isArray(body['errors']))
  assert.deepEqual(
    body['errors'].map(({ path }) => path),
    ['?kind', '?hotelId', '?status', '?since', '?cursor', '?limit'],
  )
})

test('a push of ARI shows each item with its result, exactly as sent', async () => {
  const supplier = await gateway.supplier('items')
  await pushStoryHotel(supplier)
  const body = `{"hotelId":"H1","pricingModel":"unit","ari":[
    {"roomId":"DBL","rateId":"BAR","startDate":"2027-03-05","endDate":"2027-03-07","price":110.00,"inventory":3},
    {"roomId":"XXX","rateId":"BAR","date":"2027-03-05","price":1e2},{"roomId":"DBL","date":"2027-03-05","inventory":3}]}`
  await supplier.post('/push/ari', body, sent('i-ari'))
  const read = await items('i-ari')
  assert.deepEqual(
    read.items.map(({ pointer, status, cellsChanged, errors }) => [
      pointer,
      status,
      cellsChanged,
      errors.map(({ type, path }) => [type, path]),
    ]),
    [
      ['/ari/0', 'applied', 6, []],
      ['/ari/1', 'rejected', 0, [['ROOM_NOT_FOUND', '/ari/1/roomId']]],
      ['/ari/2', 'unchanged', 0, []],
    ],
  )
  assert.equal(
    read.items[0]?.text,
    '{\n  "roomId": "DBL",\n  "rateId": "BAR",\n  "startDate": "2027-03-05",\n  "endDate": "2027-03-07",\n  "price": 110.00,\n  "inventory": 3\n}',
  )
  const failed = await items('i-ari', { only: 'failed' })
  assert.deepEqual([failed.items.map(({ index }) => index), failed.total, failed.matching], [[1], 3, 1])
  const second = await items('i-ari', { from: '1', limit: '1' })
  assert.deepEqual([second.items.map(({ index }) => index), second.nextFrom], [[1], 2])
})

test('a refused push shows which items are wrong and that the others were not applied', async () => {
  const supplier = await gateway.supplier('refused items')
  await supplier.post(
    '/push/hotels',
    [hotel('R1', 'One'), { ...hotel('R2', 'Two'), currency: 'XXX1' }],
    sent('r-hotels'),
  )
  const read = await items('r-hotels')
  assert.deepEqual(
    read.items.map(({ pointer, status, errors }) => [pointer, status, errors.map(({ path }) => path)]),
    [
      ['/0', 'notApplied', []],
      ['/1', 'rejected', ['/1/currency']],
    ],
  )
  const shown = await page('r-hotels')
  assert.deepEqual(
    [shown.problems.map(({ path }) => path), shown.items, shown.changes],
    [['/1/currency'], 2, { kind: 'none' }],
  )
})

test('a push of ARI links to the nights that still have its values', async () => {
  const supplier = await gateway.supplier('changed nights')
  await pushStoryHotel(supplier)
  const guest = [
    { guests: 1, ageCategory: 'adult', amount: 90 },
    { guests: 2, ageCategory: 'adult', amount: 110 },
  ]
  const item = {
    roomId: 'DBL',
    ...nights,
    inventory: 3,
    rates: [{ rateId: 'BAR', minLengthStay: 2, prices: guest }],
  }
  expectOk(
    await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari: [item] }, sent('n-first')),
  )
  const later = {
    roomId: 'DBL',
    rateId: 'BAR',
    date: '2027-03-06',
    prices: [{ ...guest[0], amount: 95 }],
    minLengthStay: 3,
  }
  expectOk(
    await supplier.post(
      '/push/ari',
      { hotelId: 'H1', pricingModel: 'guest', ari: [later] },
      sent('n-second'),
    ),
  )
  const { changes, push } = await page('n-first')
  const of = { roomId: 'DBL', rateId: 'BAR' }
  assert.deepEqual(changes, {
    kind: 'nights',
    hotelId: push.hotelId,
    nights: [
      { roomId: 'DBL', rateId: null, from: '2027-03-05', to: '2027-03-07', fields: ['inventory'] },
      { ...of, from: '2027-03-05', to: '2027-03-05', fields: ['minLengthStay', 'adult 1', 'adult 2'] },
      { ...of, from: '2027-03-06', to: '2027-03-06', fields: ['adult 2'] },
      { ...of, from: '2027-03-07', to: '2027-03-07', fields: ['minLengthStay', 'adult 1', 'adult 2'] },
    ],
    moreNights: 0,
    cellsHeld: 6,
  })
  expectOk(
    await supplier.post(
      '/push/ari',
      { hotelId: 'H1', pricingModel: 'guest', dryRun: true, ari: [item] },
      sent('n-dry'),
    ),
  )
  assert.deepEqual((await page('n-dry')).changes, { kind: 'none' })
})

test('other pushes are compared with the previous push of the same kind and parts', async () => {
  const supplier = await gateway.supplier('compared')
  await supplier.post('/push/hotels', [hotel('H1', 'Before'), hotel('H2', 'Same')], sent('d-1'))
  await supplier.post('/push/hotels', [hotel('H2', 'Same')], sent('d-2'))
  await supplier.post(
    '/push/hotels',
    [{ ...hotel('H1', 'After'), city: 'Paris' }, hotel('H2', 'Same'), hotel('H3', 'New')],
    sent('d-3'),
  )
  const { changes } = await page('d-3')
  assert.equal(changes.kind, 'members')
  assert.deepEqual(
    changes.parts.map(({ part, comparedWith, members }) => [
      part,
      comparedWith?.requestId,
      members.slice(0, 2),
    ]),
    [
      [
        'H1',
        'd-1',
        [
          { member: 'hotelName', before: 'Before', after: 'After' },
          { member: 'city', after: 'Paris' },
        ],
      ],
      [
        'H3',
        undefined,
        [
          { member: 'hotelId', after: 'H3' },
          { member: 'hotelName', after: 'New' },
        ],
      ],
    ],
  )
  const products = (more: object) => ({
    hotelId: 'H1',
    products: [product('DBL', 'BAR'), product('DBL', 'NRF', { ...more })],
  })
  await supplier.post('/push/products', products({}), sent('d-4'))
  await supplier.post('/push/products', products({ occupancy: { maxOccupancy: 2 } }), sent('d-5'))
  const second = await page('d-5')
  assert.equal(second.changes.kind, 'members')
  assert.deepEqual(
    second.changes.parts.map(({ part, members }) => [part, members]),
    [
      [
        'DBL / NRF',
        [
          { member: 'occupancy.maxOccupancy', before: 3, after: 2 },
          { member: 'occupancy.maxAdult', before: 2 },
          { member: 'occupancy.maxChild', before: 2 },
        ],
      ],
    ],
  )
})

test('no stored answer contains a signing secret', async () => {
  const supplier = await gateway.supplier('secretive')
  const reply = await supplier.post(
    '/push/webhook/availability',
    { webhook: 'https://a.example/x' },
    sent('s-1'),
  )
  assert.match(reply.text, /whsec_/)
  const { push } = await page('s-1')
  for (const path of ['', '/items', '/body', '/answer']) {
    assert.doesNotMatch((await viewer.get(`/pushes/${push.pushId}${path}`)).text, /whsec_/)
  }
})

test('a large body is shown cut and downloaded in full, byte for byte', async () => {
  const supplier = await gateway.supplier('large')
  const body = JSON.stringify(
    Array.from({ length: 400 }, (_, index) => hotel(`H${index}`, `Hotel "${index}"`)),
  )
  expectOk(await supplier.post('/push/hotels', body, sent('big')))
  const shown = await page('big')
  assert.deepEqual(
    [shown.body.isCut, shown.body.text.length, shown.items, shown.push.hotels],
    [true, 65_536, 400, 400],
  )
  assert.equal((await viewer.get(`/pushes/${shown.push.pushId}/body`)).text, body)
  const last = await items('big', { from: '399' })
  assert.deepEqual([last.items[0]?.pointer, last.nextFrom], ['/399', null])
  const around = await items('big', { at: '/123/currency', limit: '50' })
  assert.deepEqual([around.from, around.items[23]?.pointer, around.nextFrom], [100, '/123', 150])
})

test('a body that is not JSON is shown as text or base64 and has no items', async () => {
  const supplier = await gateway.supplier('no json')
  for (const [id, bytes, encoding, text] of [
    ['j-1', '{"a":1,"a":2}', 'text', '{"a":1,"a":2}'],
    ['j-2', new Uint8Array([0xff, 0xfe]), 'base64', '//4='],
    ['j-3', '', 'text', ''],
  ] as const) {
    await supplier.post('/push/hotels', bytes, sent(id))
    const shown = await page(id)
    assert.deepEqual([shown.body.encoding, shown.body.text, shown.items], [encoding, text, 0])
    assert.deepEqual((await items(id)).items, [])
  }
})

test('an unknown push is not found, and without a session nothing is shown', async () => {
  for (const odd of ['0', '999999', 'abc', '1e3', '%00']) {
    for (const path of ['', '/items', '/body']) {
      assert.ok([400, 404].includes((await viewer.get(`/pushes/${odd}${path}`)).status), odd)
    }
  }
  for (const path of ['/pushes', '/pushes/1', '/pushes/1/items', '/pushes/1/body']) {
    assert.equal((await fetch(`${gateway.url}/console/api${path}`)).status, 401)
  }
})
