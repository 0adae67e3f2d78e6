import assert from 'node:assert/strict'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { packBodies } from '../../src/push-log/bodies/pack-bodies.ts'
import { expireKey, revokeKey } from '../../src/keys/manage.ts'
import { setAccount, supplierIdOf } from '../../src/keys/suppliers.ts'
import { bookingBody, expectStatus, idOf, room } from '../stage/scenes/booking.ts'
import { createJob, ndjson, upload } from '../stage/scenes/bulk.ts'
import { startDeliveryTest, until, type DeliveryTest } from '../stage/scenes/deliveries.ts'
import { client, type Reply, type TestClient, type TestGateway, type TestSupplier } from '../stage/harness.ts'
import { startMailServer } from '../stage/servers/mail-server.ts'
import { httpAnswer, startReceiver, type Receiver } from '../stage/servers/receiver.ts'
import { browser } from '../stage/sign-in.ts'
import { expectOk, product, storyHotel } from '../stage/story.ts'

/**
 * Five days of an installation that everything happened to: every table of the store has rows of it, as far as a table
 * is not emptied by the service itself.
 */

/** No secret: it seals the made-up cards of the fixtures. */
export const vaultKey = Buffer.alloc(32, 61)
export const startsAt = '2027-03-01T08:00:00Z'
const booksAt = '2027-03-02T08:00:00Z'
export const endsAt = '2027-03-06T09:00:00Z'

/** The credentials that work at the end. */
export type Callers = Record<'alpha' | 'beta' | 'gamma' | 'platform' | 'operator', string>

type Fields = Record<string, unknown>

type Life = {
  stage: DeliveryTest
  gateway: TestGateway
  alpha: TestSupplier
  beta: TestSupplier
  gamma: TestSupplier
  platform: TestClient
  console: TestClient
  /** The servers of all suppliers: Alpha's takes everything, Beta's is broken. */
  receiver: Receiver
}

export async function liveThrough(): Promise<{ stage: DeliveryTest; callers: Callers }> {
  const stage = await startDeliveryTest({ now: startsAt, vaultKey })
  const { gateway } = stage
  const [alpha, beta, gamma] = [
    await gateway.supplier('Alpha PMS', { requestsPerMinute: 0 }),
    await gateway.supplier('Beta Channels', { requestsPerMinute: 0 }),
    await gateway.supplier('Gamma', { requestsPerMinute: 1_200 }, 'reject'),
  ]
  const tokens = { platform: await gateway.token('platform'), operator: await gateway.token('operator') }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const receiver = await startReceiver((socket, { line }) =>
    socket.write(httpAnswer(line.includes('/beta') ? 500 : 200, JSON.stringify({ roomRate: livePrice }))),
  )
  const life: Life = {
    stage,
    gateway,
    alpha,
    beta,
    gamma,
    platform: client(gateway.url, bearer(tokens.platform)),
    console: client(gateway.url, bearer(tokens.operator), '/console/api'),
    receiver,
  }
  await pushContent(life)
  await pushAri(life)
  await loadFile(life)
  await changeKeysAndPeople(life)
  await signUp(life)
  gateway.clock.set(booksAt)
  const worker = stage.worker({ vault: gateway.vault })
  await bookAndDeliver(life)
  await holdValues(life)
  await stopSales(life)
  gateway.clock.set('2027-03-03T08:00:00Z')
  await checkPrices(life)
  // All but the last day's.
  await packBodies(gateway.db, gateway.clock.now())
  gateway.clock.set('2027-03-06T08:00:00Z')
  await giveUp(life)
  await worker.close()
  await noticeAndWork(life)
  await receiver.close()
  const [a, b, c] = [alpha, beta, gamma].map(({ apiKey }) => apiKey)
  return { stage, callers: { alpha: a ?? '', beta: b ?? '', gamma: c ?? '', ...tokens } }
}

