/** The service in a process of its own: prints its address, and works on jobs when it reads a line. */
import { once } from 'node:events'
import { startApp } from '../../../src/app.ts'
import type { BulkThreadData } from '../../../src/processes/bulk-thread.ts'
import { openLog } from '../../../src/base/log.ts'
import { telemetry } from '../../../src/base/telemetry.ts'
import { openDatabase } from '../../../src/postgres/postgres.ts'
import { unusedVault } from '../scenes/deliveries.ts'

const log = openLog('fatal')
const db = openDatabase(JSON.parse(process.argv[2] ?? '{}'), log, { patience: 100 })
const app = startApp({
  db,
  clock: db.clock,
  log,
  telemetry: telemetry(),
  patience: 100,
  vault: unusedVault,
  environment: 'sandbox',
  outbound: { privateNetworks: [], resolve: async () => [] },
  isGateway: true,
  console: undefined,
})
const { url } = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${url}\n`)
await once(process.stdin, 'data')
app.startBulkThread({
  file: new URL('../../../src/processes/bulk-thread.ts', import.meta.url),
  data: { address: db.address, logLevel: 'fatal', patience: 100 } satisfies BulkThreadData,
})
