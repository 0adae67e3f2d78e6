import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { findBinaries } from '../../src/embedded-postgres/binaries.ts'
import { prepareCluster, writeConfiguration } from '../../src/embedded-postgres/cluster.ts'
import { chooseLayout, makeSocketFolder } from '../../src/embedded-postgres/layout.ts'
import { postmasterPid, Watcher } from '../../src/embedded-postgres/processes.ts'
import { Supervisor } from '../../src/embedded-postgres/supervisor.ts'
import {
  start,
  spawnService,
  service,
  occupy,
  query,
  folderInUse,
  newFolder,
  clusterOf,
  leftOn,
  nothingLeft,
  eventually,
  quiet,
} from '../../test/stage/programs/embedded-postgres.ts'

suite('kill -9', () => {
  test('of the service: PostgreSQL ends by itself, and the next start has everything', async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    await query(first.connection, 'create table kept as select 7 as seven')
    await first.kill()
    const next = await service({ dataDir })
    assert.deepEqual(await query(next.connection, 'table kept'), [{ seven: 7 }])
    await next.kill()
    await nothingLeft(dataDir)
  })

  test('of the service, whose process ends without stopping: PostgreSQL ends too', async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    first.process.kill('SIGTERM')
    await nothingLeft(dataDir)
  })

  test('of the service and the watcher: the next start ends the orphan and has everything', async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    await query(first.connection, 'create table kept as select 7 as seven')
    process.kill(watcherOf(first), 'SIGKILL')
    await first.kill()
    await delay(300)
    assert.notDeepEqual(await leftOn(dataDir), [], 'the test must really leave an orphan')
    const next = await service({ dataDir })
    assert.deepEqual(await query(next.connection, 'table kept'), [{ seven: 7 }])
    await next.stop()
    assert.deepEqual(await leftOn(dataDir), [])
  })

  test('of the watcher: it is replaced, and the new one knows what to end', async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    const old = watcherOf(first)
    process.kill(old, 'SIGKILL')
    await eventually(() => first.logged('The watcher of PostgreSQL died and is replaced'))
    await eventually(() => watcherOf(first) !== old)
    await first.kill()
    await nothingLeft(dataDir)
  })

  test('of the postmaster, while a backend is too busy to notice: the same socket answers again', async () => {
    const dataDir = await folderInUse()
    const running = await start({ dataDir, log: quiet() })
    await query(running.connection, 'create table kept as select 7 as seven')
    for (let turn = 0; turn < 5; turn += 1) {
      const busy = await occupy(running.connection)
      process.kill(postmasterOf(dataDir), 'SIGKILL')
      await busy.lost
      await eventually(async () => {
        assert.deepEqual(await query(running.connection, 'table kept'), [{ seven: 7 }])
        return true
      })
    }
    await running.stop()
    assert.deepEqual(await leftOn(dataDir), [])
  })

  test('of a backend: the others heal', async () => {
    const dataDir = await folderInUse()
    const running = await start({ dataDir, log: quiet() })
    await query(running.connection, 'create table kept as select 7 as seven')
    const busy = await occupy(running.connection)
    process.kill(busy.pid, 'SIGKILL')
    await busy.lost
    await eventually(async () => (await query(running.connection, 'table kept')).length === 1)
    await running.stop()
  })

  test('of service, watcher and postmaster at once, with a busy backend left: the next start succeeds', async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    await query(first.connection, 'create table kept as select 7 as seven')
    const busy = await occupy(first.connection)
    process.kill(watcherOf(first), 'SIGKILL')
    first.process.kill('SIGKILL')
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    await first.ended
    assert.ok((await leftOn(dataDir)).includes(busy.pid), 'the test must really leave a backend')
    const next = await service({ dataDir })
    assert.deepEqual(await query(next.connection, 'table kept'), [{ seven: 7 }])
    await busy.lost
    await next.stop()
  })

  test('at any moment of the first start: nothing is left, and the next start succeeds', async () => {
    const dataDir = newFolder('data')
    for (const afterMs of [100, 200, 300, 450, 600, 800, 1_000]) {
      const starting = spawnService({ dataDir })
      await delay(afterMs)
      starting.process.kill('SIGKILL')
      await starting.ended
    }
    const next = await service({ dataDir })
    assert.deepEqual(await query(next.connection, 'select 1 as one'), [{ one: 1 }])
    await next.stop()
    assert.deepEqual(await leftOn(dataDir), [])
    assert.deepEqual(programsMentioning(dataDir), [])
    assert.deepEqual(
      readdirSync(join(dataDir, 'postgres')).filter((name) => name.startsWith('cluster.new')),
      [],
    )
  })

  test('leaves a pid file whose number another program has by now: that program lives, and we start', async () => {
    const dataDir = await folderInUse()
    await (await start({ dataDir, log: quiet() })).stop()
    const bystander = spawn('sleep', ['60'])
    const pidFile = join(clusterOf(dataDir), 'postmaster.pid')
    writeFileSync(pidFile, `${bystander.pid}\n${clusterOf(dataDir)}\n1700000000\n5432\n\n\n  1 1\nready   \n`)
    const owner = statSync(clusterOf(dataDir))
    chownSync(pidFile, owner.uid, owner.gid)
    const running = await start({ dataDir, log: quiet() })
    assert.equal(bystander.exitCode ?? bystander.signalCode, null)
    await running.stop()
    bystander.kill()
  })
})

