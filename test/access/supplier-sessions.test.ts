import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { managedSecretsPerDayMax } from '../../src/console-api/suppliers/contract.ts'
import { consoleRoutes, type ConsoleRouteName } from '../../src/console-api/contract.ts'
import { slotKinds } from '../../src/http/server/in-flight.ts'
import type { Route } from '../../src/http/route.ts'
import { setAccount } from '../../src/keys/suppliers.ts'
import { asSupplier, databaseOfSession } from '../../src/postgres/supplier-session.ts'
import { transaction } from '../../src/postgres/transaction.ts'
import { bookingBody, idOf, openShop, pushNights } from '../stage/scenes/booking.ts'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestOperator,
  type TestSupplier,
} from '../stage/harness.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { untilWaiting } from '../stage/locks.ts'
import { httpAnswer, startReceiver } from '../stage/servers/receiver.ts'
import { said } from '../stage/sign-in.ts'
import { commonDigest, supplierDigests } from '../stage/stored-state.ts'
import { expectOk, storyHotel } from '../stage/story.ts'

/**
 * Calls every route of the console in the sessions of two suppliers' people, whose hotels, rooms and rates have the same
 * codes. test/access/console-matrix.test.ts does the same for operators, and for nobody.
 */

type Ids = {
  supplierId: number
  hotelId: number
  pushId: number
  revision: number
  personId: number
  reservationId: number
  deliveryId: string
  keyId: number
  /** A key that the tests may end. */
  spareKeyId: number
  /** A recorded call in the sandbox. */
  callId: number
  /** An export that is done. */
  exportId: string
}
/** A supplier's part of the tests: its people, what it has, and a mark that only its own data contains. */
type Account = Ids & {
  name: string
  mark: string
  supplier: TestSupplier
  viewer: TestOperator
  manager: TestOperator
}

type Row = {
  /** Instead of the ids themselves. */
  names?: (ids: Ids) => Partial<Ids>
  query?: (ids: Ids) => string
  body?: object | ((ids: Ids) => object)
  /** Whether the answer contains the supplier's mark. */
  isMarked?: false
  /** It takes away what other tests need: it has a test of its own. */
  isLast?: true
}

const stay = { checkin: '2027-04-20', checkout: '2027-04-22', rooms: [{ adults: 2, childAges: [] }] }

const sandboxStay = {
  hotelId: 'H1',
  roomId: 'DBL',
  rateId: 'BAR',
  checkin: '2027-04-20',
  checkout: '2027-04-22',
  adults: 2,
  childAges: [],
}

/** The routes for people of a supplier, besides those of their own account; all others refuse them. */
const opened: Partial<Record<ConsoleRouteName, Row>> = {
  listHotels: {},
  getHotelNeighbours: { isMarked: false },
  getHotel: {},
  getCalendar: { query: () => '?from=2027-04-20&to=2027-04-21' },
  listCalendars: {},
  getCalendarCell: { query: () => '?room=DBL&rate=BAR&night=2027-04-20', isMarked: false },
  explainStay: { body: { ...stay, roomId: 'DBL', rateId: 'BAR' }, isMarked: false },
  explainHotel: { body: stay, isMarked: false },
  listPushes: {},
  getPush: {},
  listPushItems: { isMarked: false },
  downloadPush: { isMarked: false },
  searchReservations: {},
  showReservation: {},
  getNumbers: { query: () => '?month=2027-04&by=arrival' },
  searchDeliveries: {},
  sendDeliveryAgain: { isMarked: false },
  sendDeliveriesAgain: { body: ({ deliveryId }) => ({ deliveryIds: [deliveryId] }), isMarked: false },
  countDeliveriesToSend: { isMarked: false },
  searchPriceChecks: {},
  summarizePriceChecks: {},
  searchDrift: { isMarked: false },
  findPushOfRevision: { isMarked: false },
  getSupplier: {},
  getSupplierCertification: { isMarked: false },
  createSupplierKey: { body: { channelManager: 'direct' }, isMarked: false },
  rotateSupplierKey: { body: { overlapMinutes: 60 }, names: spare, isMarked: false },
  revokeSupplierKey: { names: spare, isMarked: false },
  pingWebhook: { body: { kind: 'pushbook' }, isMarked: false },
  listSandboxHotels: {},
  pushExampleHotel: { isLast: true },
  listSandboxFaults: { isMarked: false },
  orderSandboxFaults: { body: { faults: [] }, isMarked: false },
  bookInSandbox: { body: sandboxStay, isLast: true },
  cancelInSandbox: {
    body: ({ reservationId }) => ({
      hotelId: 'H1',
      reservationId: String(reservationId),
      expectedPenalty: null,
    }),
    isLast: true,
  },
  quoteInSandbox: { isMarked: false },
  getSandboxClock: { isMarked: false },
  advanceSandboxClock: { body: { advanceBy: 'PT1S' }, isMarked: false },
  resetSandboxAccount: { isLast: true },
  listSandboxCalls: {},
  getSandboxCall: {},
  listExports: { isMarked: false },
  createExport: { body: { kind: 'hotels', format: 'ndjson' }, isLast: true },
  downloadExport: {},
  listPeople: { isMarked: false },
  createPerson: { body: { name: 'new@example.com', role: 'viewer' }, isMarked: false },
  changePersonRole: { body: { role: 'viewer' }, isMarked: false },
  disablePerson: { isMarked: false },
  enablePerson: { isMarked: false },
  createPersonLink: { isMarked: false },
}

