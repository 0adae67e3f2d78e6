/** One crash and what must hold after it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { killPostgres, type PostgresVictim } from './service.ts'
import { assertNone, between, eventually, findings, tally, type World } from './world.ts'

/** Of reliability.md: ready again in 2 s. */
export const readyWithinMs = 2_000
const healsWithinMs = 30_000

export type Say = (line: string) => void
type LoadLength = { leastMs: number; mostMs: number }

/** Kills the service under load, starts it again, and compares everything. Returns the time to ready. */
export async function killServiceRound(world: World, name: string, length: LoadLength, say: Say): Promise<number> {
  const [service] = world.services
  assert.ok(service)
  const from = world.ledger.attempts.length
  const load = world.load()
  await wait(between(length.leastMs, length.mostMs))
  const killedMs = performance.now()
  service.signal('SIGKILL')
  const [, next] = await Promise.all([load.stop(), service.ended.then(() => world.start())])
  const readyMs = performance.now() - killedMs
  world.services[0] = next
  assertNone(await findings(world), world, name)
  const { acknowledged, open } = tally(world.ledger, from)
  say(`${name}: ${acknowledged} acknowledged, ${open} open; ready after ${Math.round(readyMs)} ms`)
  return readyMs
}

/** Kills PostgreSQL under load, which goes on meanwhile, and compares everything. Returns the time to healed. */
export async function killPostgresRound(
  world: World,
  { dataDir, victim }: { dataDir: string; victim: PostgresVictim },
  name: string,
  length: LoadLength,
  say: Say,
): Promise<number> {
  const [service] = world.services
  assert.ok(service)
  const from = world.ledger.attempts.length
  const load = world.load()
  await wait(between(length.leastMs, length.mostMs))
  const killedMs = performance.now()
  const killed = await killPostgres(dataDir, victim)
  assert.ok(killed > 0, `${name}: nothing was killed`)
  try {
    await eventually(`${name}: every client is acknowledged again`, healsWithinMs, () =>
      load.allAcknowledgedSince(killedMs),
    )
  } finally {
    await load.stop()
  }
  const healedMs = performance.now() - killedMs
  assert.ok(!service.hasEnded(), `${name}: the service ended\n${service.output()}`)
  assertNone(await findings(world), world, name)
  const { acknowledged, refused, open } = tally(world.ledger, from)
  assert.equal(open, 0, `${name}: ${open} requests were not answered`)
  say(
    `${name}: ${acknowledged} acknowledged, ${refused} answered 503; every client acknowledged again after ${Math.round(healedMs)} ms`,
  )
  return healedMs
}

/** How long a bare Node takes to start on an idle machine with two cores; the measure of an overloaded one. */
const idleStartMs = 70

/** Every time is within the bar; on a machine that is busy with other things, within as much more as that slows it. */
export function assertWithinBar(timesMs: readonly number[], barMs: number, say: Say): void {
  const sorted = timesMs.toSorted((left, right) => left - right)
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  say(`${sorted.length} times: median ${at(0.5)} ms, longest ${at(1)} ms, bar ${barMs} ms`)
  if (at(1) <= barMs) return
  const startedMs = performance.now()
  execFileSync(process.execPath, ['--eval', '0'])
  const slowdown = Math.max(1, (performance.now() - startedMs) / idleStartMs)
  say(`THE MACHINE IS BUSY: a bare Node starts ${slowdown.toFixed(1)} times as slowly as it should`)
  assert.ok(at(1) <= barMs * slowdown, `${at(1)} ms, and the bar is ${barMs} ms`)
}
