import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayForTests, type TestSupplier, changesSettled } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { createToken, revokeToken } from '../keys/manage.ts'

let supplier: TestSupplier
let token: string
let suppliers = 0

const gateway = await gatewayForTests()
before(async () => {
  token = await gateway.token('platform')
})
beforeEach(async () => {
  supplier = await gateway.supplier(`Supplier ${++suppliers}`)
  await pushStoryHotel(supplier)
  await changesSettled(gateway.db)
})

type Event = { event: string; id: string; data: Record<string, unknown> }

type Stream = {
  response: Response
  /** The next event that is not a heartbeat; undefined at the end of the stream. */
  next: () => Promise<Event | undefined>
  /** The ids that came without an event. */
  passed: readonly string[]
  leave: () => void
}

async function follow(
  headers: Record<string, string> = {},
  query = '',
  { url, bearer }: { url: string; bearer: string } = { url: gateway.url, bearer: token },
): Promise<Stream> {
  const left = new AbortController()
  const response = await fetch(`${url}/v1/booking/changes${query}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${bearer}`, ...headers },
    signal: left.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const passed: string[] = []
  const next = async (): Promise<Event | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
        )
        text = text.slice(end + 2)
        const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')]
        if (event !== undefined) return { event, id: id ?? '', data: JSON.parse(data ?? '') }
        if (id !== undefined) passed.push(id)
        continue
      }
      const piece = await reader?.read()
      if (!piece || piece.done) return undefined
      text += piece.value
    }
  }
  return { response, next, passed, leave: () => left.abort() }
}

async function setPrice(price: number): Promise<void> {
  const ari = [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', price }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
}

test('changes arrive as events, whose ids are cursors to resume from after a break', async () => {
  const stream = await follow({ 'accept-encoding': 'gzip' })
  const { headers, status } = stream.response
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('content-encoding'), headers.get('cache-control')],
    [200, 'text/event-stream; charset=utf-8', null, 'no-store'],
  )
  const start = await stream.next()
  assert.equal(start?.event, 'start')
  await setPrice(100)
  const first = await stream.next()
  assert.deepEqual([first?.event, first?.data['kind'], first?.data['revision']], ['change', 'ari', 3])
  assert.equal(first?.id, first?.data['cursor'])
  stream.leave()
  await setPrice(110)

  const resumed = await follow({ 'last-event-id': first?.id ?? '' }, `?after=${start.id}`)
  assert.equal((await resumed.next())?.event, 'start')
  assert.equal((await resumed.next())?.data['revision'], 4)
  resumed.leave()
  const again = await follow({}, `?after=${start.id}`)
  await again.next()
  // The change reported first has changed again since.
  assert.equal((await again.next())?.data['revision'], 4)
  again.leave()
})

test('a caller that is far behind resumes from where all that was read had changed again', async () => {
  const early = await follow()
  const start = await early.next()
  early.leave()
  for (const price of [100, 110, 120]) await setPrice(price)
  await changesSettled(gateway.db)
  const stream = await follow({}, `?after=${start?.id}&limit=1`)
  await stream.next()
  assert.equal((await stream.next())?.data['revision'], 5)
  stream.leave()
  assert.equal(stream.passed.length, 2)
  const resumed = await follow({ 'last-event-id': stream.passed[1] ?? '' })
  await resumed.next()
  assert.equal((await resumed.next())?.data['revision'], 5)
  resumed.leave()
})

test('an invalid cursor is refused before the stream begins', async () => {
  const response = await fetch(`${gateway.url}/v1/booking/changes`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'last-event-id': 'yesterday',
    },
  })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /"type":"INVALID_CURSOR".*"path":"last-event-id"/)
})

test('a stream ends with the service', async () => {
  const other = await gateway.second()
  const stream = await follow({}, '', { url: other.url, bearer: token })
  assert.equal((await stream.next())?.event, 'start')
  other.app.drain()
  assert.equal(await stream.next(), undefined)
  while (other.app.requestsInFlight() > 0) await wait(5)
})

test('a stream reports nothing more once its token is revoked', async () => {
  const { db, clock } = gateway
  const made = await createToken(db, 'sandbox', { role: 'platform', name: 'soon revoked', expiresAtMs: null })
  const stream = await follow({}, '', { url: gateway.url, bearer: made.token })
  assert.equal((await stream.next())?.event, 'start')
  await revokeToken(db, made.tokenId, clock.now())
  // Tokens are cached for half a second.
  await wait(1_000)
  await setPrice(100)
  assert.equal(await stream.next(), undefined)
})

test('the stream of a client that disconnects is closed', async () => {
  const other = await gateway.second()
  const stream = await follow({}, '', { url: other.url, bearer: token })
  await stream.next()
  assert.equal(other.app.requestsInFlight(), 1)
  stream.leave()
  while (other.app.requestsInFlight() > 0) await wait(5)
})

test('a client that does not read delays neither others nor the shutdown of the service', async () => {
  const other = await gateway.second()
  const start = await follow({}, '', { url: other.url, bearer: token })
  const { id } = (await start.next()) ?? { id: '' }
  start.leave()
  // More than the buffers of a connection can take.
  const rows = 30_000
  await gateway.db.query(
    `insert into change (kind, hotel_ids, revisions_from, revisions_to)
     select 'hotel', array[hotel.id], array[no], array[no] from generate_series(1, ${rows}) as no, hotel
     where hotel.supplier_id = (select id from supplier where name = $1)`,
    [supplier.name],
  )
  const idle = await follow({}, `?after=${id}&limit=1000`, { url: other.url, bearer: token })
  const busy = await follow({}, `?after=${id}&limit=1000`, { url: other.url, bearer: token })
  for (let told = 0; told <= rows; told++) assert.ok(await busy.next())
  busy.leave()
  other.app.drain()
  while (other.app.requestsInFlight() > 0) await wait(5)
  idle.leave()
})