function spare({ spareKeyId: keyId }: Ids): Partial<Ids> {
  return { keyId }
}

const routeByName: Readonly<Record<ConsoleRouteName, Route>> = consoleRoutes
// The boundary: the keys of the table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const names = Object.keys(consoleRoutes) as ConsoleRouteName[]

const gateway = await gatewayForTests({
  allowPrivate: true,
  outbound: { reach: (to) => to },
  vaultKey: Buffer.alloc(32, 7),
})
gateway.app.startBulk()
/** Takes what is delivered to either supplier. */
const receiver = await startReceiver((socket) => socket.write(httpAnswer(200, '{}')))
after(() => receiver.close())
let alpha: Account
let beta: Account

before(async () => {
  alpha = await account('Alpha', 'alphamark')
  beta = await account('Beta', 'betamark')
})

async function account(name: string, mark: string): Promise<Account> {
  const { supplier, platform, book } = await openShop(gateway, name)
  expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelName: mark })]))
  await pushNights(supplier, { inventory: 3 })
  const webhook = `http://127.0.0.1:${receiver.port}/${mark}`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  await setAccount(gateway.db, name, { deliversCards: true, managedKeysMax: 9 })
  const reservationId = Number(idOf(await book({ payment: { type: 'Channel Collect', card } })))
  expectOk(
    await platform.post('/booking/priceCheck', {
      hotel: bookingBody(name)['hotel'],
      roomId: 'DBL',
      rateId: 'BAR',
      checkin: '2027-04-20',
      checkout: '2027-04-22',
      roomCount: 1,
      adultCount: 2,
      childAges: [],
    }),
  )
  const { rows } = await gateway.db.query<
    Pick<Ids, 'supplierId' | 'hotelId' | 'revision' | 'pushId' | 'deliveryId'>
  >(
    `select supplier.id as "supplierId", hotel.id as "hotelId", hotel.revision,
       (select max(id) from push_log where hotel_id = hotel.id) as "pushId",
       (select 'dlv_' || id from delivery where hotel_id = hotel.id) as "deliveryId"
     from supplier join hotel on hotel.supplier_id = supplier.id where supplier.name = $1`,
    [name],
  )
  const [ids] = rows
  assert.ok(ids)
  const { supplierId } = ids
  const viewer = await gateway.operator('viewer', supplierId)
  const manager = await gateway.operator('operator', supplierId)
  const { personId } = await invited(manager, supplierId, `${mark}@example.com`)
  const { body: spareKey } = await manager.post(`/suppliers/${supplierId}/keys`, { channelManager: 'spare' })
  const callId = await recordedCall(supplier)
  const exportId = await exported(manager, supplierId)
  const of = {
    reservationId,
    callId,
    exportId,
    personId,
    keyId: supplier.keyId,
    spareKeyId: Number(spareKey['keyId']),
  }
  return { ...ids, ...of, name, mark, supplier, viewer, manager }
}

const card = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '837',
}

/** An export of the supplier's hotels, ordered by one of its people. */
async function exported(manager: TestClient, supplierId: number): Promise<string> {
  const path = `/suppliers/${supplierId}/exports`
  const created = await manager.post(path, { kind: 'hotels', format: 'ndjson' })
  assert.equal(created.status, 201, created.text)
  const { exportId } = Object(created.body['export'])
  await until('the export is done', async () => {
    const { body } = expectOk(await manager.get(path))
    return Object(body['exports'])[0].state === 'done'
  })
  return exportId
}

async function recordedCall(supplier: TestSupplier): Promise<number> {
  expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
  const admin = await gateway.operator('admin')
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [
    supplier.name,
  ])
  const { body } = expectOk(await admin.get(`/sandbox/${rows[0]?.id}/calls`))
  return Object(body['calls'])[0].id
}

/** Somebody who has a link, and has not signed in yet. */
async function invited(
  by: TestClient,
  supplierId: number,
  name: string,
): Promise<{ personId: number; token: string }> {
  const { body } = expectOk(await by.post(`/suppliers/${supplierId}/people`, { name, role: 'viewer' }))
  return { personId: Object(body['person']).personId, token: Object(body['link']).token }
}

function call(
  name: ConsoleRouteName,
  caller: TestClient,
  ids: Ids,
  query = opened[name]?.query?.(ids),
): Promise<Reply> {
  const { method, path } = routeByName[name]
  const values: Readonly<Record<string, string | number>> = {
    part: 'body',
    ...ids,
    ...opened[name]?.names?.(ids),
  }
  const filled =
    path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => String(values[parameter] ?? 1)) + (query ?? '')
  const sent = opened[name]?.body
  const body = typeof sent === 'function' ? sent(ids) : sent
  if (method === 'GET') return caller.get(filled)
  if (method === 'PUT') return caller.put(filled, body)
  return method === 'DELETE' ? caller.delete(filled) : caller.post(filled, body)
}

test('people of a supplier reach the routes of this table, and those of their own account', () => {
  const marked = names.filter((name) => ['own', 'command'].includes(routeByName[name].forSuppliers ?? ''))
  assert.deepEqual(marked.toSorted(), Object.keys(opened).toSorted())
})

