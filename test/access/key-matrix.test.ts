import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { routes, type RouteName } from '../../src/contract.ts'
import { createKey, expireKey, revokeKey } from '../../src/keys/manage.ts'
import { makeSecret } from '../../src/keys/secret.ts'
import type { PublicRoute } from '../../src/http/route.ts'
import { client, gatewayForTests, type Reply, type TestClient, type TestSupplier } from '../stage/harness.ts'
import { supplierDigests } from '../stage/stored-state.ts'
import { expectOk } from '../stage/story.ts'

/**
 * Calls every endpoint for suppliers with every invalid key, and with another supplier's key.
 * test/access/token-matrix.test.ts does the same for the platform's endpoints.
 */

type SupplierRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['access'] extends 'supplier' ? Name : never
}[RouteName]

/** An account's contents under the codes that all accounts use: H1, DBL, BAR. */
type Contents = { name: string; mark: string; price: number; percent: number }

const alpha: Contents = { name: 'Alpha', mark: 'alpha', price: 1_111, percent: 17 }
const beta: Contents = { name: 'Beta', mark: 'beta', price: 2_222, percent: 29 }

/** Codes that nobody has at first, and only Beta later. */
const secret = {
  hotelId: 'H-SECRET',
  roomId: 'R-SECRET',
  rateId: 'T-SECRET',
  requestId: 'beta-secret',
  jobId: '019f0000-0000-7000-8000-00000000beba',
}

type Row = {
  /**
   * A correct request: the body, or the query and parameters of a GET. A push changes something each time it
   * is made.
   */
  own: (contents: Contents) => unknown
  /** The caller's own contents as visible in the answer. */
  shows?: (contents: Contents) => string
  /** Requests for data of another supplier, or for data that doesn't exist. */
  foreign: readonly unknown[]
}

const nights = { startDate: '2027-04-01', endDate: '2027-04-30' }
const digestNights = { from: '2027-04-01', to: '2027-04-30', level: 'product' }

const vat = (value: number) => ({
  type: 'VAT',
  valueType: '%',
  value,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: false,
  payNow: true,
})

const hotel = ({ name }: Contents, hotelId = 'H1') => ({
  hotelId,
  hotelName: `${name} Hotel`,
  currency: 'USD',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
})

const product = ({ name }: Contents, roomId = 'DBL', rateId = 'BAR') => ({
  roomId,
  roomType: 'Double',
  roomName: `${name} Room`,
  rateId,
  rateName: `${name} Rate`,
  isAvailable: true,
  occupancy: { maxOccupancy: 3 },
})

const prices = ({ price }: Contents, hotelId = 'H1', roomId = 'DBL', rateId = 'BAR') => ({
  hotelId,
  pricingModel: 'unit',
  ari: [{ roomId, ...nights, inventory: 5, rates: [{ rateId, price }] }],
})

const testBooking = (hotelId: string) => ({
  hotelId,
  checkin: '2027-04-20',
  checkout: '2027-04-22',
  rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }],
})

const noHold = 'hld_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'
const foreignHolds = [
  { hotelId: secret.hotelId, holdIds: [noHold] },
  { hotelId: 'H1', holdIds: [noHold] },
]

