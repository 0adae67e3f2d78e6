/** One crash and what must hold after it. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { processesOf } from '../../../src/platform/embedded-postgres-processes.ts'
import { othersShare, processorTime, type ProcessorTime } from './processors.ts'
import { clusterOf, killPostgres, type PostgresVictim, type Service } from './service.ts'
import { assertNone, between, eventually, findings, tally, type World } from './world.ts'

/** Of the house's reliability bars. */
export const readyWithinMs = 2_000
const healsWithinMs = 60_000

export type Say = (line: string) => void
type LoadLength = { leastMs: number; mostMs: number }
/** How long it took, and what share of the processors other programs had meanwhile. */
export type Time = { ms: number; othersShare: number }

/** Kills the service under load, starts it again, and compares everything. Returns the time to ready. */
export async function killServiceRound(
  world: World,
  { name, dataDir, length, say }: { name: string; dataDir: string; length: LoadLength; say: Say },
): Promise<Time> {
  const service = only(world)
  const from = world.ledger.attempts.length
  const load = world.load()
  await wait(between(length.leastMs, length.mostMs))
  const killed = processorTime([])
  service.signal('SIGKILL')
  const [, next] = await Promise.all([load.stop(), service.ended.then(() => world.start())])
  const time = await timeSince(killed, next, dataDir)
  world.services[0] = next
  assertNone(await findings(world), world, name)
  const { acknowledged, open } = tally(world.ledger, from)
  say(`${name}: ${acknowledged} acknowledged, ${open} open; ready after ${shownTime(time)}`)
  return time
}

/** Kills PostgreSQL under load, which goes on meanwhile, and compares everything. Returns the time to healed. */
export async function killPostgresRound(
  world: World,
  {
    name,
    dataDir,
    victim,
    length,
    say,
  }: {
    name: string
    dataDir: string
    victim: PostgresVictim
    length: LoadLength
    say: Say
  },
): Promise<Time> {
  const service = only(world)
  const from = world.ledger.attempts.length
  const load = world.load()
  await wait(between(length.leastMs, length.mostMs))
  const killed = processorTime([service.pid])
  assert.ok((await killPostgres(dataDir, victim)) > 0, `${name}: nothing was killed`)
  let time: Time
  try {
    const what = `${name}: every client is acknowledged again`
    await eventually(what, healsWithinMs, () => load.allAcknowledgedSince(killed.atMs) || service.hasEnded())
    time = await timeSince(killed, service, dataDir)
  } finally {
    await load.stop()
  }
  assert.ok(!service.hasEnded(), `${name}: the service ended\n${service.output().slice(-5_000)}`)
  assertNone(await findings(world), world, name)
  const { acknowledged, refused, open } = tally(world.ledger, from)
  assert.equal(open, 0, `${name}: ${open} requests were not answered`)
  const told = `${acknowledged} acknowledged, ${refused} answered 503`
  say(`${name}: ${told}; every client acknowledged again after ${shownTime(time)}`)
  return time
}

export function only(world: World): Service {
  const [service] = world.services
  assert.ok(service)
  return service
}

async function timeSince(from: ProcessorTime, { pid }: Service, dataDir: string): Promise<Time> {
  const ms = performance.now() - from.atMs
  const server = await processesOf(clusterOf(dataDir))
  return { ms, othersShare: othersShare(from, processorTime([pid, ...server])) }
}

function shownTime({ ms, othersShare: share }: Time): string {
  return `${Math.round(ms)} ms${share > 0.1 ? ` (others had ${Math.round(share * 100)} % of the processors)` : ''}`
}

/** Sharing processors costs more than the share: whoever is woken waits for its turn. */
const disturbed = { fromShare: 0.1, allowance: 1.5 }

/** Every time is within the bar; where other programs took part of the processors, within the bar by what was left. */
export function assertWithinBar(times: readonly Time[], barMs: number, say: Say): void {
  const sorted = times.map(({ ms }) => ms).toSorted((left, right) => left - right)
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  say(`${sorted.length} times: median ${at(0.5)} ms, longest ${at(1)} ms, bar ${barMs} ms`)
  const over = times.filter(({ ms }) => ms > barMs)
  if (over.length > 0) say(`OVER THE BAR: ${over.map(shownTime).join(', ')}`)
  for (const time of over) {
    const { ms, othersShare: share } = time
    const allowedMs = share < disturbed.fromShare ? barMs : (barMs / (1 - share)) * disturbed.allowance
    assert.ok(ms <= allowedMs, `${shownTime(time)}: ${Math.round(allowedMs)} ms would do`)
  }
}
