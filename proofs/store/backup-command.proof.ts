/** `ari backup` as an operator runs it: beside a service that takes pushes, and into an empty database. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bookingBy, idOf, platformOf, pushNights } from '../../test/stage/scenes/booking.ts'
import {
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../test/stage/scenes/deliveries.ts'
import { client, type Reply } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import {
  programsForTests,
  runAri,
  runAriAfter,
  startProgram,
  type Outcome,
} from '../../test/stage/programs/programs.ts'
import { startReceiver, type Receiver } from '../../test/stage/servers/receiver.ts'
import { expectOk, storyHotel } from '../../test/stage/story.ts'
import { setAccount } from '../../src/keys/suppliers.ts'

const vaultKey = Buffer.alloc(32, 7)
const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '12/2099' }
const nights = { startDate: nightAhead(1), endDate: nightAhead(30) }
const stay = { checkin: nightAhead(20), checkout: nightAhead(22) }
const backupKey = randomBytes(32).toString('base64')
const { newFolder, track } = programsForTests()
let stage: DeliveryTest
let receiver: Receiver
let supplier: DeliverySupplier
let folder: string
let reservationId: number

before(async () => {
  stage = await startDeliveryTest({ systemTime: true, vaultKey })
  receiver = await startReceiver()
  supplier = await stage.supplierAt('Acme', `http://127.0.0.1:${receiver.port}/book`)
  await pushNights(supplier, nights)
  await setAccount(stage.gateway.db, 'Acme', { deliversCards: true })
  const book = bookingBy(await platformOf(stage.gateway), 'Acme')
  reservationId = Number(idOf(await book({ ...stay, payment: { type: 'Channel Collect', card } })))
  await stage.gateway.db.query(`insert into environment (name) values ('sandbox')`)
  folder = await mkdtemp(join(tmpdir(), 'ari-backup-'))
})
after(async () => {
  await stage.stop()
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

const backUp = (environ: Record<string, string>, ...parameters: string[]): Promise<Outcome> =>
  runAri({ ...environOf(stage.gateway.storeAddress), NO_COLOR: '1', ...environ }, 'backup', ...parameters)

async function succeeds(running: Promise<Outcome>): Promise<string> {
  const { code, stdout, stderr } = await running
  assert.equal(code, 0, stderr)
  return stdout
}

/** What the supplier reads back, without the ids of these reads. */
async function readBack(url: string): Promise<unknown[]> {
  const own = client(url, { 'x-api-key': supplier.apiKey })
  const replies: Reply[] = [
    await own.post('/push/getHotels', ['H1']),
    await own.post('/push/getAri', { hotelId: 'H1', ...nights }),
    await own.post('/push/getAriDigest', {
      hotelId: 'H1',
      from: nights.startDate,
      to: nights.endDate,
      level: 'month',
    }),
  ]
  return replies.map(expectOk).map(({ body: { requestId: _requestId, ...said } }) => said)
}

