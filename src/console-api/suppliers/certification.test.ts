import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })

test('operators see what the supplier sees, with a link to the push, and looking stores nothing', async () => {
  const { supplier } = await openShop(gateway)
  const ari = [{ roomId: 'DBL', date: '2027-04-10', closed: true }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }, { 'x-request-id': 'closing-1' }))
  const { rows } = await gateway.db.query<{ supplierId: number; hotelId: number }>(
    'select supplier_id as "supplierId", id as "hotelId" from hotel',
  )
  const [{ supplierId, hotelId } = { supplierId: 0, hotelId: 0 }] = rows
  const viewer = await gateway.operator('viewer')
  const path = `/suppliers/${supplierId}/certification`
  const shown = Object(expectOk(await viewer.get(path)).body)
  assert.equal((await gateway.db.query('select from certification')).rowCount, 0)
  const own = Object(expectOk(await supplier.get('/push/certification')).body)
  assert.deepEqual(
    shown.checks.map(({ pushId: _link, ...check }: Record<string, unknown>) => check),
    own.checks,
  )
  assert.deepEqual([shown.score, shown.isCertified], [own.score, own.isCertified])
  const closed = shown.checks.find(({ id }: { id: string }) => id === 'closed')
  const push = Object(expectOk(await viewer.get(`/pushes/${closed.pushId}`)).body)
  assert.equal(push.push.requestId, 'closing-1')

  const ofHotel = Object(expectOk(await viewer.get(`${path}?hotelId=${hotelId}`)).body)
  assert.equal(ofHotel.checks.find(({ id }: { id: string }) => id === 'closed').state, 'proven')
  assert.equal((await viewer.get(`${path}?hotelId=x`)).status, 400)
  assert.equal((await viewer.get('/suppliers/999/certification')).status, 404)
})

test('an account that must be certified gets no key for production before it is', async () => {
  const production = await gatewayForTests({ environment: 'production' })
  const admin = await production.operator('admin')
  const { supplierId } = Object((await admin.post('/suppliers', { name: 'Gated' })).body)
  const account = (change: object) => admin.put(`/suppliers/${supplierId}/account`, change)
  const newKey = () => admin.post(`/suppliers/${supplierId}/keys`, { channelManager: 'CM' })
  const first = await newKey()
  assert.equal(first.status, 201, 'by default nothing is required')
  expectOk(await account({ requireCertification: true }))
  const refused = await newKey()
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [
      409,
      [
        [
          undefined,
          'CERTIFICATION_REQUIRED',
          'Supplier "Gated" must be certified before it gets a key for production',
        ],
      ],
    ],
  )
  const { keyId } = Object(first.body)
  assert.equal(
    (await admin.post(`/keys/${keyId}/rotate`, { overlapMinutes: 0 })).status,
    200,
    'it has it already',
  )
  expectOk(await account({ isCertified: true }))
  assert.equal((await newKey()).status, 201, 'by an operator’s word')
  expectOk(await account({ isCertified: false }))
  assert.equal((await newKey()).status, 409)
  await production.db.query(
    `insert into certification (supplier_id, at, is_certified, seen, verdicts) values ($1, now(), true, '{}', '[]')`,
    [supplierId],
  )
  assert.equal((await newKey()).status, 201, 'by its traffic')
  const sandbox = await gateway.operator('admin')
  const own = Object((await sandbox.post('/suppliers', { name: 'Gated' })).body)
  expectOk(await sandbox.put(`/suppliers/${own.supplierId}/account`, { requireCertification: true }))
  const inSandbox = await sandbox.post(`/suppliers/${own.supplierId}/keys`, { channelManager: 'CM' })
  assert.equal(inSandbox.status, 201, 'where it proves itself')
})
