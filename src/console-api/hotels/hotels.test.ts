import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { client, gatewayForTests, type TestClient, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../../test/stage/story.ts'
import type { HotelListed, HotelPage } from './contract.ts'

let viewer: TestClient
let alpha: TestSupplier
let beta: TestSupplier

const hotel = (hotelId: string, hotelName: string, more: object = {}) => ({
  hotelId,
  hotelName,
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
  ...more,
})

const gateway = await gatewayForTests()
before(async () => {
  // A token, because the clock of these tests advances past the end of any session.
  const authorization = `Bearer ${await gateway.token('operator')}`
  viewer = client(gateway.url, { authorization }, '/console/api')
  alpha = await gateway.supplier('Alpha Travel')
  beta = await gateway.supplier('Beta Rooms')
  expectOk(
    await alpha.post('/push/hotels', [
      hotel('GARE', "Hôtel de l'Étoile", { countryCodeISO2: 'FR', city: 'Paris' }),
      hotel('OSTRO', 'Østerbro Straße', { countryCodeISO2: 'DK', currency: 'DKK' }),
      hotel('50%_OFF', 'Zum Löwen'),
    ]),
  )
  expectOk(
    await beta.post('/push/hotels', [
      hotel('GARE', 'Nordlys', { countryCodeISO2: 'NO', city: 'Tromsø', isAvailable: false }),
      hotel('X1', '<img src=x onerror=alert(1)>'),
    ]),
  )
})

async function list(
  query: Record<string, string>,
): Promise<{ hotels: HotelListed[]; nextCursor: string | null }> {
  const reply = expectOk(await viewer.get(`/hotels?${new URLSearchParams(query).toString()}`))
  return JSON.parse(reply.text)
}

const named = async (query: Record<string, string>) => (await list(query)).hotels.map(({ name }) => name)

test('a hotel is found by parts of its name, regardless of case and accents', async () => {
  for (const search of ['etoile', 'HÔTEL', 'hotel etoi', "l'étoile", 'toil', 'Étoile de']) {
    assert.deepEqual(await named({ search }), ["Hôtel de l'Étoile"], search)
  }
  assert.deepEqual(await named({ search: 'osterbro strasse' }), ['Østerbro Straße'])
  assert.deepEqual(await named({ search: 'lowen' }), ['Zum Löwen'])
})

test('a hotel is found by its code, its city, its country, its supplier and its platform id', async () => {
  assert.deepEqual(await named({ search: 'ostr' }), ['Østerbro Straße'])
  assert.deepEqual(await named({ search: 'tromso' }), ['Nordlys'])
  assert.deepEqual(await named({ search: 'beta nord' }), ['Nordlys'])
  assert.deepEqual(await named({ country: 'NO' }), ['Nordlys'])
  const [found] = (await list({ search: 'lowen' })).hotels
  const [first] = await named({ search: String(found?.hotelId) })
  assert.equal(first, 'Zum Löwen')
  assert.deepEqual(await named({ search: 'lowen nordlys' }), [])
})

test('hotels with exactly the typed code come first, each once, for any supplier', async () => {
  const { hotels } = await list({ search: 'GARE' })
  assert.deepEqual(
    hotels.map(({ code, supplier }) => [code, supplier]),
    [
      ['GARE', 'Alpha Travel'],
      ['GARE', 'Beta Rooms'],
    ],
  )
})

test('pattern and markup characters have no special meaning', async () => {
  assert.deepEqual(await named({ search: '%' }), [])
  assert.deepEqual(await named({ search: '50%_off' }), ['Zum Löwen'])
  assert.deepEqual(await named({ search: '<img src' }), ['<img src=x onerror=alert(1)>'])
  assert.deepEqual(await named({ search: "'; drop table hotel --" }), [])
  assert.deepEqual(await named({ search: '🏨' }), [])
})

test('the longest names are accepted, including names that grow when normalized', async () => {
  const supplier = await gateway.supplier('long names')
  const names = ['\ufdfa'.repeat(255), '\u{1f3e8}'.repeat(120), `${'Grand '.repeat(40)}Finale`]
  expectOk(
    await supplier.post(
      '/push/hotels',
      names.map((name, index) => hotel(`LONG${index}`, name, { city: 'w'.repeat(120) })),
    ),
  )
  assert.deepEqual(await named({ search: 'grand grand' }), [names[2]])
  assert.equal((await named({ search: 'long' })).length, 3)
})

test('a new name is found right after its push, and the old one no longer', async () => {
  const supplier = await gateway.supplier('renaming')
  await supplier.post('/push/hotels', [hotel('R1', 'Former Palace')])
  assert.deepEqual(await named({ search: 'former pal' }), ['Former Palace'])
  await supplier.post('/push/hotels', [hotel('R1', 'Latter Manor')])
  assert.deepEqual(await named({ search: 'former pal' }), [])
  assert.deepEqual(await named({ search: 'latter man' }), ['Latter Manor'])
})

test('filters narrow the list, alone and combined', async () => {
  const [first] = (await list({ search: 'nordlys' })).hotels
  const supplierId = String(first?.supplierId)
  assert.deepEqual(await named({ supplierId, available: 'no' }), ['Nordlys'])
  assert.deepEqual(await named({ currency: 'DKK' }), ['Østerbro Straße'])
  assert.deepEqual(await named({ supplierId, search: 'hotel' }), [])
  const { status, body } = await viewer.get('/hotels?supplierId=x&endsBy=2027-13&limit=0&sort=no&cursor=zz')
  assert.equal(status, 400)
  assert.ok(Array.isArray(body['errors']))
  assert.deepEqual(
    body['errors'].map(({ path }) => path),
    ['?sort', '?cursor', '?limit', '?supplierId', '?endsBy'],
  )
  const forged = Buffer.from(JSON.stringify(['name', 'x', 99_999_999_999])).toString('base64url')
  assert.equal((await viewer.get(`/hotels?cursor=${forged}`)).status, 400)
})

test('the list shows the next step of each hotel, and is filtered and sorted by its ARI', async () => {
  const supplier = await gateway.supplier('stages')
  const of = { search: 'stages' }
  for (const hotelId of ['S1', 'S2', 'S3'])
    await pushStoryHotel(supplier, { hotelId, hotelName: `Stage ${hotelId}` })
  await supplier.post('/push/hotels', [hotel('S0', 'Stage S0')])
  const item = { roomId: 'DBL', rateId: 'BAR', price: 110, inventory: 3 }
  const ari = (hotelId: string, startDate: string, endDate: string) =>
    supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari: [{ ...item, startDate, endDate }] })
  gateway.clock.set('2027-03-01T08:00:00Z')
  expectOk(await ari('S2', '2027-03-05', '2027-04-10'))
  gateway.clock.set('2027-03-01T12:00:00Z')
  expectOk(await ari('S3', '2027-03-05', '2027-09-10'))
  const { hotels } = await list(of)
  assert.deepEqual(
    hotels.map(({ code, goLive, ariUntilMonth, lastAriAt }) => [code, goLive, ariUntilMonth, lastAriAt]),
    [
      ['S0', 'products', null, null],
      ['S1', 'ari', null, null],
      ['S2', 'webhooks', '2027-04', '2027-03-01T08:00:00.000Z'],
      ['S3', 'webhooks', '2027-09', '2027-03-01T12:00:00.000Z'],
    ],
  )
  const codes = async (query: Record<string, string>) =>
    (await list({ ...of, ...query })).hotels.map(({ code }) => code)
  assert.deepEqual(await codes({ goLive: 'ari' }), ['S1'])
  assert.deepEqual(await codes({ goLive: 'webhooks' }), ['S2', 'S3'])
  assert.deepEqual(await codes({ ari: 'none' }), ['S0', 'S1'])
  assert.deepEqual(await codes({ staleSince: '2027-03-01T10:00:00Z' }), ['S2'])
  assert.deepEqual(await codes({ endsBy: '2027-04' }), ['S2'])
  assert.deepEqual(await codes({ ari: 'some', sort: 'ending' }), ['S2', 'S3'])
  assert.deepEqual(await codes({ sort: 'stalest' }), ['S1', 'S0', 'S2', 'S3'])
  assert.deepEqual(await codes({ sort: 'newest' }), ['S0', 'S3', 'S2', 'S1'])
})

