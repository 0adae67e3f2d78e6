import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { raiseFindings } from '../../findings/store.ts'

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
const { db, clock } = gateway
let supplier: TestSupplier
let hotelId: number
before(async () => {
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const { rows } = await db.query<{ supplierId: number; id: number }>(
    'select supplier_id as "supplierId", id from hotel',
  )
  const [{ supplierId, id } = { supplierId: 0, id: 0 }] = rows
  hotelId = id
  await raiseFindings(
    db,
    [
      { supplierId, kind: 'ari.stale', hotelId },
      { supplierId, kind: 'key.expiring', keyId: supplier.keyId },
      { supplierId, kind: 'booking.undelivered', hotelId, count: 2 },
    ],
    clock.now(),
  )
})

type Listed = { alertId: string; kind: string; acknowledgedBy: string | null }

test('operators see the alerts of all suppliers, by hotel and kind, page by page', async () => {
  const viewer = await gateway.operator('viewer')
  const list = async (query: string) => Object(expectOk(await viewer.get(`/alerts?${query}`)).body)
  const kinds = ({ alerts }: { alerts: Listed[] }) => alerts.map(({ kind }) => kind).toSorted()
  assert.deepEqual(kinds(await list('')), ['ari.stale', 'booking.undelivered', 'key.expiring'])
  assert.deepEqual(kinds(await list(`hotelId=${hotelId}`)), ['ari.stale', 'booking.undelivered'])
  assert.deepEqual(kinds(await list('kind=key.expiring')), ['key.expiring'])
  const first = await list('limit=2')
  const second = await list(`limit=2&cursor=${first.nextCursor}`)
  assert.deepEqual([first.alerts.length, second.alerts.length, second.nextCursor], [2, 1, null])
})

test('the worst come first, and of equals the newest, across pages', async () => {
  const viewer = await gateway.operator('viewer')
  const [{ supplierId } = { supplierId: 0 }] = (
    await db.query<{ supplierId: number }>('select supplier_id as "supplierId" from hotel')
  ).rows
  const later = [
    { supplierId, kind: 'drift.high', hotelId },
    { supplierId, kind: 'resync.requested', hotelId },
  ] as const
  for (const [number, finding] of later.entries())
    await raiseFindings(db, [finding], clock.now() + (number + 1) * 60_000)
  const kinds: string[] = []
  let cursor = ''
  do {
    const page = Object(expectOk(await viewer.get(`/alerts?limit=2${cursor}`)).body)
    kinds.push(...page.alerts.map(({ kind }: Listed) => kind))
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  assert.deepEqual(kinds, [
    'booking.undelivered',
    'drift.high',
    'key.expiring',
    'ari.stale',
    'resync.requested',
  ])
  await db.query(`delete from finding where kind in ('drift.high', 'resync.requested')`)
})

test('an operator acknowledges one, which the audit log has; a viewer may not', async () => {
  const [operator, viewer] = [await gateway.operator('operator'), await gateway.operator('viewer')]
  const list = async (state: string): Promise<Listed[]> =>
    Object(expectOk(await viewer.get(`/alerts?state=${state}`)).body)['alerts']
  const { alertId } = (await list('open')).find(({ kind }) => kind === 'ari.stale') ?? { alertId: '' }
  assert.equal((await viewer.post(`/alerts/${alertId}/ack`, undefined)).status, 403)
  assert.equal((await operator.post('/alerts/alr_999/ack', undefined)).status, 404)
  assert.equal(expectOk(await operator.post(`/alerts/${alertId}/ack`, undefined)).body['acknowledged'], 1)
  assert.equal(expectOk(await operator.post(`/alerts/${alertId}/ack`, undefined)).body['acknowledged'], 0)
  assert.deepEqual([(await list('open')).length, (await list('unresolved')).length], [2, 3])
  const found = (await list('unresolved')).find((one) => one.alertId === alertId)
  assert.equal(found?.acknowledgedBy, operator.name)
  const audited = await db.query(`select 1 from audit_log where action = 'alert.acknowledge'`)
  assert.equal(audited.rowCount, 1)
  const { body } = await supplier.post('/push/alerts', { states: ['acknowledged'] })
  assert.equal(Object(body)['alerts'][0].acknowledgedBy, 'platform')
})