/** How each endpoint is called. A new route without a row here does not compile. */
const rows: Record<SupplierRouteName, Row> = {
  pushHotels: { own: (contents) => [hotel(contents)], foreign: [] },
  getHotels: {
    own: () => ['H1'],
    shows: ({ name }) => `${name} Hotel`,
    foreign: [[secret.hotelId], { hotelIds: ['H1', secret.hotelId] }],
  },
  pushProducts: {
    own: (contents) => ({ hotelId: 'H1', products: [product(contents)] }),
    shows: () => '"hotelId":"H1"',
    foreign: [{ hotelId: secret.hotelId, products: [product(alpha)] }],
  },
  getProducts: {
    own: () => ({ hotelId: 'H1' }),
    shows: ({ name }) => `${name} Room`,
    foreign: [
      { hotelId: secret.hotelId },
      { hotelId: 'H1', roomIds: [secret.roomId] },
      { hotelId: 'H1', rateIds: [secret.rateId] },
    ],
  },
  getRoomRateMappings: {
    own: () => ({ hotelId: 'H1' }),
    shows: ({ name }) => `${name} Room`,
    foreign: [{ hotelId: secret.hotelId }],
  },
  pushTaxes: {
    own: ({ percent }) => ({
      hotelId: 'H1',
      taxes: [vat(percent)],
      products: [{ roomId: 'DBL', taxes: [vat(percent)] }],
    }),
    foreign: [
      { hotelId: secret.hotelId, taxes: [] },
      { hotelId: 'H1', products: [{ roomId: secret.roomId, taxes: [] }] },
      { hotelId: 'H1', products: [{ rateId: secret.rateId, taxes: [] }] },
      { hotelId: 'H1', products: [{ roomId: secret.roomId, rateId: secret.rateId, taxes: [] }] },
    ],
  },
  getTaxes: {
    own: () => ({ hotelId: 'H1' }),
    shows: ({ percent }) => `"value":${percent}`,
    foreign: [{ hotelId: secret.hotelId }],
  },
  pushAri: {
    own: (contents) => prices(contents),
    foreign: [
      prices(alpha, secret.hotelId),
      prices(alpha, 'H1', secret.roomId),
      { ...prices(alpha, 'H1', 'DBL', secret.rateId), atomic: true },
      { ...prices(alpha, 'H1', secret.roomId, secret.rateId), dryRun: true },
    ],
  },
  getAri: {
    own: () => ({ hotelId: 'H1', ...nights }),
    shows: ({ price }) => String(price),
    foreign: [
      { hotelId: secret.hotelId, ...nights },
      { hotelId: 'H1', roomIds: [secret.roomId], ...nights },
      { hotelId: 'H1', rateIds: [secret.rateId], ...nights },
    ],
  },
  getAriDigest: {
    own: () => ({ hotelId: 'H1', ...digestNights }),
    foreign: [
      { hotelId: secret.hotelId, ...digestNights },
      { hotelId: 'H1', roomIds: [secret.roomId], ...digestNights },
      { hotelId: 'H1', rateIds: [secret.rateId], ...digestNights },
    ],
  },
  getAriDiff: {
    own: () => ({ hotelId: 'H1', from: { revision: 0 } }),
    shows: ({ price }) => String(price),
    foreign: [
      { hotelId: secret.hotelId, from: { revision: 0 } },
      { hotelId: 'H1', from: { revision: 0 }, roomIds: [secret.roomId] },
      { hotelId: 'H1', from: { revision: 0 }, rateIds: [secret.rateId] },
    ],
  },
  createBulkJob: { own: () => ({ kind: 'ari', format: 'ndjson' }), foreign: [] },
  createExport: {
    own: () => ({ kind: 'ari', format: 'ndjson' }),
    foreign: [{ kind: 'ari', format: 'ndjson', hotelIds: [secret.hotelId] }],
  },
  getExportData: { own: () => ({ jobId: secret.jobId }), foreign: [{ jobId: secret.jobId }] },
  uploadBulkData: { own: () => ({ jobId: secret.jobId }), foreign: [{ jobId: secret.jobId }] },
  startBulkJob: { own: () => ({ jobId: secret.jobId }), foreign: [{ jobId: secret.jobId }] },
  cancelBulkJob: { own: () => ({ jobId: secret.jobId }), foreign: [{ jobId: secret.jobId }] },
  getBulkJob: { own: () => ({ jobId: secret.jobId }), foreign: [{ jobId: secret.jobId }] },
  getBulkErrors: { own: () => ({ jobId: secret.jobId }), foreign: [{ jobId: secret.jobId }] },
  getCellHistory: {
    own: () => ({ hotelId: 'H1', roomId: 'DBL', rateId: 'BAR', date: nights.startDate }),
    shows: ({ price }) => String(price),
    foreign: [
      { hotelId: secret.hotelId, roomId: 'DBL', date: nights.startDate },
      { hotelId: 'H1', roomId: secret.roomId, date: nights.startDate },
      { hotelId: 'H1', roomId: 'DBL', rateId: secret.rateId, date: nights.startDate },
    ],
  },
  undo: {
    // `call` names the push.
    own: () => ({ hotelId: 'H1', dryRun: true }),
    foreign: [
      { hotelId: secret.hotelId, revision: 4 },
      { hotelId: 'H1', revision: 4, roomIds: [secret.roomId] },
    ],
  },
  getGuard: { own: () => ({}), foreign: [{ hotelId: secret.hotelId }] },
  setGuard: {
    own: ({ percent }) => ({ rules: [{ kind: 'priceDrop', percent, action: 'warn' }] }),
    foreign: [{ hotelId: secret.hotelId, rules: [] }],
  },
  listHolds: { own: () => ({ hotelId: 'H1' }), foreign: [{ hotelId: secret.hotelId }] },
  releaseHolds: { own: () => ({ hotelId: 'H1' }), foreign: foreignHolds },
  discardHolds: { own: () => ({ hotelId: 'H1', holdIds: [noHold] }), foreign: foreignHolds },
  registerAvailabilityWebhook: {
    own: ({ mark }) => ({ webhook: `https://${mark}.example/check` }),
    foreign: [],
  },
  registerPushbookWebhook: { own: ({ mark }) => ({ webhook: `https://${mark}.example/book` }), foreign: [] },
  removeAvailabilityWebhook: { own: () => ({}), foreign: [] },
  removePushbookWebhook: { own: () => ({}), foreign: [] },
  getWebhooks: { own: () => ({}), shows: ({ mark }) => `https://${mark}.example/book`, foreign: [] },
  rotateWebhookSecret: { own: () => ({}), foreign: [] },
  testWebhook: {
    own: () => ({ kind: 'pushbook' }),
    shows: ({ mark }) => `https://${mark}.example/book`,
    foreign: [],
  },
  pushBooking: {
    own: () => ({ hotelId: 'H1', reservation_id: '1' }),
    foreign: [{ hotelId: secret.hotelId, reservation_id: '1' }],
  },
  retrieveReservations: { own: () => ({ hotelId: 'H1' }), foreign: [{ hotelId: secret.hotelId }] },
  acknowledgeReservations: {
    own: () => ({ reservations: [{ reservation_id: '1', reservation_version: '1' }] }),
    foreign: [{ reservations: [{ reservation_id: '1', reservation_version: '1' }] }],
  },
  reportStay: {
    own: () => ({ hotelId: 'H1', reservation_id: '1', report: 'card_invalid' }),
    foreign: [
      { hotelId: secret.hotelId, reservation_id: '1', report: 'card_invalid' },
      { hotelId: 'H1', reservation_id: '1', report: 'waived' },
    ],
  },
  listDeliveries: {
    own: () => ({ hotelId: 'H1' }),
    shows: () => '"deliveries":',
    foreign: [{ hotelId: secret.hotelId }],
  },
  sendDeliveriesAgain: {
    own: () => ({ hotelId: 'H1' }),
    foreign: [{ hotelId: secret.hotelId }, { deliveryIds: ['dlv_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'] }],
  },
  listPriceChecks: {
    own: () => ({ hotelId: 'H1' }),
    foreign: [{ hotelId: secret.hotelId }],
  },
  listPushes: {
    own: () => ({ hotelId: 'H1' }),
    shows: ({ mark }) => `"requestId":"${mark}-pushAri"`,
    foreign: [{ hotelId: secret.hotelId }],
  },
  getPush: {
    own: ({ mark }) => ({ requestId: `${mark}-pushProducts` }),
    shows: ({ name }) => `${name} Room`,
    foreign: [{ requestId: secret.requestId }],
  },
  listAlerts: {
    own: () => ({ hotelId: 'H1' }),
    shows: () => '"alerts":',
    foreign: [{ hotelId: secret.hotelId }],
  },
  acknowledgeAlerts: {
    own: () => ({ alertIds: ['alr_1'] }),
    foreign: [{ alertIds: ['alr_1'] }],
  },
  getAlertSettings: { own: () => ({}), shows: () => '"kinds":', foreign: [] },
  setAlertSettings: { own: () => ({ kinds: ['guard.held'] }), foreign: [] },
  rotateAlertSecret: { own: () => ({}), foreign: [] },
  testAlerts: { own: () => ({}), foreign: [] },
  getReference: { own: () => ({}), foreign: [] },
  getLimits: { own: () => ({}), foreign: [] },
  orderFaults: {
    own: () => ({ faults: [{ calls: 'pushBooking', fault: 'garbage', hotelId: 'H1' }] }),
    foreign: [{ faults: [{ calls: 'pushBooking', fault: 'garbage', hotelId: secret.hotelId }] }],
  },
  getFaults: { own: () => ({}), foreign: [] },
  advanceClock: { own: () => ({ advanceBy: 'PT1S' }), foreign: [] },
  getClock: { own: () => ({}), foreign: [] },
  bookTest: {
    own: () => testBooking('H1'),
    foreign: [
      testBooking(secret.hotelId),
      { hotelId: secret.hotelId, reservation_id: '1', status: 'Cancel' },
      { hotelId: 'H1', reservation_id: '1', status: 'Cancel' },
    ],
  },
  getCertification: { own: () => ({ hotelId: 'H1' }), foreign: [{ hotelId: secret.hotelId }] },
  sendForgery: { own: () => ({ kind: 'pushbook' }), foreign: [] },
  // Last: after it nothing is left to read.
  resetSandbox: { own: () => ({}), foreign: [] },
}

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
// The boundary: the keys of the table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const names = Object.keys(rows) as SupplierRouteName[]
const isRemoval = (name: RouteName) => routeByName[name].method === 'DELETE'
const isPush = (name: RouteName) => routeByName[name].pushKind !== undefined && !isRemoval(name)
/** Removals come first, so that pushed data can be read. */
const pushes = [...names.filter(isRemoval), ...names.filter(isPush)]

