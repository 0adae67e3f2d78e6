/** How far a standby is behind, as the service's metrics tell it: also when it stops, and when it is gone. */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { minutes } from '../../test/stage/pace.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { endServices, startService } from '../../test/stage/crash/service.ts'
import { eventually } from '../../test/stage/crash/world.ts'
import { withoutPostgres15 } from '../../test/stage/programs/programs.ts'
import { killClusters, newCluster } from '../../test/stage/failover/cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'ari-lag-'))
chmodSync(folder, 0o755)

after(async () => {
  await endServices()
  killClusters()
  rmSync(folder, { recursive: true, force: true })
})

const options = { skip: (await withoutPostgres15()) ?? false, timeout: minutes(15) }

test(
  'a standby that stops replaying, or is gone but not given up, falls behind until it follows again',
  options,
  async () => {
    const primary = await newCluster(join(folder, 'primary'))
    const service = await startService(environOf(primary.address))
    const lag = async (): Promise<number> => {
      const page = await (await fetch(`${service.url}/metrics`)).text()
      return Number(/^ari_replica_lag_seconds (\S+)$/m.exec(page)?.[1])
    }
    const falls = (what: string) => eventually(what, minutes(5), async () => (await lag()) > 10)
    const follows = (what: string) => eventually(what, minutes(5), async () => (await lag()) < 5)
    assert.equal(await lag(), 0, 'without a standby')

    const standby = await primary.standby(join(folder, 'standby'))
    await standby.sql('select pg_wal_replay_pause()')
    await falls('the standby that stopped is behind')
    await standby.sql('select pg_wal_replay_resume()')
    await follows('the standby follows again')

    // As of a standby that died: the primary keeps what it lacks.
    await primary.sql(`select pg_create_physical_replication_slot('gone', true)`)
    await falls('the standby that is gone is behind')
    await primary.sql(`select pg_drop_replication_slot('gone')`)
    await follows('a standby that was given up is not missed')
  },
)