test('pages follow each other in every order without gaps or repeats', async () => {
  const supplier = await gateway.supplier('paging')
  const names = Array.from({ length: 23 }, (_, index) => `Page ${'cab'[index % 3]}`)
  await supplier.post(
    '/push/hotels',
    names.map((name, index) => hotel(`P${index}`, name)),
  )
  for (const sort of ['name', 'newest', 'stalest', 'ending']) {
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const read = await list({ search: 'page', sort, limit: '5', ...(cursor === '' ? {} : { cursor }) })
      found.push(...read.hotels.map(({ code }) => code))
      cursor = read.nextCursor
    }
    assert.equal(found.length, 23, sort)
    assert.equal(new Set(found).size, 23, sort)
  }
})

async function page(search: string): Promise<HotelPage> {
  const [found] = (await list({ search })).hotels
  const reply = expectOk(await viewer.get(`/hotels/${found?.hotelId}`))
  return JSON.parse(reply.text)
}

test('the checklist shows for each step whether it is done, by which push, and later refusals', async () => {
  const supplier = await gateway.supplier('checklist')
  const sent = (requestId: string) => ({ 'x-request-id': requestId })
  await supplier.post('/push/hotels', [hotel('C1', 'Checked Inn')], sent('c-hotel'))
  const steps = async () => {
    const { isReady, checklist } = await page('checked inn')
    const told = checklist.map(({ step, status, proof, refusedSince }) => [
      step,
      status,
      proof?.requestId ?? null,
      refusedSince?.requestId ?? null,
    ])
    return { isReady, told }
  }
  await supplier.post(
    '/push/products',
    { hotelId: 'C1', products: [product('DBL', 'BAR', { roomType: 'no' })] },
    sent('c-bad'),
  )
  assert.deepEqual(await steps(), {
    isReady: false,
    told: [
      ['hotels', 'done', 'c-hotel', null],
      ['products', 'missing', null, 'c-bad'],
      ['taxes', 'notNeeded', null, null],
      ['ari', 'missing', null, null],
      ['availabilityWebhook', 'missing', null, null],
      ['pushbookWebhook', 'missing', null, null],
    ],
  })
  const vat = {
    type: 'VAT',
    valueType: '%',
    value: 10,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: true,
    payNow: true,
  }
  expectOk(
    await supplier.post(
      '/push/products',
      { hotelId: 'C1', products: [product('DBL', 'BAR')] },
      sent('c-products'),
    ),
  )
  expectOk(await supplier.post('/push/taxes', { hotelId: 'C1', taxes: [vat] }, sent('c-taxes')))
  const nights = { startDate: '2027-03-05', endDate: '2027-03-10' }
  const item = { roomId: 'DBL', rateId: 'BAR', price: 110, inventory: 3, ...nights }
  const partly = { hotelId: 'C1', pricingModel: 'unit', ari: [item, { ...item, roomId: 'X' }] }
  assert.equal((await supplier.post('/push/ari', partly, sent('c-ari'))).status, 207)
  const webhook = 'https://supplier.example/ari'
  expectOk(await supplier.post('/push/webhook/availability', { webhook }, sent('c-check')))
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }, sent('c-book')))
  assert.deepEqual(await steps(), {
    isReady: true,
    told: [
      ['hotels', 'done', 'c-hotel', null],
      ['products', 'done', 'c-products', null],
      ['taxes', 'done', 'c-taxes', null],
      ['ari', 'done', 'c-ari', 'c-ari'],
      ['availabilityWebhook', 'done', 'c-check', null],
      ['pushbookWebhook', 'done', 'c-book', null],
    ],
  })
})

