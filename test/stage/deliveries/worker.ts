/**
 * A worker in a process of its own, which ends itself with SIGKILL at the step it is given. Its settings come
 * as JSON on the command line; it starts work when it reads a line.
 */
import { once } from 'node:events'
import { openLog } from '../../../src/base/log.ts'
import { openDatabase } from '../../../src/postgres/postgres.ts'
import { telemetry } from '../../../src/base/telemetry.ts'
import { deliveryBell } from '../../../src/bookings/outbox/delivery-queue.ts'
import { crashSteps } from '../../../src/deliveries/queue/needs.ts'
import { startDeliveryWorker } from '../../../src/deliveries/worker/worker.ts'
import { unusedVault } from '../scenes/deliveries.ts'
import { breakable, breaks, sharedSlots } from './breaks.ts'
import { loopbackNetworks } from '../../../src/outbound/vet-url.ts'

const { address, step, at, leaseMs, callWithinMs, broken } = JSON.parse(process.argv[2] ?? '{}')
const isOfStatements = broken !== undefined && broken in breaks
const log = openLog('fatal')
const db = breakable(openDatabase(address, log), isOfStatements ? broken : undefined)
const wanted = crashSteps.find((one) => one === step)
let passed = 0
await db.query('select 1')
process.stdout.write('ready\n')
await once(process.stdin, 'data')
startDeliveryWorker({
  db,
  clock: db.clock,
  log,
  telemetry: telemetry(),
  outbound: { privateNetworks: loopbackNetworks, resolve: async () => ['127.0.0.1'] },
  deliveryBell: deliveryBell({ db, log }),
  vault: unusedVault,
  ...(broken === 'first come, first served' ? { slots: sharedSlots() } : {}),
  leaseMs,
  callWithinMs,
  crashPoint: (passing) => {
    if (passing === wanted && ++passed === at) process.kill(process.pid, 'SIGKILL')
  },
})
