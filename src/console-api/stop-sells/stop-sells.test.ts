import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf, type OperatorCall } from '../../../test/stage/scenes/calendar.ts'
import { client, gatewayForTests, type TestOperator } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { stayReader } from '../../offers/stays/stays.ts'
import { endStopSells } from './end-stop-sells.ts'
import type { ListedStopSell } from './contract.ts'

/** The list of stop-sells, and how each ends. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
let operator: OperatorCall
let viewer: TestOperator
before(async () => {
  operator = await operatorOf(gateway)
  viewer = await gateway.operator('viewer')
})

type Stage = Shop & { hotel: number }

async function scene(name: string): Promise<Stage> {
  gateway.clock.set('2027-03-01T12:00:00Z')
  const shop = await openShop(gateway, name)
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [name],
  )
  return { ...shop, hotel: rows[0]?.id ?? 0 }
}

type Nights = { from: string; to: string }
const nights = { from: '2027-04-20', to: '2027-04-24' }

async function change(stage: Stage, action: 'stop' | 'open', more: object): Promise<number> {
  const order = { action, targets: [{ roomId: 'DBL' }], reason: 'Burst pipe', ...nights, ...more }
  const { body } = expectOk(await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order))
  return Number(body['nightsChanged'])
}

async function list({ hotel }: Stage, state = 'active'): Promise<ListedStopSell[]> {
  const { text } = expectOk(await operator('GET', `/stop-sells?hotelId=${hotel}&state=${state}`))
  return JSON.parse(text).stopSells
}

const resume = ({ stopSellId }: ListedStopSell) => operator('POST', `/stop-sells/${stopSellId}/resume`)

/** The nights that can't be booked because an operator stopped them. */
async function stoppedNights(stage: Stage, { from, to }: Nights = nights): Promise<string[]> {
  const { body } = expectOk(await operator('GET', `/hotels/${stage.hotel}/calendar?from=${from}&to=${to}`))
  const { stopSell = [] } = Object(body['rooms'])[0]
  const values: number[] = Array.isArray(stopSell) ? stopSell : unrolled(stopSell.runs)
  return values.flatMap((value, index) => (value === 1 ? [String(Number(from.slice(-2)) + index)] : []))
}

function unrolled(runs: readonly number[]): number[] {
  return runs.flatMap((value, index) => (index % 2 === 0 ? Array(runs[index + 1]).fill(value) : []))
}

test('a stop-sell is listed with who, why, since when and which nights, and sales resume in one step', async () => {
  const stage = await scene('listed')
  assert.equal(await change(stage, 'stop', {}), 5)
  const [listed] = await list(stage)
  assert.ok(listed)
  const { stopSellId, requestId, supplierId } = listed
  assert.deepEqual(listed, {
    stopSellId,
    requestId,
    supplierId,
    hotelId: stage.hotel,
    hotelName: 'Sea View',
    supplier: 'listed',
    reason: 'Burst pipe',
    operator: operator.id,
    at: '2027-03-01T12:00:00.000Z',
    rows: [{ roomId: 'DBL', rateId: null, ...nights }],
    moreRows: 0,
    until: null,
    endedAt: null,
    endedBy: null,
  })
  const fresh = await gateway.second()
  const overview = expectOk(await client(fresh.url, viewer.headers, '/console/api').get('/overview'))
  assert.deepEqual(Object(overview.body['stopSells']).first[0].reason, 'Burst pipe')

  assert.equal((await viewer.post(`/stop-sells/${listed.stopSellId}/resume`, undefined)).status, 403)
  const { body } = expectOk(await resume(listed))
  assert.deepEqual([body['changed'], body['kept']], [[{ isRate: false, nights: 5 }], []])
  assert.deepEqual([await list(stage), await stoppedNights(stage)], [[], []])
  const [ended] = await list(stage, 'ended')
  assert.deepEqual([ended?.stopSellId, ended?.endedBy], [listed.stopSellId, operator.id])
  const again = await resume(listed)
  assert.deepEqual([again.status, Object(problemsOf(again)[0])[1]], [409, 'STOP_SELL_ENDED'])
  assert.equal((await operator('POST', '/stop-sells/999999/resume')).status, 404)
  assert.equal((await operator('POST', '/stop-sells/x/resume')).status, 404)
})

