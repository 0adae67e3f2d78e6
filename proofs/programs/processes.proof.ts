import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { client, type Reply, type TestClient } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { minutes, until } from '../../test/stage/pace.ts'
import {
  programsForTests,
  runAri,
  startProgram,
  workersOf,
  type Running,
} from '../../test/stage/programs/programs.ts'
import { expectOk, pushStoryHotel, untilTaken } from '../../test/stage/story.ts'

/** A service of several processes (ARI_PROCESSES) on the embedded store. */

const workers = 3
const { newFolder, track } = programsForTests()
let dataDir = ''
let service: Running
let url = ''
let secrets: { apiKey: string; token: string }

before(async () => {
  dataDir = await newFolder()
  service = serve({ ARI_DATA_DIR: dataDir })
  url = await urlOf(service)
  const text = await service.printed(/More keys:/)
  secrets = {
    apiKey: /Supplier key +(\S+)$/m.exec(text)?.[1] ?? '',
    token: /Platform token +(\S+)$/m.exec(text)?.[1] ?? '',
  }
})
function serve(environ: Record<string, string>): Running {
  return track(
    startProgram(
      'serve',
      { ARI_PROCESSES: String(workers), PORT: '0', LOG_LEVEL: 'error', ...environ },
      [],
      minutes(20),
    ),
  )
}

async function urlOf(running: Running): Promise<string> {
  const text = await running.printed(/ ready in .* at http\S+/)
  return / at (http\S+)/.exec(text)?.[1] ?? ''
}

async function isReplaced(victim: number): Promise<boolean> {
  // A killed process is absent here before its primary knows; until then its last metrics still count.
  const now = workersOf(service.child.pid)
  if (now.includes(victim) || now.length < workers) return false
  return (await metric('ari_processes').catch(() => 0)) === workers
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Each call has a connection of its own, so that all workers get some. */
const apart = { connection: 'close' }
const supplierAt = (at: string, apiKey = secrets.apiKey): TestClient =>
  client(at, { 'x-api-key': apiKey, ...apart })

const units = (inventory: number, date = nightAhead(1)) => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date, inventory }],
})

async function metric(name: string, at = url): Promise<number> {
  const text = await (await fetch(`${at}/metrics`, { headers: apart })).text()
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))]
    .map(([, value]) => Number(value))
    .reduce((sum, value) => sum + value, 0)
}

test('several processes answer; the welcome is printed once with their number, and metrics are those of all', async () => {
  assert.equal(workersOf(service.child.pid).length, workers)
  assert.equal(service.output.stdout.match(/Supplier key/g)?.length, 1)
  assert.match(service.output.stdout, / ready in .* · 3 processes\n/)
  const supplier = supplierAt(url)
  await pushStoryHotel(supplier)
  const pushed = await metric('ari_pushes_total')
  for (let inventory = 1; inventory <= 30; inventory++)
    expectOk(await supplier.post('/push/ari', units(inventory)))
  assert.equal(await metric('ari_pushes_total'), pushed + 30)
  assert.equal(await metric('ari_store_epoch'), 1)
  const page = await (await fetch(`${url}/metrics`, { headers: apart })).text()
  assert.deepEqual(
    new Set([...page.matchAll(/^ari_processor_seconds_total\{process="(\w+)"\}/gm)].map(([, name]) => name)),
    new Set(['primary', ...Array.from({ length: workers }, (_, slot) => String(slot + 1))]),
  )
  const pages = await Promise.all(Array.from({ length: 40 }, () => metric('ari_processes')))
  assert.deepEqual(new Set(pages), new Set([workers]))
  assert.equal(
    (await fetch(`${url}/metrics`)).headers.get('content-type'),
    'text/plain; version=0.0.4; charset=utf-8',
  )
})

