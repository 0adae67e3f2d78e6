import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  book,
  namedIn,
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../deliveries.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from '../receiver.ts'

/** Endpoints that hang, drip, refuse, break off, never end or fail do not delay those that answer. */

const badEndpoints = 200
const healthyEndpoints = 20
const healthyPerSecond = 60
const badPerSecond = 50
const badBacklog = 3
const windowMs = 8_000
/** What else the machine does shows as latency, and never as the lack of it: the best of these counts. */
const measurements = 3
const differenceMaxMs = 25

/** What is done with a call; where it stands, nothing listens at all. */
const badBehaviours: Readonly<Record<string, Behaviour | undefined>> = {
  hang: () => {},
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
}

type World = {
  stage: DeliveryTest
  healthy: DeliverySupplier[]
  bad: DeliverySupplier[]
  arrivedMs: Map<string, number>
  close: () => Promise<void>
}

async function openWorld(): Promise<World> {
  const stage = await startDeliveryTest({ systemTime: true })
  const receivers: Receiver[] = []
  const arrivedMs = new Map<string, number>()
  const supplierOf = async (name: string, behave: Behaviour | undefined): Promise<DeliverySupplier> => {
    const receiver = await startReceiver(behave ?? (() => {}))
    const url = `http://127.0.0.1:${receiver.port}/book`
    if (behave) receivers.push(receiver)
    else await receiver.close()
    const supplier = await stage.supplierAt(name, undefined)
    // Registered by SQL: two hundred pings of those that hang would take their time.
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
  const kinds = Object.entries(badBehaviours)
  for (let index = 0; index < badEndpoints; index++) {
    const [kind, behave] = kinds[index % kinds.length] ?? ['', undefined]
    bad.push(await supplierOf(`${kind} ${index}`, behave))
  }
  return {
    stage,
    healthy,
    bad,
    arrivedMs,
    close: async () => {
      await stage.stop()
      for (const receiver of receivers) await receiver.close()
    },
  }
}

const program = resolve(import.meta.dirname, 'deliveries/worker.ts')

async function startWorker({ stage }: World, broken?: string): Promise<{ stop: () => Promise<void> }> {
  const settings = JSON.stringify({ address: stage.gateway.db.address, broken })
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

/** Reservations at an even rate; how long each of the healthy ones took from its commit to its receipt. */
async function measure(world: World, withBad: boolean): Promise<Measured> {
  const committedMs = new Map<string, number>()
  const bell = await bellOf(world)
  const bookAt = async (suppliers: readonly DeliverySupplier[], perSecond: number, isMeasured: boolean) => {
    const startedMs = performance.now()
    const under: Promise<void>[] = []
    const total = (perSecond * windowMs) / 1_000
    for (let index = 0; index < total; index++) {
      const supplier = suppliers[index % suppliers.length]
      if (!supplier) break
      await wait(Math.max(0, startedMs + (index * 1_000) / perSecond - performance.now()))
      under.push(
        book(world.stage.gateway, supplier).then(([booked]) => {
          if (!booked) return
          if (isMeasured) committedMs.set(`${booked.reservationId}.${booked.version}`, performance.now())
          bell(booked.endpoint)
        }),
      )
    }
    await Promise.all(under)
  }
  await Promise.all([
    bookAt(world.healthy, healthyPerSecond, true),
    withBad ? bookAt(world.bad, badPerSecond, false) : undefined,
  ])
  const isThere = (name: string): boolean => world.arrivedMs.has(name)
  await until('all healthy ones arrive', () => [...committedMs.keys()].every(isThere), 8_000).catch(() => {})
  const took = [...committedMs].flatMap(([name, fromMs]) => {
    const atMs = world.arrivedMs.get(name)
    return atMs === undefined ? [] : [atMs - fromMs]
  })
  took.sort((left, right) => left - right)
  const at = (part: number): number => Math.round(took[Math.ceil(took.length * part) - 1] ?? Infinity)
  return { p50: at(0.5), p99: at(0.99), missing: committedMs.size - took.length }
}

/** The booking side's bell, which the worker hears in its own process. */
async function bellOf({ stage }: World): Promise<(endpoint: number) => void> {
  const { deliveryBell } = await import('../../src/reservations/delivery-bell.ts')
  const { openLog } = await import('../../src/platform/log.ts')
  const bell = deliveryBell({ db: stage.gateway.db, log: openLog('fatal') })
  return (endpoint) => bell.ring({ endpoint })
}

type Measured = { p50: number; p99: number; missing: number }

const isLater = (beside: Measured, without: Measured): boolean => beside.p99 - without.p99 > differenceMaxMs

async function compare(
  times: number,
  broken?: string,
): Promise<{ isLater: boolean; missing: number; text: string }> {
  const world = await openWorld()
  const worker = await startWorker(world, broken)
  try {
    // The first calls open connections and compile what they run.
    for (const supplier of world.healthy) await book(world.stage.gateway, supplier, { count: 5 })
    await wait(1_500)
    const without = await measure(world, false)
    for (const supplier of world.bad) await book(world.stage.gateway, supplier, { count: badBacklog })
    await wait(1_000)
    let beside = await measure(world, true)
    for (let again = 1; again < times && isLater(beside, without); again++) {
      const next = await measure(world, true)
      beside = { ...(next.p99 < beside.p99 ? next : beside), missing: beside.missing + next.missing }
    }
    const text = `without: p50 ${without.p50} ms, p99 ${without.p99} ms; beside: p50 ${beside.p50} ms, p99 ${beside.p99} ms`
    return { isLater: isLater(beside, without), missing: without.missing + beside.missing, text }
  } finally {
    await worker.stop()
    await world.close()
  }
}

test(`${badEndpoints} bad endpoints beside ${healthyEndpoints} healthy ones: all of theirs arrive, p99 within ${differenceMaxMs} ms of the run without`, async (t) => {
  const { text, ...found } = await compare(measurements)
  t.diagnostic(text)
  assert.deepEqual(found, { isLater: false, missing: 0 }, text)
})

test('the comparison finds slots that whoever comes first takes from the others', async (t) => {
  const { text, ...found } = await compare(1, 'first come, first served')
  t.diagnostic(text)
  assert.ok(found.isLater || found.missing > 0, text)
})
