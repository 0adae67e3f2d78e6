import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { openLog } from '../../../src/base/log.ts'
import { deliveryBell } from '../../../src/bookings/outbox/delivery-queue.ts'
import {
  book,
  namedIn,
  startDeliveryTest,
  type DeliverySupplier,
  type DeliveryTest,
} from '../scenes/deliveries.ts'
import { minutes } from '../pace.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from '../servers/receiver.ts'

/** Many endpoints that hang, drip, refuse, break off, never end or fail, beside some that answer at once. */

export const badEndpoints = 200
export const healthyEndpoints = 20

export type BadWorld = {
  stage: DeliveryTest
  healthy: DeliverySupplier[]
  bad: DeliverySupplier[]
  /** For the healthy ones: `reservation.version` → its time of arrival. */
  arrivedMs: Map<string, number>
  /** Calls without an answer: how many arrived, and how many the caller aborted. */
  hanging: { came: number; left: number }
  close: () => Promise<void>
}

/** An undefined behaviour means that nothing listens at all. */
function badBehaviours(hanging: BadWorld['hanging']): [kind: string, Behaviour | undefined][] {
  return Object.entries<Behaviour | undefined>({
    hang: (socket) => {
      hanging.came++
      socket.once('close', () => hanging.left++)
    },
    drip: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 500)
      socket.once('close', () => clearInterval(timer))
    },
    refuse: undefined,
    reset: (socket) => socket.resetAndDestroy(),
    endless: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
      const timer = setInterval(() => socket.write(chunk), 1)
      socket.once('close', () => clearInterval(timer))
    },
    fail: (socket) => socket.write(httpAnswer(500, 'no')),
  })
}

export async function openBadWorld(): Promise<BadWorld> {
  const stage = await startDeliveryTest({ systemTime: true })
  const receivers: Receiver[] = []
  const arrivedMs = new Map<string, number>()
  const hanging = { came: 0, left: 0 }
  const supplierOf = async (name: string, behave: Behaviour | undefined): Promise<DeliverySupplier> => {
    const receiver = await startReceiver(behave ?? (() => {}))
    const url = `http://127.0.0.1:${receiver.port}/book`
    if (behave) receivers.push(receiver)
    else await receiver.close()
    const supplier = await stage.supplierAt(name, undefined)
    // Registered by SQL: two hundred pings to hanging endpoints would take too long.
    await stage.gateway.db.query(
      `update api_key set pushbook_webhook = $2, pushbook_webhook_at = now(), signing_secret = 'whsec_AAAA' where id = $1`,
      [supplier.keyId, url],
    )
    return supplier
  }
  const healthy: DeliverySupplier[] = []
  for (let index = 0; index < healthyEndpoints; index++) {
    healthy.push(
      await supplierOf(`healthy ${index}`, (socket, call) => {
        for (const name of namedIn(call)) arrivedMs.set(name, performance.now())
        socket.write(httpAnswer(200, '{}'))
      }),
    )
  }
  const bad: DeliverySupplier[] = []
  const kinds = badBehaviours(hanging)
  for (let index = 0; index < badEndpoints; index++) {
    const [kind, behave] = kinds[index % kinds.length] ?? ['', undefined]
    bad.push(await supplierOf(`${kind} ${index}`, behave))
  }
  return {
    stage,
    healthy,
    bad,
    arrivedMs,
    hanging,
    close: async () => {
      await stage.stop()
      for (const receiver of receivers) await receiver.close()
    },
  }
}

/** Hanging calls never end during the test: no call gets through just because time passed. */
export const neverEnding = { callWithinMs: minutes(60) }

const program = resolve(import.meta.dirname, 'worker.ts')

export async function startWorker(
  { stage }: BadWorld,
  more: { broken?: string | undefined; callWithinMs?: number } = {},
): Promise<{ stop: () => Promise<void> }> {
  const settings = JSON.stringify({ address: stage.gateway.db.address, ...more })
  const child = spawn(process.execPath, [program, settings], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.stdin.write('go\n')
  return {
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/**
 * Books as the booking side does, whose bell the worker hears in its own process; returns the deliveries by
 * name.
 */
export function bookingSide({
  stage,
}: BadWorld): (supplier: DeliverySupplier, count?: number) => Promise<string[]> {
  const bell = deliveryBell({ db: stage.gateway.db, log: openLog('fatal') })
  return async (supplier, count = 1) => {
    const booked = await book(stage.gateway, supplier, { count })
    for (const { endpoint } of booked) bell.ring({ endpoint })
    return booked.map(({ reservationId, version }) => `${reservationId}.${version}`)
  }
}
