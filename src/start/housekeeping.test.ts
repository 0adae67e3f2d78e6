import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { readConfig } from '../settings/config.ts'
import { doChores, doRound } from './housekeeping.ts'
import { openLog } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'
import { preparePartitions } from '../push-log/bodies/housekeeping.ts'

/** Tests what housekeeping deletes when a clock is wrong: a machine's, or the database's. */

const dayMs = 86_400_000
const gateway = await gatewayForTests()
before(async () => {
  const { db } = gateway
  await db.query(
    "insert into idempotency select 1, day::text, $1, $2::timestamptz - day * interval '1 day', 200, $1 from generate_series(-30, 30) as day",
    [Buffer.from(''), new Date()],
  )
  await db.query('update housekeeping_mark set at = now(), moved_at = null')
})

async function kept(): Promise<number> {
  const { rows } = await gateway.db.query<{ count: number }>('select count(*)::int as count from idempotency')
  return rows[0]?.count ?? 0
}

async function keepHouse(nowMs: number): Promise<string> {
  const metrics = telemetry()
  const needs = { db: gateway.db, clock: { now: () => nowMs }, log: openLog('silent'), telemetry: metrics }
  await doRound(needs, readConfig({}).settings)
  const text = await metrics.registry.getSingleMetricAsString('ari_housekeeping_held_back_total')
  return [...text.matchAll(/reason="(\w+)"} 1/g)].map(([, reason]) => reason).join()
}

test('a process whose clock is 130 days ahead of the database deletes nothing, and says so', async () => {
  const all = await kept()
  await gateway.db.query('select')
  const ahead = mock.method(Date, 'now', () => gateway.db.clock.now() + 130 * dayMs)
  try {
    assert.equal(gateway.db.clock.isSkewed(), true)
    assert.equal(await keepHouse(gateway.db.clock.now()), 'clock')
    assert.equal(await kept(), all)
    const ready = await fetch(`${gateway.url}/readyz`)
    assert.deepEqual(
      [ready.status, await ready.text()],
      [
        200,
        "ready\nwarning: this machine's clock is 11232000 s ahead of the database's: correct the wrong one; until then, this machine deletes no old data\n",
      ],
    )
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    assert.match(metrics, /^ari_clock_ahead_seconds 1123(?:2000|1999\.\d+|2000\.\d+)$/m)
  } finally {
    ahead.mock.restore()
  }
})

test('a push log that takes more than its gigabytes loses its oldest days, and the log and a metric name them', async () => {
  const metrics = telemetry()
  const lines: string[] = []
  const { db, clock, supplier } = await gatewayForTests()
  await preparePartitions(db, clock.now() - 3 * dayMs)
  const { post } = await supplier('large')
  for (const day of ['2027-02-26', '2027-02-27', '2027-03-01']) {
    clock.set(`${day}T12:00:00Z`)
    await post('/push/hotels', [])
  }
  const log = openLog('warn', { write: (line: string) => lines.push(line) })
  const settings = { ...readConfig({}).settings, pushLogGb: 1e-6 }
  await doChores({ db, clock, log, telemetry: metrics }, settings)
  const { days, pushLogGb } = JSON.parse(lines.join(''))
  assert.deepEqual([days, pushLogGb], [['2027-02-26', '2027-02-27'], 1e-6])
  const text = await metrics.registry.getSingleMetricAsString('ari_push_log_days_dropped_total')
  assert.match(text, /reason="age"} 0\n.*reason="size"} 2/)
})

test('after all clocks jump by 400 days, one day per hour is deleted, whatever the number of processes, and the log reports it', async () => {
  const now = gateway.db.clock.now()
  assert.equal(await keepHouse(now), '')
  // 31 of 61 days remain, beginning with yesterday.
  assert.equal(await kept(), 31)
  const jumped = now + 400 * dayMs
  assert.equal(await keepHouse(jumped), 'ceiling')
  assert.equal(await keepHouse(jumped + 60_000), 'ceiling')
  assert.equal(await kept(), 30)
  assert.equal(await keepHouse(jumped + 3_600_000), 'ceiling')
  assert.equal(await kept(), 29)
  // The clock is corrected.
  assert.equal(await keepHouse(now + 7_200_000), '')
  assert.equal(await kept(), 29)
})

test('after a pause of ten days rounds catch up, a day each', async () => {
  await gateway.db.query("update housekeeping_mark set at = now(), moved_at = now() - interval '10 days'")
  const now = gateway.db.clock.now() + 10 * dayMs
  for (let round = 1; round <= 10; round++) assert.equal(await keepHouse(now + round * 3_600_000), 'ceiling')
  assert.equal(await keepHouse(now + 11 * 3_600_000), '')
})