test('every other route refuses viewers and managers of a supplier, whatever they name', async () => {
  for (const name of names) {
    const { access, forSuppliers } = routeByName[name]
    if (access === 'open' || forSuppliers) continue
    for (const person of [alpha.viewer, alpha.manager]) {
      const reply = await call(name, person, alpha)
      assert.deepEqual([name, reply.status, said(reply).type], [name, 403, 'NOT_FOR_SUPPLIERS'])
    }
  }
})

test('viewers and managers get their own supplier’s data, operators both, and nothing names the other', async () => {
  const admin = await gateway.operator('admin')
  for (const name of names) {
    const row = opened[name]
    if (!row || row.isLast) continue
    const { role = 'viewer', status: success = 200 } = routeByName[name]
    const people = [...(role === 'viewer' ? [alpha.viewer] : []), alpha.manager, admin]
    // Whom the admin disabled, a manager enables only after the admin.
    if (name === 'enablePerson') people.reverse()
    for (const person of people) {
      const reply = await call(name, person, alpha)
      const isNew = name !== 'createPerson' || person === alpha.manager
      assert.deepEqual(
        [name, person.name, reply.status],
        [name, person.name, isNew ? success : 409],
        reply.text,
      )
      if (person === admin) continue
      assert.equal(reply.text.includes(beta.mark) || reply.text.includes('Beta'), false, name)
      if (row.isMarked !== false)
        assert.ok(reply.text.includes(alpha.mark) || reply.text.includes('Alpha'), `${name}: ${reply.text}`)
    }
  }
})

test('a viewer of a supplier changes nothing', async () => {
  for (const name of names) {
    if (!opened[name] || routeByName[name].role === undefined) continue
    const reply = await call(name, alpha.viewer, alpha)
    assert.deepEqual([name, reply.status, said(reply).type], [name, 403, 'ROLE_TOO_LOW'])
  }
})

test('what another supplier has is as unknown as what nobody has, and nothing changes', async () => {
  const nobody: Ids = {
    supplierId: 999_999,
    hotelId: 999_999,
    pushId: 999_999_999,
    revision: 1,
    personId: 999_999,
    reservationId: 999_999,
    deliveryId: 'dlv_00000000-0000-4000-8000-000000000000',
    keyId: 999_999,
    spareKeyId: 999_999,
    callId: 999_999,
    exportId: '00000000-0000-4000-8000-000000000000',
  }
  const stored = async () => [
    await commonDigest(gateway.db),
    await supplierDigests(gateway.db, [alpha.supplierId, beta.supplierId]),
  ]
  const known = await stored()
  for (const name of names) {
    if (!opened[name] || !routeByName[name].path.includes('{')) continue
    const foreign = await call(name, alpha.manager, beta)
    const unknown = await call(name, alpha.manager, nobody)
    assert.deepEqual([name, foreign.status], [name, 404], foreign.text)
    assert.deepEqual([name, said(foreign).type], [name, said(unknown).type])
    // A person of another supplier, by way of one's own.
    if (!routeByName[name].path.includes('personId')) continue
    const mixed = await call(name, alpha.manager, { ...alpha, personId: beta.personId })
    assert.deepEqual([name, mixed.status, said(mixed).type], [name, 404, 'PERSON_NOT_FOUND'])
  }
  assert.deepEqual(await stored(), known)
})

test('a list is of the session’s supplier, whichever supplier or hotel the request names', async () => {
  for (const name of names) {
    const { query, path } = routeByName[name]
    if (!opened[name] || !query || path.includes('{')) continue
    const properties = Object.keys(Object(query).properties)
    assert.ok(properties.includes('supplierId'), `${name} has no filter by supplier`)
    for (const asks of [
      `?supplierId=${beta.supplierId}`,
      ...(properties.includes('hotelId') ? [`?hotelId=${beta.hotelId}`] : []),
      ...(properties.includes('search') ? [`?search=${beta.hotelId}`, '?search=betamark', '?search=H1'] : []),
      ...(properties.includes('requestId') ? ['?requestId=betamark'] : []),
    ]) {
      const reply = await call(name, alpha.viewer, alpha, asks)
      assert.deepEqual([name, asks, reply.status], [name, asks, 200], reply.text)
      assert.equal(reply.text.includes(beta.mark) || reply.text.includes('Beta'), false, `${name} ${asks}`)
    }
  }
})

test('a manager sends again what is the supplier’s alone, whatever the body names', async () => {
  const betas = await supplierDigests(gateway.db, [beta.supplierId])
  const again = (body: object) => alpha.manager.post('/deliveries/send-again', body)
  for (const deliveryIds of [[beta.deliveryId], [alpha.deliveryId, beta.deliveryId]]) {
    const foreign = await again({ deliveryIds })
    assert.deepEqual([foreign.status, said(foreign).type], [404, 'DELIVERY_NOT_FOUND'])
  }
  for (const filter of [{}, { supplierId: beta.supplierId }, { supplierId: alpha.supplierId }]) {
    const { body } = expectOk(await again({ filter: { state: 'undelivered', ...filter }, count: 1 }))
    assert.deepEqual(body, { again: 1, repeated: 0, nowhere: 0 })
  }
  const nothing = await again({ filter: { state: 'undelivered', hotelId: beta.hotelId }, count: 5 })
  assert.deepEqual([nothing.status, said(nothing).type], [409, 'NOTHING_TO_SEND'])
  assert.deepEqual(await supplierDigests(gateway.db, [beta.supplierId]), betas)
  const { rows } = await gateway.db.query(
    `select operator_name as name, before->'filter' as filter from audit_log
     where action = 'delivery.send-again' and subject = 'deliveries by filter'`,
  )
  const entry = { name: alpha.manager.name, filter: { state: 'undelivered', supplierId: alpha.supplierId } }
  assert.deepEqual(rows, [entry, entry, entry])
})

