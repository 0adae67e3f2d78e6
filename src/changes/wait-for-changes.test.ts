import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { changesIn, cursorOfNow, getChanges } from '../../test/stage/scenes/changes.ts'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestSupplier,
} from '../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../test/stage/story.ts'
import { heldOpenPerTokenMax } from '../http/calls/held-open.ts'

let platform: TestClient
let supplier: TestSupplier
let suppliers = 0
let cursor = ''

const gateway = await gatewayForTests()
before(async () => {
  platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
})
beforeEach(async () => {
  supplier = await gateway.supplier(`Supplier ${++suppliers}`)
  await pushStoryHotel(supplier)
  cursor = await cursorOfNow(gateway, platform)
})

const changes = (query: Record<string, string>, caller = platform): Promise<Reply> =>
  getChanges(caller, query)

async function pushPrice(by: TestClient = supplier): Promise<void> {
  const ari = [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', price: 100 }]
  expectOk(await by.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
}

test('a waiting request ends with a change, of another process too', async () => {
  const other = await gateway.second()
  const waiting = changes({ after: cursor, wait: '30' })
  const elsewhere = client(other.url, { 'x-api-key': supplier.apiKey })
  await pushPrice(elsewhere)
  assert.equal(changesIn(await waiting).length, 1)
})

test('a waiting request ends after the time without a change, with a cursor to resume from', async () => {
  const reply = await changes({ after: cursor, wait: '1' })
  assert.deepEqual([changesIn(reply), reply.body['hasMore']], [[], false])
  await pushPrice()
  assert.equal(changesIn(await changes({ after: String(reply.body['cursor']), wait: '30' })).length, 1)
})

test('a waiting request takes no slots of other requests, and has a limit of its own', async () => {
  const leave = new AbortController()
  const tokens = await Promise.all(
    Array.from({ length: 200 / heldOpenPerTokenMax }, () => gateway.token('platform')),
  )
  const url = `${gateway.url}/v1/booking/changes?${new URLSearchParams({ after: cursor, wait: '30' }).toString()}`
  const waiting = tokens.flatMap((token) =>
    Array.from({ length: heldOpenPerTokenMax }, () =>
      fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: leave.signal }).catch(
        () => undefined,
      ),
    ),
  )
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1])
  while ((await metric('ari_requests_held_open')) < 200);
  assert.deepEqual(problemsOf(await changes({ after: cursor })), [
    [undefined, 'OVERLOADED', 'The service is overloaded'],
  ])
  // The metrics request itself.
  assert.equal(await metric('ari_requests_in_flight'), 1)
  leave.abort()
  await Promise.all(waiting)
  while ((await metric('ari_requests_held_open')) > 0);
  expectOk(await changes({ after: cursor }))
})

test('a waiting request takes no slots of other tokens: each token has a share of them', async () => {
  const leave = new AbortController()
  const headers = {
    authorization: `Bearer ${await gateway.token('platform')}`,
    accept: 'text/event-stream',
  }
  const url = `${gateway.url}/v1/booking/changes`
  const open = () => fetch(url, { headers, signal: leave.signal })
  const streams = await Promise.all(Array.from({ length: heldOpenPerTokenMax }, open))
  assert.ok(streams.every(({ status }) => status === 200))
  const beyond = await open()
  assert.deepEqual(
    [beyond.status, beyond.headers.get('retry-after'), await beyond.json()],
    [
      429,
      '1',
      {
        code: '429',
        message: 'Maximum 20 requests of a token can wait for changes at a time',
        requestId: beyond.headers.get('x-request-id'),
        errors: [
          {
            type: 'TOO_MANY_WAITING',
            docUrl: '/docs/guides/errors#TOO_MANY_WAITING',
            message: 'Maximum 20 requests of a token can wait for changes at a time',
            hint: 'Follow all hotels with one request; close requests whose answers nobody reads',
          },
        ],
      },
    ],
  )
  // Other tokens are still served, and so is this one once some of its streams end.
  expectOk(await changes({ after: cursor }))
  leave.abort()
  for (;;) {
    const again = await fetch(url, { headers })
    await again.body?.cancel()
    if (again.status === 200) break
  }
})

test('a waiting request ends with the service, with an answer', async () => {
  const other = await gateway.second()
  const caller = client(other.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const waiting = changes({ after: cursor, wait: '30' }, caller)
  while (other.app.requestsInFlight() === 0) await wait(5)
  other.app.drain()
  const reply = await waiting
  assert.deepEqual([changesIn(reply), reply.body['hasMore']], [[], false])
  assert.equal((await changes({}, caller)).status, 503)
})
