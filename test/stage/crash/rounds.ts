/** One crash and the checks after it. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { minutes } from '../pace.ts'
import { killPostgres, type PostgresVictim, type Service } from './service.ts'
import { assertNone, between, eventually, findings, tally, type World } from './world.ts'

export type Say = (line: string) => void
type LoadLength = { leastMs: number; mostMs: number }

/**
 * Kills the service under load, restarts it, and compares everything. Returns the milliseconds until ready.
 */
export async function killServiceRound(
  world: World,
  { name, length, say }: { name: string; length: LoadLength; say: Say },
): Promise<number> {
  const service = only(world)
  const from = world.ledger.attempts.length
  const load = world.load()
  await wait(between(length.leastMs, length.mostMs))
  const killedMs = performance.now()
  service.signal('SIGKILL')
  const [, next] = await Promise.all([load.stop(), service.ended.then(() => world.start())])
  const tookMs = performance.now() - killedMs
  world.services[0] = next
  assertNone(await findings(world), world, name)
  const { acknowledged, open } = tally(world.ledger, from)
  say(`${name}: ${acknowledged} acknowledged, ${open} open; ready after ${Math.round(tookMs)} ms`)
  return tookMs
}

/**
 * Kills PostgreSQL under load that continues meanwhile, and compares everything. Returns the milliseconds
 * until healed.
 */
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
): Promise<number> {
  const service = only(world)
  const from = world.ledger.attempts.length
  const load = world.load()
  await wait(between(length.leastMs, length.mostMs))
  const killedMs = performance.now()
  assert.ok((await killPostgres(dataDir, victim)) > 0, `${name}: nothing was killed`)
  let tookMs: number
  try {
    const what = `${name}: every client is acknowledged again`
    await eventually(what, minutes(3), () => load.allAcknowledgedSince(killedMs) || service.hasEnded())
    tookMs = performance.now() - killedMs
  } finally {
    await load.stop()
  }
  assert.ok(!service.hasEnded(), `${name}: the service ended\n${service.output().slice(-5_000)}`)
  assertNone(await findings(world), world, name)
  const { acknowledged, refused, open } = tally(world.ledger, from)
  assert.equal(open, 0, `${name}: ${open} requests were not answered`)
  const told = `${acknowledged} acknowledged, ${refused} answered 503`
  say(`${name}: ${told}; every client acknowledged again after ${Math.round(tookMs)} ms`)
  return tookMs
}

export function only(world: World): Service {
  const [service] = world.services
  assert.ok(service)
  return service
}

/** For information only: the figures depend on the machine's speed. */
export function sayTimes(timesMs: readonly number[], say: Say): void {
  const sorted = timesMs.toSorted((left, right) => left - right)
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  say(`${sorted.length} times: median ${at(0.5)} ms, longest ${at(1)} ms`)
}