async function call(
  caller: TestClient,
  name: RouteName,
  request: unknown,
  headers: Record<string, string>,
): Promise<Reply> {
  const { method, path } = routeByName[name]
  if (name === 'undo' && !Object.hasOwn(Object(request), 'revision'))
    return caller.post(path, { ...Object(request), revision: await newestRevision(caller) }, headers)
  if (method === 'DELETE') return caller.delete(path, headers)
  if (method === 'PUT') return caller.put(filledPath(path, request), 'data', headers)
  if (method !== 'GET') return caller.post(filledPath(path, request), request, headers)
  const members = new Map(Object.entries(request ?? {}).map(([key, value]) => [key, String(value)]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, key: string) => {
    const value = members.get(key) ?? ''
    members.delete(key)
    return encodeURIComponent(value)
  })
  return caller.get(`${filled}?${new URLSearchParams([...members]).toString()}`, headers)
}

/** The revision of the newest push of ARI. */
async function newestRevision(caller: TestClient): Promise<unknown> {
  const night = { hotelId: 'H1', roomId: 'DBL', rateId: 'BAR', date: nights.startDate }
  const { changes } = (await caller.post('/push/getCellHistory', night)).body
  return Object(changes)[0]?.revision ?? 1
}

function filledPath(path: string, request: unknown): string {
  const members = new Map(Object.entries(request ?? {}).map(([key, value]) => [key, String(value)]))
  return path.replaceAll(/\{(\w+)\}/g, (_all, key: string) => members.get(key) ?? '')
}

