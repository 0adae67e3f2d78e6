/**
 * The backup and restore of docs/database.md are carried out as written, and the service gives the same
 * answers as before.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { namedBlocks } from '../../test/stage/docs-pages.ts'
import { client } from '../../test/stage/harness.ts'
import { environOf } from '../../test/stage/postgres.ts'
import {
  dataFolder,
  startProgram,
  withoutPostgres15,
  type Running,
} from '../../test/stage/programs/programs.ts'
import { nightAhead } from '../../test/stage/nights.ts'

const commands = namedBlocks(resolve(import.meta.dirname, '../../docs/database.md'))
let folder: Awaited<ReturnType<typeof dataFolder>>

before(async () => {
  folder = await dataFolder()
})
after(() => folder.remove())

test('an embedded store, copied while it is stopped, holds everything when it is put back', async () => {
  const settings = { ARI_DATA_DIR: folder.path, PORT: '0', LOG_LEVEL: 'fatal' }
  const first = await start(settings)
  const apiKey = keyOf(first.printed)
  await fill(first.url, apiKey)
  const held = await saidBy(first.url, apiKey)
  await first.stop()

  await carryOut('sh embedded backup', {})
  await rm(join(folder.path, 'base'), { recursive: true, force: true })
  for (const found of globSync('**/{base,global}', { cwd: folder.path })) {
    await rm(join(folder.path, found), { recursive: true, force: true })
  }
  await carryOut('sh embedded restore', {})
  await carryOut('sh after restore', { ARI_DATA_DIR: folder.path })

  const second = await start(settings)
  try {
    assert.deepEqual(await saidBy(second.url, apiKey), held)
    await startsAnew(second.url, apiKey)
  } finally {
    await second.stop()
  }
})

test('the drill: a backup made beside the service is restored into a new folder, with its deliveries held', async () => {
  const settings = { ARI_DATA_DIR: `${folder.path}-drill`, PORT: '0', LOG_LEVEL: 'fatal' }
  const first = await start(settings)
  const apiKey = keyOf(first.printed)
  await fill(first.url, apiKey)
  const held = await saidBy(first.url, apiKey)
  const keys = { ARI_BACKUP_KEY: Buffer.alloc(32, 5).toString('base64') }
  await carryOut('sh command backup', { ...keys, ARI_DATA_DIR: settings.ARI_DATA_DIR })
  await book(first.url, apiKey)
  await first.stop()

  await carryOut('sh command restore', keys)
  const second = await start({ ...settings, ARI_DATA_DIR: join(dirname(folder.path), 'restored') })
  try {
    assert.deepEqual(await saidBy(second.url, apiKey), held)
    await startsAnew(second.url, apiKey)
    await carryOut('sh command release', {})
  } finally {
    await second.stop()
  }
})

test("a database of one's own, dumped while the service works and restored beside it, holds everything", async (t) => {
  const why = programsOfPostgres() === undefined ? await withoutPostgres15() : undefined
  const binDir = programsOfPostgres()
  if (binDir === undefined) return t.skip(why ?? 'PostgreSQL is installed without its tools')
  const data = await dataFolder()
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: data.path, binDir, log })
  try {
    const { connection } = postgres
    const own = environOf(connection)
    const restored = environOf({ ...connection, database: 'ari_restored' })
    const urls = {
      DATABASE_URL: String(own['DATABASE_URL']),
      RESTORED_URL: String(restored['DATABASE_URL']),
      PATH: `${binDir}${delimiter}${process.env['PATH']}`,
    }
    const first = await start({ ...own, PORT: '0', LOG_LEVEL: 'fatal' })
    const apiKey = keyOf(first.printed)
    await fill(first.url, apiKey)
    const held = await saidBy(first.url, apiKey)
    await carryOut('sh own backup', urls)
    await carryOut('sh own restore', urls)
    await carryOut('sh after restore', restored)
    const second = await start({ ...restored, PORT: '0', LOG_LEVEL: 'fatal' })
    try {
      assert.deepEqual(await saidBy(second.url, apiKey), held)
      await startsAnew(second.url, apiKey)
    } finally {
      await Promise.all([first.stop(), second.stop()])
    }
  } finally {
    await postgres.stop()
    await rm(postgres.dataDir, { recursive: true, force: true })
    await data.remove()
  }
})