test('people of a supplier see its reservations with their guests, but no card, and no note of operators', async () => {
  const operator = await gateway.operator('operator')
  const path = `/reservations/${alpha.reservationId}`
  assert.equal((await operator.post(`${path}/notes`, { text: 'betweenoperators' })).status, 201)
  const whole = async (caller: TestClient) => Object(expectOk(await caller.get(path)).body['reservation'])
  const { last4 } = (await whole(operator)).card
  assert.equal(last4, '1111')
  for (const person of [alpha.viewer, alpha.manager]) {
    const { card: shown, notes, customer } = await whole(person)
    assert.deepEqual([shown, notes, customer.lastName], [null, [], 'Lovelace'])
    for (const at of [path, '/reservations', '/reservations?guest=love', '/deliveries']) {
      const { text } = expectOk(await person.get(at))
      assert.ok(text.includes(String(alpha.reservationId)), at)
      for (const secret of ['betweenoperators', '"VI"']) assert.ok(!text.includes(secret), `${at}: ${secret}`)
      // The last digits of the card, not those of an id.
      const others = text.replaceAll(/(?<="endpoint":\{"id":)"\d+"/g, '')
      assert.doesNotMatch(others, /(?<![\w-])1111(?!\w*-)/, at)
    }
  }
  const { body } = expectOk(await alpha.viewer.get('/reservations?guest=love'))
  assert.deepEqual(
    Object(body['reservations']).map(({ reservationId }: Ids) => reservationId),
    [alpha.reservationId],
  )
})

test('nothing that people of a supplier read names the operator who did it: they read what, and why', async () => {
  const epsilon = await account('Epsilon', 'epsilonmark')
  const { supplierId, hotelId, reservationId, pushId, deliveryId, spareKeyId } = epsilon
  const operator = await gateway.operator('admin')
  const onHotel = (what: string, body?: object) => operator.post(`/hotels/${hotelId}/${what}`, body)
  const nights = { targets: [{ roomId: 'DBL' }], from: '2027-03-01', to: '2027-04-30' }
  const done = [
    await onHotel('stop-sell', { ...nights, action: 'stop', reason: 'Water damage' }),
    await onHotel('stop-sell', { ...nights, from: '2027-04-28', action: 'open' }),
    await onHotel('resync', { reason: 'Prices are odd' }),
    await operator.post(`/pushes/${pushId}/undo`, { reason: 'A mistake' }),
    await operator.put(`/suppliers/${supplierId}/go-live/availabilityWebhook`, {
      isNeeded: false,
      reason: 'They have none',
    }),
    await operator.post(`/reservations/${reservationId}/notes`, { text: 'I called them' }),
    await operator.post(`/deliveries/${deliveryId}/send-again`, undefined),
    await operator.post(`/keys/${spareKeyId}/rotate`, { overlapMinutes: 60 }),
    await operator.put(`/suppliers/${supplierId}/account`, { deliversCards: true }),
    await operator.put(`/sandbox/${supplierId}/faults`, { faults: [] }),
    await operator.post(`/suppliers/${supplierId}/exports`, { kind: 'hotels', format: 'ndjson' }),
    await operator.post(`/suppliers/${supplierId}/people`, { name: 'eve@example.com', role: 'viewer' }),
  ]
  for (const reply of done) assert.ok(reply.status === 200 || reply.status === 201, reply.text)
  const { rows } = await gateway.db.query<{ pushId: number }>(
    'select id::float8 as "pushId" from push_log where hotel_id = $1 order by id desc limit 20',
    [hotelId],
  )
  const read = names.filter(
    (name) => opened[name] && (routeByName[name].method === 'GET' || name.startsWith('explain')),
  )
  const named = new Set<string>()
  for (const name of read)
    for (const ids of name.includes('Push') ? rows.map((row) => ({ ...epsilon, ...row })) : [epsilon]) {
      for (const person of [epsilon.viewer, epsilon.manager]) {
        const { text } = await call(name, person, ids)
        assert.equal(text.includes(operator.name), false, `${name}: ${text}`)
      }
      if ((await call(name, operator, ids)).text.includes(operator.name)) named.add(name)
    }
  const know = [
    'explainHotel',
    'explainStay',
    'getCalendarCell',
    'getHotel',
    'searchDeliveries',
    'searchReservations',
    'showReservation',
  ]
  assert.deepEqual([...named].toSorted(), know)
  const cell = expectOk(await call('getCalendarCell', epsilon.viewer, epsilon)).body
  const setters = Object(cell['values']).map(({ setBy }: { setBy: object }) => setBy)
  assert.ok(
    setters.some(
      ({ by, operator: who, reason }: Record<string, unknown>) =>
        by === 'operator' && who === null && reason === 'Water damage',
    ),
    JSON.stringify(setters),
  )
})

test('a test booking that an operator’s stop-sell forbids says that the platform stopped the sale, not who did', async () => {
  const { supplierId, hotelId, supplier, manager } = await account('Zeta', 'zetamark')
  const operator = await gateway.operator('operator')
  const { checkin, checkout, rooms } = stay
  const nights = { targets: [{ roomId: 'DBL' }], from: checkin, to: checkout }
  const stop = { ...nights, action: 'stop', reason: 'Water damage' }
  const { body: stopped } = expectOk(await operator.post(`/hotels/${hotelId}/stop-sell`, stop))
  const wanted = { hotelId: 'H1', checkin, checkout, rooms: [{ ...rooms[0], roomId: 'DBL', rateId: 'BAR' }] }
  for (const reply of [
    await manager.post(`/sandbox/${supplierId}/bookings`, sandboxStay),
    await supplier.post('/push/sandbox/booking', wanted),
  ]) {
    assert.deepEqual([reply.status, said(reply).type], [409, 'NOT_BOOKABLE'])
    const [{ rule, setBy }] = Object(reply.body['rules'])
    assert.deepEqual([rule, setBy.operator, setBy.requestId], ['stopSell', 'platform', stopped['requestId']])
    assert.equal(reply.text.includes(operator.name), false, reply.text)
  }
})

test('a manager makes keys up to the limits that an admin sets, and no two at once go beyond them', async () => {
  const { supplierId, manager, name } = beta
  const admin = await gateway.operator('admin')
  const keys = `/suppliers/${supplierId}/keys`
  const active = async () => {
    const { rows } = await gateway.db.query<{ count: number; rate: number | null }>(
      `select count(*) over ()::int as count, requests_per_minute as rate from api_key
       where supplier_id = $1 and revoked_at is null order by id desc limit 1`,
      [supplierId],
    )
    return rows[0]
  }
  const { count = 0 } = (await active()) ?? {}
  const limits = { managedKeysMax: count + 1, managedKeyRateMax: 60 }
  const own = await manager.put(`/suppliers/${supplierId}/account`, limits)
  assert.deepEqual([own.status, said(own).type], [403, 'NOT_FOR_SUPPLIERS'])
  expectOk(await admin.put(`/suppliers/${supplierId}/account`, limits))
  const made = await Promise.all(
    ['one', 'two', 'three'].map((channelManager) => manager.post(keys, { channelManager })),
  )
  assert.deepEqual(
    made.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409, 409],
  )
  assert.deepEqual(
    made.filter(({ status }) => status === 409).map((reply) => said(reply).type),
    ['ENOUGH_KEYS', 'ENOUGH_KEYS'],
  )
  assert.deepEqual(await active(), { count: count + 1, rate: 60 })
  const { keyId, apiKey } = Object(made.find(({ status }) => status === 201)?.body)
  for (const path of [`/keys/${keyId}/limits`, `/keys/${keyId}/expiry`]) {
    const reply = await manager.put(path, { requestsPerMinute: null, at: null })
    assert.deepEqual([reply.status, said(reply).type], [403, 'NOT_FOR_SUPPLIERS'])
  }
  const rotated = expectOk(await manager.post(`/keys/${keyId}/rotate`, { overlapMinutes: 0 }))
  assert.equal((await client(gateway.url, { 'x-api-key': apiKey }).get('/push/limits')).status, 401)
  expectOk(await client(gateway.url, { 'x-api-key': String(rotated.body['apiKey']) }).get('/push/limits'))
  expectOk(await manager.post(`/keys/${keyId}/revoke`, undefined))
  assert.equal((await active())?.count, count)
  const { rows } = await gateway.db.query(
    `select operator_name as name, action, after from audit_log where subject = $1 order by id`,
    [`key ${keyId} of "${name}"`],
  )
  assert.deepEqual(
    rows.map(({ name: by, action }) => [by, action]),
    ['key.create', 'key.rotate', 'key.revoke'].map((action) => [manager.name, action]),
  )
  assert.equal(JSON.stringify(rows).includes(apiKey), false)
})

