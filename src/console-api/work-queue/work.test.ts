import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests, type TestOperator } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'
import { raiseFinding, resolveFinding } from '../../findings/store.ts'
import { workLimits, type WorkItem } from './contract.ts'

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
let shop: Shop
let ann: TestOperator
let bob: TestOperator
let viewer: TestOperator
let hotel = { id: 0, supplierId: 0 }

before(async () => {
  shop = await openShop(gateway, 'Acme')
  ann = await gateway.operator('operator')
  bob = await gateway.operator('operator')
  viewer = await gateway.operator('viewer')
  const { rows } = await gateway.db.query<typeof hotel>('select id, supplier_id as "supplierId" from hotel')
  hotel = rows[0] ?? hotel
})

type Listed = { items: WorkItem[]; counts: Record<string, number>; isMore: boolean }

/** Five seconds later: until then, what was read of the push log is shown again. */
async function list(view = 'open'): Promise<Listed> {
  gateway.clock.set(new Date(gateway.clock.now() + 5_000).toISOString())
  return JSON.parse(expectOk(await viewer.get(`/work?view=${view}`)).text)
}

const kinds = async (view = 'open'): Promise<string[]> => (await list(view)).items.map(({ kind }) => kind)

async function itemOf(kind: string, view = 'open'): Promise<WorkItem> {
  return (await list(view)).items.find((one) => one.kind === kind) ?? assert.fail(`no ${kind}`)
}

const alertName = () =>
  ({ supplierId: hotel.supplierId, kind: 'booking.undelivered', hotelId: hotel.id }) as const
const at = (time: string) => Date.parse(`2027-03-01T${time}:00Z`)

test('the queue has alerts, refused pushes by error, hotels that were never pushed and stop-sells, the worst first', async () => {
  assert.deepEqual(await list(), { items: [], counts: { open: 0, snoozed: 0, done: 0 }, isMore: false })
  await raiseFinding(
    gateway.db,
    { ...alertName(), count: 2, evidence: { reservationIds: ['7'] } },
    at('11:50'),
  )
  for (let count = 0; count < 4; count++)
    await shop.supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'NOPE', date: '2027-03-05' }] })
  const careless = await gateway.supplier('Careless')
  await pushStoryHotel(careless)
  const operator = await operatorOf(gateway)
  const order = { action: 'stop', targets: [{ roomId: 'DBL' }], from: '2027-04-20', to: '2027-04-21' }
  expectOk(await operator('POST', `/hotels/${hotel.id}/stop-sell`, { ...order, reason: 'Burst pipe' }))

  const { items } = await list()
  assert.deepEqual(
    items.map(({ kind, severity, supplier, count }) => [kind, severity, supplier, count]),
    [
      ['booking.undelivered', 'critical', 'Acme', 2],
      ['push.error', 'warning', 'Acme', 4],
      ['hotel.neverPushed', 'warning', 'Careless', 1],
      ['sales.stopped', 'info', 'Acme', 1],
    ],
  )
  const refused = await itemOf('push.error')
  assert.deepEqual([refused.since, refused.evidence['hotels']], ['2027-03-01T12:00:05.000Z', 1])
  const stopped = await itemOf('sales.stopped')
  assert.deepEqual([stopped.subject, stopped.hotelId], ['Burst pipe', hotel.id])
})

test('a supplier whose pushes are refused with several errors is one row, with each error', async () => {
  for (let count = 0; count < 2; count++)
    await shop.supplier.post('/push/ari', { hotelId: 'NONE', ari: [{ roomId: 'DBL', date: '2027-03-05' }] })
  const refused = (await list()).items.filter(({ kind }) => kind === 'push.error')
  assert.deepEqual(
    refused.map(({ supplier, count, errors }) => [
      supplier,
      count,
      errors.map(({ type, pushes, hotels, message, requestIds }) => [
        type,
        pushes,
        hotels,
        message,
        requestIds.length,
      ]),
    ]),
    [
      [
        'Acme',
        6,
        [
          ['ROOM_NOT_FOUND', 4, 1, 'RoomID not found', 3],
          ['HOTEL_NOT_FOUND', 2, 0, 'Hotel ID is not found', 2],
        ],
      ],
    ],
  )
})