/** Three currencies of 0, 2 and 3 minor digits, each in a zone of its own. */
async function pushContent({ alpha, beta, gamma, gateway }: Life): Promise<void> {
  const hotels = [
    storyHotel(),
    storyHotel({
      hotelId: 'H2',
      hotelName: '京都ハウス',
      currency: 'JPY',
      timezone: 'Asia/Tokyo',
      minChildAge: 1,
    }),
    storyHotel({ hotelId: 'H3', hotelName: 'Souq “Café”', currency: 'KWD', timezone: 'Asia/Kuwait' }),
    storyHotel({ hotelId: 'H4', hotelName: 'Never pushed' }),
    storyHotel({ hotelId: 'H5', hotelName: 'Closed', isAvailable: false }),
  ]
  expectOk(await alpha.post('/push/hotels', hotels))
  expectOk(await beta.post('/push/hotels', [storyHotel({ hotelName: 'Beta Bay' })]))
  expectOk(await gamma.post('/push/hotels', [storyHotel({ hotelName: 'Gamma Grand', city: 'Nice' })]))
  assert.equal((await alpha.post('/push/hotels', [storyHotel({ currency: 'XXX' })])).status, 400)
  const policy = {
    code: 'FLEX2',
    description: 'Free until two days before arrival, then the first night',
    cancelPenalties: [
      {
        cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
        penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
      },
      { noShow: true, penaltyCharge: { chargeBase: 'FullStay' } },
    ],
  }
  const products = [
    product('DBL', 'BAR', { cancelPolicies: [policy] }),
    product('DBL', 'NRF'),
    product('SUITE', 'BAR', { roomType: 'Suite', mealPlan: 'BB' }),
  ]
  for (const hotelId of ['H1', 'H2', 'H3', 'H5'])
    expectOk(await alpha.post('/push/products', { hotelId, products }))
  for (const supplier of [beta, gamma])
    expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: products.slice(0, 2) }))
  const tax = (type: string, valueType: string, value: number, included: boolean): Fields => ({
    type,
    valueType,
    value,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included,
    payNow: true,
  })
  expectOk(
    await alpha.post('/push/taxes', {
      hotelId: 'H1',
      taxes: [tax('VAT', '%', 10, false)],
      products: [{ roomId: 'SUITE', rateId: 'BAR', taxes: [tax('CITY_TAX', 'fixed', 2, true)] }],
    }),
  )
  expectOk(await beta.post('/push/taxes', { hotelId: 'H1', taxes: [tax('VAT', '%', 7.5, false)] }))
  await gateway.db.query(`insert into environment (name) values ('sandbox')`)
}

const spring = { startDate: '2027-03-10', endDate: '2027-06-30' }

async function pushAri({ alpha, beta, gamma }: Life): Promise<void> {
  const push = (supplier: TestSupplier, hotelId: string, ari: Fields[], more: Fields = {}): Promise<Reply> =>
    supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari, ...more })
  const rates = [
    { rateId: 'BAR', price: 100, minLengthStay: 2, closedToArrival: false },
    { rateId: 'NRF', price: '80.5' },
  ]
  expectOk(await push(alpha, 'H1', [{ roomId: 'DBL', ...spring, inventory: 5, rates }], { sequence: 10 }))
  const bucket = (ageCategory: string, guests: number, amount: number): Fields => ({
    ageCategory,
    guests,
    amount,
  })
  const prices = [bucket('adult', 1, 9_000), bucket('adult', 2, 11_000), bucket('child', 1, 2_500)]
  const byGuest = [{ roomId: 'DBL', ...spring, inventory: 3, rates: [{ rateId: 'BAR', prices }] }]
  expectOk(await push(alpha, 'H2', byGuest, { pricingModel: 'guest', mode: 'overlay' }))
  expectOk(
    await push(alpha, 'H3', [
      { roomId: 'SUITE', ...spring, inventory: 2, rates: [{ rateId: 'BAR', price: '41.125' }] },
    ]),
  )
  const weekend = { ...spring, daysOfWeek: ['FRI', 'SAT'] }
  const restricted = {
    rateId: 'BAR',
    price: 130,
    minStayArrival: 2,
    maxStayArrival: 9,
    minLengthStay: 2,
    maxLengthStay: 14,
    minAdvanceDays: 1,
    maxAdvanceDays: 300,
    closedToDeparture: true,
  }
  expectOk(await push(alpha, 'H1', [{ roomId: 'DBL', ...weekend, rates: [restricted] }], { sequence: 11 }))
  // Late, repeated, partly unknown, refused as a whole, only tried, and put to null again.
  expectStatus(
    await push(alpha, 'H1', [{ roomId: 'DBL', date: '2027-03-20', inventory: 9 }], { sequence: 9 }),
    200,
  )
  expectOk(await push(alpha, 'H1', [{ roomId: 'DBL', date: '2027-03-21', inventory: 5 }], { sequence: 12 }))
  expectStatus(
    await push(alpha, 'H1', [
      { roomId: 'DBL', date: '2027-03-22', inventory: 4 },
      { roomId: 'NONE', date: '2027-03-22', inventory: 4 },
    ]),
    207,
  )
  expectStatus(await push(alpha, 'H1', [{ roomId: 'DBL', date: '2027-02-30', inventory: 4 }]), 400)
  expectOk(await push(alpha, 'H1', [{ roomId: 'DBL', date: '2027-03-23', inventory: 0 }], { dryRun: true }))
  expectOk(
    await push(alpha, 'H1', [
      { roomId: 'DBL', date: '2027-04-05', rates: [{ rateId: 'BAR', maxLengthStay: null }] },
    ]),
  )
  expectOk(
    await push(alpha, 'H1', [
      { roomId: 'DBL', startDate: '2027-04-10', endDate: '2027-04-12', closed: true },
    ]),
  )
  const again = [{ roomId: 'DBL', date: '2027-03-24', inventory: 2 }]
  const repeated = () =>
    alpha.post('/push/ari', { hotelId: 'H1', ari: again }, { 'idempotency-key': 'fixture-push' })
  assert.deepEqual(expectOk(await repeated()).body, expectOk(await repeated()).body)
  const mistake = expectOk(await push(alpha, 'H1', [{ roomId: 'DBL', date: '2027-05-05', inventory: 50 }]))
  expectOk(await alpha.post('/push/undo', { hotelId: 'H1', revision: mistake.body['revision'] }))
  for (const supplier of [beta, gamma])
    expectOk(await push(supplier, 'H1', [{ roomId: 'DBL', ...spring, inventory: 4, rates }]))
}

