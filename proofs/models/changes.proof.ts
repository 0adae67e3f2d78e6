/**
 * A client that follows the change feed and reads everything it names ends with exactly the stored state:
 * under eight writers at two processes of the service, which are stopped, killed and restarted meanwhile.
 */
import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createKey, createToken } from '../../src/keys/manage.ts'
import { openLog } from '../../src/base/log.ts'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { minutes } from '../../test/stage/pace.ts'
import { environOf, newTestDatabase, type TestAddress } from '../../test/stage/postgres.ts'
import {
  cursorOfNow,
  pollingFollower,
  streamingFollower,
  type Platform,
} from '../../test/stage/changes/followers.ts'
import { hotelIds, pushEverything, startWriters } from '../../test/stage/changes/writers.ts'
import { clientOf, type Client } from '../../test/stage/crash/http.ts'
import { endServices, startService, type Service } from '../../test/stage/crash/service.ts'
import { eventually } from '../../test/stage/crash/world.ts'

const betweenRestartsMs = 2_500
const onlyNightsMs = 6_000
/** To each follower. */
const toldLeast = 500

const undo: (() => Promise<void>)[] = []

after(async () => {
  await endServices()
  for (const step of undo.reverse()) await step()
})

async function newDatabase(): Promise<TestAddress> {
  const { address, drop } = await newTestDatabase()
  undo.push(drop)
  return address
}

type Outcome = { differences: string[]; disorder: string[]; told: number }

async function followUnderLoad(
  breaks: readonly string[],
  restarts: readonly NodeJS.Signals[],
  t: TestContext,
): Promise<Outcome> {
  const address = await newDatabase()
  const environ = {
    ...environOf(address),
    NODE_OPTIONS: `--import=${import.meta.resolve('../../test/stage/query-breaks.ts')}`,
    ARI_PROOF_BREAK: breaks.join(),
  }
  const services = [await startService(environ), await startService(environ)]
  const db = openDatabase(address, openLog('silent'))
  const wanted = {
    supplier: 'Proof',
    channelManager: 'proof',
    expiresAtMs: null,
    limits: { requestsPerMinute: 0 },
  }
  const { apiKey } = await createKey(db, 'sandbox', wanted)
  const { token } = await createToken(db, 'sandbox', { role: 'platform', name: 'proof', expiresAtMs: null })
  await db.close()
  const clients = new Map<Service, Client>()
  let turn = 0
  const any = (): Service => {
    const service = services[turn++ % services.length]
    assert.ok(service)
    return service
  }
  const supplier = (): Client => {
    const service = any()
    const client = clients.get(service) ?? clientOf(service.url, apiKey)
    clients.set(service, client)
    return client
  }
  const platform: Platform = { clientOf: supplier, url: () => any().url, token }

  const start = await cursorOfNow(platform)
  const followers = [pollingFollower(platform, supplier, start), streamingFollower(platform, supplier, start)]
  await pushEverything(supplier())
  const writers = startWriters(supplier)
  const load = async (): Promise<Record<string, number>> => {
    for (const [index, signal] of restarts.entries()) {
      await wait(betweenRestartsMs)
      const which = index % services.length
      await services[which]?.end(signal)
      services[which] = await startService(environ)
    }
    writers.onlyNights()
    await wait(onlyNightsMs)
    await eventually('enough is told', minutes(5), () =>
      followers.every(({ cache }) => cache.changes > toldLeast),
    )
    return writers.stop()
  }
  const acknowledged = await load().catch(async (error: unknown) => {
    for (const follower of followers) follower.leave()
    await writers.stop()
    throw error
  })
  for (const follower of followers) await follower.finish()
  t.diagnostic(`acknowledged ${JSON.stringify(acknowledged)}, after ${restarts.length} restarts`)

  const outcome: Outcome = { differences: [], disorder: [], told: 0 }
  for (const { name, cache } of followers) {
    outcome.told += cache.changes
    outcome.disorder.push(...cache.disorder)
    for (const hotelId of hotelIds) {
      const [cached, truth] = [cache.hotels.get(hotelId), await cache.truth(hotelId)]
      try {
        assert.deepEqual(cached, truth)
      } catch (error) {
        outcome.differences.push(
          `${name}, ${hotelId}: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    }
  }
  for (const client of clients.values()) client.close()
  for (const service of services) await service.end('SIGTERM')
  return outcome
}

test('a follower of the feed, by polling or by events, ends with exactly the stored state, with 8 writers and restarts', async (t) => {
  const restarts: NodeJS.Signals[] = ['SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM']
  const { differences, disorder, told } = await followUnderLoad(['slowCommits'], restarts, t)
  t.diagnostic(`${told} changes told`)
  assert.deepEqual(differences, [])
  // After an interruption a change may be reported twice; but here each position, once read, is never
  // revisited.
  assert.deepEqual(disorder, [])
})

test('the comparison finds changes passed over by a feed in order of id', async (t) => {
  const { differences } = await followUnderLoad(['slowCommits', 'changesById'], [], t)
  t.diagnostic(`${differences.length} hotels differ, such as ${differences[0]?.slice(0, 300)}`)
  assert.ok(differences.length > 0)
})
