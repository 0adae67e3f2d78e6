import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { runAri, type Outcome } from '../../test/stage/programs/programs.ts'

/** `ari deliveries`, run as operators run it. */

const gateway = await gatewayForTests()
const shop = await openShop(gateway)
expectStatus(await shop.book(), 201)

function deliveries(...parameters: string[]): Promise<Outcome> {
  return runAri({ ...environOf(gateway.storeAddress), NO_COLOR: '1' }, 'deliveries', ...parameters)
}

async function only(): Promise<{ deliveryId: string; reservationId: string }> {
  const [one] = JSON.parse((await deliveries('list', '--json')).stdout)
  return one
}

const printed = (stdout: string): Outcome => ({ code: 0, stdout, stderr: '' })

test('show says whose delivery it is, what state it is in and when the next attempt is', async () => {
  const { deliveryId, reservationId } = await only()
  const { code, stdout } = await deliveries('show', deliveryId)
  assert.equal(code, 0)
  const [first, second] = stdout.split('\n')
  assert.equal(first, `Reservation ${reservationId} v1 for Acme, hotel H1: queued, next attempt: hourly run`)
  assert.match(second ?? '', /^ATTEMPT {2}AT /)
})

test('show --json has each attempt, oldest first', async () => {
  const { deliveryId } = await only()
  const attempt = (number: number, outcome: string, status: number | null): string =>
    `('${deliveryId.replace('dlv_', '')}', ${number}, '2027-03-01T12:00:0${number}.789Z', 'hourly', 'dlb_1', 12, '${outcome}', ${status}, 'no')`
  await gateway.db.query(
    `insert into delivery_attempt (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome, http_status, answer)
     values ${attempt(2, 'timeout', null)}, ${attempt(1, 'refused', 422)}`,
  )
  const { stdout } = await deliveries('show', deliveryId, '--json')
  const one = { trigger: 'hourly', messageId: 'dlb_1', durationMs: 12, answer: 'no' }
  assert.deepEqual(JSON.parse(stdout), [
    { attempt: 1, at: '2027-03-01T12:00:01Z', ...one, outcome: 'refused', httpStatus: 422 },
    { attempt: 2, at: '2027-03-01T12:00:02Z', ...one, outcome: 'timeout', httpStatus: null },
  ])
  await gateway.db.query('delete from delivery_attempt')
})

test('again says how many reservations it sends, and when there is nothing to send', async () => {
  const { deliveryId } = await only()
  const nowhere = await deliveries('again', deliveryId)
  await gateway.db.query("update api_key set pushbook_webhook = 'https://hotel.example/reservations'")
  const undelivered = await deliveries('again', deliveryId)
  await gateway.db.query("update delivery set status = 'delivered', delivered_at = now()")
  const repeated = await deliveries('again', '--status', 'delivered', '--supplier', 'Acme')
  const none = await deliveries('again', deliveryId)
  assert.deepEqual(
    [nowhere, undelivered, repeated, none],
    [
      printed('Nothing is sent again: no URL is registered (reservations: 1)\n'),
      printed('Reservations sent again: 1\n'),
      printed('Reservations sent again: 1, of which 1 were delivered before\n'),
      printed(
        'Nothing to send again: deliveries that are in progress, superseded or already queued again are left as they are\n',
      ),
    ],
  )
})

test('a delivery that there is not is named, and nothing is sent', async () => {
  const { deliveryId } = await only()
  const unknown = 'dlv_00000000-0000-0000-0000-000000000000'
  const stderr = `error: Delivery ${unknown} not found (ari deliveries list prints them)\n`
  const listed = await deliveries('list', '--json')
  const failed = { code: 1, stdout: '', stderr }
  assert.deepEqual(
    [await deliveries('show', unknown), await deliveries('again', deliveryId, unknown)],
    [failed, failed],
  )
  assert.deepEqual(await deliveries('list', '--json'), listed)
})

test('an empty list says that it is empty', async () => {
  assert.deepEqual(await deliveries('list', '--status', 'dead'), printed('No delivery matches\n'))
})
