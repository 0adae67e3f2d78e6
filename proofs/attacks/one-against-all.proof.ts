import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, test, type TestContext } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { holdHotel } from '../../test/stage/locks.ts'
import { rawConnection, type RawConnection, type RawOutcome } from '../../test/stage/raw-http.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { until } from '../../test/stage/pace.ts'

/**
 * Limits on one client's effect on others: it loses its own connections and places, and the others lose
 * nothing.
 */

let supplier: TestSupplier
const gateway = await gatewayForTests({ trustedProxies: ['127.0.0.0/8'] })
before(async () => {
  supplier = await gateway.supplier('bystander', { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
})

/** Takes twenty seconds of mere waiting: the other tests run meanwhile. */
const takenSlowly = takeSlowly()
takenSlowly.catch(() => {})

const port = (): number => Number(new URL(gateway.url).port)
const limitsOf = ({ apiKey }: TestSupplier): string =>
  `GET /v1/push/limits HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`
const scriptOf = (address: string): string =>
  `GET /docs/reference.js HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n\r\n`
const inventory = (count: number) => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date: '2027-04-01', inventory: count }],
})
const hotelOf = (hotelId: string): string =>
  JSON.stringify([
    {
      hotelId,
      hotelName: 'Sea View',
      currency: 'USD',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'UTC',
    },
  ])