test('pushes with several errors count for each of them, with the message of their first and the newest ids of all', async () => {
  const mixed = await gateway.supplier('Mixed')
  await pushStoryHotel(mixed)
  const nights = { startDate: '2027-03-05', endDate: '2027-03-05', inventory: 1 }
  const [noRoom, noRate, good] = [
    { roomId: 'NONE', ...nights },
    {
      roomId: 'DBL',
      rateId: 'NONE',
      startDate: '2027-03-05',
      endDate: '2027-03-05',
      pricingModel: 'unit',
      price: 100,
    },
    { roomId: 'DBL', ...nights },
  ]
  const push = async (ari: readonly object[]): Promise<void> => {
    const { status } = await mixed.post('/push/ari', { hotelId: 'H1', ari }, { 'x-request-id': `m${++sent}` })
    assert.notEqual(status, 200)
  }
  let sent = 0
  for (const ari of [[noRate], [noRoom, noRate], [noRate, noRoom], [noRoom, good], [noRoom, noRate]])
    await push(ari)
  const refused = (await list()).items.find(({ supplier }) => supplier === 'Mixed')
  assert.deepEqual(
    [refused?.count, refused?.evidence['outcome'], refused?.evidence['hotels'], refused?.errors],
    [
      5,
      'rejected',
      1,
      [
        {
          type: 'RATE_NOT_FOUND',
          pushes: 4,
          hotels: 1,
          message: 'RateID not found',
          requestIds: ['m5', 'm3', 'm2'],
        },
        {
          type: 'ROOM_NOT_FOUND',
          pushes: 4,
          hotels: 1,
          message: 'RoomID not found',
          requestIds: ['m5', 'm4', 'm3'],
        },
      ],
    ],
  )
  await gateway.db.query(`delete from push_log where request_text ~ '^m[0-9]$'`)
})

test('neither many refused pushes of one supplier nor dry runs hide those of others, nor dry runs its own', async () => {
  const drilling = await gateway.supplier('Drilling')
  for (const [name, outcome, pushes, key] of [
    ['Storm', 'rejected', workLimits.refusedRead, undefined],
    ['Careful', 'dryRun', workLimits.refusedRead, undefined],
    ['Drilling', 'rejected', 3, drilling.keyId],
    // Newer than its refused ones.
    ['Drilling', 'dryRun', workLimits.refusedRead, drilling.keyId],
  ] as const) {
    const keyId = key ?? (await gateway.supplier(name)).keyId
    await gateway.db.query(
      `insert into push_log (at, supplier_id, key_id, request_text, kind, outcome, cells_changed, duration_ms, body_bytes)
       select instant($3), supplier_id, id, $4 || number, 'ari', $2::push_outcome, 0, 1, 2
       from api_key, generate_series(1, $5) as number where id = $1`,
      [keyId, outcome, at('11:59'), name, pushes],
    )
  }
  const refused = (await list()).items.filter(({ kind }) => kind === 'push.error')
  assert.deepEqual(Object.fromEntries(refused.map(({ supplier, count }) => [supplier, count])), {
    Acme: 6,
    Drilling: 3,
    Storm: workLimits.refusedRead,
  })
  await gateway.db.query(`delete from push_log where request_text ~ '^(Storm|Careful|Drilling)'`)
})

test('many hotels of one supplier without ARI, as in a first load, don’t hide those of others', async () => {
  const { keyId } = await gateway.supplier('Loading')
  // Their ids are before those of the other supplier’s hotel.
  await gateway.db.query(
    `insert into hotel (id, supplier_id, key_id, code, name, currency, is_available, min_child_age, max_child_age,
       time_zone, pushed, revision, catalog_version) overriding system value
     select -number, supplier_id, id, 'L' || number, 'Loaded', 'EUR', true, 2, 12, 'UTC', '{}', 1, 1
     from api_key, generate_series(0, $2) as number where id = $1`,
    [keyId, workLimits.neverPushedRead],
  )
  const never = (await list()).items.filter(({ kind }) => kind === 'hotel.neverPushed')
  assert.deepEqual(
    never.map(({ supplier, count }) => [supplier, count]),
    [
      ['Loading', workLimits.neverPushedRead],
      ['Careless', 1],
    ],
  )
  await gateway.db.query(`delete from hotel where code ~ '^L' and name = 'Loaded'`)
})

test('one takes it, and of two only one; another takes over by naming who has it', async () => {
  const { key } = await itemOf('booking.undelivered')
  expectOk(await ann.post('/work', { key, action: 'take' }))
  assert.equal((await itemOf('booking.undelivered')).takenBy, ann.name)
  const refused = await bob.post('/work', { key, action: 'take' })
  assert.deepEqual([refused.status, refused.body['message']], [409, `${ann.name} is working on it`])
  assert.equal((await bob.post('/work', { key, action: 'release' })).status, 409)
  expectOk(await bob.post('/work', { key, action: 'take', hadBy: ann.name }))
  expectOk(await bob.post('/work', { key, action: 'note', note: 'Called the hotel, they look into it' }))
  const { takenBy, note } = await itemOf('booking.undelivered')
  assert.deepEqual(
    [takenBy, note?.text, note?.by],
    [bob.name, 'Called the hotel, they look into it', bob.name],
  )
  expectOk(await bob.post('/work', { key, action: 'release' }))
  assert.equal((await itemOf('booking.undelivered')).takenBy, null)
})

