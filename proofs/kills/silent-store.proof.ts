import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { openLog } from '../../src/base/log.ts'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { openShop, pushNights, unitsLeft, type Shop } from '../../test/stage/scenes/booking.ts'
import { startGateway, type Reply, type TestGateway } from '../../test/stage/harness.ts'
import { asAdmin, type TestAddress } from '../../test/stage/postgres.ts'
import { postgresProxy, type PostgresProxy } from '../../test/stage/servers/postgres-proxy.ts'
import { dataFolder } from '../../test/stage/programs/programs.ts'
import { expectOk, product } from '../../test/stage/story.ts'
import { makeTemplate } from '../../test/stage/template.ts'

/**
 * A PostgreSQL that answers nothing and breaks no connection, as when its machine dies, or that finishes no
 * commit.
 */

type Call = () => Promise<Reply>

const told = ({ status, headers, body }: Reply): unknown[] => {
  const [problem] = Array.isArray(body['errors']) ? body['errors'] : []
  return [status, headers.get('retry-after'), problem?.type]
}

const unavailable = [503, '1', 'UNAVAILABLE']
const unknown = [503, '1', 'OUTCOME_UNKNOWN']

function callsOf({ supplier, platform, book }: Shop): { reads: Call[]; writes: Call[] } {
  const search = {
    hotels: [{ supplier: supplier.name, hotelId: 'H1' }],
    checkin: '2027-04-20',
    checkout: '2027-04-22',
  }
  return {
    reads: [
      () => supplier.post('/push/getHotels', ['H1']),
      () => supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-02' }),
      () => supplier.get('/push/log'),
      () => platform.post('/booking/offers', { ...search, rooms: [{ adults: 2, childAges: [] }] }),
    ],
    writes: [
      () =>
        supplier.post('/push/ari', {
          hotelId: 'H1',
          ari: [{ roomId: 'DBL', date: '2027-05-01', inventory: 3 }],
        }),
      () => supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR', {})] }),
      () => book({}, { 'idempotency-key': 'one' }),
    ],
  }
}

async function ready({ url }: TestGateway): Promise<string> {
  return (await fetch(`${url}/readyz`)).text()
}

async function alive({ url }: TestGateway): Promise<string> {
  return (await fetch(`${url}/livez`)).text()
}

async function untilReady(gateway: TestGateway): Promise<void> {
  while ((await ready(gateway)) !== 'ready\n') await wait(50)
}

describe('while PostgreSQL answers nothing', () => {
  async function behindDoor(
    context: TestContext,
  ): Promise<{ proxy: PostgresProxy; gateway: TestGateway; shop: Shop }> {
    const proxy = await postgresProxy()
    const gateway = await startGateway({ through: proxy.through, patience: 1 })
    context.after(async () => {
      proxy.release()
      await gateway.stop()
      await proxy.close()
    })
    return { proxy, gateway, shop: await openShop(gateway) }
  }

  test('every caller gets that answer, even more callers than connections, and is served again as soon as the store answers', async (context) => {
    const { proxy, gateway, shop } = await behindDoor(context)
    const { reads, writes } = callsOf(shop)
    const calls = [...reads, ...writes]
    proxy.hold()
    for (let round = 0; round < 2; round++) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => calls)
          .flat()
          .map((call) => call()),
      )
      for (const reply of replies)
        assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '1'])
    }
    assert.equal(await ready(gateway), 'not ready: the store does not answer\n')
    assert.equal(await alive(gateway), 'ok\n')
    proxy.release()
    await untilReady(gateway)
    for (const call of calls) assert.equal(Math.floor((await call()).status / 100), 2)
    // All requests made during the silence amount to one booking.
    assert.deepEqual((await unitsLeft(gateway, 'Acme')).slice(0, 1), [1])
  })

  test('idle connections are tested before use: no caller notices that they had died', async (context) => {
    const { proxy, gateway, shop } = await behindDoor(context)
    const { reads } = callsOf(shop)
    for (const reply of await Promise.all(reads.map((call) => call()))) expectOk(reply)
    proxy.forget()
    await wait(6_000)
    for (const call of reads) expectOk(await call())
    await pushNights(shop.supplier)
    assert.equal(await ready(gateway), 'ready\n')
  })
})