suite('healing', () => {
  test('goes on with pauses until the server can run again', async () => {
    const dataDir = await folderInUse()
    const log = quiet()
    const running = await start({ dataDir, log })
    const needed = join(clusterOf(dataDir), 'global', 'pg_control')
    renameSync(needed, `${needed}.away`)
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    await eventually(() => log.lines.some((line) => line.attempt === 3))
    renameSync(`${needed}.away`, needed)
    await eventually(async () => (await query(running.connection, 'select 1')).length === 1)
    await running.stop()
  })

  test('stops at once although the server is being healed', async () => {
    const dataDir = await folderInUse()
    const log = quiet()
    const running = await start({ dataDir, log })
    renameSync(join(clusterOf(dataDir), 'global', 'pg_control'), join(dataDir, 'away'))
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    await eventually(() => log.lines.some((line) => line.attempt === 2))
    await running.stop()
    assert.deepEqual(await leftOn(dataDir), [])
  })

  test('gives up at its limit and says what to do', async () => {
    const dataDir = newFolder('data')
    const log = quiet()
    const layout = await chooseLayout(dataDir)
    const [binaries, socketDir] = [await findBinaries(layout, undefined), await makeSocketFolder(layout)]
    const watcher = new Watcher(layout.serverUser, log)
    await prepareCluster(layout, binaries, watcher)
    await writeConfiguration(layout, binaries, socketDir)
    const limits = { attempts: 3, firstDelayMs: 1, delayMs: 2, stayedMs: 1_000_000 }
    const supervisor = new Supervisor({ layout, binaries, socketDir, watcher, log }, limits)
    await supervisor.start()
    renameSync(join(layout.clusterDir, 'global', 'pg_control'), join(dataDir, 'away'))
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    await eventually(() => log.lines.some((line) => line.level === 'error'))
    const [given] = log.lines.filter((line) => line.level === 'error')
    assert.match(
      given?.message ?? '',
      /^PostgreSQL could not be restarted in 3 attempts \(PostgreSQL on .* does not run: .*\): fix that, then restart the service$/,
    )
    await supervisor.stop()
    await watcher.close()
    assert.deepEqual(await leftOn(dataDir), [])
  })
})

function postmasterOf(dataDir: string): number {
  const pid = postmasterPid(clusterOf(dataDir))
  assert.ok(pid !== undefined)
  return pid
}

function watcherOf(running: { process: ChildProcess }): number {
  const children = execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  for (const line of children) {
    const [pid, parent] = line.trim().split(/\s+/)
    if (Number(parent) === running.process.pid && line.endsWith(' ari-postgres-watcher')) return Number(pid)
  }
  return 0
}

function programsMentioning(dataDir: string): string[] {
  const lines = execFileSync('ps', ['-axo', 'args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(dataDir))
}
