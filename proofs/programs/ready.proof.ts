import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresAddress } from '../../src/postgres/connections/connection-config.ts'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { openLog } from '../../src/base/log.ts'
import { openShop, unitsLeft, type Shop } from '../../test/stage/scenes/booking.ts'
import {
  client,
  startGateway,
  type Reply,
  type TestClient,
  type TestGateway,
} from '../../test/stage/harness.ts'
import { asAdmin } from '../../test/stage/postgres.ts'
import { dataFolder } from '../../test/stage/programs/programs.ts'
import { mountSmallDisk } from '../../test/stage/crash/disk.ts'
import { expectOk } from '../../test/stage/story.ts'
import { makeTemplate } from '../../test/stage/template.ts'

/** /readyz says whether a push would be accepted; reads are served even when it would not. */

async function ready({ url }: TestGateway): Promise<string> {
  return (await fetch(`${url}/readyz`)).text()
}

async function until(gateway: TestGateway, expected: string): Promise<void> {
  while ((await ready(gateway)) !== expected) await wait(50)
}

type Caller = { supplier: TestClient }

const push = ({ supplier }: Caller, inventory: number) =>
  supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-20', inventory }] })

async function readsAreServed({ supplier }: Caller): Promise<void> {
  await isServed(() => supplier.post('/push/getHotels', ['H1']))
  await isServed(() =>
    supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-20', endDate: '2027-04-21' }),
  )
}

/** A machine that is busy elsewhere sheds reads too, for a moment. */
async function isServed(read: () => Promise<Reply>): Promise<void> {
  let reply = await read()
  while (reply.status === 503 && Object(Object(reply.body['errors'])[0]).type === 'OVERLOADED') {
    await wait(100)
    reply = await read()
  }
  expectOk(reply)
}

async function isRefused(shop: Caller): Promise<void> {
  const { status, headers } = await push(shop, 7)
  assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
}

type Undoing = ReturnType<typeof undoing>

async function postgresOn(after: Undoing, dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: openLog('silent') })
  after(() => postgres.stop())
  return postgres
}

async function gatewayAt(
  after: Undoing,
  address: PostgresAddress,
): Promise<{ gateway: TestGateway; shop: Shop }> {
  const gateway = await startGateway({ through: () => address, patience: 1 })
  after(() => gateway.stop())
  return { gateway, shop: await openShop(gateway) }
}

/** Registers steps to undo at the end of a test, last one first. */
function undoing(context: TestContext): (undo: () => unknown) => void {
  const undos: (() => unknown)[] = []
  context.after(async () => {
    for (let undo = undos.pop(); undo; undo = undos.pop()) await undo()
  })
  return (undo) => undos.push(undo)
}

test('a full disk: not ready, reads are served, and with room again pushes are taken', async (context) => {
  const disk = mountSmallDisk(300)
  if ('refused' in disk) return context.skip(`this user can't mount (${disk.refused})`)
  const after = undoing(context)
  after(() => disk.unmount())
  const postgres = await postgresOn(after, join(disk.path, 'data'))
  const address = { ...postgres.connection, database: await makeTemplate(postgres.connection) }
  const { gateway, shop } = await gatewayAt(after, address)
  await until(gateway, 'ready\n')
  disk.fill(0)
  await until(gateway, 'not ready: the disk of the store is full\n')
  await readsAreServed(shop)
  assert.equal((await fetch(`${gateway.url}/livez`)).status, 200)
  disk.free()
  await until(gateway, 'ready\n')
  expectOk(await push(shop, 5))
  assert.deepEqual((await unitsLeft(gateway)).slice(0, 1), [5])
})

test('a database that was made read-only: not ready, reads are served', async (context) => {
  const after = undoing(context)
  const folder = await dataFolder()
  after(folder.remove)
  const postgres = await postgresOn(after, folder.path)
  const database = await makeTemplate(postgres.connection)
  const { gateway, shop } = await gatewayAt(after, { ...postgres.connection, database })
  const setReadOnly = async (to: 'on' | 'off'): Promise<void> => {
    await asAdmin(postgres.connection, `alter database ${database} set default_transaction_read_only = ${to}`)
    await asAdmin(
      postgres.connection,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
    )
  }
  await setReadOnly('on')
  await until(gateway, 'not ready: the store is read-only: it is a standby, or was set to read-only\n')
  await isRefused(shop)
  await readsAreServed(shop)
  await setReadOnly('off')
  await until(gateway, 'ready\n')
  expectOk(await push(shop, 5))
})

test('a standby alone: not ready, reads are served; of several hosts the one that takes writes is found, after a failover too', async (context) => {
  const after = undoing(context)
  const folders = [await dataFolder(), await dataFolder()] as const
  for (const { remove } of folders) after(remove)
  const first = await startEmbeddedPostgres({ dataDir: folders[0].path, log: openLog('silent') })
  const database = await makeTemplate(first.connection)
  const opening = await startGateway({ through: () => ({ ...first.connection, database }) })
  const { supplier } = await openShop(opening)
  await opening.stop()
  await first.stop()
  execFileSync('/bin/cp', ['-a', folders[0].path, folders[1].path])
  writeFileSync(join(folders[1].path, 'postgres', 'cluster', 'standby.signal'), '')
  const primary = await postgresOn(after, folders[0].path)
  const standby = await postgresOn(after, folders[1].path)

  const alone = await startGateway({ through: () => ({ ...standby.connection, database }), patience: 1 })
  await until(alone, 'not ready: the store is read-only: it is a standby, or was set to read-only\n')
  await readsAreServed({ supplier: client(alone.url, { 'x-api-key': supplier.apiKey }) })
  await alone.stop()

  const hostOf = ({ connection: { host, port } }: EmbeddedPostgres): string =>
    `${encodeURIComponent(host)}:${port}`
  const { user } = primary.connection
  const connectionString = `postgres://${user}@${hostOf(standby)},${hostOf(primary)}/${database}?target_session_attrs=read-write`
  const both = await startGateway({ through: () => ({ connectionString }), patience: 1 })
  after(() => both.stop())
  await until(both, 'ready\n')
  const caller = { supplier: client(both.url, { 'x-api-key': supplier.apiKey }) }
  expectOk(await push(caller, 8))
  await primary.stop()
  await isRefused(caller)
  await asAdmin(standby.connection, 'select pg_promote()')
  while ((await push(caller, 9)).status !== 200) await wait(50)
  await until(both, 'ready\n')
  assert.deepEqual((await unitsLeft(both)).slice(0, 1), [9])
})
