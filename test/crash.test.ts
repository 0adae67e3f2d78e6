/** A glance at what test/proof/crash.test.ts proves at length: the service and its PostgreSQL are killed under load. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { killPostgresRound, killServiceRound, only } from './proof/crash/rounds.ts'
import { endServices, untilPostgresEnded } from './proof/crash/service.ts'
import { openWorld } from './proof/crash/world.ts'
import { dataFolder } from './programs.ts'

const undo: (() => Promise<void>)[] = []

after(async () => {
  await endServices()
  for (const step of undo) await step()
})

test('kill -9 of the service or of its PostgreSQL under load: no acknowledged push is lost, none half-applied, and clients meanwhile get 503', async (t) => {
  const { path: dataDir, remove } = await dataFolder()
  undo.push(async () => {
    await untilPostgresEnded(dataDir)
    await remove()
  })
  const world = await openWorld({ ARI_DATA_DIR: dataDir })
  const round = { dataDir, length: { leastMs: 400, mostMs: 900 }, say: (line: string) => t.diagnostic(line) }
  for (const name of ['first kill', 'second kill']) await killServiceRound(world, { ...round, name })
  for (const victim of ['all', 'any'] as const) {
    await killPostgresRound(world, { ...round, victim, name: `PostgreSQL (${victim})` })
  }
  assert.deepEqual(await only(world).end('SIGTERM'), { code: 0, signal: null })
})