async function loadFile({ alpha, gateway }: Life): Promise<void> {
  const worker = gateway.app.startBulk()
  try {
    const line = (hotelId: string, inventory: number): Fields => ({
      hotelId,
      pricingModel: 'unit',
      ari: [{ roomId: 'SUITE', ...spring, inventory, rates: [{ rateId: 'BAR', price: 210 }] }],
    })
    const jobId = await createJob(alpha, { kind: 'ari' })
    expectOk(await upload(alpha, jobId, ndjson([line('H1', 2), line('H9', 1), line('H3', 1)])))
    expectOk(await alpha.post(`/push/bulk/${jobId}/start`, {}))
    await until(
      'the load is done',
      async () => (await alpha.get(`/push/bulk/${jobId}`)).body['state'] === 'done',
    )
  } finally {
    await worker.close()
  }
}

/** A developer makes an account alone; another one has not followed the link yet. */
async function signUp({ gateway }: Life): Promise<void> {
  const mailServer = await startMailServer()
  try {
    const door = await gateway.second({
      now: startsAt,
      allowsSignUp: true,
      publicUrl: 'https://sandbox.example',
      mail: { smtpUrl: mailServer.url, from: 'sandbox@gateway.example' },
    })
    const visitor = client(door.url, {}, '/console/api')
    const ask = async (email: string): Promise<Reply> =>
      expectStatus(await visitor.post('/sign-up', { email, company: `${email.split('@')[0]} Hotels` }), 202)
    await ask('dora@company.example')
    await until('the mail with the link', async () => mailServer.mails.length > 0)
    const text = (mailServer.mails[0]?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const [, token = ''] = /#token=([\w-]{43})/.exec(text) ?? []
    expectOk(await browser(door.url).signInByLink(token))
    await ask('late@company.example')
  } finally {
    await mailServer.close()
  }
}

async function changeKeysAndPeople({ gateway, alpha, beta, gamma }: Life): Promise<void> {
  const { db, clock } = gateway
  const admin = await gateway.operator('admin')
  const gone = await gateway.supplier('Alpha PMS')
  await revokeKey(db, gone.keyId, clock.now())
  const ending = await gateway.supplier('Beta Channels')
  await expireKey(db, ending.keyId, clock.now() + 30 * 86_400_000)
  const supplierId = await supplierIdOf(db, alpha.name)
  expectOk(
    await admin.post(`/suppliers/${supplierId}/people`, { name: 'pia@alpha.example', role: 'manager' }),
  )
  expectOk(await admin.post('/operators', { name: 'Otto', role: 'viewer' }))
  const operators = Object(expectOk(await admin.get('/operators')).body['operators'])
  const otto = operators.find(({ name }: { name: string }) => name === 'Otto')
  expectOk(await admin.post(`/operators/${otto.operatorId}/disable`, {}))
  expectOk(await admin.put('/me/views', { path: '/hotels', name: 'Stale', query: 'sort=stalest' }))
  const list = { list: 'roomTypes', key: 'Salt mine chamber', description: 'A room below ground' }
  expectStatus(await admin.post('/reference', list), 201)
  expectOk(await admin.put('/guard', { rules: [{ kind: 'priceDrop', percent: 60, action: 'warn' }] }))
  for (const { name } of [alpha, beta]) await setAccount(db, name, { deliversCards: true })
  expectOk(
    await gamma.post('/push/sandbox/faults', {
      faults: [{ calls: 'pushBooking', fault: 'garbage', hotelId: 'H1' }],
    }),
  )
  expectOk(await alpha.post('/push/alerts/settings', { kinds: ['guard.held', 'booking.undelivered'] }))
}

/** One held value waits, one was released and one discarded. */
async function holdValues({ gamma }: Life): Promise<void> {
  expectOk(await gamma.post('/push/guard', { rules: [{ kind: 'priceDrop', percent: 50, action: 'hold' }] }))
  const held: string[] = []
  for (const date of ['2027-04-01', '2027-04-02', '2027-04-03']) {
    const ari = [{ roomId: 'DBL', date, rates: [{ rateId: 'BAR', price: 10 }] }]
    const reply = expectStatus(
      await gamma.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }),
      207,
    )
    held.push(Object(reply.body['results'])[0].holds[0].holdId)
  }
  expectOk(await gamma.post('/push/guard/release', { hotelId: 'H1', holdIds: held.slice(0, 1) }))
  expectOk(await gamma.post('/push/guard/discard', { hotelId: 'H1', holdIds: held.slice(1, 2) }))
}

