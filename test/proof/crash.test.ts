/**
 * What is acknowledged is kept, and kept whole: the service and its PostgreSQL are killed, stopped, and starved of disk
 * under load, and everything that clients were told is compared with what is there afterwards.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dataFolder } from '../programs.ts'
import { checkWholeLog } from './crash/ledger.ts'
import { assertWithinBar, killPostgresRound, killServiceRound, readyWithinMs } from './crash/rounds.ts'
import { endServices, postgresVictims, untilPostgresEnded } from './crash/service.ts'
import { assertNone, openWorld } from './crash/world.ts'

const serviceKills = Number(process.env['N_A'] ?? 25)
const postgresKills = Number(process.env['N_B'] ?? 15)

const folders: (() => Promise<void>)[] = []

after(async () => {
  await endServices()
  for (const remove of folders) await remove()
})

async function newFolder(): Promise<string> {
  const { path, remove } = await dataFolder()
  folders.push(async () => {
    await untilPostgresEnded(path)
    await remove()
  })
  return path
}

test(`${serviceKills} × kill -9 of the service under load: nothing acknowledged is lost, nothing half-applied, ready again in 2 s`, async (t) => {
  const beganMs = Date.now()
  const world = await openWorld({ ARI_DATA_DIR: await newFolder() })
  const readyMs: number[] = []
  for (let kill = 1; kill <= serviceKills; kill++) {
    const length = { leastMs: 500, mostMs: 3_500 }
    readyMs.push(await killServiceRound(world, `kill ${kill}`, length, (line) => t.diagnostic(line)))
  }
  const client = world.client()
  assertNone(await checkWholeLog(world.ledger, client, beganMs - 1_000), world, 'after all kills')
  client.close()
  assertWithinBar(readyMs, readyWithinMs, (line) => t.diagnostic(line))
  await world.services[0]?.end('SIGTERM')
})

test(`${postgresKills} × kill -9 of PostgreSQL under load: the same, 503 meanwhile, and the service heals by itself`, async (t) => {
  const dataDir = await newFolder()
  const world = await openWorld({ ARI_DATA_DIR: dataDir })
  const pid = world.services[0]?.pid
  const healedMs: number[] = []
  for (let kill = 1; kill <= postgresKills; kill++) {
    const victim = postgresVictims[kill % postgresVictims.length] ?? 'all'
    const length = { leastMs: 500, mostMs: 2_500 }
    const name = `kill ${kill} (${victim})`
    healedMs.push(await killPostgresRound(world, { dataDir, victim }, name, length, (line) => t.diagnostic(line)))
  }
  assert.ok(world.ledger.attempts.some(({ status }) => status === 503), 'no client met the outage')
  assert.equal(world.services[0]?.pid, pid)
  assertWithinBar(healedMs, readyWithinMs, (line) => t.diagnostic(line))
  await world.services[0]?.end('SIGTERM')
})
