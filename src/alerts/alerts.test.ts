import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { problemsOf, pushStoryHotel } from '../../test/stage/story.ts'
import { raiseFindings } from '../findings/store.ts'

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
const { db, clock } = gateway
let acme: TestSupplier
let other: TestSupplier
const hotels = new Map<string, { supplierId: number; hotelId: number }>()

before(async () => {
  acme = await gateway.supplier('Acme')
  other = await gateway.supplier('Other')
  for (const supplier of [acme, other]) await pushStoryHotel(supplier)
  const { rows } = await db.query<{ name: string; supplierId: number; hotelId: number }>(
    `select supplier.name, supplier.id as "supplierId", hotel.id as "hotelId"
     from hotel join supplier on supplier.id = supplier_id`,
  )
  for (const { name, ...row } of rows) hotels.set(name, row)
})

function ofHotel({ name }: TestSupplier) {
  const found = hotels.get(name)
  assert.ok(found)
  return found
}

const alertsOf = ({ body }: Reply): { alertId: string; kind: string }[] => Object(body)['alerts']

test('alerts are listed newest first, by state, kind and hotel, page by page', async () => {
  const stale = { ...ofHotel(acme), kind: 'ari.stale', evidence: { hours: 30 } } as const
  await raiseFindings(db, [stale], clock.now())
  clock.set('2027-03-01T13:00:00Z')
  const { supplierId } = ofHotel(acme)
  const failing = { supplierId, kind: 'webhook.failing', keyId: acme.keyId, subject: 'pushbook' } as const
  await raiseFindings(db, [failing, { ...ofHotel(other), kind: 'ari.stale' }], clock.now())

  const first = await acme.post('/push/alerts', { limit: 1 })
  const [failingId = ''] = alertsOf(first).map(({ alertId }) => alertId)
  assert.deepEqual(alertsOf(first), [
    {
      alertId: failingId,
      kind: 'webhook.failing',
      severity: 'warning',
      state: 'open',
      title: 'One of your URLs does not accept our calls',
      remedy: 'Test the URL with POST /push/webhook/test after fixing it, or register another one',
      hotelId: null,
      keyId: acme.keyId,
      subject: 'pushbook',
      count: 1,
      evidence: {},
      openedAt: '2027-03-01T13:00:00.000Z',
      lastSeenAt: '2027-03-01T13:00:00.000Z',
      announcedAt: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      resolvedAt: null,
    },
  ])
  const second = await acme.post('/push/alerts', { limit: 1, cursor: first.body['nextCursor'] })
  assert.deepEqual(
    [alertsOf(second).map(({ kind }) => kind), second.body['nextCursor']],
    [['ari.stale'], null],
  )
  const listed = async (search: unknown) => alertsOf(await acme.post('/push/alerts', search)).length
  assert.equal(await listed({ hotelId: 'H1' }), 1)
  assert.equal(await listed({ kinds: ['webhook.failing', 'drift.high'] }), 1)
  assert.equal(await listed({ states: ['resolved'] }), 0)
})

test('an acknowledged alert stays until it is resolved; another supplier does not know it', async () => {
  const [failing, stale] = alertsOf(await acme.post('/push/alerts', {})).map(({ alertId }) => alertId)
  const foreign = await other.post('/push/alerts/ack', { alertIds: [stale] })
  assert.deepEqual(
    [foreign.status, problemsOf(foreign)],
    [404, [['/alertIds/0', 'ALERT_NOT_FOUND', 'Alert not found']]],
  )
  const none = await acme.post('/push/alerts/ack', { alertIds: [stale, 'alr_999999', 'nonsense'] })
  assert.deepEqual(problemsOf(none), [
    ['/alertIds/1', 'ALERT_NOT_FOUND', 'Alert not found'],
    ['/alertIds/2', 'ALERT_NOT_FOUND', 'Alert not found'],
  ])
  const acknowledge = async (...alertIds: unknown[]) =>
    (await acme.post('/push/alerts/ack', { alertIds })).body['acknowledged']
  assert.deepEqual([await acknowledge(stale, stale), await acknowledge(stale)], [1, 0])
  const states = alertsOf(await acme.post('/push/alerts', {})).map((alert) => ({ ...alert }))
  assert.deepEqual(
    states.map(({ alertId, ...alert }) => [alertId, Object(alert).state, Object(alert).acknowledgedBy]),
    [
      [failing, 'open', null],
      [stale, 'acknowledged', 'supplier'],
    ],
  )
})

test('a cursor that was not issued, an unknown kind and an unknown hotel are refused', async () => {
  assert.deepEqual(problemsOf(await acme.post('/push/alerts', { cursor: 'x' })), [
    ['/cursor', 'INVALID_CURSOR', 'cursor is not valid'],
  ])
  assert.equal((await acme.post('/push/alerts', { kinds: ['nonsense'] })).status, 400)
  assert.equal((await acme.post('/push/alerts', { hotelId: 'H2' })).status, 404)
  assert.equal((await acme.post('/push/alerts', { hotel: 'H1' })).status, 400, 'a misspelt filter')
})