let ours: TestSupplier
let theirs: TestSupplier

const gateway = await gatewayForTests()
before(async () => {
  ours = await gateway.supplier(alpha.name)
  theirs = await gateway.supplier(beta.name)
  for (const [supplier, contents] of [
    [ours, alpha],
    [theirs, beta],
  ] as const) {
    for (const name of pushes) {
      expectOk(
        await call(supplier, name, rows[name].own(contents), { 'x-request-id': `${contents.mark}-${name}` }),
      )
    }
  }
})

async function idOf(supplier: TestSupplier): Promise<number> {
  const { rows: found } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [
    supplier.name,
  ])
  assert.ok(found[0])
  return found[0].id
}

/** Everything stored for a supplier, and the log of its pushes. */
async function stored(supplier: TestSupplier): Promise<unknown> {
  const id = await idOf(supplier)
  return [(await supplierDigests(gateway.db, [id])).get(id), (await supplier.get('/push/log')).body]
}

test('every endpoint below /v1/push has a row, and is open to suppliers only', () => {
  const mounted = gateway.app.mounted
    .filter(({ route }) => route.access === 'supplier')
    .map(({ route }) => `${route.method} ${route.path}`)
  const inTable = names.map((name) => `${routeByName[name].method} ${routeByName[name].path}`)
  assert.deepEqual(mounted.toSorted(), inTable.toSorted())
  const others = gateway.app.mounted.filter(({ route }) => !route.isConsole && route.access !== 'platform')
  assert.deepEqual(
    others.filter(({ route }) => !route.path.startsWith('/push/')),
    [],
  )
})

