import { setTimeout as wait } from 'node:timers/promises'
import type { DeliverySupplier } from '../test/stage/scenes/deliveries.ts'
import type { TestAddress } from '../test/stage/postgres.ts'
import {
  badEndpoints,
  bookingSide,
  healthyEndpoints,
  openBadWorld,
  startWorker,
  type BadWorld,
} from '../test/stage/deliveries/bad-endpoints.ts'
import { atRate, quantile } from './stage/client.ts'
import { row, type Row } from './stage/table.ts'

const healthyPerSecond = 60
const badPerSecond = 50
const badBacklog = 3
const seconds = 8
const settlesWithinMs = 60_000

/**
 * The time reservations take to reach endpoints that answer, from commit to receipt, alone and beside many
 * endpoints that don't.
 */
export async function besideBadEndpoints(_server: TestAddress): Promise<Row[]> {
  const world = await openBadWorld()
  const worker = await startWorker(world)
  try {
    const book = bookingSide(world)
    // The first calls open connections and compile the code they run.
    for (const supplier of world.healthy) await book(supplier, 5)
    await wait(1_500)
    const alone = await lags(world, [])
    for (const supplier of world.bad) await book(supplier, badBacklog)
    await wait(1_000)
    const beside = await lags(world, world.bad)
    const p99 = { alone: quantile(alone, 0.99), beside: quantile(beside, 0.99) }
    return [
      row(
        `commit to receipt of ${healthyEndpoints} endpoints beside ${badEndpoints} bad ones, at ${healthyPerSecond}/s`,
        `p99 ${p99.beside.toFixed(1)} ms`,
        `alone ${p99.alone.toFixed(1)} ms`,
        p99.beside - p99.alone,
        { atMost: 25 },
        'ms more',
      ),
    ]
  } finally {
    await worker.stop()
    await world.close()
  }
}

async function lags(world: BadWorld, bad: readonly DeliverySupplier[]): Promise<number[]> {
  const book = bookingSide(world)
  const committedMs = new Map<string, number>()
  const bookAt = async (suppliers: readonly DeliverySupplier[], perSecond: number, isMeasured: boolean) =>
    atRate({ perSecond, seconds }, async (index) => {
      const supplier = suppliers[index % suppliers.length]
      if (!supplier) return
      const names = await book(supplier)
      if (isMeasured) for (const name of names) committedMs.set(name, performance.now())
    })
  await Promise.all([
    bookAt(world.healthy, healthyPerSecond, true),
    bad.length > 0 ? bookAt(bad, badPerSecond, false) : undefined,
  ])
  const untilMs = performance.now() + settlesWithinMs
  while (![...committedMs.keys()].every((name) => world.arrivedMs.has(name))) {
    if (performance.now() > untilMs) throw new Error('deliveries do not arrive')
    await wait(10)
  }
  return [...committedMs].map(([name, ms]) => (world.arrivedMs.get(name) ?? Infinity) - ms)
}