async function stopSales({ gateway, console: operator, beta }: Life): Promise<void> {
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [beta.name],
  )
  const path = `/hotels/${rows[0]?.id}/stop-sell`
  const order = { action: 'stop', targets: [{ roomId: 'DBL' }], reason: 'Burst pipe' }
  expectOk(await operator.post(path, { ...order, from: '2027-04-20', to: '2027-04-24' }))
  expectOk(await operator.post(path, { ...order, from: '2027-05-01', to: '2027-05-02', reason: 'Strike' }))
  const active = Object(expectOk(await operator.get('/stop-sells?state=active')).body['stopSells'])
  const strike = active.find(({ reason }: { reason: string }) => reason === 'Strike')
  expectOk(await operator.post(`/stop-sells/${strike.stopSellId}/resume`, {}))
}

const livePrice = {
  roomId: 'DBL',
  rateId: 'BAR',
  currency: 'USD',
  inventory: 5,
  amountBeforeTax: [120, 120],
  amountAfterTax: [132, 132],
}

async function checkPrices({ alpha, platform, receiver }: Life): Promise<void> {
  const webhook = `http://127.0.0.1:${receiver.port}/alpha/check`
  expectOk(await alpha.post('/push/webhook/availability', { webhook }))
  const stay = { roomId: 'DBL', rateId: 'BAR', checkin: '2027-04-20', checkout: '2027-04-22', roomCount: 1 }
  const hotel = { supplier: alpha.name, hotelId: 'H1' }
  expectOk(await platform.post('/booking/priceCheck', { hotel, ...stay, adultCount: 2, childAges: [] }))
}

const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2030' }

