import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { setAccount } from '../../src/keys/suppliers.ts'
import { idOf, platformOf } from '../stage/scenes/booking.ts'
import { difference, jsonNamed, stepsOf } from '../stage/docs-pages.ts'
import { startGateway, type TestGateway } from '../stage/harness.ts'
import { startReceiver, type Receiver } from '../stage/servers/receiver.ts'
import { expectOk } from '../stage/story.ts'

const page = resolve(import.meta.dirname, '../../docs/deliveries.md')

let gateway: TestGateway
let receiver: Receiver
before(async () => {
  receiver = await startReceiver()
  gateway = await startGateway({
    vaultKey: Buffer.alloc(32, 7),
    allowPrivate: true,
    outbound: { reach: (to) => to },
  })
})
after(async () => {
  await gateway.stop()
  await receiver.close()
})

test('docs/deliveries.md shows the delivery of the reservation that it creates: taxes, children, card and everything else', async () => {
  const supplier = await gateway.supplier('Lagoon Hotels')
  const platform = await platformOf(gateway)
  await setAccount(gateway.db, 'Lagoon Hotels', { deliversCards: true, commissionPercent: '15' })
  const url = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook: url }))
  let reservationId = ''
  for (const { run } of stepsOf(page)) {
    if (run.kind !== 'request') continue
    if (run.path === '/booking/reservations') {
      reservationId = idOf(await platform.post(run.path, run.body))
      break
    }
    expectOk(await supplier.post(run.path, run.body))
  }
  assert.notEqual(reservationId, '', 'the page books')
  const ask = { hotelId: 'H1', reservation_id: reservationId }
  const { body } = expectOk(await supplier.post('/push/webhook/booking', ask))
  assert.equal(Object(body['delivery']).status, 'delivered')

  const [shown, ...others] = jsonNamed(page, 'delivered')
  assert.deepEqual(others, [])
  const got = JSON.parse(String(receiver.calls.at(-1)?.body))
  assert.equal(difference(shown, got), undefined, JSON.stringify(got, null, 2))
})
