import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { createKey, expireKey } from '../../keys/manage.ts'
import { selectFigures } from './watch.ts'

/**
 * A delivery that waits for a URL goes out as soon as there is one, however it came about. The clock stands
 * still.
 */

let stage: DeliveryTest
let receiver: Receiver
before(async () => {
  stage = await startDeliveryTest()
  receiver = await startReceiver()
  stage.worker()
})
after(async () => {
  await stage.stop()
  await receiver.close()
})

const path = '/push/webhook/pushbook'
const urlOf = (name: string): string => `http://127.0.0.1:${receiver.port}/${name}`
/** The endpoint shows that it has the secret. */
async function register(supplier: DeliverySupplier, name: string): Promise<void> {
  expectOk(await supplier.post(path, { webhook: urlOf(name) }))
  expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
}

async function bookOne(supplier: DeliverySupplier): Promise<number> {
  const [booked] = await book(stage.gateway, supplier)
  return booked?.reservationId ?? assert.fail('nothing was booked')
}

const standsAs = async (reservationId: number): Promise<unknown[]> =>
  (await deliveriesOf(stage.gateway, reservationId)).map(({ status, attempts }) => [status, attempts])

const isDelivered = (reservationId: number) => async (): Promise<boolean> =>
  (await deliveriesOf(stage.gateway, reservationId)).at(-1)?.status === 'delivered'

test('reservations booked before any URL was registered are delivered once there is one, each as a first attempt', async () => {
  const supplier = await stage.supplierAt('late', undefined)
  const ids = [await bookOne(supplier), await bookOne(supplier)]
  assert.deepEqual(await Promise.all(ids.map(standsAs)), [[['queued', 0]], [['queued', 0]]])
  const { db, clock } = stage.gateway
  assert.equal((await selectFigures(db, clock.now())).queued, 0, 'nobody should try them')
  await register(supplier, 'late')
  for (const id of ids) await until(`${id} is delivered`, isDelivered(id))
  assert.deepEqual(await Promise.all(ids.map(standsAs)), [[['delivered', 1]], [['delivered', 1]]])
  const named = receiver.calls.map(namedIn).filter((names) => names.length > 0)
  assert.deepEqual(named.map((names) => names.join()).toSorted(), ids.map((id) => `${id}.1`).toSorted())
  const { rows } = await stage.gateway.db.query('select distinct trigger from delivery_attempt')
  assert.deepEqual(rows, [{ trigger: 'realtime' }])
})

test('reservations booked while the URL was removed, or waiting when it was removed, are delivered once one is registered again', async () => {
  const supplier = await stage.supplierAt('again', undefined)
  await register(supplier, 'first')
  expectOk(await supplier.delete(path))
  const ids = [await bookOne(supplier)]
  // Queued for the previous URL: a claim finds no endpoint.
  await stage.gateway.db.query(
    `update delivery set endpoint = 4711, lane = 'first', due_at = created_at where reservation_id = $1`,
    ids,
  )
  await until('it has lost its URL', async () => {
    const { rowCount } = await stage.gateway.db.query(
      'select from delivery where reservation_id = $1 and endpoint = 0',
      ids,
    )
    return rowCount === 1
  })
  ids.push(await bookOne(supplier))
  await register(supplier, 'second')
  for (const id of ids) await until(`${id} is delivered`, isDelivered(id))
})

test('a reservation without a URL is reported at once when the guests arrive within two days, and others after half an hour', async () => {
  const supplier = await stage.supplierAt('reported', undefined)
  const { db, clock } = stage.gateway
  const arrival = new Date(clock.now() + 86_400_000).toISOString().slice(0, 10)
  const far = await bookOne(supplier)
  const [near] = await book(stage.gateway, supplier, { arrival })
  const reported = async (): Promise<unknown[]> => {
    const { rows } = await db.query<{ reservationId: number; reason: string }>(
      `select reservation_id as "reservationId", reason from delivery_alert
       where supplier_id = $1 and cleared_at is null order by id`,
      [supplier.supplierId],
    )
    return rows.map(({ reservationId, reason }) => [reservationId, reason])
  }
  await until('the near one is reported', async () => (await reported()).length > 0)
  assert.deepEqual(await reported(), [[near?.reservationId, 'arrival_near']])
  clock.set(new Date(clock.now() + 31 * 60_000).toISOString())
  await until('the far one is reported', async () => (await reported()).length > 1)
  assert.deepEqual((await reported())[1], [far, 'undelivered'])
  await register(supplier, 'reported')
  await until('both are delivered', async () => (await reported()).length === 0)
})

test('a URL of another key of the account does as well, and one of a key that is no longer valid does not', async () => {
  const supplier = await stage.supplierAt('keys', undefined)
  await register(supplier, 'own')
  const { db, clock } = stage.gateway
  await expireKey(db, supplier.keyId, clock.now())
  const id = await bookOne(supplier)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.deepEqual(await standsAs(id), [['queued', 0]])
  const wanted = { supplier: 'keys', channelManager: 'keys', expiresAtMs: null, limits: {} }
  const { keyId } = await createKey(db, 'sandbox', wanted)
  await db.query(
    `update api_key set pushbook_webhook = $2, pushbook_webhook_at = now(), signing_secret = 'whsec_AAAA' where id = $1`,
    [keyId, urlOf('other')],
  )
  await until('it is delivered', isDelivered(id))
})

test('deliveries whose address was refused are retried when a worker starts, because its rules may differ', async () => {
  const supplier = await stage.supplierAt('refused', undefined)
  await stage.gateway.db.query(
    `update api_key set pushbook_webhook = 'http://169.254.7.7:8080/', pushbook_webhook_at = now(), signing_secret = 'whsec_AAAA'
     where id = $1`,
    [supplier.keyId],
  )
  const id = await bookOne(supplier)
  const failed = async (): Promise<boolean> => {
    const [one] = await deliveriesOf(stage.gateway, id)
    return one?.status === 'queued' && one.attempts === 1
  }
  await until('it is refused', failed)
  stage.worker()
  await until('it was tried again', async () => !(await failed()))
})