test('what a manager takes away is noted in the file of revocations, as what an admin does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ari-managed-'))
  after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'revoked')
  const noting = await gateway.second({ revocationsFile: file })
  const manager = await noting.operator('operator', alpha.supplierId)
  const { keyId } = (await manager.post(`/suppliers/${alpha.supplierId}/keys`, { channelManager: 'x' })).body
  expectOk(await manager.post(`/keys/${String(keyId)}/rotate`, { overlapMinutes: 0 }))
  expectOk(await manager.post(`/keys/${String(keyId)}/revoke`, undefined))
  const { operatorId } = await noting.operator('viewer', alpha.supplierId)
  expectOk(await manager.post(`/suppliers/${alpha.supplierId}/people/${operatorId}/disable`, undefined))
  const kinds = (await readFile(file, 'utf8')).match(/"kind":"\w+"/g) ?? []
  assert.deepEqual(
    [...new Set(kinds)],
    ['"kind":"key"', '"kind":"secret"', '"kind":"operator"', '"kind":"role"'],
  )
})

test('the keys that a manager makes and rotates in a day have a limit, whatever else is allowed', async () => {
  const { manager, spareKeyId, supplierId } = await account('Gamma', 'gammamark')
  const rotate = () => manager.post(`/keys/${spareKeyId}/rotate`, { overlapMinutes: 0 })
  let made = 2
  for (; made < managedSecretsPerDayMax; made++) expectOk(await rotate())
  for (const reply of [
    await rotate(),
    await manager.post(`/suppliers/${supplierId}/keys`, { channelManager: 'direct' }),
  ])
    assert.deepEqual([reply.status, said(reply).type], [409, 'TOO_MANY_KEYS_TODAY'])
  const admin = await gateway.operator('admin')
  expectOk(await admin.post(`/keys/${spareKeyId}/rotate`, { overlapMinutes: 0 }))
})