test('every endpoint answers every invalid key with the same 401, and stores nothing', async () => {
  const { db, clock } = gateway
  const revoked = await gateway.supplier('revoked')
  await revokeKey(db, revoked.keyId, clock.now())
  const expired = await gateway.supplier('expired')
  await expireKey(db, expired.keyId, clock.now())
  const wanted = { supplier: 'live', channelManager: 'live', expiresAtMs: null, limits: {} }
  const live = await createKey(db, 'production', wanted)
  const [platform, operator] = [await gateway.token('platform'), await gateway.token('operator')]
  const last = ours.apiKey.slice(-1)
  const refused: Readonly<Record<string, Record<string, string>>> = {
    'no key': {},
    'an empty key': { 'x-api-key': '' },
    'a malformed key': { 'x-api-key': 'ari_sbx_123' },
    'a wrong checksum': { 'x-api-key': ours.apiKey.slice(0, -1) + (last === '0' ? '1' : '0') },
    'an unknown key': { 'x-api-key': makeSecret('supplier', 'sandbox') },
    'a revoked key': { 'x-api-key': revoked.apiKey },
    'an expired key': { 'x-api-key': expired.apiKey },
    "the other environment's key": { 'x-api-key': live.apiKey },
    'a platform token': { 'x-api-key': platform },
    'an operator token': { 'x-api-key': operator },
    'a bearer token instead of a key': { authorization: `Bearer ${platform}` },
    'a key as a bearer token': { authorization: `Bearer ${ours.apiKey}` },
    'two keys': { 'x-api-key': `${ours.apiKey}, ${ours.apiKey}` },
  }
  const heldBefore = [await stored(ours), await stored(theirs)]
  const logged = await pushesLogged()
  const nobody = client(gateway.url)
  const expected = (hint: string) => ({
    status: 401,
    body: {
      code: '401',
      message: 'Unauthorized API KEY',
      requestId: 'same',
      errors: [
        {
          type: 'UNAUTHORIZED',
          docUrl: '/docs/guides/errors#UNAUTHORIZED',
          message: 'Unauthorized API KEY',
          path: 'x-api-key',
          hint,
        },
      ],
    },
  })
  const usual =
    'Send a valid key of this environment in the x-api-key header: ari_sbx_… in the sandbox, ari_live_… in production'
  for (const name of names) {
    for (const [what, headers] of Object.entries(refused)) {
      const { status, body } = await call(nobody, name, rows[name].own(beta), {
        ...headers,
        'x-request-id': 'same',
      })
      // The hint depends on the header only: it reveals nothing about the secret.
      const hint = 'authorization' in headers ? 'Send the key as x-api-key, not as Authorization' : usual
      assert.deepEqual([name, what, { status, body }], [name, what, expected(hint)])
    }
  }
  assert.deepEqual([await stored(ours), await stored(theirs)], heldBefore)
  assert.equal(await pushesLogged(), logged)
})

async function pushesLogged(): Promise<number> {
  const { rows: counted } = await gateway.db.query<{ count: number }>(
    'select count(*)::int as count from push_log',
  )
  return counted[0]?.count ?? 0
}

test('with the codes that another supplier uses too, an answer shows only what is the own', async () => {
  for (const [supplier, contents, others] of [
    [ours, alpha, beta],
    [theirs, beta, alpha],
  ] as const) {
    for (const name of names.filter((one) => !pushes.includes(one))) {
      const { text } = await call(supplier, name, rows[name].own(contents), { 'x-request-id': 'read' })
      assert.ok(text.includes(rows[name].shows?.(contents) ?? ''), `${name}: ${text}`)
      for (const foreign of [others.name, others.mark, `"value":${others.percent}`]) {
        assert.ok(!text.includes(foreign), `${name} shows ${foreign}: ${text}`)
      }
      // A number, whole or its beginning: ids and times may have its digits.
      assert.doesNotMatch(text, new RegExp(`(?<![\\w-])${others.price}(?!\\w*-)`), name)
    }
  }
})