/** Delivered, modified, cancelled, repeated; waiting for a broken server, and for a URL that nobody registered. */
async function bookAndDeliver({
  gateway,
  alpha,
  beta,
  gamma,
  platform,
  console: operator,
  receiver,
}: Life): Promise<void> {
  const at = (name: string) => ({ webhook: `http://127.0.0.1:${receiver.port}/${name}/book` })
  for (const [supplier, name] of [
    [alpha, 'alpha'],
    [beta, 'beta'],
  ] as const)
    expectOk(await supplier.post('/push/webhook/pushbook', at(name)))
  const book = (supplier: TestSupplier, more: Fields = {}, headers = {}): Promise<Reply> =>
    platform.post('/booking/reservations', bookingBody(supplier.name, more), headers)
  let minute = 0
  // Each at a minute of its own: what happened at one moment is in no order.
  const afterwards = async (id: string, status: 'delivered' | 'queued'): Promise<string> => {
    await until(`${id} is ${status}`, async () => {
      const { rows } = await gateway.db.query<{ isSo: boolean }>(
        `select bool_and(status in ($2, 'superseded') and attempts > 0) as "isSo" from delivery where reservation_id = $1`,
        [id, status],
      )
      return rows[0]?.isSo === true
    })
    minute += 1
    gateway.clock.set(new Date(Date.parse(booksAt) + minute * 60_000).toISOString())
    return id
  }
  const first = idOf(await book(alpha, { payment: { type: 'Channel Collect', card } }))
  await afterwards(first, 'delivered')
  const later = { checkin: '2027-05-11', checkout: '2027-05-13' }
  const modified = idOf(await book(alpha, later, { 'idempotency-key': 'fixture-1' }))
  await afterwards(modified, 'delivered')
  assert.equal(idOf(await book(alpha, later, { 'idempotency-key': 'fixture-1' })), modified)
  const change = bookingBody(alpha.name, { ...later, rooms: [room({ adults: 1 })] })
  expectOk(await platform.put(`/booking/reservations/${modified}`, change))
  await afterwards(modified, 'delivered')
  const cancelled = idOf(await book(alpha, { checkin: '2027-05-18', checkout: '2027-05-20' }))
  await afterwards(cancelled, 'delivered')
  expectOk(await platform.post(`/booking/reservations/${cancelled}/cancel`, {}))
  await afterwards(cancelled, 'delivered')
  expectStatus(await book(alpha, { checkin: '2027-08-01', checkout: '2027-08-02' }), 409)
  expectStatus(await operator.post(`/reservations/${first}/notes`, { text: 'Guest asked for a crib' }), 201)
  // Nobody registered a URL for it.
  idOf(await book(gamma))
  await afterwards(idOf(await book(beta)), 'queued')
}

/** After three days a delivery is given up; a new one has just failed for the first time. */
async function giveUp({ gateway, beta, platform }: Life): Promise<void> {
  const dead = async (): Promise<boolean> => {
    const { rowCount } = await gateway.db.query(`select from delivery where status = 'dead' and attempts > 0`)
    return (rowCount ?? 0) > 0
  }
  await until('a delivery is given up', dead)
  gateway.clock.set(endsAt)
  const late = { checkin: '2027-06-10', checkout: '2027-06-12', payment: { type: 'Channel Collect', card } }
  const waiting = idOf(await platform.post('/booking/reservations', bookingBody(beta.name, late)))
  await until('it has been tried', async () => {
    const { rowCount } = await gateway.db.query(
      `select from delivery where reservation_id = $1 and status = 'queued' and attempts > 0`,
      [waiting],
    )
    return (rowCount ?? 0) > 0
  })
}

async function noticeAndWork({ gateway, alpha, beta, console: operator, platform }: Life): Promise<void> {
  const { db, clock } = gateway
  const admin = await gateway.operator('admin')
  expectOk(await admin.post(`/keys/${beta.keyId}/signing-secret`, { overlapMinutes: 60 }))
  expectOk(await alpha.get('/push/certification'))
  const tester = await gateway.supplier('Tester')
  expectOk(await tester.post('/push/hotels', [storyHotel()]))
  expectOk(await tester.post('/push/sandbox/clock', { advanceBy: 'P1D' }))
  expectOk(await tester.post('/push/sandbox/reset', {}))
  await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() }, {})
  expectOk(await platform.post('/booking/resync', { hotel: { supplier: alpha.name, hotelId: 'H1' } }))
  const alerts = Object(expectOk(await operator.get('/alerts')).body['alerts'])
  expectOk(await operator.post(`/alerts/${alerts[0].alertId}/ack`, {}))
  const work = Object(expectOk(await operator.get('/work')).body['items'])
  expectOk(await operator.post('/work', { key: work[0].key, action: 'take' }))
  expectOk(await operator.post('/work', { key: work[0].key, action: 'note', note: 'Called the hotel' }))
}
