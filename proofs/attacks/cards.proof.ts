/** Cards appear in clear only in the supplier's deliveries. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { dataFolder, runAri, startProgram } from '../../test/stage/programs/programs.ts'
import { startReceiver } from '../../test/stage/servers/receiver.ts'
import { hasCheckDigit } from '../../src/base/card-number.ts'
import { clientOf, type Client } from '../../test/stage/crash/http.ts'
import { isReady, untilPostgresEnded } from '../../test/stage/crash/service.ts'
import { eventually } from '../../test/stage/crash/world.ts'
import { minutes } from '../../test/stage/pace.ts'
import { nightAhead } from '../../test/stage/nights.ts'

const canaries = 1_000
const callsAtOnce = 8
const serviceEndsWithinMs = 300_000

/** Part of every canary's number, and of nothing else; the mask shows six digits only. */
const numberMark = '492973018'
const groupedMark = '4929 7301 8'
const holderMark = 'CANARY HOLDER'

const undo: (() => Promise<void>)[] = []
after(async () => {
  for (const step of undo.reverse()) await step()
})

type Canary = { number: string; cvv: string }

function canary(index: number): Canary {
  const body = numberMark + String(index).padStart(6, '0')
  const check = [...'0123456789'].find((digit) => hasCheckDigit(body + digit)) ?? ''
  return { number: body + check, cvv: String(1_000 + index) }
}

/** Unlike the services of other tests, it keeps every line of output. */
type Service = { url: string; output: () => string; end: () => Promise<number | null> }

async function startService(environ: Readonly<Record<string, string>>): Promise<Service> {
  const running = startProgram('serve', { PORT: '0', ...environ }, [], serviceEndsWithinMs)
  const ready = / ready in \d+\.\d s at (http:\/\/\S+) · docs at/
  const url = ready.exec(await running.printed(ready))?.[1] ?? ''
  await eventually('it is ready', minutes(2), () => isReady(url))
  const end = async () => {
    running.child.kill('SIGTERM')
    return (await running.ended).code
  }
  return { url, end, output: () => running.output.stdout + running.output.stderr }
}

type Stage = {
  service: Service
  dataDir: string
  supplier: Client
  platform: Client
  /** Every answer that any client received. */
  answers: string[]
  environ: Record<string, string>
}

async function openStage(more: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const { path: dataDir, remove } = await dataFolder()
  const environ = {
    ARI_DATA_DIR: dataDir,
    ARI_VAULT_KEY: randomBytes(32).toString('base64'),
    ARI_ALLOW_PRIVATE_WEBHOOKS: 'true',
    LOG_LEVEL: 'trace',
  }
  const service = await startService({ ...environ, ...more })
  undo.push(async () => {
    await service.end()
    await untilPostgresEnded(dataDir)
    await remove()
  })
  const key = await runAri(environ, 'key', 'create', '--supplier', 'cards', '--rate-limit', '0')
  const token = await runAri(environ, 'token', 'create', '--role', 'platform')
  const account = await runAri(environ, 'supplier', 'set', 'cards', '--card-delivery', 'on')
  assert.deepEqual([key.code, token.code, account.code], [0, 0, 0], account.stderr)
  const answers: string[] = []
  const listening = (client: Client): Client => ({
    ...client,
    send: async (...call) => {
      const answered = await client.send(...call)
      assert.ok(answered.isAnswered)
      answers.push(answered.text, JSON.stringify(answered.headers))
      return answered
    },
  })
  const { apiKey } = JSON.parse(key.stdout)
  const { url } = service
  const { token: platformToken } = JSON.parse(token.stdout)
  const supplier = listening(clientOf(url, apiKey))
  const bearer = clientOf(url, '')
  const platform = listening({
    ...bearer,
    send: (path, body, headers = {}, ...rest) =>
      bearer.send(path, body, { authorization: `Bearer ${platformToken}`, ...headers }, ...rest),
  })
  undo.push(async () => {
    supplier.close()
    platform.close()
  })
  return { service, dataDir, supplier, platform, answers, environ }
}

async function pushHotel({ supplier }: Stage, webhook?: string): Promise<void> {
  const send = async (path: string, body: unknown): Promise<void> => {
    const answered = await supplier.send(path, body)
    assert.ok(answered.isAnswered && answered.status === 200, JSON.stringify(answered))
  }
  const hotel = { hotelId: 'H1', hotelName: 'H1', currency: 'USD', timezone: 'UTC', isAvailable: true }
  await send('/push/hotels', [{ ...hotel, minChildAge: 2, maxChildAge: 12 }])
  const room = { roomId: 'DBL', roomType: 'Double', roomName: 'Double', occupancy: { maxOccupancy: 2 } }
  const products = [{ ...room, rateId: 'BAR', rateName: 'BAR', isAvailable: true }]
  await send('/push/products', { hotelId: 'H1', products })
  const rates = [{ rateId: 'BAR', price: 100 }]
  const ari = [{ roomId: 'DBL', startDate: nightAhead(5), endDate: nightAhead(20), inventory: 99_000, rates }]
  await send('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
  if (webhook !== undefined) await send('/push/webhook/pushbook', { webhook })
}

function bookingWith(card: unknown): Record<string, unknown> {
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  return {
    hotel: { supplier: 'cards', hotelId: 'H1' },
    checkin: nightAhead(10),
    checkout: nightAhead(11),
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 1, childAges: [], guest }],
    customer: guest,
    payment: { type: 'Channel Collect', card },
  }
}

