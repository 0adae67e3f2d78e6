import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { expectOk } from '../../../test/stage/story.ts'
import {
  gatewayForTests,
  type Reply,
  type TestGateway,
  type TestOperator,
} from '../../../test/stage/harness.ts'
import { audit, auditRefusal } from './audit.ts'
import { browser, withPassword } from '../../../test/stage/sign-in.ts'
import { commandLine } from './manage.ts'

let admin: TestOperator

const gateway = await gatewayForTests()
before(async () => {
  admin = await gateway.operator('admin')
})

function changesOf({ body }: Reply): Record<string, unknown>[] {
  assert.ok(Array.isArray(body['changes']), JSON.stringify(body))
  return body['changes']
}

test('every change by an operator is logged: the operator, the action, before and after, the request, the address', async () => {
  const { operatorId, name } = await gateway.operator('viewer')
  const at = `/operators/${operatorId}`
  await admin.post(`${at}/role`, { role: 'operator' }, { 'x-request-id': 'r-role' })
  await admin.post(`${at}/disable`, undefined, { 'x-request-id': 'r-disable' })
  const subject = `operator ${operatorId} "${name}"`
  const changes = changesOf(await admin.get(`/audit?subject=${encodeURIComponent(name.toUpperCase())}`))
  const common = {
    operatorId: admin.operatorId,
    operator: admin.name,
    role: 'admin',
    personOf: null,
    subject,
    address: '127.0.0.1',
  }
  assert.deepEqual(
    changes.map(({ id: _id, at: _at, ...rest }) => rest),
    [
      {
        ...common,
        action: 'operator.disable',
        before: { role: 'operator', disabledAt: null, hasSecondFactor: false },
        after: { role: 'operator', disabledAt: '2027-03-01T12:00:00.000Z', hasSecondFactor: false },
        requestId: 'r-disable',
      },
      {
        ...common,
        action: 'operator.role',
        before: { role: 'viewer', disabledAt: null, hasSecondFactor: false },
        after: { role: 'operator', disabledAt: null, hasSecondFactor: false },
        requestId: 'r-role',
      },
    ],
  )
})

test('what a person of a supplier changes is logged with the name of the supplier', async () => {
  const { name } = await gateway.supplier('Personal')
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const id = rows[0]?.id
  const manager = await gateway.operator('operator', id)
  const sent = await manager.post(`/suppliers/${id}/people`, { name: 'mia@example.com', role: 'viewer' })
  assert.equal(sent.status, 200, sent.text)
  const [change] = changesOf(await admin.get(`/audit?operator=${encodeURIComponent(manager.name)}`))
  assert.deepEqual([change?.['role'], change?.['personOf']], ['operator', name])
})

test('a refused change is not logged', async () => {
  const known = changesOf(await admin.get('/audit?limit=200')).length
  await admin.post(`/operators/${admin.operatorId}/disable`, undefined)
  assert.equal(changesOf(await admin.get('/audit?limit=200')).length, known)
})

/** Without what differs from run to run; the attempts behind one line are counted in it. */
async function refusals(of: TestGateway, reader: TestOperator): Promise<unknown[]> {
  const { rows } = await of.db.query<{ id: number }>('select id from audit_log where refusal_key is not null')
  const ids = new Set(rows.map(({ id }) => id))
  const changes = changesOf(await reader.get('/audit?limit=200')).filter(({ id }) => ids.has(Number(id)))
  return changes.map(({ operator, role, action, subject, address, ...more }) => {
    const { lastAt, ...said } = Object(more['after'])
    assert.ok(!Number.isNaN(Date.parse(String(lastAt))))
    return { operator, role, action, subject, address, ...said }
  })
}

test('a refused role is logged once an hour per operator and route, with a count', async () => {
  const own = await gatewayForTests()
  const reader = await own.operator('admin')
  const viewer = await own.operator('viewer')
  for (let times = 0; times < 3; times++)
    await viewer.post(`/operators/${reader.operatorId}/disable`, undefined)
  await viewer.get('/operators')
  const common = { operator: viewer.name, role: 'viewer', action: 'role.refused', address: '127.0.0.1' }
  assert.deepEqual(await refusals(own, reader), [
    { ...common, subject: 'GET /operators', attempts: 1, needed: 'admin' },
    { ...common, subject: 'POST /operators/{operatorId}/disable', attempts: 3, needed: 'admin' },
  ])
})

