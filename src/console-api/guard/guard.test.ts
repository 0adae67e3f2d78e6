import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../../test/stage/scenes/booking.ts'
import { client, gatewayForTests, type TestClient } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
const admin = await gateway.operator('admin')
const viewer = await gateway.operator('viewer')

const off = { rules: [], learned: false, expiryHours: 72, onExpiry: 'discard' }
const careful = {
  rules: [{ kind: 'priceDrop', percent: 30, action: 'hold' }],
  learned: true,
  expiryHours: 24,
  onExpiry: 'discard',
}

async function newAccount(name: string): Promise<{ supplierId: number; supplier: TestClient }> {
  const supplierId = Number(expectStatus(await admin.post('/suppliers', { name }), 201).body['supplierId'])
  const key = expectStatus(await admin.post(`/suppliers/${supplierId}/keys`, { channelManager: 'CM' }), 201)
  return { supplierId, supplier: client(gateway.url, { 'x-api-key': String(key.body['apiKey']) }) }
}

async function guardOf(supplier: TestClient) {
  const { source, rules, learned, expiryHours, onExpiry } = expectOk(await supplier.get('/push/guard')).body
  return { source, rules, learned, expiryHours, onExpiry }
}

/** Of the second of two pushes: the price falls to a tenth. */
async function statusOfDrop(supplier: TestClient): Promise<string> {
  const push = async (price: number) => {
    const ari = [{ roomId: 'DBL', date: '2027-04-10', inventory: 2, rates: [{ rateId: 'BAR', price }] }]
    const { body } = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
    return String(Object(body).results[0].status)
  }
  await push(100)
  return push(10)
}

async function audited(): Promise<unknown[]> {
  const { rows } = await gateway.db.query<Record<string, unknown>>(
    "select action, subject, before, after from audit_log where action like 'guard.%' order by id",
  )
  return rows.map(({ action, subject, before, after }) => [action, subject, before, after])
}

test('new accounts begin with the guard of the operators; those that exist, and their changes, stay', async () => {
  const early = await newAccount('Early')
  assert.deepEqual(expectOk(await viewer.get('/guard')).body, { guard: off })
  assert.deepEqual(expectOk(await admin.put('/guard', careful)).body, { guard: careful })
  assert.deepEqual(expectOk(await viewer.get('/guard')).body, { guard: careful })

  const created = await newAccount('Created')
  // As `ari key create` does it, which creates the account too.
  const byKey = await gateway.supplier('By key')
  assert.deepEqual(await guardOf(early.supplier), { source: 'none', ...off })
  for (const supplier of [created.supplier, byKey]) {
    assert.deepEqual(await guardOf(supplier), { source: 'account', ...careful })
    await pushStoryHotel(supplier)
  }
  assert.equal(await statusOfDrop(created.supplier), 'held')

  expectOk(await byKey.post('/push/guard', { rules: [] }))
  assert.deepEqual(expectOk(await admin.put('/guard', {})).body, { guard: off })
  assert.equal(await statusOfDrop(byKey), 'applied')
  assert.deepEqual(await guardOf(created.supplier), { source: 'account', ...careful })
  const late = await newAccount('Late')
  assert.deepEqual(await guardOf(late.supplier), { source: 'none', ...off })
  // A name that is taken creates nothing, and gives nothing to the account that has it.
  expectOk(await admin.put('/guard', careful))
  assert.equal((await admin.post('/suppliers', { name: 'Late' })).status, 409)
  expectOk(await admin.put('/guard', {}))
  assert.deepEqual(await guardOf(late.supplier), { source: 'none', ...off })
  assert.deepEqual(await audited(), [
    ['guard.default', 'new accounts', off, careful],
    ['guard.default', 'new accounts', careful, off],
    ['guard.default', 'new accounts', off, careful],
    ['guard.default', 'new accounts', careful, off],
  ])
})

test('an operator switches the guard of an account on and off, for its hotels too', async () => {
  const { supplierId, supplier } = await newAccount('Switched')
  const path = `/suppliers/${supplierId}/guard`
  await pushStoryHotel(supplier)
  assert.deepEqual(expectOk(await viewer.get(path)).body, { guard: off })
  assert.equal(await statusOfDrop(supplier), 'applied')
  assert.deepEqual(expectOk(await admin.put(path, careful)).body, { guard: careful })
  assert.deepEqual(await guardOf(supplier), { source: 'account', ...careful })
  assert.equal(await statusOfDrop(supplier), 'held')
  expectOk(await admin.put(path, {}))
  assert.equal(await statusOfDrop(supplier), 'applied')
  assert.deepEqual((await audited()).slice(-2), [
    ['guard.change', `supplier ${supplierId} "Switched"`, off, careful],
    ['guard.change', `supplier ${supplierId} "Switched"`, careful, off],
  ])
})

test('a wrong rule is refused by the words of POST /push/guard, and changes nothing', async () => {
  const { supplierId } = await newAccount('Refused')
  const rules = [
    { kind: 'priceDrop', action: 'hold' },
    { kind: 'massClose', nights: 3, action: 'hold' },
  ]
  for (const path of ['/guard', `/suppliers/${supplierId}/guard`]) {
    const refused = await admin.put(path, { rules, expiryHours: 0 })
    assert.deepEqual(
      [refused.status, problemsOf(refused).map((problem) => Object(problem).slice(0, 2))],
      [
        400,
        [
          ['/expiryHours', 'OUT_OF_RANGE'],
          ['/rules/0/percent', 'GUARD_BOUND_MISSING'],
          ['/rules/1/action', 'GUARD_ACTION_INVALID'],
        ],
      ],
    )
    assert.equal((await viewer.put(path, careful)).status, 403)
    assert.deepEqual(expectOk(await viewer.get(path)).body, { guard: off })
  }
  assert.equal((await admin.put('/suppliers/999999/guard', careful)).status, 404)
})
