/** This service as a process: prints its address on the first line of standard output. */
import { startApp } from '../../src/app.ts'
import { openCardVault } from '../../src/cards/card-vault.ts'
import type { PostgresAddress } from '../../src/postgres/connections/connection-config.ts'
import { openLog } from '../../src/base/log.ts'
import { loopbackNetworks } from '../../src/outbound/vet-url.ts'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { benchClock } from './bench-clock.ts'

const log = openLog('info')
// oxlint-disable-next-line typescript/no-unsafe-assignment -- the bench writes it
const address: PostgresAddress = JSON.parse(process.argv[2] ?? '{}')
const db = openDatabase(address, log)
const needs = { db, clock: benchClock, log, telemetry: telemetry() }
const app = startApp({
  ...needs,
  patience: 1,
  vault: await openCardVault(needs, { present: undefined, previous: [] }),
  environment: 'sandbox',
  outbound: { privateNetworks: loopbackNetworks, resolve: async () => [] },
  isGateway: true,
  console: undefined,
})
const { url } = await app.listen({ host: '127.0.0.1', port: 0 })
app.startDeliveries()
app.startBulkThread({ file: new URL('./ours-bulk.ts', import.meta.url), data: address })
process.stdout.write(`${url}\n`)
process.on('SIGTERM', () => process.exit(0))