test('nights that another stop-sell claims too stay stopped until that one ends', async () => {
  const stage = await scene('both')
  await change(stage, 'stop', { reason: 'Water damage', from: '2027-04-20', to: '2027-04-22' })
  // Of its nights, two are stopped already.
  assert.equal(await change(stage, 'stop', { reason: 'Fraud', from: '2027-04-21', to: '2027-04-24' }), 2)
  const [fraud, water] = await list(stage)
  assert.ok(fraud && water)
  const { body: first } = expectOk(await resume(water))
  assert.deepEqual(
    [first['changed'], first['kept']],
    [[{ isRate: false, nights: 1 }], [{ isRate: false, nights: 2 }]],
  )
  assert.deepEqual(await stoppedNights(stage), ['21', '22', '23', '24'])
  const { body: second } = expectOk(await resume(fraud))
  assert.deepEqual([second['changed'], await stoppedNights(stage)], [[{ isRate: false, nights: 4 }], []])
})

test('a stop-sell ends by itself at its time, and one without end on the same nights keeps them stopped', async () => {
  const stage = await scene('until')
  await change(stage, 'stop', { until: '2027-03-01T18:00:00Z' })
  // Nothing changes now, but these nights must not open at six.
  assert.equal(await change(stage, 'stop', { reason: 'Fire', to: '2027-04-21' }), 0)
  // The same again is nothing new.
  assert.equal(await change(stage, 'stop', { reason: 'Fire', to: '2027-04-21' }), 0)
  assert.deepEqual(
    (await list(stage)).map(({ reason, until }) => [reason, until]),
    [
      ['Fire', null],
      ['Burst pipe', '2027-03-01T18:00:00.000Z'],
    ],
  )
  await watch('2027-03-01T17:59:59Z')
  assert.deepEqual(await stoppedNights(stage), ['20', '21', '22', '23', '24'])
  await watch('2027-03-01T18:00:00Z')
  assert.deepEqual(await stoppedNights(stage), ['20', '21'])
  assert.deepEqual(
    [
      (await list(stage)).map(({ reason }) => reason),
      (await list(stage, 'ended')).map(({ endedBy }) => endedBy),
    ],
    [['Fire'], [null]],
  )
  const { rows } = await gateway.db.query<{ operator: string }>(
    `select operator_name as operator from audit_log where action = 'ari.open-again' and subject like $1`,
    [`hotel ${stage.hotel} %`],
  )
  assert.deepEqual(rows, [{ operator: 'service' }])
  const { rows: stopped } = await gateway.db.query<{ reason: string; nights: number }>(
    `select after ->> 'reason' as reason, (after -> 'nightsChanged')::int as nights from audit_log
     where action = 'ari.stop-sell' and subject like $1 order by id`,
    [`hotel ${stage.hotel} %`],
  )
  assert.deepEqual(stopped, [
    { reason: 'Burst pipe', nights: 5 },
    { reason: 'Fire', nights: 0 },
  ])
  // The supplier sees it like any other stop-sell.
  const log = expectOk(await stage.supplier.get('/push/log?kind=stopSell'))
  assert.equal(Object(log.body['pushes']).length, 2)
})

async function watch(now: string): Promise<void> {
  gateway.clock.set(now)
  const { db, clock } = gateway
  const needs = { db, clock, log: openLog('fatal', { write: () => undefined }), telemetry: telemetry() }
  await endStopSells({ ...needs, stays: stayReader(db, needs.telemetry) }, clock.now())
}

