import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { seconds } from '../../../test/stage/pace.ts'
import { eventually } from '../../../test/stage/crash/world.ts'
import { noteBackup, startStoreFigures, WrittenLog } from './store-figures.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'

async function metric(url: string, name: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1])
}

test('the age of the last backup is known from ari backup create alone, and 0 before there is one', async () => {
  const gateway = await gatewayForTests()
  assert.equal(await metric(gateway.url, 'ari_backup_age_seconds'), 0)
  await noteBackup(gateway.db)
  await gateway.db.query("update housekeeping_mark set backup_at = backup_at - interval '27 hours'")
  const measurements = telemetry()
  const figures = startStoreFigures({ ...gateway, log: openLog('silent'), telemetry: measurements })
  const age = async () =>
    Number(
      /_seconds (\d+)/.exec(
        await measurements.registry.getSingleMetricAsString('ari_backup_age_seconds'),
      )?.[1],
    )
  await eventually('the age is read', seconds(30), async () => (await age()) >= 27 * 3600)
  await figures.close()
})

test('a process says whether it is ready, and how much room the disk of the store has', async () => {
  const gateway = await gatewayForTests()
  assert.equal(await metric(gateway.url, 'ari_ready'), 1)
  const free = await metric(gateway.url, 'ari_data_free_ratio')
  assert.ok(free > 0 && free <= 1, String(free))
  await gateway.db.query('alter table write_probe rename to lost_probe')
  const ready = (now: number) => async () => (await metric(gateway.url, 'ari_ready')) === now
  await eventually('a store without commits is not ready', seconds(60), ready(0))
  await gateway.db.query('alter table lost_probe rename to write_probe')
  await eventually('it is ready again', seconds(60), ready(1))
  gateway.app.leave()
  assert.equal(await metric(gateway.url, 'ari_ready'), 0)
})

test('the log of another server, which begins elsewhere, makes no standby late', async () => {
  const written = new WrittenLog()
  assert.equal(written.lagSeconds(100, 50), 0)
  await wait(5)
  assert.ok(written.lagSeconds(110, 50) > 0, 'the standby lacks what was written first')
  assert.equal(written.lagSeconds(20, 10), 0)
})
