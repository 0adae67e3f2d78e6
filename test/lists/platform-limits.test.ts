import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { limitsOfTokens } from '../../src/bookings/limits-contract.ts'
import { createToken, type NewToken } from '../../src/keys/manage.ts'
import { bookingBody, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { client, gatewayForTests, type Reply, type TestClient } from '../stage/harness.ts'
import { expectOk, problemsOf } from '../stage/story.ts'

/** The limits of GET /booking/limits are enforced, and answered as those of a supplier's key are. */

const gateway = await gatewayForTests()
let shop: Shop
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 60 })
})

async function tokenWith(limits: NewToken['limits']): Promise<TestClient> {
  const wanted = {
    role: 'platform',
    name: 'limited',
    expiresAtMs: null,
    ...(limits ? { limits } : {}),
  } as const
  const { token } = await createToken(gateway.db, 'sandbox', wanted)
  return client(gateway.url, { authorization: `Bearer ${token}` })
}

const list = <Element>(length: number, element: (index: number) => Element): Element[] =>
  Array.from({ length }, (_, index) => element(index))
const stay = { checkin: '2027-04-20', checkout: '2027-04-21' }
const search = (hotels: number, more: object = {}) =>
  shop.platform.post('/booking/offers', {
    hotels: list(hotels, (index) => ({ platformHotelId: String(index + 1) })),
    ...stay,
    rooms: [{ adults: 1 }],
    ...more,
  })
const text = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`

/** How each limit is tried, and the refusal beyond it. */
const enforced: Readonly<
  Partial<Record<keyof typeof limitsOfTokens, [call: (amount: number) => Promise<Reply>, refusal: string]>>
> = {
  bodyBytesMax: [(amount) => shop.platform.post('/booking/resync', text(amount)), 'BODY_TOO_LARGE'],
  hotelsPerSearch: [search, 'TOO_MANY'],
  roomsPerStay: [(amount) => search(1, { rooms: list(amount, () => ({ adults: 1 })) }), 'TOO_MANY'],
  reservationsPerPage: [
    (amount) => shop.platform.get(`/booking/reservations?limit=${amount}`),
    'INVALID_LIMIT',
  ],
  changesPerPage: [(amount) => shop.platform.get(`/booking/changes?limit=${amount}`), 'INVALID_LIMIT'],
  waitSeconds: [(amount) => shop.platform.get(`/booking/changes?wait=${amount}`), 'INVALID_WAIT'],
  idempotencyKeyLength: [
    (amount) => shop.book({}, { 'idempotency-key': 'k'.repeat(amount) }),
    'INVALID_IDEMPOTENCY_KEY',
  ],
  errorsListed: [
    async (amount) => {
      const reply = await shop.book({
        rooms: list(1, () => Object.fromEntries(list(amount - 4, (index) => [`x${index}`, 1]))),
      })
      const { moreErrors } = reply.body
      return moreErrors === undefined ? { ...reply, status: 200 } : reply
    },
    'REQUIRED',
  ],
}

for (const [name, [call, refusal]] of Object.entries(enforced)) testLimit(name, call, refusal)

function testLimit(name: string, call: (amount: number) => Promise<Reply>, refusal: string): void {
  test(`${name} is what is enforced`, async () => {
    const { limits } = expectOk(await shop.platform.get('/booking/limits')).body
    const limit = Number(Object(limits)[name])
    const accepted = await call(limit)
    const isRefused = problemsOf(accepted).some((problem) => Object.values(Object(problem))[1] === refusal)
    assert.ok(accepted.status < 400 || !isRefused, accepted.text.slice(0, 1_000))
    const refused = await call(limit + 1)
    const types = problemsOf(refused).map((problem) => Object.values(Object(problem))[1])
    assert.ok(refused.status >= 400 && types.includes(refusal), refused.text.slice(0, 1_000))
  })
}

test('a token without limits of its own has those of the contract, and no rate', async () => {
  const { status, body, headers } = await (await tokenWith(undefined)).get('/booking/limits')
  assert.deepEqual(
    [status, body['limits'], headers.get('ratelimit')],
    [200, { requestsPerMinute: null, burst: null, ...limitsOfTokens, waitingCalls: 20 }, null],
  )
})

test('waitingCalls is how many calls of a token wait; the next is told when to come again', async () => {
  const platform = await tokenWith(undefined)
  const { limits } = expectOk(await platform.get('/booking/limits')).body
  const { cursor } = expectOk(await platform.get('/booking/changes')).body
  const waiting = list(Object(limits).waitingCalls, () =>
    platform.get(`/booking/changes?after=${String(cursor)}&wait=30`),
  )
  let beyond: Reply
  do beyond = await platform.get(`/booking/changes?after=${String(cursor)}`)
  while (beyond.status === 200)
  assert.deepEqual(
    [beyond.status, problemsOf(beyond).map((problem) => Object.values(Object(problem))[1])],
    [429, ['TOO_MANY_WAITING']],
  )
  assert.equal(beyond.headers.get('retry-after'), '1')
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 200)
})

test('a token with a rate reads it, and is answered as a key is: what is left, and 429 with the time to wait', async () => {
  const limits = { requestsPerMinute: 60, requestsBurst: 3 }
  const platform = await tokenWith(limits)
  const supplier = await gateway.supplier('limited', limits)
  const first = await platform.get('/booking/limits')
  assert.deepEqual(
    [Object(first.body['limits']).requestsPerMinute, Object(first.body['limits']).burst],
    [60, 3],
  )
  const answersOf = async (caller: TestClient, path: string, name: string, sent: Reply[]) => {
    const replies = [...sent]
    while (replies.length < 4) replies.push(await caller.get(path))
    return replies.map(({ status, headers, body }) => {
      const { errors } = body
      const [{ type, message, hint } = {}] = Object(errors ?? [])
      return {
        status,
        left: headers.get('ratelimit')?.replace(name, 'caller'),
        policy: headers.get('ratelimit-policy')?.replace(name, 'caller'),
        retryAfter: headers.get('retry-after'),
        refusal: errors && { type, message, hint: String(hint).split(';')[0] },
      }
    })
  }
  const ofToken = await answersOf(platform, '/booking/limits', 'token', [first])
  assert.deepEqual(ofToken.at(-1), {
    status: 429,
    left: '"caller";r=0;t=1',
    policy: '"caller";q=60;w=60;burst=3',
    retryAfter: '1',
    refusal: {
      type: 'RATE_LIMITED',
      message: 'Rate limit of 60 requests a minute exceeded',
      hint: 'Send the same again in 1 s',
    },
  })
  assert.deepEqual(ofToken, await answersOf(supplier, '/push/limits', 'key', []))
})

test('a wait for changes counts once, and other tokens have rates of their own', async () => {
  const platform = await tokenWith({ requestsPerMinute: 1, requestsBurst: 2 })
  const { cursor } = expectOk(await platform.get('/booking/changes')).body
  const waiting = platform.get(`/booking/changes?after=${String(cursor)}&wait=30`)
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  expectOk(await waiting)
  assert.equal((await platform.get('/booking/limits')).status, 429)
  expectOk(await (await tokenWith({ requestsPerMinute: 1, requestsBurst: 2 })).get('/booking/limits'))
  const body = bookingBody('Acme', { rooms: [room()] })
  assert.equal((await platform.post('/booking/reservations', body)).status, 429)
})