/** The folder of an installed PostgreSQL whose server and tools have the same version. */
function programsOfPostgres(): string | undefined {
  const installed = globSync('/usr/lib/postgresql/{15,16,17,18}/bin').sort().reverse()
  const tools = ['postgres', 'pg_dump', 'pg_restore', 'createdb', 'psql']
  return installed.find((bin) => tools.every((tool) => globSync(join(bin, tool)).length === 1))
}

async function carryOut(name: string, environ: Record<string, string>): Promise<void> {
  const text = commands.get(name)
  assert.ok(text !== undefined, `docs/database.md has ${name}`)
  const npx = `npx() { "${process.execPath}" "${resolve(import.meta.dirname, '../../src/bin/ari.ts')}" "\${@:2}"; }\n`
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', npx + text], {
    cwd: dirname(folder.path),
    env: { PATH: process.env['PATH'], ...environ },
  })
}

type Started = { url: string; printed: string; stop: () => Promise<void> }

async function start(settings: Record<string, string>): Promise<Started> {
  const running: Running = startProgram('serve', settings)
  const printed = await running.printed(
    /ready in [\d.]+ s at (http:\S+)[^]*?The (?:data are|store)|ready in .*\n/,
  )
  const url = /at (http:\S+)/.exec(printed)?.[1] ?? ''
  const stop = async () => {
    running.child.kill('SIGTERM')
    await running.ended
  }
  return { url, printed, stop }
}

function keyOf(printed: string): string {
  return /Supplier key\s+(ari_sbx_\w+)/.exec(printed)?.[1] ?? ''
}

async function fill(url: string, apiKey: string): Promise<void> {
  const supplier = client(url, { 'x-api-key': apiKey })
  const hotel = { hotelId: 'H1', hotelName: 'Old Mill', currency: 'EUR', isAvailable: true }
  const product = { roomId: 'DBL', roomType: 'Double', roomName: 'Double', rateId: 'BAR', rateName: 'BAR' }
  const pushes = [
    await supplier.post('/push/hotels', [{ ...hotel, minChildAge: 3, maxChildAge: 12 }]),
    await supplier.post('/push/products', {
      hotelId: 'H1',
      products: [{ ...product, isAvailable: true, occupancy: { maxOccupancy: 2 } }],
    }),
    await supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'unit',
      ari: [
        { roomId: 'DBL', startDate: nightAhead(1), endDate: nightAhead(300), inventory: 3 },
        { roomId: 'DBL', rateId: 'BAR', startDate: nightAhead(1), endDate: nightAhead(300), price: '99.50' },
      ],
    }),
  ]
  assert.deepEqual(
    pushes.map(({ status }) => status),
    [200, 200, 200],
  )
  await book(url, apiKey)
}

async function book(url: string, apiKey: string): Promise<number> {
  const booked = await client(url, { 'x-api-key': apiKey }).post('/push/sandbox/booking', {
    hotelId: 'H1',
    checkin: nightAhead(10),
    checkout: nightAhead(12),
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }],
  })
  assert.equal(booked.status, 201, booked.text)
  return Number(booked.body.reservationId)
}

/** Ids that were lost with the machine are not given out again. */
async function startsAnew(url: string, apiKey: string): Promise<void> {
  assert.ok((await book(url, apiKey)) > 1_000_000)
}

/** Everything that the supplier can read back, without the ids of these reads. */
async function saidBy(url: string, apiKey: string): Promise<unknown> {
  const supplier = client(url, { 'x-api-key': apiKey })
  const replies = [
    await supplier.post('/push/getHotels', ['H1']),
    await supplier.post('/push/getAri', {
      hotelId: 'H1',
      startDate: nightAhead(1),
      endDate: nightAhead(300),
    }),
    await supplier.get('/push/webhook/pushbook/retrieve'),
    await supplier.get('/push/log'),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  return replies.map(({ body: { requestId: _requestId, ...said } }) => said)
}