function writing(remarks: string): object {
  return { firstName: 'Ada', lastName: 'Lovelace', remarks }
}

/** Reservations cancelled at once may not be delivered before: a cancellation carries no card. */
const cancelledKind = 6

/** The ways in which a card is sent; most are correct. */
async function sendCard(stage: Stage, index: number): Promise<void> {
  const { number, cvv } = canary(index)
  const card = { holderName: `${holderMark} ${index}`, type: 'VI', number, expiry: '12/2049', cvv }
  const { platform } = stage
  const path = '/booking/reservations'
  const key = { 'idempotency-key': `card-${index}` }
  const kind = index % 10
  if (kind === 0)
    await platform.send(path, bookingWith({ ...card, number: Number(number), cvv: Number(cvv) }))
  if (kind === 1) await platform.send(path, bookingWith(number))
  if (kind === 2) await platform.send(path, bookingWith({ ...card, expiry: number, cvv: `${cvv}${cvv}` }))
  if (kind === 3)
    await platform.send(path, { ...bookingWith(card), checkin: nightAhead(200), checkout: nightAhead(201) })
  if (kind === 4) await platform.send(`${path}?card=${number}`, { payment: number, hotel: 1 })
  if (kind === 7)
    await platform.send(path, { ...bookingWith(card), customer: { firstName: number, lastName: number } })
  if (kind === 8) await platform.send(path, bookingWith(card), { 'x-request-id': number })
  if (kind === 9) await platform.send(path, bookingWith(card), { 'idempotency-key': number })
  // In a guest's remarks; most people write digits in groups.
  if (kind === 9)
    await platform.send(path, { ...bookingWith(undefined), customer: writing(`Card ${number}`) })
  if (kind === 8)
    await platform.send(path, {
      ...bookingWith(undefined),
      customer: writing(`Card\n${number.replaceAll(/.{4}/g, '$& ')}`),
    })
  const made = await platform.send(path, bookingWith(card), key)
  await platform.send(path, bookingWith(card), key)
  assert.ok(made.isAnswered && made.status === 201, JSON.stringify(made))
  const { reservationId } = JSON.parse(made.text)
  if (kind === 5) await platform.send(`${path}/${reservationId}`, bookingWith(card), {}, 'PUT')
  if (kind === cancelledKind) await platform.send(`${path}/${reservationId}/cancel`, {})
  await platform.send(`${path}/${reservationId}`)
  if (index % 50 === 0) {
    await platform.send(`${path}?limit=500`)
    await stage.supplier.send('/push/webhook/pushbook/retrieve?limit=500')
    await stage.supplier.send('/push/webhook/booking', { hotelId: 'H1', reservation_id: reservationId })
  }
}

async function sendCards(stage: Stage, count: number): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await sendCard(stage, next++)
  }
  await Promise.all(Array.from({ length: callsAtOnce }, lane))
}

const cvvInWords = /cvv\W{1,8}\d{3}/i
/** As PostgreSQL would print them within bytes. */
const hexMark = Buffer.from(numberMark).toString('hex')

const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** By its place among the bytes that are encoded; without the characters that its neighbours change. */
const base64Marks = [0, 1, 2].map((before) =>
  base64(' '.repeat(before) + numberMark).slice(before === 0 ? 0 : 4, before === 1 ? -4 : 12),
)

type Writing = (text: string) => string | Buffer
const byDigit =
  (write: (digit: string) => string, between = ''): Writing =>
  (text) =>
    [...text].map((character) => (/\d/.test(character) ? write(character) : character)).join(between)

/** The codes in which suppliers echo a card. */
const codes = {
  plain: (text) => text,
  'UTF-16': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16, big-endian': (text) => Buffer.from(text, 'utf16le').swap16(),
  base64,
  hex: (text) => Buffer.from(text).toString('hex'),
  percent: byDigit((digit) => `%3${digit}`),
  entities: byDigit((digit) => `&#${48 + Number(digit)};`),
  escapes: byDigit((digit) => String.raw`\u003${digit}`),
  blanks: byDigit((digit) => digit, ' '),
  lines: byDigit((digit) => digit, '\r\n\r\n'),
  list: byDigit((digit) => digit, ','),
} as const satisfies Record<string, Writing>