test("a push with codes that another supplier uses too leaves the other's stored state unchanged, byte for byte", async () => {
  for (const [index, name] of pushes.entries()) {
    const changed: Contents = {
      name: `Gamma ${index}`,
      mark: `gamma${index}`,
      price: 3_000 + index,
      percent: 30 + index,
    }
    const [heldBefore, ownBefore] = [await stored(theirs), await stored(ours)]
    expectOk(await call(ours, name, rows[name].own(changed), { 'x-request-id': `again-${name}` }))
    assert.deepEqual([name, await stored(theirs)], [name, heldBefore])
    assert.notDeepEqual([name, await stored(ours)], [name, ownBefore])
  }
})

test("another supplier's Idempotency-Key is another key", async () => {
  const headers = { 'idempotency-key': 'the-same' }
  for (const name of pushes) {
    const own = { 'idempotency-key': `the-same-${name}` }
    for (const [supplier, contents] of [
      [ours, alpha],
      [theirs, beta],
    ] as const) {
      const first = expectOk(await call(supplier, name, rows[name].own(contents), own))
      const again = expectOk(await call(supplier, name, rows[name].own(contents), own))
      assert.deepEqual(
        [first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')],
        [null, 'true'],
        name,
      )
    }
  }
  expectOk(await ours.post('/push/hotels', [hotel(alpha)], headers))
  assert.equal((await ours.post('/push/hotels', [hotel(beta)], headers)).status, 422)
  expectOk(await theirs.post('/push/hotels', [hotel(beta)], headers))
})

test('another supplier’s data is answered exactly like data that does not exist', async () => {
  const ask = async (): Promise<unknown[]> => {
    const replies: unknown[] = []
    for (const name of names) {
      for (const request of rows[name].foreign) {
        const { status, body } = await call(ours, name, request, { 'x-request-id': 'asked' })
        replies.push([name, request, status, body])
      }
    }
    return replies
  }
  const absent = await ask()
  const { hotelId, roomId, rateId, requestId } = secret
  expectOk(await theirs.post('/push/hotels', [hotel(beta, hotelId)], { 'x-request-id': requestId }))
  for (const id of [hotelId, 'H1']) {
    expectOk(
      await theirs.post('/push/products', {
        hotelId: id,
        products: [product(beta, roomId, rateId), product(beta, 'DBL', rateId)],
      }),
    )
    expectOk(await theirs.post('/push/ari', prices(beta, id, roomId, rateId)))
    expectOk(
      await theirs.post('/push/taxes', {
        hotelId: id,
        products: [{ roomId, rateId, taxes: [vat(beta.percent)] }],
      }),
    )
  }
  await gateway.db.query(
    `insert into bulk_job (id, supplier_id, key_id, task, kind, format, state, created_at, touched_at)
     values ($1, $2, $3, 'load', 'ari', 'ndjson', 'uploading', now(), now())`,
    [secret.jobId, await idOf(theirs), theirs.keyId],
  )
  expectOk(await theirs.get(`/push/log/${requestId}`))
  const foreign = await ask()
  assert.deepEqual(foreign, absent)
  // Requests for data that they don't have were refused, except for searches, which name the codes they did
  // not find.
  const statuses = absent.map((reply) => (Array.isArray(reply) ? `${reply[0]} ${reply[2]}` : ''))
  assert.deepEqual(
    statuses.filter((status) => !status.endsWith(' 404')),
    ['getHotels 200', 'getHotels 200'],
  )
})

test('a revoked key stops working at every endpoint of every process within a second', async () => {
  const other = await gateway.second()
  const { apiKey, keyId } = await gateway.supplier('soon revoked')
  const callers = [gateway.url, other.url].map((url) => client(url, { 'x-api-key': apiKey }))
  for (const caller of callers) {
    for (const name of names) {
      assert.notEqual((await call(caller, name, rows[name].own(alpha), {})).status, 401, name)
    }
  }
  await revokeKey(gateway.db, keyId, gateway.clock.now())
  await wait(1_000)
  for (const caller of callers) {
    for (const name of names) {
      assert.deepEqual([name, (await call(caller, name, rows[name].own(alpha), {})).status], [name, 401])
    }
  }
})