test('snoozed work comes back at its time', async () => {
  const { key } = await itemOf('hotel.neverPushed')
  expectOk(await ann.post('/work', { key, action: 'snooze', until: '2027-03-01T13:00:00Z' }))
  assert.ok(!(await kinds()).includes('hotel.neverPushed'))
  assert.deepEqual(await kinds('snoozed'), ['hotel.neverPushed'])
  gateway.clock.set('2027-03-01T13:00:00Z')
  assert.ok((await kinds()).includes('hotel.neverPushed'))
  gateway.clock.set('2027-03-01T12:00:00Z')
})

test('what is done comes back when there is more of it, or when it happens anew', async () => {
  const { key } = await itemOf('booking.undelivered')
  gateway.clock.set('2027-03-01T12:10:00Z')
  expectOk(await ann.post('/work', { key, action: 'done' }))
  assert.deepEqual(
    [(await itemOf('booking.undelivered', 'done')).doneBy, (await list()).counts['done']],
    [ann.name, 1],
  )
  const { rows } = await gateway.db.query('select state, acknowledged_by as by from finding')
  assert.deepEqual(rows, [{ state: 'acknowledged', by: ann.name }])
  await raiseFinding(gateway.db, { ...alertName(), count: 3 }, at('12:11'))
  assert.ok((await kinds()).includes('booking.undelivered'), 'there is one more')
  expectOk(await ann.post('/work', { key, action: 'done' }))
  await resolveFinding(gateway.db, alertName(), at('12:12'))
  assert.ok(!(await kinds('done')).includes('booking.undelivered'), 'its cause is gone')
  await raiseFinding(gateway.db, { ...alertName(), count: 1 }, at('12:13'))
  assert.ok((await kinds()).includes('booking.undelivered'), 'it happened anew')
  expectOk(await ann.post('/work', { key, action: 'done' }))
  expectOk(await bob.post('/work', { key, action: 'reopen' }))
  assert.ok((await kinds()).includes('booking.undelivered'))
})

test('refused pushes with an error are done until the next one', async () => {
  const { key } = await itemOf('push.error')
  expectOk(await ann.post('/work', { key, action: 'done' }))
  assert.ok(!(await kinds()).includes('push.error'))
  gateway.clock.set('2027-03-01T12:20:00Z')
  await shop.supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'NOPE', date: '2027-03-05' }] })
  assert.equal((await itemOf('push.error')).count, 7)
})

test('viewers read and change nothing; notes without a text or with a card, wrong times and unknown work are refused', async () => {
  const { key } = await itemOf('booking.undelivered')
  assert.equal((await viewer.post('/work', { key, action: 'take' })).status, 403)
  const cases: [object, number, string][] = [
    [{ key, action: 'note' }, 400, 'NOTE_REQUIRED'],
    [{ key, action: 'note', note: 'card 4111 1111 1111 1111' }, 400, 'CARD_IN_NOTE'],
    [{ key, action: 'snooze' }, 400, 'UNTIL_OUT_OF_RANGE'],
    [{ key, action: 'snooze', until: '2027-03-01T12:00:00Z' }, 400, 'UNTIL_OUT_OF_RANGE'],
    [{ key, action: 'snooze', until: '2028-03-01T12:00:00Z' }, 400, 'UNTIL_OUT_OF_RANGE'],
    [{ key: 'alr_999999', action: 'done' }, 404, 'WORK_NOT_FOUND'],
    [{ key: "'; drop table work_item --", action: 'take' }, 404, 'WORK_NOT_FOUND'],
  ]
  for (const [body, status, type] of cases) {
    const reply = await ann.post('/work', body)
    assert.deepEqual([reply.status, Object(problemsOf(reply)[0])[1]], [status, type], JSON.stringify(body))
  }
  const { rows } = await gateway.db.query<{ action: string }>(
    `select distinct action from audit_log where action like 'work.%' order by action`,
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['work.done', 'work.note', 'work.release', 'work.reopen', 'work.snooze', 'work.take'],
  )
})