const pushOf = ({ apiKey }: TestSupplier, body: string): string =>
  `POST /v1/push/hotels HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

async function metric(name: string, { url } = gateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? 0 : Number(line.slice(name.length + 1))
}
const limited = (limit: string, where = gateway): Promise<number> =>
  metric(`ari_limits_hit_total{limit="${limit}"}`, where)

/** Sends requests and reads no answers. */
function unreading(context: TestContext, sent: string, { url } = gateway): void {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.pause()
  socket.on('error', () => {})
  socket.write(sent)
  context.after(() => socket.destroy())
}

function connectionOf(context: TestContext): RawConnection {
  const connection = rawConnection(port())
  context.after(connection.destroy)
  return connection
}

const statusesOf = ({ replies }: RawOutcome): number[] => replies.map(({ status }) => status)

test('connections that pipeline and read nothing take one place each, and only of those without a key', async (context) => {
  // Each of these requests would take one of the 2,000 places.
  for (let count = 0; count < 40; count++) unreading(context, scriptOf('192.0.2.1').repeat(90))
  await until(async () => (await metric('ari_requests_in_flight')) >= 41)
  for (let count = 1; count <= 20; count++) expectOk(await supplier.post('/push/ari', inventory(count)))
  assert.ok((await metric('ari_requests_in_flight')) <= 41)
})

test('an answer of which nothing is taken ends its connection, and its place is free again', async (context) => {
  const impatient = await gateway.second({ patience: 1 })
  // More than the system buffers for the reader.
  const sent = scriptOf('192.0.2.2').repeat(40)
  for (let count = 0; count < 3; count++) unreading(context, sent, impatient)
  await until(async () => (await limited('answer_not_taken', impatient)) === 3)
  await until(async () => (await metric('ari_requests_in_flight', impatient)) === 1)
})

/**
 * Takes an answer a little at a time, for longer than one of which nothing is taken may wait. It is longer than what the
 * system buffers for its reader.
 */
async function takeSlowly(): Promise<{ announced: number; received: number }> {
  const impatient = await gateway.second({ patience: 1 })
  const { apiKey, post } = await impatient.supplier('reads slowly', { bodyBytesMax: 20 * 1024 * 1024 })
  const refused = await post('/push/hotels', 'x'.repeat(14_000_000), { 'x-request-id': 'long' })
  assert.equal(refused.status, 400)
  const socket = connect({ port: Number(new URL(impatient.url).port), host: '127.0.0.1' })
  socket.write(
    `GET /v1/push/log/long HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\nconnection: close\r\n\r\n`,
  )
  let head = ''
  let received = 0
  socket.on('data', (bytes: Buffer) => {
    if (received === 0) head = bytes.toString('latin1').split('\r\n\r\n')[0] ?? ''
    received += bytes.length
    socket.pause()
    setTimeout(() => socket.resume(), 80)
  })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  const [, announced] = /content-length: (\d+)/i.exec(head) ?? []
  return { announced: Number(announced), received: received - Buffer.byteLength(`${head}\r\n\r\n`) }
}

test('an answer that is taken slowly, but taken, is whole', async () => {
  const { announced, received } = await takenSlowly
  assert.ok(announced > 14_000_000)
  assert.equal(received, announced)
})

test('pipelined requests are answered one after another, in their order', async (context) => {
  const bodies = ['P1', 'P2', 'P3'].map(hotelOf)
  const outcome = await connectionOf(context).exchange({
    parts: [Buffer.from(bodies.map((body) => pushOf(supplier, body) + limitsOf(supplier)).join(''))],
    repliesWanted: 6,
  })
  assert.deepEqual(statusesOf(outcome), [200, 200, 200, 200, 200, 200])
  const { body } = expectOk(await supplier.post('/push/getHotels', ['P1', 'P2', 'P3']))
  assert.deepEqual(body['notFound'], [])
})

test('requests pipelined beyond 100 are not carried out, and the last answer announces the end of the connection', async (context) => {
  const already = await limited('pipelined')
  const outcome = await connectionOf(context).exchange({
    parts: [Buffer.from(limitsOf(supplier).repeat(300))],
    repliesWanted: 301,
  })
  const { replies, closed } = outcome
  assert.deepEqual(
    [
      replies.length,
      closed,
      replies.at(-2)?.headers.get('connection'),
      replies.at(-1)?.headers.get('connection'),
    ],
    [101, true, 'keep-alive', 'close'],
  )
  assert.equal((await limited('pipelined')) - already, 1)
})

test('requests pipelined behind malformed JSON are not carried out, because their answers would be lost', async (context) => {
  const behind = Array.from({ length: 20 }, (_, index) => `B${index}`)
  const outcomes = await Promise.all(
    behind.map((hotelId) =>
      connectionOf(context).exchange({
        parts: [Buffer.from(pushOf(supplier, '[{') + pushOf(supplier, hotelOf(hotelId)))],
        repliesWanted: 3,
      }),
    ),
  )
  for (const outcome of outcomes) assert.deepEqual([statusesOf(outcome), outcome.closed], [[400], true])
  const { body } = expectOk(await supplier.post('/push/getHotels', behind))
  assert.deepEqual(body['notFound'], behind)
})

test('an address without a key has 100 places, and what it holds keeps neither another address nor a key waiting', async (context) => {
  const already = await limited('in_flight_of_address')
  const begun = `POST /console/api/sign-in HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.9\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
  const statuses: Record<number, number> = {}
  for (let count = 0; count < 150; count++) {
    const answered = connectionOf(context).exchange({ parts: [Buffer.from(begun)], repliesWanted: 1 })
    void answered.then(({ replies: [reply] }) => {
      if (reply) statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
    })
  }
  const ways = (address: string) =>
    fetch(`${gateway.url}/console/api/sign-in/ways`, { headers: { 'x-forwarded-for': address } })
  await until(async () => (await limited('in_flight_of_address')) - already === 50)
  assert.deepEqual([(await ways('192.0.2.9')).status, (await ways('192.0.2.10')).status], [503, 200])
  for (let count = 1; count <= 20; count++)
    expectOk(await supplier.post('/push/ari', inventory(count), { 'x-forwarded-for': '192.0.2.9' }))
  assert.deepEqual(statuses, { 503: 50 })
})