test('failed sign-ins are logged without the typed name: per operator, and together for unknown names', async () => {
  const own = await gatewayForTests()
  const reader = await own.operator('admin')
  const { name, operatorId } = await own.operator('viewer')
  const person = await withPassword(own, name, 'correct horse battery')
  for (let times = 0; times < 2; times++) await browser(own.url).signIn(name, 'wrong horse battery')
  await browser(own.url).signIn('hunter2 hunter2', 'correct horse battery')
  await browser(own.url).signIn('my password', 'correct horse battery')
  await browser(own.url).signInByLink('A'.repeat(43))
  await person.post('/me/password', { current: 'wrong horse battery', next: 'entirely another one' })
  const common = { action: 'sign-in.refused', address: '127.0.0.1' }
  const nobody = { ...common, operator: 'nobody', role: null }
  const known = { ...common, operator: name, role: 'viewer', subject: `operator ${operatorId} "${name}"` }
  assert.deepEqual(await refusals(own, reader), [
    { ...known, action: 'operator.password-refused', reason: 'password', attempts: 1 },
    { ...nobody, subject: 'unknown link', reason: 'link', attempts: 1 },
    { ...nobody, subject: 'unknown name', reason: 'password', attempts: 2 },
    { ...known, reason: 'password', attempts: 2 },
  ])
})

test('refusals take at most 200 lines an hour, plus one that counts the rest', async () => {
  const own = await gatewayForTests()
  const reader = await own.operator('admin')
  await own.db.query(
    `insert into audit_log (operator_name, action, subject, after, refusal_key)
     select 'nobody', 'sign-in.refused', 'unknown name', '{"attempts":1}', sha256(n::text::bytea)
     from generate_series(1, 199) n`,
  )
  const subjects = ['one', 'two', 'three'].map((name) => `GET /${name}`)
  const operator = {
    ...commandLine(undefined),
    name: 'somebody',
    role: 'viewer' as const,
    address: '10.0.0.1',
  }
  for (const subject of [...subjects, ...subjects]) {
    await auditRefusal(own.db, {
      operator,
      requestId: 'r',
      action: 'role.refused',
      subject,
      address: '10.0.0.1',
      why: {},
    })
  }
  const { rows } = await own.db.query<{ subject: string; attempts: number }>(
    `select subject, (after->>'attempts')::int as attempts from audit_log
     where refusal_key is not null order by id desc limit 2`,
  )
  assert.deepEqual(rows, [
    { subject: 'further refusals of this hour', attempts: 4 },
    { subject: 'GET /one', attempts: 2 },
  ])
  assert.equal((await reader.get('/audit?action=role.')).status, 200)
})

