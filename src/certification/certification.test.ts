import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { expectStatus, idOf, openShop, pushNights } from '../../test/stage/scenes/booking.ts'
import { liveAsSupplier, notProven } from '../../test/stage/servers/good-supplier.ts'
import { gatewayForTests, type TestClient } from '../../test/stage/harness.ts'
import { untilWaiting } from '../../test/stage/locks.ts'
import { minutes } from '../../test/stage/pace.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { transaction } from '../postgres/transaction.ts'
import { checkIds, evidenceLimits } from './contract.ts'

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

test('dry runs prove nothing, and hide nothing', async () => {
  const { supplier } = await openShop(gateway, 'Drilling')
  const unknownRoom = { hotelId: 'H1', ari: [{ roomId: 'SUITE', date: '2027-04-10', inventory: 1 }] }
  await supplier.post('/push/ari', unknownRoom)
  await gateway.db.query(
    `insert into push_log (at, supplier_id, key_id, request_text, kind, outcome, cells_changed, duration_ms, body_bytes)
     select instant($2), supplier_id, id, 'dry' || number, 'ari', 'dryRun', 0, 1, 2
     from api_key, generate_series(1, $3) as number where id = $1`,
    [supplier.keyId, gateway.clock.now(), 6 * evidenceLimits.pushes],
  )
  assert.equal((await checksOf(supplier)).get('order-of-static-data')?.state, 'failing')
})

test('a failure that the supplier did not order counts, whatever its answer says', async () => {
  const { supplier, platform, book } = await openShop(gateway, 'Pretending')
  const text = '{"message":"Ordered with POST /push/sandbox/faults (ordered in the sandbox)"}'
  let isMended = true
  const receiver = await startReceiver((socket) =>
    socket.write(httpAnswer(isMended ? 200 : 500, isMended ? '{}' : text)),
  )
  after(() => receiver.close())
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  const stateAfterCancellation = async () => {
    const id = idOf(await book())
    await until('it is delivered', async () => (await attemptsOf(id)) === 1)
    isMended = false
    expectStatus(await platform.post(`/booking/reservations/${id}/cancel`, {}), 200)
    await until('the cancellation was tried', async () => (await attemptsOf(id)) === 2)
    isMended = true
    return (await checksOf(supplier)).get('cancellation-handled')?.state
  }
  const faults = [{ calls: 'pushBooking', fault: 'status500', times: 1 }]
  const first = idOf(await book())
  await until('it is delivered', async () => (await attemptsOf(first)) === 1)
  expectOk(await supplier.post('/push/sandbox/faults', { faults }))
  expectStatus(await platform.post(`/booking/reservations/${first}/cancel`, {}), 200)
  await until('the cancellation was tried', async () => (await attemptsOf(first)) === 2)
  assert.equal((await checksOf(supplier)).get('cancellation-handled')?.state, 'missing')
  assert.equal(await stateAfterCancellation(), 'failing')
})

async function attemptsOf(reservationId: string): Promise<number> {
  const { rows } = await gateway.db.query<{ count: number }>(
    `select count(*)::int as count from delivery_attempt join delivery on delivery.id = delivery_id
     where reservation_id = $1`,
    [Number(reservationId)],
  )
  return rows[0]?.count ?? 0
}

test('an account is judged once at a time, and others meanwhile; a body is read once', async () => {
  const { supplier } = await openShop(gateway, 'Often')
  const { supplier: other } = await openShop(gateway, 'Beside')
  const operator = await gateway.operator('viewer')
  const asked = await transaction(gateway.db, async (connection) => {
    await connection.query('lock table push_log in access exclusive mode')
    const often = Array.from({ length: 8 }, () => supplier.get('/push/certification'))
    await untilWaiting(gateway.db, () => 1)
    // None of these finds a connection once one account has all four.
    for (let count = 0; count < 5; count++) expectOk(await operator.get('/audit'))
    const beside = other.get('/push/certification')
    await untilWaiting(gateway.db, () => 2)
    return { answers: Promise.all([...often, beside]) }
  })
  for (const reply of await asked.answers) expectOk(reply)
  const closing = { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-10', closed: true }] }
  expectOk(await supplier.post('/push/ari', closing, { 'x-request-id': 'closing-2' }))
  assert.equal((await checksOf(supplier, '?hotelId=H1')).get('closed')?.state, 'proven')
  await gateway.db.query(
    `update push_log set body = '', body_encoding = 'identity' where request_text = 'closing-2'`,
  )
  assert.equal((await checksOf(supplier, '?hotelId=H1')).get('closed')?.state, 'proven')
})

test('a forgery needs a URL of the key and a sandbox', async () => {
  const supplier = await gateway.supplier('No URL')
  const refused = await supplier.post('/push/sandbox/forgery', { kind: 'pushbook' })
  assert.deepEqual(problemsOf(expectStatus(refused, 409)), [
    ['/kind', 'WEBHOOK_NOT_REGISTERED', 'Push booking webhook is not registered'],
  ])
})
