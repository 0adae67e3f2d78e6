import assert from 'node:assert/strict'
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { findBinaries } from '../../src/embedded-postgres/binaries.ts'
import { chooseLayout } from '../../src/embedded-postgres/layout.ts'
import { upgradeCluster } from '../../src/embedded-postgres/upgrade-cluster.ts'
import {
  findRunningPostgres,
  type PostgresConnection,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import {
  platform,
  installed,
  noPostgresInstalled,
  start,
  service,
  occupy,
  query,
  folderInUse,
  newFolder,
  clusterOf,
  leftOn,
  nothingLeft,
  quiet,
} from '../../test/stage/programs/embedded-postgres.ts'

suite('starting and stopping', () => {
  if (installed.length === 0)
    test('keeps what was written with an installed PostgreSQL', { skip: noPostgresInstalled }, () => {})
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
      message: `${socketDir}, needed for PostgreSQL's socket because the path of the data folder is too long, was created by another user or is open to others: remove it, or set ARI_DATA_DIR to a shorter path`,
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
    const written = (version: number) => writeFileSync(join(clusterOf(dataDir), 'PG_VERSION'), `${version}\n`)
    const and = (version: number) =>
      `The data in ${clusterOf(dataDir)} was written by PostgreSQL ${version}, and this is PostgreSQL 18`
    written(16)
    await assert.rejects(start({ dataDir, log: quiet() }), {
      message: `${and(16)}: move it with "ari store upgrade", or set ARI_POSTGRES_BIN to the bin folder of PostgreSQL 16`,
    })
    written(19)
    await assert.rejects(start({ dataDir, log: quiet() }), {
      message: `${and(19)}: start the version of the service that wrote it, or restore the data from before the upgrade (docs/upgrade.md), or set ARI_POSTGRES_BIN to the bin folder of PostgreSQL 19`,
    })
    await assert.rejects(upgradeCluster({ dataDir, log: quiet(), copy: async () => {} }), {
      message: `The data in ${clusterOf(dataDir)} was written by PostgreSQL 19, which is newer than the PostgreSQL 18 of this version: an upgrade can't go back`,
    })
    written(18)
    await (await start({ dataDir, log: quiet() })).stop()
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
      message: `PostgreSQL's data folder could not be created in ${join(dataDir, 'postgres')}: initdb: error: no space left`,
    })
    assert.deepEqual(readdirSync(join(dataDir, 'postgres')).toSorted(), ['service.lock', 'socket'])
  })
})

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
