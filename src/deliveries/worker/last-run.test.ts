import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  startDeliveryTest,
  unusedVault,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { runHourly } from './hourly-run.ts'

let stage: DeliveryTest
before(async () => {
  stage = await startDeliveryTest()
})
after(() => stage.stop())

test('a reservation without a URL waits for the last hourly run of its three days, and is given up in that run', async () => {
  const { db, clock } = stage.gateway
  const supplier = await stage.supplierAt('nowhere', undefined)
  const bookedMs = clock.now()
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  const statusAfter = async (hours: number): Promise<string | undefined> => {
    clock.set(new Date(bookedMs + hours * 3_600_000).toISOString())
    await runHourly({ db, clock, vault: unusedVault })
    return (await deliveriesOf(stage.gateway, reservationId)).at(-1)?.status
  }
  // The next run after 71 hours is exactly at the end of the three days.
  assert.deepEqual([await statusAfter(71), await statusAfter(72)], ['queued', 'dead'])
})
