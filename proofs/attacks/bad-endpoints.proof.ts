import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { sharedSlotsMax } from '../../test/stage/deliveries/breaks.ts'
import {
  badEndpoints,
  bookingSide,
  healthyEndpoints,
  neverEnding,
  openBadWorld,
  startWorker,
  type BadWorld,
} from '../../test/stage/deliveries/bad-endpoints.ts'

/**
 * Endpoints that hang, drip, refuse, break off, never end or fail do not delay those that answer: all of
 * their deliveries arrive while every hanging call still hangs. `npm run bench` measures by how many
 * milliseconds they are later.
 */

/**
 * For each bad endpoint; the healthy ones get as many at a time, alternating with some more for the bad ones.
 */
const badBacklog = 6
const healthyEach = 24

async function inWorld(broken: string | undefined, look: (world: BadWorld) => Promise<void>): Promise<void> {
  const world = await openBadWorld()
  const worker = await startWorker(world, { broken, ...neverEnding })
  try {
    await look(world)
  } finally {
    await worker.stop()
    await world.close()
  }
}

async function bookBad(world: BadWorld, each: number): Promise<void> {
  const book = bookingSide(world)
  for (const supplier of world.bad) await book(supplier, each)
}

test(`${badEndpoints} bad endpoints beside ${healthyEndpoints} healthy ones: all of theirs arrive while the calls that hang still hang`, async (t) => {
  await inWorld(undefined, async (world) => {
    const { arrivedMs, hanging, healthy, bad } = world
    await bookBad(world, badBacklog)
    const hangingEndpoints = Math.ceil(badEndpoints / 6)
    await until('every endpoint that hangs has a call', () => hanging.came >= hangingEndpoints)
    const book = bookingSide(world)
    const booked: string[] = []
    for (let turn = 0; turn < healthyEach; turn++) {
      for (const supplier of healthy) booked.push(...(await book(supplier)))
      for (const supplier of bad.slice(0, 30)) await book(supplier)
    }
    await until('all healthy ones arrive', () => booked.every((name) => arrivedMs.has(name)))
    t.diagnostic(`${booked.length} arrived beside ${hanging.came} calls that hang`)
    assert.equal(hanging.left, 0)
  })
})

test('the comparison finds slots that the first endpoint takes from the others', async (t) => {
  await inWorld('first come, first served', async (world) => {
    const { arrivedMs, healthy, stage } = world
    await bookBad(world, badBacklog)
    await until('those that do not end have all slots', async () => {
      const { rows } = await stage.gateway.db.query<{ calls: number }>(
        "select count(*)::int as calls from delivery where status = 'sending'",
      )
      return (rows[0]?.calls ?? 0) >= sharedSlotsMax
    })
    const book = bookingSide(world)
    const booked: string[] = []
    for (const supplier of healthy) booked.push(...(await book(supplier)))
    await wait(3_000)
    const missing = booked.filter((name) => !arrivedMs.has(name)).length
    t.diagnostic(`${missing} of ${booked.length} did not arrive`)
    assert.equal(missing, booked.length)
  })
})