test('many suppliers behind one address are each judged by their key', async (context) => {
  const other = await gateway.supplier('behind the same address', { requestsPerMinute: 0 })
  await pushStoryHotel(other)
  const letGo = await holdHotel(context, gateway.db, 'H1', other)
  // More than an address without keys may have; keys have a share of their own each.
  const sent = Array.from({ length: 300 }, (_, index) => other.post('/push/ari', inventory(index)))
  await until(async () => (await metric('ari_requests_in_flight')) >= 301)
  expectOk(await supplier.post('/push/ari', inventory(1)))
  await letGo()
  assert.deepEqual(new Set((await Promise.all(sent)).map(({ status }) => status)), new Set([200]))
})

/** A request whose last byte is held back; returns the answer's status once that byte is sent. */
function heldBack(
  context: TestContext,
  sent: string,
): { isSent: () => boolean; finish: () => void; answered: Promise<number | undefined> } {
  const socket = connect({ port: port(), host: '127.0.0.1' })
  context.after(() => socket.destroy())
  socket.write(sent.slice(0, -1))
  const answered = new Promise<number | undefined>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(Number(bytes.toString('latin1').split(' ')[1])))
    socket.once('error', () => resolve(undefined))
  })
  return {
    isSent: () => socket.writableLength === 0,
    finish: () => void socket.write(sent.slice(-1)),
    answered,
  }
}

test('one supplier’s large bodies are parsed one in a turn: what another sends meanwhile, large or small, is answered between them', async (context) => {
  const other = await gateway.supplier('sends large bodies', { requestsPerMinute: 0 })
  await pushStoryHotel(other)
  // Takes some tens of milliseconds to parse, and is answered at once.
  const more = Array.from({ length: 100_000 }, () => '{"a":1}').join()
  const requestOf = ({ apiKey }: TestSupplier, body: string): string =>
    `POST /v1/push/getTaxes HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const large = `{"hotelId":"H1","more":[${more}]}`
  const many = Array.from({ length: 12 }, () => ({
    name: 'many',
    ...heldBack(context, requestOf(other, large)),
  }))
  const one = { name: 'large', ...heldBack(context, requestOf(supplier, large)) }
  const small = { name: 'small', ...heldBack(context, requestOf(supplier, '{"hotelId":"H1"}')) }
  const all = [...many, one, small]
  const order: string[] = []
  const answers = all.map(async ({ name, answered }) => {
    const status = await answered
    order.push(name)
    return status
  })
  await until(async () => (await metric('ari_requests_in_flight')) > all.length)
  await until(() => all.every(({ isSent }) => isSent()))
  // Nothing tells what the service has read; in the time that these take, it reads all that was sent.
  for (let count = 0; count < 10; count++) await metric('ari_requests_in_flight')
  for (const { finish } of all) finish()
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([200]))
  const manyBefore = (name: string): number =>
    order.slice(0, order.indexOf(name)).filter((earlier) => earlier === 'many').length
  assert.ok(manyBefore('large') <= many.length / 2 && manyBefore('small') <= many.length / 2, order.join())
})

test('without a key a body is small', async () => {
  const signIn = (body: string) =>
    fetch(`${gateway.url}/console/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  const many = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`
  const answers = [
    await signIn(many(101)),
    await signIn(many(70_000)),
    await signIn(`"${'x'.repeat(16 * 1024)}"`),
  ]
  assert.deepEqual(
    await Promise.all(answers.map(async (one) => [one.status, Object(await one.json()).errors[0].type])),
    [
      [400, 'TOO_MANY_VALUES'],
      [413, 'BODY_TOO_LARGE'],
      [413, 'BODY_TOO_LARGE'],
    ],
  )
})

test('a request with two Host headers is refused', async (context) => {
  const twice = limitsOf(supplier).replace('host: x', 'host: x\r\nHOST: y')
  const outcome = await connectionOf(context).exchange({ parts: [Buffer.from(twice)], repliesWanted: 1 })
  const { message } = JSON.parse(String(outcome.replies[0]?.body))
  assert.deepEqual([statusesOf(outcome), message], [[400], 'Host header must be sent once'])
})
