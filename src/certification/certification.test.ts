import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, openShop, pushNights } from '../../test/stage/scenes/booking.ts'
import { liveAsSupplier, notProven } from '../../test/stage/servers/good-supplier.ts'
import { gatewayForTests, type TestClient } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'
import { checkIds } from './contract.ts'

/** What an account's own traffic proves, from a fresh account to a good one. */

const gateway = await gatewayForTests({
  allowPrivate: true,
  outbound: { reach: (vetted) => vetted },
  callWithinMs: minutes(10),
  checkBudgetMs: minutes(10),
})
gateway.app.startDeliveries()

type Check = {
  id: string
  state: string
  why: string
  evidence: { requestId: string; hotelId: string } | null
}

async function checksOf(supplier: TestClient, query = ''): Promise<Map<string, Check>> {
  const { body } = expectOk(await supplier.get(`/push/certification${query}`))
  const checks: readonly Check[] = Array.isArray(body['checks']) ? body['checks'] : []
  return new Map(checks.map((check) => [check.id, check]))
}

test('the traffic of a good supplier proves every check, and it is certified', async () => {
  const supplier = await liveAsSupplier(gateway, 'Good')
  assert.deepEqual(await notProven(supplier), [])
  const { body } = expectOk(await supplier.get('/push/certification'))
  assert.deepEqual([body['score'], body['isCertified']], [100, true])
  for (const check of (await checksOf(supplier)).values()) assert.ok(check.evidence, check.id)
})

test('a fresh account has all checks, and none is proven', async () => {
  const supplier = await gateway.supplier('Fresh')
  const { body } = expectOk(await supplier.get('/push/certification'))
  assert.deepEqual([body['score'], body['isCertified']], [0, false])
  const checks = await checksOf(supplier)
  assert.deepEqual([...checks.keys()], [...checkIds])
  assert.deepEqual([...new Set([...checks.values()].map(({ state }) => state))].toSorted(), [
    'missing',
    'notApplicable',
  ])
})

test('the evidence is the newest request that shows it; a hotel is judged by its own traffic', async () => {
  const { supplier } = await openShop(gateway, 'Two hotels')
  const closing = { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-10', closed: true }] }
  expectOk(await supplier.post('/push/ari', closing, { 'x-request-id': 'closing-1' }))
  const { closed, reopened } = Object.fromEntries(await checksOf(supplier, '?hotelId=H1'))
  assert.deepEqual(
    [closed?.state, closed?.evidence?.requestId, closed?.evidence?.hotelId, reopened?.state],
    ['proven', 'closing-1', 'H1', 'missing'],
  )
  const second = { hotelId: 'H2', hotelName: 'Hill', currency: 'USD', isAvailable: true }
  expectOk(
    await supplier.post('/push/hotels', [{ ...second, minChildAge: 2, maxChildAge: 12, timezone: 'UTC' }]),
  )
  assert.equal((await checksOf(supplier, '?hotelId=H2')).get('closed')?.state, 'missing')
  const unknown = await supplier.get('/push/certification?hotelId=NONE')
  assert.deepEqual(problemsOf(expectStatus(unknown, 404)), [
    ['?hotelId', 'HOTEL_NOT_FOUND', 'Hotel not found'],
  ])
})

test('what was proven outlives the traffic that proved it, until newer traffic fails', async () => {
  const { supplier } = await openShop(gateway, 'Lasting')
  expectOk(
    await supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', date: '2027-04-10', closed: true }],
    }),
  )
  assert.equal((await checksOf(supplier)).get('closed')?.state, 'proven')
  assert.equal((await checksOf(supplier)).get('order-of-static-data')?.state, 'proven')
  const beganMs = gateway.clock.now()
  gateway.clock.set(new Date(beganMs + 8 * 24 * 60 * 60 * 1_000).toISOString())
  try {
    const later = await checksOf(supplier)
    assert.deepEqual(
      [later.get('closed')?.state, later.get('order-of-static-data')?.state],
      ['proven', 'proven'],
    )
    assert.equal((await checksOf(supplier, '?hotelId=H1')).get('closed')?.state, 'missing')
  } finally {
    gateway.clock.set(new Date(beganMs).toISOString())
  }
  const unknownRoom = { hotelId: 'H1', ari: [{ roomId: 'SUITE', date: '2027-04-10', inventory: 1 }] }
  await supplier.post('/push/ari', unknownRoom)
  assert.equal((await checksOf(supplier)).get('order-of-static-data')?.state, 'failing')
  for (let push = 0; push < 51; push++)
    await pushNights(supplier, { startDate: '2027-04-15', inventory: push })
  assert.equal((await checksOf(supplier)).get('order-of-static-data')?.state, 'proven')
})

test('a forgery needs a URL of the key and a sandbox', async () => {
  const supplier = await gateway.supplier('No URL')
  const refused = await supplier.post('/push/sandbox/forgery', { kind: 'pushbook' })
  assert.deepEqual(problemsOf(expectStatus(refused, 409)), [
    ['/kind', 'WEBHOOK_NOT_REGISTERED', 'Push booking webhook is not registered'],
  ])
})