test('small pushes are handed over to one process; answers, refusals and repeats are those of one process', async () => {
  const supplier = supplierAt(url)
  const [night, later, last] = [nightAhead(31), nightAhead(32), nightAhead(33)]
  const earlier = await metric('ari_pushes_handed_over_total')
  const applied = await Promise.all(
    Array.from({ length: 60 }, (_, index) => supplier.post('/push/ari', units(index, night))),
  )
  const revisions = applied.map((reply) => Number(expectOk(reply).body['revision']))
  assert.equal(new Set(revisions).size, 60)
  const handedOver = (await metric('ari_pushes_handed_over_total')) - earlier
  assert.ok(handedOver > 0 && handedOver < 60, `${handedOver} of 60 were handed over`)

  const unknownHotel = { ...units(1), hotelId: 'NOWHERE' }
  const unknownRoom = { hotelId: 'H1', ari: [{ roomId: 'NONE', date: later, inventory: 1 }] }
  const repeated = { ...apart, 'idempotency-key': 'once' }
  // Each empty member counts as absent.
  const emptyDates = { roomId: 'DBL', date: '', startDate: last, endDate: last, inventory: 7 }
  const emptyRates = { roomId: 'DBL', rateId: 'BAR', date: last, inventory: 7, rates: [] }
  const withEmpty = { hotelId: 'H1', currency: '', planId: '', ari: [emptyDates, emptyRates] }
  for (const [body, status, headers] of [
    [unknownHotel, 404, {}],
    [unknownRoom, 404, {}],
    [units(7, last), 200, repeated],
    [withEmpty, 200, {}],
  ] as const) {
    const push = () => supplier.post('/push/ari', body, headers)
    // The first alone: a repeat that came before its answer would be refused.
    const first = await push()
    const replies = [first, ...(await Promise.all(Array.from({ length: 4 * workers - 1 }, push)))]
    assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([status]))
    const bodies = replies.map((reply) => JSON.stringify({ ...reply.body, requestId: '' }))
    assert.equal(new Set(bodies).size, 1, [...new Set(bodies)].join('\n'))
  }
  const { text } = expectOk(await supplier.get('/push/log?outcome=rejected&limit=100'))
  assert.equal(text.match(/"hotelId":"NOWHERE"/g)?.length, 4 * workers)
})

test('while the process that gets the others’ pushes hangs, the others apply them themselves', async () => {
  // The usual patience, after which a process that hangs is left alone.
  const impatient = serve({ ARI_DATA_DIR: await newFolder(), ARI_PATIENCE: '1' })
  const at = await urlOf(impatient)
  const apiKey = /Supplier key +(\S+)$/m.exec(await impatient.printed(/More keys:/))?.[1] ?? ''
  await pushStoryHotel(untilTaken(supplierAt(at, apiKey)))
  const pushed = async (): Promise<boolean> => {
    const answered = fetch(`${at}/v1/push/ari`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...apart },
      body: JSON.stringify(units(5)),
      // A connection may be one of the process that hangs.
      signal: AbortSignal.timeout(2_000),
    })
    return answered.then(({ status }) => status === 200).catch(() => false)
  }
  const home = Math.max(...workersOf(impatient.child.pid))
  process.kill(home, 'SIGSTOP')
  await until(pushed)
  process.kill(home, 'SIGCONT')
  const handedOver = await metric('ari_pushes_handed_over_total', at)
  await until(async () => (await pushed()) && (await metric('ari_pushes_handed_over_total', at)) > handedOver)
  impatient.child.kill('SIGTERM')
  assert.equal((await impatient.ended).code, 0)
})