test('a backup made while pushes go on is restored with the digests of all hotels; its deliveries are sent once they are released', async () => {
  const file = join(folder, 'whole.backup')
  let pushes = 0
  const stop = new AbortController()
  const pushing = (async () => {
    while (!stop.signal.aborted) {
      pushes += 1
      await pushNights(supplier, { ...nights, inventory: 2 + (pushes % 3) })
      expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId: `N${pushes}`, hotelName: 'New' })]))
    }
  })()
  const made = JSON.parse(
    await succeeds(backUp({ ARI_BACKUP_KEY: backupKey }, 'create', '--to', file, '--json')),
  )
  stop.abort()
  await pushing
  assert.ok(made.hotels >= 1 && made.isEncrypted === true && pushes > 1, JSON.stringify(made))
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const bytes = await readFile(file)
  for (const secret of [vaultKey.toString('hex'), 'Sea View', card.number])
    assert.equal(bytes.includes(secret), false, secret)
  // As if the backup were four days old.
  await stage.gateway.db.query(`update delivery set give_up_at = now() - interval '1 day'`)
  // From a quiet moment, for comparing what is read back.
  const quiet = join(folder, 'quiet.backup')
  await succeeds(backUp({}, 'create', '--to', quiet))
  const said = await readBack(stage.gateway.url)
  assert.match(
    await succeeds(backUp({ ARI_BACKUP_KEY: backupKey }, 'verify', file)),
    /^The backup is complete and unaltered: \d+ hotels, \d+ tables, \d+ rows, made on /,
  )

  const moving = await newTestDatabase()
  const still = await newTestDatabase()
  try {
    const key = { ARI_BACKUP_KEY: backupKey }
    const restored = await succeeds(
      runAri({ ...environOf(moving.address), ...key, NO_COLOR: '1' }, 'backup', 'restore', file),
    )
    assert.match(restored, new RegExp(`: ${made.hotels} hotels with the digests of the backup, \\d+ tables`))
    assert.match(restored, /Cards that can’t be read .*ari vault forget\nKEY +CARDS\n[0-9a-f]{16} +1\n/)
    const again = await runAri({ ...environOf(moving.address), ...key }, 'backup', 'restore', file)
    assert.deepEqual(
      [again.code, /There is already a store here/.test(again.stderr)],
      [1, true],
      again.stderr,
    )

    const environ = environOf(still.address)
    await succeeds(runAri(environ, 'backup', 'restore', quiet))
    await heldUntilReleased(environ, said)
  } finally {
    await moving.drop()
    await still.drop()
  }
})

async function heldUntilReleased(environ: Record<string, string>, said: unknown[]): Promise<void> {
  const service = track(
    startProgram('serve', {
      ...environ,
      PORT: '0',
      ARI_DATA_DIR: await newFolder(),
      ARI_ALLOW_PRIVATE_WEBHOOKS: 'true',
      ARI_VAULT_KEY: vaultKey.toString('base64'),
    }),
  )
  const printed = await service.printed(/no reservation is delivered until/)
  const url = /at (http:\S+)/.exec(printed)?.[1] ?? ''
  assert.deepEqual(await readBack(url), said)
  const callsBefore = receiver.calls.length
  // Several looks of the worker, each of which would send it.
  await wait(2_000)
  assert.equal(receiver.calls.length, callsBefore)
  assert.match(await succeeds(runAri(environ, 'deliveries', 'release')), /^Deliveries have resumed/)
  await until('the reservation is delivered', async () => receiver.calls.length > callsBefore)
  const body = receiver.calls.at(-1)?.body.toString() ?? ''
  assert.ok(body.includes(String(reservationId)) && body.includes(card.number), body)
  const own = client(url, { 'x-api-key': supplier.apiKey })
  const [delivered] = Object(expectOk(await own.get('/push/deliveries')).body['deliveries'])
  assert.ok(Date.parse(delivered.giveUpAt) > Date.now() + 71 * 3_600_000, JSON.stringify(delivered))
  assert.equal(await succeeds(runAri(environ, 'deliveries', 'release')), 'Deliveries were not on hold\n')
  service.child.kill('SIGTERM')
  await service.ended
}