test('resuming nights in the calendar narrows the stop-sells that claim them, and ends those of which nothing is left', async () => {
  const stage = await scene('narrowed')
  await change(stage, 'stop', {})
  await change(stage, 'open', { from: '2027-04-22', to: '2027-04-22' })
  const [narrowed] = await list(stage)
  assert.deepEqual(narrowed?.rows, [
    { roomId: 'DBL', rateId: null, from: '2027-04-20', to: '2027-04-21' },
    { roomId: 'DBL', rateId: null, from: '2027-04-23', to: '2027-04-24' },
  ])
  await change(stage, 'open', {})
  assert.deepEqual([await list(stage), (await list(stage, 'ended')).length], [[], 1])
})

test('a stop-sell leaves the list with its last night, and its account when that is reset', async () => {
  const stage = await scene('past')
  await change(stage, 'stop', { from: '2027-03-01', to: '2027-03-02' })
  assert.equal((await list(stage)).length, 1)
  await watch('2027-03-03T12:00:00Z')
  assert.equal((await list(stage)).length, 0)
  expectOk(await stage.supplier.post('/push/sandbox/reset', {}))
  const { rows } = await gateway.db.query('select from stop_sell_order where hotel_id = $1', [stage.hotel])
  assert.equal(rows.length, 0)
})

test('stop-sells of before the list existed are in it, with what is still stopped of them', async () => {
  const stage = await scene('former')
  await change(stage, 'stop', { targets: [{ roomId: 'DBL' }, { roomId: 'DBL', rateId: 'BAR' }] })
  await change(stage, 'open', { from: '2027-04-22', to: '2027-04-22' })
  const [ordered] = await list(stage)
  await gateway.db.query('delete from stop_sell_order')
  const migration = await readFile('db/migrations/0045_stop_sell_order.sql', 'utf8')
  await gateway.db.query(migration.slice(migration.indexOf('insert into stop_sell_order')))
  const [after] = await list(stage)
  assert.ok(ordered && after)
  assert.deepEqual(after, { ...ordered, stopSellId: after.stopSellId, reason: null })
})

test('a hotel of which every room is stopped tonight says by whom, why and until when', async () => {
  const stage = await scene('whole')
  expectOk(await stage.supplier.post('/push/products', { hotelId: 'H1', products: [product('TWN', 'BAR')] }))
  const stoppedOf = async (by = viewer) =>
    Object(expectOk(await by.get(`/hotels/${stage.hotel}`)).body['stopped'])
  const tonight = { from: '2027-03-01', to: '2027-03-20' }
  await change(stage, 'stop', { ...tonight, reason: 'Renovation' })
  assert.deepEqual(await stoppedOf(), {}, 'a room can still be sold')
  const until = '2027-03-10T10:00:00.000Z'
  const targets = [{ roomId: 'TWN', rateId: 'BAR' }]
  await change(stage, 'stop', { ...tonight, to: '2027-03-25', targets, reason: 'Flood', until })
  const told = { reason: 'Flood', operator: operator.id, until, lastNight: '2027-03-25' }
  assert.deepEqual(await stoppedOf(), told, 'then one room can be sold again')
  await change(stage, 'stop', { ...tonight, targets, reason: 'Fair', until: '2027-03-15T10:00:00.000Z' })
  const longer = {
    reason: 'Fair',
    operator: operator.id,
    until: '2027-03-15T10:00:00.000Z',
    lastNight: '2027-03-20',
  }
  assert.deepEqual(await stoppedOf(), longer, 'both stop it: the longer one')
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'whole'`)
  const person = await gateway.operator('viewer', rows[0]?.id)
  assert.deepEqual(await stoppedOf(person), { ...longer, operator: null })
  gateway.clock.set('2027-03-22T12:00:00Z')
  // The former session has ended.
  assert.deepEqual(await stoppedOf(await gateway.operator('viewer')), {}, 'not on later nights')
})