test('a manager tests the URL of a key of the own supplier, and the other’s is not called', async () => {
  receiver.calls.length = 0
  const ping = (keyId: number) => alpha.manager.post(`/keys/${keyId}/ping`, { kind: 'pushbook' })
  const { body } = expectOk(await ping(alpha.keyId))
  assert.deepEqual(Object(body['ping']).httpStatus, 200)
  const foreign = await ping(beta.keyId)
  assert.deepEqual([foreign.status, said(foreign).type], [404, 'KEY_NOT_FOUND'])
  assert.deepEqual(
    receiver.calls.map(({ line }) => line),
    ['POST /alphamark HTTP/1.1'],
  )
})

test('a manager tries things in the own sandbox, and its reset removes nothing of others with the same codes', async () => {
  const delta = await account('Delta', 'deltamark')
  const { manager, viewer } = delta
  const sandbox = (person: TestClient, what: string, body: object = {}, of = delta) =>
    person.post(`/sandbox/${of.supplierId}/${what}`, body)
  const others = () => supplierDigests(gateway.db, [alpha.supplierId, beta.supplierId])
  const known = await others()
  expectOk(await sandbox(manager, 'example'))
  const booked = await sandbox(manager, 'bookings', sandboxStay)
  assert.equal(booked.status, 201, booked.text)
  const { reservationId } = Object(booked.body['booking'])
  const cancel = (id: string) =>
    sandbox(manager, 'cancellations', { hotelId: 'H1', reservationId: id, expectedPenalty: null })
  const foreign = await cancel(String(beta.reservationId))
  const unknown = await cancel('999999')
  assert.deepEqual([foreign.status, said(foreign).type], [404, said(unknown).type])
  expectOk(await cancel(reservationId))
  const advanced = expectOk(await sandbox(manager, 'clock', { advanceBy: 'P1D' }))
  assert.equal(Object(advanced.body['clock']).aheadBy, 'P1D')
  const low = await sandbox(viewer, 'reset')
  assert.deepEqual([low.status, said(low).type], [403, 'ROLE_TOO_LOW'])
  const other = await sandbox(manager, 'reset', {}, alpha)
  assert.deepEqual([other.status, said(other).type], [404, 'SUPPLIER_NOT_FOUND'])
  const { body } = expectOk(await sandbox(manager, 'reset'))
  assert.deepEqual(Object(body['removed']).reservations, 2)
  assert.deepEqual(await others(), known)
  const { rows } = await gateway.db.query<{ action: string }>(
    `select action from audit_log where operator_name = $1 and action like 'sandbox.%' order by id`,
    [manager.name],
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['sandbox.push-example', 'sandbox.book', 'sandbox.cancel', 'sandbox.advance-clock', 'sandbox.reset'],
  )
})

test('an export is of the own supplier, whichever supplier of the same codes the path names beside it', async () => {
  const foreign = `/suppliers/${alpha.supplierId}/exports/${beta.exportId}/data`
  const reply = await alpha.manager.get(foreign)
  assert.equal(reply.status, 404, reply.text)
  const own = await alpha.viewer.get(`/suppliers/${alpha.supplierId}/exports/${alpha.exportId}/data`)
  assert.ok(own.status === 200 && own.text.includes('alphamark') && !own.text.includes('betamark'))
  const csv = await alpha.manager.post(`/suppliers/${alpha.supplierId}/exports`, {
    kind: 'taxes',
    format: 'csv',
  })
  assert.equal(csv.status, 400, csv.text)
  const { rows } = await gateway.db.query(
    `select subject, after from audit_log where operator_name = $1 and action = 'export.create'`,
    [alpha.manager.name],
  )
  const subject = `supplier ${alpha.supplierId} "Alpha"`
  assert.deepEqual(rows, [{ subject, after: { kind: 'hotels', format: 'ndjson' } }])
})

test('an export that can’t be audited is not ordered', async () => {
  const { db } = gateway
  await db.query(
    `create function refuse_entry() returns trigger language plpgsql as $$ begin raise 'not audited'; end $$`,
  )
  await db.query(
    `create trigger refuse_entry before insert on audit_log for each row
     when (new.action = 'export.create') execute function refuse_entry()`,
  )
  const path = `/suppliers/${alpha.supplierId}/exports`
  const exports = async () => expectOk(await alpha.manager.get(path)).body
  const known = await exports()
  assert.equal((await alpha.manager.post(path, { kind: 'taxes', format: 'ndjson' })).status, 500)
  await db.query('drop trigger refuse_entry on audit_log')
  assert.deepEqual(await exports(), known)
})

