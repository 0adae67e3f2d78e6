import { parentPort, type MessagePort } from 'node:worker_threads'
import { Counter } from 'prom-client'
import { catalogs } from '../ari/catalog/catalog.ts'
import { committer } from '../ari/commit/commit.ts'
import { newestPricesReader } from '../ari/read/newest-prices.ts'
import { nightsBelowCounter } from '../ari/read/nights-below.ts'
import { processorSeconds, type Telemetry } from '../base/telemetry.ts'
import { isToThread, type FromThread, type Gained } from '../bulk/worker/thread-messages.ts'
import { bulkBell } from '../bulk/jobs/bell.ts'
import { startBulkWorker } from '../bulk/worker/worker.ts'
import { linePushes } from './line-pushes.ts'
import { yieldToRequests } from './priority.ts'
import { readSoldHotel } from '../offers/price/stay-impact.ts'
import { startStoreWatch } from '../postgres/watch/store-watch.ts'
import type { Needs } from '../postgres/postgres.ts'
import { priceFloors } from '../taxes/price-floor.ts'

const countEveryMs = 1_000
/** Without a job for so long the thread ends; the next job starts another one. */
const idleMaxMs = 10_000

/** Works on jobs until it is told to close, or has none any more; then this thread ends. */
export async function workInThread(needs: Needs): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('it runs as a thread of the service only')
  // The first connection takes the database's time, by which leases are given.
  await needs.db.query('select')
  yieldToRequests()
  const known = catalogs(needs, priceFloors)
  const commits = committer({ ...needs, catalogs: known, readSoldHotel })
  const bell = bulkBell()
  let submitted = 0
  const worker = startBulkWorker({
    ...needs,
    catalogs: known,
    committer: commits,
    submitted: () => submitted,
    bulkBell: bell,
    linePushes: linePushes({
      ...needs,
      catalogs: known,
      countNightsBelow: nightsBelowCounter(needs.clock),
      newestPrices: newestPricesReader(needs.clock),
    }),
  })
  const watch = startStoreWatch(needs)
  const counters = new Counters(needs.telemetry)
  const tell = async (): Promise<void> => {
    const message: FromThread = { kind: 'counted', gained: await counters.gained(), jobs: worker.jobs() }
    port.postMessage(message)
  }
  let busyMs = performance.now()
  const timer = setInterval(() => {
    if (worker.jobs() > 0) busyMs = performance.now()
    if (performance.now() - busyMs > idleMaxMs) void end()
    else void tell()
  }, countEveryMs)
  let ending: Promise<void> | undefined
  const end = (): Promise<void> => (ending ??= closeAll())
  const closeAll = async (): Promise<void> => {
    clearInterval(timer)
    await worker.close()
    await tell()
    await Promise.all([watch.close(), commits.close()])
    await needs.db.close()
    // In a thread this ends the thread only; whatever is still open ends with it.
    process.exit()
  }
  receive(port, {
    look: bell.ring,
    traffic: (count) => (submitted = count),
    close: () => void end(),
  })
}

function receive(
  port: MessagePort,
  on: { look: () => void; traffic: (submitted: number) => void; close: () => void },
): void {
  port.on('message', (message: unknown) => {
    if (!isToThread(message)) return
    if (message.kind === 'traffic') on.traffic(message.submitted)
    else on[message.kind]()
  })
}

/** The counters of this thread, which the service's own ones add up. Its processor time is in the process's already. */
class Counters {
  readonly #telemetry: Telemetry
  readonly #told = new Map<string, number>()

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  async gained(): Promise<Gained[]> {
    const all: Gained[] = []
    for (const counter of this.#telemetry.registry.getMetricsAsArray()) {
      if (!(counter instanceof Counter)) continue
      const { name, values } = await counter.get()
      if (!name.startsWith('ari_') || name === processorSeconds) continue
      for (const { labels, value } of values) {
        const key = `${name} ${JSON.stringify(labels)}`
        const by = value - (this.#told.get(key) ?? 0)
        this.#told.set(key, value)
        if (by > 0) all.push({ name, labels: defined(labels), by })
      }
    }
    return all
  }
}

function defined(labels: Partial<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([label, value]) => (value === undefined ? [] : [[label, value]])),
  )
}