const marks: Readonly<Record<string, string | Buffer>> = {
  number: numberMark,
  'number in groups': groupedMark,
  'number in hex': hexMark,
  holder: holderMark,
  ...Object.fromEntries(
    Object.entries(codes).flatMap(([code, write]) =>
      code === 'base64' ? [] : [[`number as ${code}`, write(numberMark)]],
    ),
  ),
  ...Object.fromEntries(base64Marks.map((mark, before) => [`number in base64, ${before}`, mark])),
  // What was not read as UTF-16.
  'number with signs between': [...numberMark].join('\uFFFD'),
}

/** The places where cards are visible, by name. */
function leaksIn(name: string, bytes: Buffer): string[] {
  const found = Object.entries(marks).flatMap(([what, mark]) => (bytes.includes(mark) ? [what] : []))
  if (cvvInWords.test(bytes.toString('latin1'))) found.push('cvv')
  return found.map((what) => `${what} in ${name}`)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
}

function leaksOnDisk(dataDir: string): { files: number; leaks: string[] } {
  const files = filesIn(realpathSync(dataDir))
  assert.ok(files.some((path) => path.includes('pg_wal')))
  return { files: files.length, leaks: files.flatMap((path) => leaksIn(path, readFileSync(path))) }
}

async function metricsOf({ url }: Service): Promise<string> {
  return (await fetch(`${url}/metrics`)).text()
}

test(`${canaries} cards are in no log, no file of the database, no answer and no metric in clear, and arrive at the supplier`, async (t) => {
  const writings = Object.values(codes)
  const receiver = await startReceiver((socket, { body }, index) => {
    // A supplier that echoes the request in its answer: the answer is stored, the card is not.
    const text = body.toString()
    const [number = ''] = /492973018\d{7}/.exec(text) ?? []
    const [cvv] = /"cvv":"\d+"/.exec(text) ?? []
    const write = writings[index % writings.length] ?? codes.plain
    const answer = Buffer.from(write(`{"received":"${number}","with":{${cvv ?? ''}}}`))
    socket.write(`HTTP/1.1 200 X\r\ncontent-length: ${answer.length}\r\n\r\n`)
    socket.write(answer)
  })
  undo.push(receiver.close)
  const stage = await openStage()
  const { service, dataDir, answers, environ } = stage
  await pushHotel(stage, `http://127.0.0.1:${receiver.port}/bookings`)
  await sendCards(stage, canaries)

  const arrived = (): Set<string> =>
    new Set(receiver.calls.flatMap(({ body }) => /492973018\d{7}/.exec(body.toString()) ?? []))
  const wanted = Array.from({ length: canaries }, (_, index) => index)
    .filter((index) => index % 10 !== cancelledKind)
    .map((index) => canary(index).number)
  await eventually('all cards are delivered', minutes(5), () => {
    const there = arrived()
    return wanted.every((number) => there.has(number))
  })
  const ofCancelled = receiver.calls.filter(({ body }) => body.includes('"status":"Cancel"'))
  assert.deepEqual(
    ofCancelled.filter(({ body }) => body.includes('paymentcarddetail')),
    [],
  )
  const withCvv = receiver.calls.filter(({ body }) => body.includes('"cvv"')).length
  assert.ok(withCvv >= canaries * 0.8)
  await wait(1_000)

  for (const [index, text] of answers.entries())
    assert.deepEqual(leaksIn(`answer ${index}: ${text.slice(0, 200)}`, Buffer.from(text)), [])
  assert.deepEqual(leaksIn('metrics', Buffer.from(await metricsOf(service))), [])
  const log = service.output()
  assert.ok(log.includes('"level":'), 'the log is read')
  assert.deepEqual(leaksIn('log', Buffer.from(log)), [])
  const running = leaksOnDisk(dataDir)
  assert.deepEqual(running.leaks, [])

  // Data still in memory are written when the service ends.
  assert.equal(await service.end(), 0)
  await untilPostgresEnded(dataDir)
  const stopped = leaksOnDisk(dataDir)
  assert.deepEqual(stopped.leaks, [])
  const listed = await runAri(environ, 'deliveries', 'list', '--json')
  assert.deepEqual(leaksIn('deliveries list', Buffer.from(listed.stdout + listed.stderr)), [])
  t.diagnostic(`${answers.length / 2} answers, ${stopped.files} files, ${log.length} characters of log`)
})

test('the search finds cards that are stored as they are', async (t) => {
  const preload = import.meta.resolve('../../test/stage/crash/break-plain-cards.ts')
  const stage = await openStage({ NODE_OPTIONS: `--import=${preload}` })
  await pushHotel(stage)
  await sendCards(stage, 5)
  const { leaks } = leaksOnDisk(stage.dataDir)
  t.diagnostic(`${leaks.length} findings, such as: ${leaks[0]}`)
  for (const what of ['number in ', 'holder in ', 'cvv in '])
    assert.ok(
      leaks.some((leak) => leak.startsWith(what)),
      what,
    )
})