test('a manager invites people, but makes no link to the account of somebody who has signed in', async () => {
  const { manager, supplierId } = alpha
  const { personId, token } = await invited(manager, supplierId, 'pia@example.com')
  const path = `/suppliers/${supplierId}/people/${personId}/sign-in-link`
  const linkOf = ({ body }: Reply): string => Object(body['link']).token
  const second = linkOf(expectOk(await manager.post(path, undefined)))
  const visitor = client(gateway.url, {}, '/console/api')
  const signIn = (link: string) => visitor.post('/sign-in/link', { token: link })
  assert.equal((await signIn(token)).status, 401)
  expectOk(await signIn(second))
  await gateway.db.query(`update operator set password_hash = 'taken' where id = $1`, [personId])
  const refused = await manager.post(path, undefined)
  assert.deepEqual([refused.status, said(refused).type], [409, 'PERSON_HAS_SIGNED_IN'])
  // Neither by way of an account that was disabled meanwhile.
  for (const step of ['disable', 'enable'])
    expectOk(await manager.post(`/suppliers/${supplierId}/people/${personId}/${step}`, undefined))
  assert.equal((await manager.post(path, undefined)).status, 409)
  const operator = await gateway.operator('operator')
  const ofPlatform = linkOf(expectOk(await operator.post(path, undefined)))
  // Whoever used the manager's link is out, and its password too.
  assert.equal((await visitor.get('/hotels')).status, 401)
  const { rows } = await gateway.db.query('select password_hash as hash from operator where id = $1', [
    personId,
  ])
  assert.deepEqual(rows, [{ hash: null }])
  expectOk(await signIn(ofPlatform))
})

test('a person’s access ends with the account, and nobody of a supplier becomes an admin', async () => {
  const { operatorId, ...person } = await gateway.operator('viewer', alpha.supplierId)
  expectOk(await person.get('/hotels'))
  const admin = await gateway.operator('admin')
  const raised = await admin.post(`/operators/${operatorId}/role`, { role: 'admin' })
  assert.deepEqual([raised.status, said(raised).type], [409, 'PERSON_OF_SUPPLIER'])
  const path = `/suppliers/${alpha.supplierId}/people/${operatorId}`
  expectOk(await alpha.manager.post(`${path}/disable`, undefined))
  assert.equal((await client(gateway.url, {}, '/console/api').get('/hotels')).status, 401)
})

test('people of a supplier change at most 120 things a minute, all together; reads and others are not held up', async () => {
  await gateway.supplier('Flood')
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name like 'Flood%'`)
  const supplierId = rows[0]?.id ?? 0
  const [one, other] = [
    await gateway.operator('operator', supplierId),
    await gateway.operator('operator', supplierId),
  ]
  const path = `/suppliers/${supplierId}/exports`
  const change = (person: typeof one) => person.post(path, { kind: 'none' })
  const statuses = new Set<number>()
  for (let count = 1; count <= 120; count++) statuses.add((await change(count % 2 ? one : other)).status)
  assert.deepEqual([...statuses], [400])
  for (const person of [one, other]) {
    const refused = await change(person)
    assert.deepEqual([refused.status, said(refused).type], [429, 'RATE_LIMITED'])
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    expectOk(await person.get(path))
  }
  assert.equal(
    (await alpha.manager.post(`/suppliers/${alpha.supplierId}/exports`, { kind: 'none' })).status,
    400,
  )
})

test('however much people of a supplier search for, they hold up neither the platform nor other suppliers', async () => {
  const { ofAlpha, ofBeta } = await transaction(gateway.db, async (connection) => {
    await connection.query('lock table push_log in access exclusive mode')
    const begun = Array.from({ length: slotKinds.people.each + 1 }, () => alpha.viewer.get('/pushes'))
    const refused = await Promise.race(begun)
    assert.deepEqual([refused.status, said(refused).type], [503, 'OVERLOADED'])
    await untilWaiting(gateway.db, () => 2)
    const others = Array.from({ length: 3 }, () => beta.viewer.get('/pushes'))
    await untilWaiting(gateway.db, () => 3)
    const operator = await gateway.operator('viewer')
    expectOk(await operator.get('/audit'))
    return { ofAlpha: Promise.all(begun), ofBeta: Promise.all(others) }
  })
  assert.deepEqual(
    (await ofAlpha).map(({ status }) => status).filter((status) => status !== 200),
    [503],
  )
  for (const reply of await ofBeta) expectOk(reply)
})

test('however much people of a supplier change, they hold up neither the platform nor other suppliers', async () => {
  const { name } = await gateway.supplier('Busy')
  await setAccount(gateway.db, name, { managedKeysMax: 9 })
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const supplierId = rows[0]?.id ?? 0
  const manager = await gateway.operator('operator', supplierId)
  const operator = await gateway.operator('viewer')
  const changes = await transaction(gateway.db, async (connection) => {
    await connection.query('lock table api_key in exclusive mode')
    const changing = Array.from({ length: 8 }, () =>
      manager.post(`/suppliers/${supplierId}/keys`, { channelManager: 'Own' }),
    )
    await untilWaiting(gateway.db, () => 2)
    // None of these finds a connection once the changes have all four.
    for (let count = 0; count < 5; count++) expectOk(await operator.get('/audit'))
    expectOk(await beta.viewer.get('/pushes'))
    // Of those that wait for a lock, what makes a key: the service notes the use of keys as well.
    const { rows: waiting } = await connection.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'
         and (query like 'select from supplier where id%' or query like 'insert into api_key%')`,
    )
    assert.deepEqual(waiting, [{ count: 2 }])
    return { answers: Promise.all(changing) }
  })
  assert.deepEqual(new Set((await changes.answers).map(({ status }) => status)), new Set([201]))
})