test('a process that hung applies nothing that its supplier was told to send again', async () => {
  const hanging = serve({ ARI_DATA_DIR: await newFolder(), ARI_PATIENCE: '1' })
  const at = await urlOf(hanging)
  const apiKey = /Supplier key +(\S+)$/m.exec(await hanging.printed(/More keys:/))?.[1] ?? ''
  await pushStoryHotel(untilTaken(supplierAt(at, apiKey)))
  const nightsInTurn = Array.from({ length: 24 }, (_, index) => nightAhead(31 + index))
  /** Undefined: it came to the process that hangs. */
  const pushed = async (inventory: number, night: string): Promise<Reply | undefined> => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const late = setTimeout(() => resolve(undefined), 12_500)
    const answered = supplierAt(at, apiKey).post('/push/ari', units(inventory, night))
    return Promise.race([answered.catch(() => undefined), promise]).finally(() => clearTimeout(late))
  }
  const handedOver = (): Promise<number> => metric('ari_pushes_handed_over_total', at)
  const isHandedOver = async (): Promise<boolean> => {
    const earlier = await handedOver()
    await Promise.all(Array.from({ length: 4 * workers }, () => pushed(1, nightAhead(30))))
    return (await handedOver()) >= earlier + workers
  }
  await until(isHandedOver)
  const home = Math.max(...workersOf(hanging.child.pid))
  process.kill(home, 'SIGSTOP')
  const first = await Promise.all(
    nightsInTurn.map(async (night) => ({ night, reply: await pushed(5, night) })),
  )
  const unknown = first.flatMap(({ night, reply }) => (reply?.status === 503 ? [night] : [])).slice(0, 3)
  assert.ok(unknown.length > 0, 'no push was handed over')
  await Promise.all(unknown.map((night) => until(async () => (await pushed(6, night))?.status === 200)))
  process.kill(home, 'SIGCONT')
  await until(isHandedOver)
  for (const night of unknown) {
    const asked = { hotelId: 'H1', startDate: night, endDate: night }
    assert.match(
      expectOk(await untilTaken(supplierAt(at, apiKey)).post('/push/getAri', asked)).text,
      /"inventory":6\b/,
      night,
    )
  }
  hanging.child.kill('SIGTERM')
  assert.equal((await hanging.ended).code, 0)
})

test('when all workers ended at once, pushes are handed over again', async () => {
  const victims = workersOf(service.child.pid)
  for (const victim of victims) process.kill(victim, 'SIGTERM')
  for (const victim of victims) await until(() => isReplaced(victim))
  const handedOver = await metric('ari_pushes_handed_over_total')
  await until(async () => {
    await untilTaken(supplierAt(url)).post('/push/ari', units(3))
    return (await metric('ari_pushes_handed_over_total')) > handedOver
  })
})

test('a key’s limit is that of all processes together, within a tenth', async () => {
  const perMinute = 300
  // Ten seconds' worth, by default.
  const burst = perMinute / 6
  const made = await runAri(
    { ARI_DATA_DIR: dataDir },
    'key',
    'create',
    '--supplier',
    'Limited',
    '--rate-limit',
    String(perMinute),
    '--json',
  )
  const { apiKey } = JSON.parse(made.stdout)
  const beganMs = performance.now()
  const statuses: number[] = []
  const elapsedMs = (): number => performance.now() - beganMs
  const allowedSoFar = (): number => burst + (elapsedMs() / 60_000) * perMinute
  // Twice as many as the limit allows, which takes a slow machine longer.
  const ask = async (): Promise<void> => {
    while (elapsedMs() < 6_000 || statuses.length <= 2 * allowedSoFar())
      statuses.push((await supplierAt(url, apiKey).get('/push/limits')).status)
  }
  await Promise.all(Array.from({ length: 12 }, ask))
  const allowed = allowedSoFar()
  const granted = statuses.filter((status) => status === 200).length
  assert.ok(granted <= allowed * 1.1 && granted >= allowed * 0.9, `${granted} granted of ${allowed} allowed`)
})