test('the log is filtered by operator, action, subject and time, and its pages have no gaps or repeats', async () => {
  const own = await gatewayForTests()
  const viewer = await own.operator('viewer')
  for (let no = 1; no <= 7; no++) {
    const operator = { ...commandLine(undefined), name: no % 2 === 0 ? 'even' : 'odd' }
    const action = no > 4 ? 'key.rotate' : 'ari.stop-sell'
    await audit(own.db, { operator, requestId: undefined, action, subject: `thing ${no}`, after: { no } })
  }
  await own.db.query(`update audit_log set at = timestamptz '2027-01-01' + id * interval '1 day'`)
  const subjects = async (query: string) =>
    changesOf(await viewer.get(`/audit?${query}`))
      .map(({ subject }) => String(subject).slice(-1))
      .join('')
  assert.equal(await subjects(''), '7654321')
  assert.equal(await subjects('operator=even'), '642')
  assert.equal(await subjects('action=key.'), '765')
  assert.equal(await subjects('action=key.rotate&operator=odd'), '75')
  assert.equal(await subjects('subject=THING%203'), '3')
  assert.equal(await subjects('since=2027-01-03&until=2027-01-05'), '432')
  assert.equal(await subjects('operator=nobody'), '')
  const pages: string[] = []
  for (let cursor: unknown = ''; typeof cursor === 'string';) {
    const page = await viewer.get(`/audit?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
    pages.push(
      changesOf(page)
        .map(({ subject }) => String(subject).slice(-1))
        .join(''),
    )
    cursor = page.body['nextCursor']
  }
  assert.deepEqual(pages, ['765', '432', '1'])
  const wrong = await viewer.get('/audit?since=yesterday&limit=0&cursor=x')
  assert.deepEqual(
    [wrong.status, Array.isArray(wrong.body['errors']) && wrong.body['errors'].map(({ path }) => path)],
    [400, ['?since', '?cursor', '?limit']],
  )
})

test('what a request says beyond its shape does not reach the log, which is kept forever and read by everybody', async () => {
  const { supplier } = await openShop(gateway, 'Talkative')
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [
    supplier.name,
  ])
  const { id } = rows[0] ?? assert.fail()
  const manager = await gateway.operator('operator', id)
  const ordered = { kind: 'hotels', format: 'ndjson' }
  const booked = {
    hotelId: 'H1',
    roomId: 'DBL',
    rateId: 'BAR',
    checkin: '2027-04-20',
    checkout: '2027-04-22',
  }
  const beyond = { note: '4111 1111 1111 1111', '\ud800': 'half a character' }
  const statuses = [
    await manager.post(`/suppliers/${id}/exports`, { ...ordered, ...beyond }),
    await manager.post(`/sandbox/${id}/bookings`, { ...booked, adults: 2, childAges: [], ...beyond }),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [201, 201])
  const [ofBooking, ofExport] = changesOf(await admin.get(`/audit?operator=${manager.name}`))
  assert.deepEqual(
    [ofExport?.['after'], ofBooking?.['after']],
    [ordered, { ...booked, adults: 2, childAges: [] }],
  )
})

test('secrets and cards never reach the log, even if a caller passes them by mistake', async () => {
  await audit(gateway.db, {
    operator: commandLine(undefined),
    requestId: undefined,
    action: 'key.create',
    subject: 'slip',
    before: { signingSecret: 'whsec_1', keys: [{ apiKey: 'ari_sbx_1', tail: 'abcd' }] },
    after: {
      password: 'hunter2',
      hasPassword: true,
      paymentCard: { number: '4111' },
      token: 'x',
      tokenId: 3,
      note: null,
    },
  })
  const [change] = changesOf(await admin.get('/audit?subject=slip'))
  assert.deepEqual(
    [change?.['before'], change?.['after']],
    [
      { signingSecret: '[hidden]', keys: [{ apiKey: '[hidden]', tail: 'abcd' }] },
      {
        password: '[hidden]',
        hasPassword: true,
        paymentCard: '[hidden]',
        token: '[hidden]',
        tokenId: 3,
        note: null,
      },
    ],
  )
})

test('the log is read per hotel, and per supplier with its keys and hotels, with names for numbers and codes', async () => {
  const own = await gatewayForTests()
  const reader = await own.operator('admin')
  const { supplier } = await openShop(own, 'Sea PMS')
  const other = await own.supplier('Other PMS')
  const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  const hotelId = Number(Object(body['hotels'])[0].platformHotelId)
  const supplierOf = async (keyId: number): Promise<number> => {
    const { rows } = await own.db.query<{ id: number }>(
      'select supplier_id as id from api_key where id = $1',
      [keyId],
    )
    return rows[0]?.id ?? 0
  }
  const [sea, others] = [await supplierOf(supplier.keyId), await supplierOf(other.keyId)]
  const stop = {
    action: 'stop',
    targets: [{ roomId: 'DBL', rateId: 'BAR' }],
    from: '2027-04-12',
    to: '2027-04-14',
    reason: 'Water damage',
  }
  expectOk(await reader.post(`/hotels/${hotelId}/stop-sell`, stop))
  const limits = { requestsPerMinute: 500 }
  expectOk(await reader.put(`/keys/${supplier.keyId}/limits`, limits))
  expectOk(await reader.put(`/keys/${other.keyId}/limits`, limits))
  const read = async (query: string): Promise<Reply> => expectOk(await reader.get(`/audit?${query}`))
  const actions = async (query: string) =>
    changesOf(await read(query)).map(({ action, subject }) => [action, subject])
  const ofKey = ['key.limits', `key ${supplier.keyId} of "Sea PMS"`]
  const ofHotel = ['ari.stop-sell', `hotel ${hotelId} "H1"`]
  assert.deepEqual(await actions(`hotelId=${hotelId}`), [ofHotel])
  assert.deepEqual(await actions(`supplierId=${sea}`), [ofKey, ofHotel])
  assert.deepEqual(await actions(`supplierId=${others}`), [
    ['key.limits', `key ${other.keyId} of "Other PMS"`],
  ])
  const { hotels, keys } = Object((await read(`supplierId=${sea}`)).body)
  assert.deepEqual(
    [hotels, keys],
    [
      [
        {
          hotelId,
          name: 'Sea View',
          rooms: [{ code: 'DBL', name: 'Room DBL' }],
          rates: [{ code: 'BAR', name: 'Rate BAR' }],
        },
      ],
      [{ keyId: supplier.keyId, supplierId: sea }],
    ],
  )
})
