import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { serverAddress, startGateway, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'
import { postgresProxy, type PostgresProxy } from '../../test/stage/servers/postgres-proxy.ts'
import { answering, asPushed, outcomeOf, priceCheckStage } from '../../test/stage/scenes/price-checks.ts'
import { expectOk } from '../../test/stage/story.ts'

/** Price checks are stored once, whichever answer of PostgreSQL is lost. */

type Scene = {
  proxy: PostgresProxy
  supplier: TestSupplier
  check: (adultCount: number) => Promise<void>
  /** A connection that the proxy doesn't cut. */
  direct: pg.Client
  /** The parties of the listed checks, oldest first, and how often the drift counts a night. */
  stored: () => Promise<{ adults: unknown[]; drift: unknown }>
}

async function scene(context: TestContext): Promise<Scene> {
  const proxy = await postgresProxy()
  const gateway = await startGateway({
    allowPrivate: true,
    systemTime: true,
    resolve: async () => ['127.0.0.1'],
    outbound: { reach: (vetted) => vetted },
    checkBudgetMs: minutes(1),
    through: proxy.through,
  })
  const { database } = gateway.storeAddress
  const direct = new pg.Client({ ...(await serverAddress()), database })
  await direct.connect()
  context.after(async () => {
    await direct.end()
    await gateway.stop()
    await proxy.close()
  })
  const stage = await priceCheckStage(gateway)
  const { supplier } = await stage.supplierWith(answering(asPushed))
  return {
    proxy,
    supplier,
    direct,
    check: async (adultCount) => {
      assert.equal(Object(outcomeOf(await stage.check(supplier, { adultCount }))).outcome, 'available')
    },
    stored: async () => {
      const { body } = await untilAnswered(() => supplier.get('/push/priceChecks?hotelId=H1'))
      const checks: Record<string, unknown>[] = Object(body['priceChecks'])
      return {
        adults: checks.map(({ adultCount }) => adultCount).toReversed(),
        drift: Object(body['drift']).checks,
      }
    },
  }
}

/** The connections of the service have to be made again. */
async function untilAnswered(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask()
  for (; reply.status === 503; reply = await ask()) await wait(20)
  return expectOk(reply)
}

/** Until a statement of the service waits for a lock. */
async function untilBlocked(direct: pg.Client): Promise<void> {
  const blocked = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`
  while ((await direct.query(blocked)).rowCount === 0) await wait(20)
}

async function untilStored(direct: pg.Client, count: number): Promise<void> {
  while (((await direct.query('select from price_check')).rowCount ?? 0) < count) await wait(20)
}

/** Waits while the test has the lock. */
const waitForTest = `create function wait_for_test() returns trigger language plpgsql as
  $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;`

test('the answer to an insert is lost after its commit', async (context) => {
  const { proxy, direct, check, stored } = await scene(context)
  await direct.query('begin; lock table price_check in share mode')
  await check(2)
  await untilBlocked(direct)
  proxy.hold()
  await direct.query('commit')
  await untilStored(direct, 1)
  await proxy.cut()
  proxy.release()
  await proxy.heal()
  assert.deepEqual(await stored(), { adults: [2], drift: 2 })
  await check(1)
  assert.deepEqual(await stored(), { adults: [2, 1], drift: 4 })
})

test('the answer to an insert is lost, and its commit too, while the store knows another transaction by its id', async (context) => {
  const { proxy, direct, check, stored } = await scene(context)
  await direct.query('begin; lock table price_check in share mode')
  await check(2)
  await untilBlocked(direct)
  proxy.hold()
  await direct.query('commit')
  await untilStored(direct, 1)
  await proxy.cut()
  // What a failover that lost the commit leaves.
  await direct.query('delete from price_check; delete from price_drift')
  proxy.release()
  await proxy.heal()
  assert.deepEqual(await stored(), { adults: [2], drift: 2 })
})

test('a commit is still running when its connection is lost', async (context) => {
  const { proxy, direct, check, stored } = await scene(context)
  await direct.query(`${waitForTest}
    create constraint trigger wait_for_test after insert on price_check deferrable initially deferred
      for each row execute function wait_for_test()`)
  await direct.query('select pg_advisory_lock(1)')
  await check(2)
  await untilBlocked(direct)
  await proxy.cut()
  await proxy.heal()
  // Readers wait for a while for the checks to be written: the service has connected again by then.
  assert.deepEqual(await stored(), { adults: [], drift: 0 })
  await direct.query('select pg_advisory_unlock(1)')
  await untilStored(direct, 1)
  assert.deepEqual(await stored(), { adults: [2], drift: 2 })
  await check(1)
  assert.deepEqual(await stored(), { adults: [2, 1], drift: 4 })
})

test('checks are written one by one after a refusal, and the store goes away in between', async (context) => {
  const { proxy, direct, check, stored } = await scene(context)
  await direct.query(`${waitForTest}
    alter table price_check add constraint refused check (adults <> 1);
    create trigger wait_for_test before insert on price_check
      for each row when (new.adults = 3) execute function wait_for_test()`)
  await direct.query('select pg_advisory_lock(1)')
  await direct.query('begin; lock table price_check in share mode')
  await check(4)
  await untilBlocked(direct)
  // These arrive while another is being written, and are one batch.
  for (const adults of [2, 1, 3, 2]) await check(adults)
  await direct.query('commit')
  // The first two are written.
  await untilStored(direct, 2)
  await untilBlocked(direct)
  await proxy.cut()
  await direct.query('select pg_advisory_unlock(1)')
  await proxy.heal()
  assert.deepEqual(await stored(), { adults: [4, 2, 3, 2], drift: 8 })
})