test('a revoked key stops everywhere within a second', async () => {
  const made = await runAri({ ARI_DATA_DIR: dataDir }, 'key', 'create', '--supplier', 'Revoked', '--json')
  const { apiKey, keyId } = JSON.parse(made.stdout)
  const supplier = supplierAt(url, apiKey)
  for (let call = 0; call < 4 * workers; call++) expectOk(await supplier.get('/push/limits'))
  assert.equal((await runAri({ ARI_DATA_DIR: dataDir }, 'key', 'revoke', String(keyId))).code, 0)
  await wait(1_000)
  for (let call = 0; call < 4 * workers; call++)
    assert.equal((await supplier.get('/push/limits')).status, 401)
})

test('killed workers are replaced; nothing that was acknowledged is lost, and counters do not fall', async () => {
  const made = await runAri(
    { ARI_DATA_DIR: dataDir },
    'key',
    'create',
    '--supplier',
    'Restless',
    '--rate-limit',
    '0',
    '--json',
  )
  const supplier = supplierAt(url, JSON.parse(made.stdout).apiKey)
  await pushStoryHotel(supplier)
  const days = Array.from({ length: 6 }, (_, day) => nightAhead(31 + day))
  const acknowledged = new Map<string, number>()
  let isOver = false
  const push = async (day: string): Promise<void> => {
    while (!isOver) {
      // Sent again until it is acknowledged: the next one must not overtake it.
      const inventory = (acknowledged.get(day) ?? 0) + 1
      const reply = await supplier.post('/push/ari', units(inventory, day)).catch(() => undefined)
      if (reply?.status === 200) acknowledged.set(day, inventory)
    }
  }
  const pushes = Promise.all(days.map(push))
  let counted = 0
  for (let round = 0; round < 6; round++) {
    const [victim] = workersOf(service.child.pid).slice(round % workers)
    assert.ok(victim !== undefined)
    await wait(300)
    process.kill(victim, 'SIGKILL')
    await until(() => isReplaced(victim))
    const pushed = await metric('ari_pushes_total')
    assert.ok(pushed >= counted, `${pushed} pushes after ${counted}`)
    counted = pushed
  }
  isOver = true
  await pushes
  assert.equal(acknowledged.size, days.length)
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: days[0], endDate: days.at(-1) }),
  )
  const stored = new Map<string, number>()
  for (const { date, startDate, endDate, inventory } of Array.from<Record<string, unknown>>(
    Object(body['ari']),
  ))
    for (const day of days)
      if (day >= String(date ?? startDate) && day <= String(date ?? endDate) && inventory !== undefined)
        stored.set(day, Number(inventory))
  assert.deepEqual(stored, acknowledged)
})

test('a primary that is killed takes its workers and its PostgreSQL along; the next start finds everything', async () => {
  const left = workersOf(service.child.pid)
  service.child.kill('SIGKILL')
  await service.ended
  await until(async () => !left.some(isAlive) && (await findRunningPostgres(dataDir)) === undefined)
  service = serve({ ARI_DATA_DIR: dataDir })
  url = await urlOf(service)
  assert.doesNotMatch(service.output.stdout, /Supplier key/)
  const { body } = expectOk(await supplierAt(url).post('/push/getHotels', ['H1']))
  assert.deepEqual(body['notFound'], [])
})

test('a signal stops all of them in order', async () => {
  const left = workersOf(service.child.pid)
  assert.equal(left.length, workers)
  service.child.kill('SIGTERM')
  const { code, stderr } = await service.ended
  assert.deepEqual([code, stderr, left.some(isAlive)], [0, '', false])
  assert.equal(await findRunningPostgres(dataDir), undefined)
})

test('a port in use ends the start with one reason, and leaves nothing', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const failed = serve({ ARI_DATA_DIR: dataDir, PORT: port })
  const { code, stderr } = await failed.ended
  taken.close()
  assert.equal(code, 1)
  assert.equal(
    stderr.trim(),
    `The service did not start: Can't listen on 127.0.0.1:${port}, because another program is listening there: stop it, or set PORT to another one`,
  )
  assert.equal(await findRunningPostgres(dataDir), undefined)
})