test('the page of a hotel shows it as pushed, with products, taxes and the latest push of each kind', async () => {
  const supplier = await gateway.supplier('page')
  const policies = [
    {
      code: 'NRF',
      description: '<b>none</b>',
      cancelPenalties: [{ noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } }],
    },
  ]
  await supplier.post('/push/hotels', [
    hotel('W1', 'Whole Page', { email: 'desk@whole.example', phone: { phoneNumber: '1' } }),
  ])
  expectOk(
    await supplier.post('/push/products', {
      hotelId: 'W1',
      products: [
        product('DBL', 'BAR', { cancelPolicies: policies }),
        product('DBL', 'OLD', { isAvailable: false }),
      ],
    }),
  )
  const shown = await page('whole page')
  const { hotelId } = shown.hotel
  assert.deepEqual(
    [
      shown.hotel.code,
      shown.hotel.pushed,
      shown.hotel.channelManager,
      shown.hotel.supplier,
      shown.moreProducts,
    ],
    [
      'W1',
      { email: 'desk@whole.example', phone: { phoneNumber: '1' }, timezone: 'Europe/Paris' },
      'page',
      'page',
      0,
    ],
  )
  assert.deepEqual(
    shown.products.map(({ roomId, rateId, platformRoomId, status, cancelPolicies }) => [
      roomId,
      rateId,
      platformRoomId,
      status,
      cancelPolicies,
    ]),
    [
      ['DBL', 'BAR', `${hotelId}-R1`, 'no_ari', policies],
      ['DBL', 'OLD', `${hotelId}-R1`, 'archived', []],
    ],
  )
  assert.deepEqual(
    shown.lastPushes.map(({ kind, push }) => [kind, push.outcome]),
    [
      ['products', 'applied'],
      ['hotels', 'applied'],
    ],
  )
})