test('however many commands people of a supplier give, they hold up neither the platform nor other suppliers', async () => {
  const { name } = await gateway.supplier('Commanding')
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const supplierId = rows[0]?.id ?? 0
  const manager = await gateway.operator('operator', supplierId)
  const operator = await gateway.operator('viewer')
  const commands = await transaction(gateway.db, async (connection) => {
    await connection.query('select from supplier where id = $1 for update', [supplierId])
    const given = Array.from({ length: 8 }, () => manager.post(`/sandbox/${supplierId}/reset`, {}))
    await untilWaiting(gateway.db, () => 2)
    for (let count = 0; count < 5; count++) expectOk(await operator.get('/audit'))
    expectOk(await beta.viewer.get('/pushes'))
    return { answers: Promise.all(given) }
  })
  for (const reply of await commands.answers) expectOk(reply)
})

/** Packed with those of others, or common to all. */
const withoutRows = [
  'push_body_batch',
  'push_body_segment',
  'room_type',
  'meal_plan',
  'cancel_code',
  'store_epoch',
]

test('a query that forgets its supplier finds nothing foreign: every table that sessions may read', async () => {
  const session = databaseOfSession(gateway.db)
  const { rows: tables } = await gateway.db.query<{ name: string; isWalled: boolean }>(
    `select relname as name, relrowsecurity as "isWalled" from pg_class
     where relnamespace = 'public'::regnamespace and not relispartition and relkind in ('r', 'p', 'v')
       and has_table_privilege('ari_supplier', oid, 'select') order by 1`,
  )
  assert.deepEqual(
    tables.filter(({ isWalled }) => !isWalled).map(({ name }) => name),
    withoutRows.toSorted(),
  )
  for (const { name, isWalled } of tables) {
    if (!isWalled) continue
    const { rows: all } = await gateway.db.query(`select * from ${name}`)
    const seen = async ({ supplierId }: Account) =>
      (await asSupplier(supplierId, () => session.query(`select * from ${name}`))).rows
    const [ofAlpha, ofBeta] = [await seen(alpha), await seen(beta)]
    const texts = new Set(ofAlpha.map((row) => JSON.stringify(row)))
    assert.equal(ofBeta.filter((row) => texts.has(JSON.stringify(row))).length, 0, name)
    assert.ok(ofAlpha.length + ofBeta.length <= all.length, name)
    for (const row of ofAlpha)
      if ('supplier_id' in row) assert.deepEqual([name, row['supplier_id']], [name, alpha.supplierId])
      else if ('hotel_id' in row) assert.deepEqual([name, row['hotel_id']], [name, alpha.hotelId])
  }
})

test('without a supplier the database of sessions answers nothing, and it changes no other’s rows', async () => {
  const session = databaseOfSession(gateway.db)
  await assert.rejects(session.query('select from hotel'), /outside of one/)
  await asSupplier(alpha.supplierId, async () => {
    const { rowCount } = await session.query(
      `update operator set disabled_at = now() where supplier_id = $1`,
      [beta.supplierId],
    )
    assert.equal(rowCount, 0)
    for (const statement of [
      'select from access_token',
      'select from reservation_card',
      'select from audit_log',
      'select from vault_key',
      'update api_key set requests_per_minute = 0',
      'update supplier set id = default',
      `insert into api_key (supplier_id, channel_manager) values (${beta.supplierId}, 'x')`,
      `insert into api_key_secret (hash, key_id, tail) values ('\\x00', ${beta.keyId}, 'x')`,
      `update operator set supplier_id = ${beta.supplierId}`,
      'delete from hotel',
      'update reservation set id = default',
      'delete from reservation',
      'update delivery set supplier_id = supplier_id',
      `insert into delivery select (jsonb_populate_record(null::delivery, jsonb_build_object('id', gen_random_uuid(),
        'reservation_id', ${beta.reservationId}, 'supplier_id', ${alpha.supplierId}, 'hotel_id', ${alpha.hotelId}))).*`,
      'select from ari_night',
    ])
      await assert.rejects(session.query(statement), /permission denied|row-level security/, statement)
  })
})

test('a database without the role for these sessions says what is missing, and who can add it', async () => {
  const { db } = gateway
  // For this database alone: other tests share the server.
  const taken = 'create or replace function session_supplier() returns int language plpgsql as'
  await db.query(`${taken} $$ begin raise exception 'permission denied to set role "ari_supplier"'
    using errcode = '42501'; end $$`)
  const reply = await alpha.viewer.get('/hotels')
  assert.deepEqual([said(reply).status, said(reply).type], [503, 'NO_SUPPLIER_SESSIONS'])
})
