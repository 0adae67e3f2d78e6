/** The thread of ours.ts that works on first loads, like src/processes/bulk-thread.ts but by the bench's clock. */
import { workerData } from 'node:worker_threads'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { workInThread } from '../../src/processes/bulk-work.ts'
import type { PostgresAddress } from '../../src/postgres/connections/connection-config.ts'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { benchClock } from './bench-clock.ts'

const log = openLog('info')
// oxlint-disable-next-line typescript/no-unsafe-assignment -- ours.ts gives it
const address: PostgresAddress = workerData
await workInThread({ db: openDatabase(address, log), clock: benchClock, log, telemetry: telemetry() })
