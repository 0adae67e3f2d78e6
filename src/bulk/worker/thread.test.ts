import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf, load, ndjson } from '../../../test/stage/scenes/bulk.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { until } from '../../../test/stage/pace.ts'
import { pushStoryHotel } from '../../../test/stage/story.ts'
import type { BulkThreadData } from '../../processes/bulk-thread.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { startBulkThread } from './thread.ts'
import { bulkBell } from '../jobs/bell.ts'
import { nightAhead } from '../../../test/stage/nights.ts'

/** First loads in a thread of their own, as the service runs them. */

const program = new URL('../../processes/bulk-thread.ts', import.meta.url)
const tomorrow = nightAhead(1)

const line = (price: unknown): object => ({
  hotelId: 'H1',
  pricingModel: 'unit',
  ari: [{ roomId: 'DBL', startDate: tomorrow, endDate: tomorrow, rates: [{ rateId: 'BAR', price }] }],
})

test('a thread works on jobs, is counted with the service, and ends with it', async () => {
  const gateway = await gatewayForTests({ systemTime: true })
  const address = gateway.db.address
  const data: BulkThreadData = { address, logLevel: 'silent', patience: 10 }
  const worker = gateway.app.startBulkThread({ file: program, data })
  const supplier = await gateway.supplier('Thread')
  await pushStoryHotel(supplier)
  const counted = async (name: string): Promise<string | undefined> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    return text
      .split('\n')
      .find((one) => one.startsWith(`${name} `))
      ?.slice(name.length + 1)
  }
  const loaded = await load(supplier, { kind: 'ari' }, ndjson([line(90), line(91), 'no JSON']))
  assert.deepEqual(figuresOf(loaded), {
    state: 'done',
    lines: 3,
    applied: 2,
    unchanged: 0,
    partial: 0,
    refused: 1,
    hotels: 1,
  })
  await until(async () => (await counted('ari_bulk_lines_total{outcome="applied"}')) === '2')
  assert.equal(await counted('ari_bulk_lines_total{outcome="refused"}'), '1')
  const again = await load(supplier, { kind: 'ari' }, ndjson([line(92)]))
  assert.equal(again.state, 'done')
  // What is counted last arrives before the end.
  await worker.close()
  assert.equal(await counted('ari_bulk_lines_total{outcome="applied"}'), '3')
  assert.equal(await counted('ari_bulk_jobs_running'), '0')
  assert.equal(await counted('ari_pushes_total{kind="ari",outcome="applied"}'), '3')
})

test('a thread that dies takes no service with it, and the next one does its job', async () => {
  const gateway = await gatewayForTests({ systemTime: true })
  const supplier = await gateway.supplier('Next')
  await pushStoryHotel(supplier)
  const deaths = new Int32Array(new SharedArrayBuffer(4))
  // One line, as a URL is.
  const lines = [
    `import { workerData } from 'node:worker_threads'`,
    'Atomics.add(workerData, 0, 1)',
    `throw new Error('as a fault would')`,
  ]
  const dying = `data:text/javascript,${lines.join(';')}`
  const broken = startBulkThread(
    {
      db: gateway.db,
      clock: gateway.clock,
      log: openLog('silent'),
      telemetry: telemetry(),
      bulkBell: bulkBell(),
      submitted: () => 0,
    },
    { file: new URL(dying), data: deaths },
  )
  const loading = load(supplier, { kind: 'ari' }, ndjson([line(95)]))
  await until(() => Atomics.load(deaths, 0) > 1)
  await broken.close()
  const data: BulkThreadData = { address: gateway.db.address, logLevel: 'silent', patience: 10 }
  gateway.app.startBulkThread({ file: program, data })
  assert.equal((await loading).state, 'done')
})
