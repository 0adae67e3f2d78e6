/** The data of every release, upgraded by this version: nothing is lost, and everything goes on working. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { releaseDeliveries } from '../../src/deliveries/queue/hold.ts'
import { transaction } from '../../src/postgres/transaction.ts'
import { bookingBody, idOf } from '../stage/scenes/booking.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { root } from '../stage/files.ts'
import type { TestClient, TestGateway } from '../stage/harness.ts'
import { startReceiver, type Receiver } from '../stage/servers/receiver.ts'
import { clientsOf, type Recorded } from './answers.ts'
import { changedAnswers, lostRows, open, recordedOf, upgradeOf, versions, type Upgraded } from './upgraded.ts'
import { expectOk } from '../stage/story.ts'

test('every released version of the changelog has its data', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const released = [...changelog.matchAll(/^## (\S+), (?!not released$)/gm)].map(([, version]) => version)
  assert.deepEqual(
    released.filter((version) => version === undefined || !versions.includes(version)),
    [],
  )
  assert.ok(versions.length > 0)
})

for (const version of versions)
  suite(`data of ${version}`, () => {
    const recorded = recordedOf(version)
    let upgraded: Upgraded
    before(async () => {
      upgraded = await upgradeOf(version)
    })
    after(() => upgraded.drop())

    test('every row is there', async () => {
      assert.deepEqual(await lostRows(upgraded), [])
      assert.ok(upgraded.rowsByTable.size > 40)
    })

    test('every answer is the same', async () => {
      assert.ok(recorded.answers.length > 150)
      assert.deepEqual(await changedAnswers(upgraded.address, recorded), [])
    })

    test('pushes, offers, bookings and deliveries go on', async () => {
      const gateway = await open(upgraded.address)
      const receiver = await startReceiver()
      try {
        await goesOn(gateway, recorded.callers, receiver)
      } finally {
        await gateway.stop()
        await receiver.close()
      }
    })
  })

/** Beta's server works again: it gets what waited, with its card, and what is booked now. */
async function goesOn(gateway: TestGateway, callers: Recorded['callers'], receiver: Receiver): Promise<void> {
  const { beta, platform } = clientsOf(gateway.url, callers)
  await transaction(gateway.db, (connection) => releaseDeliveries(connection, gateway.clock.now()))
  expectOk(await beta.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${receiver.port}/book` }))
  const stay = { checkin: '2027-06-15', checkout: '2027-06-17' }
  const first = await priceOf(platform, stay)
  const rates = [{ rateId: 'BAR', price: 200 }]
  const ari = [{ roomId: 'DBL', startDate: '2027-06-15', endDate: '2027-06-16', rates }]
  expectOk(await beta.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  assert.deepEqual([first, await priceOf(platform, stay)], ['215.00', '430.00'])
  const reservationId = idOf(await platform.post('/booking/reservations', bookingBody('Beta Channels', stay)))
  gateway.clock.set('2027-03-06T10:00:00Z')
  gateway.app.startDeliveries()
  const sent = (text: string) => () => receiver.calls.some(({ body }) => body.toString().includes(text))
  await until('the new reservation is delivered', sent(reservationId))
  await until('the one that waited is delivered with its card', sent('4111111111111111'))
}

async function priceOf(platform: TestClient, stay: object): Promise<unknown> {
  const hotels = [{ supplier: 'Beta Channels', hotelId: 'H1' }]
  const { body } = expectOk(
    await platform.post('/booking/offers', { hotels, ...stay, rooms: [{ adults: 2 }] }),
  )
  const { offers } = Object(body)['hotels'][0]
  return offers.find(({ rateId }: { rateId: string }) => rateId === 'BAR')?.total.afterTax
}