test('an unknown hotel is not found, whatever is sent as its id', async () => {
  for (const odd of ['0', '999999', 'GARE', '1e3', '-1', '99999999999999999999']) {
    assert.ok([400, 404].includes((await viewer.get(`/hotels/${odd}`)).status), odd)
  }
})

test('without a session nothing is shown', async () => {
  assert.equal((await fetch(`${gateway.url}/console/api/hotels`)).status, 401)
  assert.equal((await fetch(`${gateway.url}/console/api/hotels/1`)).status, 401)
})

test("a hotel has the supplier's hotels before and after it by name, and the time of its account's clock", async () => {
  const supplier = await gateway.supplier('Neighbours')
  const names = ['Astra', 'Bellevue', 'Castello']
  expectOk(
    await supplier.post(
      '/push/hotels',
      names.map((name) => hotel(name, name)),
    ),
  )
  const supplierId = (await list({ search: 'Bellevue' })).hotels[0]?.supplierId
  const { hotels } = await list({ supplierId: String(supplierId) })
  const ids = hotels.map(({ hotelId }) => hotelId)
  const beside = async (hotelId: number | undefined): Promise<unknown> => {
    const { now, ...neighbours } = expectOk(await viewer.get(`/hotels/${hotelId}/neighbours`)).body
    assert.equal(Date.parse(String(now)), gateway.clock.now())
    return neighbours
  }
  const of = (index: number) => ({ hotelId: ids[index], name: names[index] })
  assert.deepEqual(
    [await beside(ids[0]), await beside(ids[1]), await beside(ids[2])],
    [
      { supplierId, previous: null, next: of(1) },
      { supplierId, previous: of(0), next: of(2) },
      { supplierId, previous: of(1), next: null },
    ],
  )
  assert.equal((await viewer.get('/hotels/999999/neighbours')).status, 404)
})

test('every order goes backward too, page after page', async () => {
  const supplier = await gateway.supplier('Backward')
  const hotels = ['Uno', 'Due', 'Tre'].map((name) => hotel(name, name))
  expectOk(await supplier.post('/push/hotels', hotels))
  const supplierId = (await list({ search: 'Due' })).hotels[0]?.supplierId
  const all = async (sort: string): Promise<number[]> => {
    const ids: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const listed = await list({
        supplierId: String(supplierId),
        sort,
        limit: '2',
        ...(cursor === '' ? {} : { cursor }),
      })
      ids.push(...listed.hotels.map(({ hotelId }) => hotelId))
      cursor = listed.nextCursor
    }
    return ids
  }
  for (const [one, other] of [
    ['name', 'nameLast'],
    ['stalest', 'freshest'],
    ['ending', 'endingLast'],
  ] as const) {
    const forward = await all(one)
    assert.equal(forward.length, 3)
    assert.deepEqual(await all(other), forward.toReversed())
  }
})