test('a torn, altered, exchanged or foreign file is refused, and nothing is made of it', async () => {
  const [plain, sealed] = [join(folder, 'plain.backup'), join(folder, 'sealed.backup')]
  await succeeds(backUp({}, 'create', '--to', plain))
  await succeeds(backUp({ ARI_BACKUP_KEY: backupKey }, 'create', '--to', sealed))
  const [plainBytes, sealedBytes] = [await readFile(plain), await readFile(sealed)]
  const flipped = (bytes: Buffer, at: number): Buffer => {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }
  const key = { ARI_BACKUP_KEY: backupKey }
  const other = { ARI_BACKUP_KEY: randomBytes(32).toString('base64') }
  const cases: [string, Buffer, Record<string, string>, RegExp][] = [
    ['cut', plainBytes.subarray(0, -1), {}, /not complete/],
    ['cut sealed', sealedBytes.subarray(0, sealedBytes.length >> 1), key, /not complete/],
    ['altered', flipped(plainBytes, plainBytes.length >> 1), {}, /altered or damaged/],
    ['altered sealed', flipped(sealedBytes, sealedBytes.length - 20), key, /altered or damaged/],
    ['longer', Buffer.concat([sealedBytes, Buffer.from('x')]), key, /more data after the end/],
    ['no key', sealedBytes, {}, /encrypted: set ARI_BACKUP_KEY/],
    ['wrong key', sealedBytes, other, /encrypted with the key named/],
    ['exchanged', plainBytes, key, /not encrypted, but ARI_BACKUP_KEY is set/],
    ['foreign', Buffer.from('PGDMP'), {}, /not a backup/],
    ['empty', Buffer.alloc(0), {}, /not a backup/],
  ]
  for (const [name, bytes, environ, reason] of cases) {
    const file = join(folder, 'refused.backup')
    await writeFile(file, bytes)
    const data = await newFolder()
    const { code, stdout, stderr } = await runAri(
      { ARI_DATA_DIR: data, ...environ },
      'backup',
      'restore',
      file,
    )
    assert.deepEqual([code, stdout], [1, ''], `${name}: ${stderr}`)
    assert.match(stderr, reason, name)
    assert.deepEqual(await readdir(join(data, '..')), [], `${name} leaves nothing`)
  }
  const taken = await backUp({}, 'create', '--to', plain)
  assert.deepEqual([taken.code, /never overwrites/.test(taken.stderr)], [1, true])
  assert.deepEqual(await readFile(plain), plainBytes)
  const production = { ARI_ENVIRONMENT: 'production', ARI_DATA_DIR: await newFolder() }
  const ofOther = await runAri(production, 'backup', 'restore', plain)
  assert.match(ofOther.stderr, /The backup was made in sandbox, but ARI_ENVIRONMENT is production/)
})

test('a backup to the output fails if the output can’t take all of it', async () => {
  const store = { ...environOf(stage.gateway.storeAddress), NO_COLOR: '1' }
  const create = ['backup', 'create', '--to', '-']
  const whole = join(folder, 'output.backup')
  await succeeds(runAriAfter(`exec > '${whole}'`, store, ...create))
  assert.match(await succeeds(backUp({}, 'verify', whole)), /^The backup is complete and unaltered/)

  const blocks = Math.floor((await stat(whole)).size / 512)
  const torn = await runAriAfter(
    `ulimit -f ${blocks - 1} && exec > '${join(folder, 'torn')}'`,
    store,
    ...create,
  )
  assert.deepEqual(
    [torn.code, torn.stderr],
    [1, 'error: The output could not be written: EFBIG: file too large, write\n'],
  )
  const full = await runAriAfter('exec > /dev/full', store, ...create)
  assert.deepEqual(
    [full.code, full.stderr],
    [1, 'error: The output could not be written: ENOSPC: no space left on device, write\n'],
  )
  const { child, ended } = track(startProgram('ari', store, create))
  child.stdout?.destroy()
  const { code, stderr } = await ended
  assert.deepEqual([code, stderr], [1, 'error: The output could not be written: write EPIPE\n'])
})

test('a file or a folder that is not there is named, and PostgreSQL is not blamed for it', async () => {
  const missing = join(folder, 'missing', 'any.backup')
  for (const parameters of [
    ['create', '--to', missing],
    ['verify', missing],
    ['restore', missing],
  ]) {
    const { code, stderr } = await backUp({}, ...parameters)
    assert.equal(code, 1, stderr)
    assert.match(stderr, /^error: ENOENT: no such file or directory, open '.*missing\/any\.backup/)
  }
  for (const command of ['verify', 'restore']) {
    const { code, stderr } = await backUp({}, command, folder)
    assert.deepEqual([code, stderr], [1, `error: ${folder} is a folder: name the file of the backup\n`])
  }
})