describe('while no commit is finished, because the synchronous standby is gone', () => {
  async function alone(
    context: TestContext,
  ): Promise<{ gateway: TestGateway; address: TestAddress; shop: Shop }> {
    const folder = await dataFolder()
    const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: openLog('silent') })
    const database = await makeTemplate(postgres.connection)
    const address = { ...postgres.connection, database }
    const gateway = await startGateway({ through: () => address, patience: 1 })
    context.after(async () => {
      await setStandby(address, '')
      await gateway.stop()
      await postgres.stop()
      await folder.remove()
    })
    return { gateway, address, shop: await openShop(gateway) }
  }

  async function setStandby(address: TestAddress, name: string): Promise<void> {
    await asAdmin(address, `alter system set synchronous_standby_names = '${name}'`)
    await asAdmin(address, 'select pg_reload_conf()')
    if (name !== '') await untilCommitsWait(address)
  }

  /** They do once PostgreSQL's checkpointer has read the setting, some time after the reload. */
  async function untilCommitsWait(address: TestAddress): Promise<void> {
    const committer = new pg.Client({ ...address, application_name: 'committer' })
    await committer.connect()
    let hasWaited = false
    // The warning that the wait was cancelled.
    committer.on('notice', () => (hasWaited = true))
    const commits = async (): Promise<void> => {
      while (!hasWaited) await committer.query(`select pg_logical_emit_message(true, 'committer', '')`)
    }
    await Promise.all([commits(), cancelWaiting(address, `application_name = 'committer'`)])
    await committer.end()
  }

  /** Cancels the waits for the standby of such connections, as soon as there are any. */
  async function cancelWaiting(address: TestAddress, whose: string): Promise<void> {
    await asAdmin(
      address,
      `do $$ begin
        loop
          perform pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and ${whose};
          exit when found;
          perform pg_sleep(0.02), pg_stat_clear_snapshot();
        end loop; end $$`,
    )
  }

  test('writes are refused with the reason, reads are answered, and writes in doubt are stored once', async (context) => {
    const { gateway, address, shop } = await alone(context)
    const { reads, writes } = callsOf(shop)
    await setStandby(address, 'nobody')
    while ((await ready(gateway)) === 'ready\n') await wait(50)
    assert.match(await ready(gateway), /^not ready: the store answers reads but does not finish a commit/)
    // The outage is known by now: no statement is sent that would wait.
    for (const call of writes) assert.deepEqual(told(await call()), unavailable)
    for (const call of reads) expectOk(await call())
    assert.equal(await alive(gateway), 'ok\n')
    await setStandby(address, '')
    await untilReady(gateway)

    await setStandby(address, 'nobody')
    const booked = await shop.book({}, { 'idempotency-key': 'in-doubt' })
    assert.deepEqual(told(booked), unknown)
    await setStandby(address, '')
    await untilReady(gateway)
    const again = await shop.book({}, { 'idempotency-key': 'in-doubt' })
    assert.equal(again.status, 201)
    assert.deepEqual((await unitsLeft(gateway, 'Acme')).slice(0, 1), [1])
  })

  test('a commit whose wait for the standby was cancelled is not acknowledged', async (context) => {
    const { gateway, address, shop } = await alone(context)
    await setStandby(address, 'nobody')
    const booking = shop.book({}, { 'idempotency-key': 'cancelled' })
    await cancelWaiting(address, 'true')
    assert.deepEqual(told(await booking), unknown)
    await setStandby(address, '')
    await untilReady(gateway)
    assert.equal((await shop.book({}, { 'idempotency-key': 'cancelled' })).status, 201)
    assert.deepEqual((await unitsLeft(gateway, 'Acme')).slice(0, 1), [1])
  })
})
