import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { platformOperations, supplierOperations, type Hotel } from '../src/api.ts'
import { failedItems, isWhollyApplied } from '../src/ari-results.ts'
import type { Attempt, ConnectOptions, Fetch } from '../src/call.ts'
import { bookingClient, supplierClient } from '../src/clients.ts'
import { isGatewayError, type GatewayError } from '../src/gateway-error.ts'
import type { Operation } from '../src/operations.ts'
import { routes, type RouteName } from '../../../src/contract.ts'
import type { PublicRoute } from '../../../src/http/route.ts'
import {
  startExampleSupplier,
  type ExampleSupplier,
  examplesOf,
  storyOrder,
} from '../../../test/stage/scenes/examples.ts'
import { startGateway, type TestGateway } from '../../../test/stage/harness.ts'

let outside: ExampleSupplier
let gateway: TestGateway
let suppliers = 0

before(async () => {
  outside = await startExampleSupplier()
  gateway = await startGateway(outside)
})
after(async () => {
  await gateway.stop()
  await outside.close()
})

async function connect(options: Partial<ConnectOptions> = {}) {
  const { apiKey, name } = await gateway.supplier(`Client ${++suppliers}`)
  return { name, apiKey, client: supplierClient({ url: gateway.url, apiKey, ...options }) }
}

function hotel(more: Partial<Hotel> = {}): Hotel {
  return {
    hotelId: 'H1',
    hotelName: 'Sea View',
    currency: 'USD',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
    ...more,
  }
}

async function refusalOf(call: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  assert.ok(isGatewayError(error), String(error))
  return error
}

describe('the table of operations', () => {
  const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
  const operations: Readonly<Record<string, Operation>> = { ...supplierOperations, ...platformOperations }

  test('calls each operation of the contract as its examples say', async () => {
    const { apiKey } = await gateway.supplier('Examples')
    const statuses: number[] = []
    const common = {
      url: `${gateway.url}/v1/`,
      onAttempt: ({ status }: Attempt) => void statuses.push(status),
    }
    const calls: Record<string, unknown> = {
      ...supplierClient({ ...common, apiKey }),
      ...bookingClient({ ...common, token: await gateway.token('platform') }),
    }
    for (const name of storyOrder()) {
      for (const [index, { request, params, answer }] of examplesOf(name).entries()) {
        const call = calls[name]
        assert.ok(typeof call === 'function', `${name} is not in the client`)
        const inputs =
          operations[name]?.takes.map((input) =>
            input === 'data' ? '' : input === 'params' ? (params ?? request) : request,
          ) ?? []
        const options = { requestId: `example-${name}-${index + 1}`, retryForMs: 0 }
        await call(...inputs, options).catch((error: unknown) =>
          assert.ok(isGatewayError(error), String(error)),
        )
        assert.equal(statuses.at(-1), answer.status, `${name}, example ${index + 1}`)
      }
    }
    assert.equal(statuses.length, storyOrder().flatMap(examplesOf).length)
    assert.deepEqual(Object.keys(operations).sort(), Object.keys(routeByName).sort())
  })
})

describe('a refusal', () => {
  test('is an error that holds all that the answer says', async () => {
    const { client } = await connect()
    const error = await refusalOf(
      client.pushHotels([hotel({ currency: 'EURO', minChildAge: 0 })], { requestId: 'wrong-1' }),
    )
    assert.deepEqual(
      {
        name: error.name,
        message: error.message,
        operation: error.operation,
        status: error.status,
        code: error.code,
        requestId: error.requestId,
        wrong: Object.fromEntries(error.errors.map(({ path, value }) => [path, value])),
        isRefused: error.isRefused,
        isWithoutAnswer: error.isWithoutAnswer,
        hasCurrency: error.has('CURRENCY_INVALID'),
        hasOther: error.has('HOTEL_NOT_FOUND'),
      },
      {
        name: 'GatewayError',
        message: 'pushHotels: Validation failure on minChildAge or maxChildAge',
        operation: 'pushHotels',
        status: 400,
        code: '400',
        requestId: 'wrong-1',
        wrong: { '/0/currency': 'EURO', '/0/minChildAge': 0 },
        isRefused: true,
        isWithoutAnswer: false,
        hasCurrency: true,
        hasOther: false,
      },
    )
    assert.ok(error.errors.every(({ hint }) => hint !== undefined))
  })

  test('is not tried again', async () => {
    const attempts: Attempt[] = []
    const { client } = await connect({ onAttempt: (attempt) => void attempts.push(attempt) })
    const error = await refusalOf(client.getTaxes({ hotelId: 'H9' }))
    assert.ok(error.has('HOTEL_NOT_FOUND'))
    const wrongKey = supplierClient({
      url: gateway.url,
      apiKey: 'ari_sbx_wrong',
      onAttempt: (attempt) => void attempts.push(attempt),
    })
    const unauthorized = await refusalOf(wrongKey.getLimits())
    assert.deepEqual([unauthorized.status, unauthorized.isRefused], [401, false])
    assert.ok(!String(unauthorized.stack).includes('ari_sbx_wrong'))
    assert.deepEqual(
      attempts.map(({ operation, attempt, status, retryInMs }) => [operation, attempt, status, retryInMs]),
      [
        ['getTaxes', 1, 404, undefined],
        ['getLimits', 1, 401, undefined],
      ],
    )
  })
})

describe('an ARI push of which items fail', () => {
  test('resolves, and its failed items are listed with the items sent', async () => {
    const { client } = await connect()
    await client.pushHotels([hotel()])
    await client.pushProducts({
      hotelId: 'H1',
      products: [
        {
          roomId: 'DBL',
          roomType: 'Double',
          rateId: 'BAR',
          roomName: 'Double',
          rateName: 'Best',
          isAvailable: true,
          occupancy: { maxOccupancy: 2 },
        },
      ],
    })
    const push = {
      hotelId: 'H1',
      ari: [
        { roomId: 'DBL', date: '2027-04-01', inventory: 5 },
        { roomId: 'SUITE', date: '2027-04-01', inventory: 1 },
      ],
    }
    const answer = await client.pushAri(push)
    assert.equal(answer.code, '207')
    assert.equal(isWhollyApplied(answer), false)
    assert.deepEqual(
      failedItems(push, answer).map(({ index, item, result }) => [
        index,
        item,
        result.errors?.map(({ type }) => type),
      ]),
      [[1, push.ari[1], ['ROOM_NOT_FOUND']]],
    )
    const good = await client.pushAri({ ...push, ari: push.ari.slice(0, 1) })
    assert.equal(isWhollyApplied(good), true)
    assert.deepEqual(failedItems(push, good), [])
  })
})

/** A connection to the gateway that fails in the given order, then works. */
function broken(faults: ('refused' | 'lost' | Response)[]): { fetch: Fetch; keys: unknown[] } {
  const keys: unknown[] = []
  return {
    keys,
    fetch: async (url, init) => {
      keys.push(new Headers(init.headers).get('idempotency-key'))
      const fault = faults.shift()
      if (fault === 'refused') throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
      if (fault === 'lost') {
        await (await fetch(url, init)).text()
        throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
      }
      return fault ?? fetch(url, init)
    },
  }
}

describe('what passes by itself', () => {
  test('is tried again under the same key, and applied once', async () => {
    const way = broken(['refused', 'lost', 'lost'])
    const attempts: Attempt[] = []
    const { client, name } = await connect({ fetch: way.fetch, onAttempt: (one) => void attempts.push(one) })
    await client.pushHotels([hotel()])
    assert.equal(new Set(way.keys).size, 1)
    assert.deepEqual(
      attempts.map(({ attempt, status, isReplayed }) => [attempt, status, isReplayed]),
      [
        [1, 0, false],
        [2, 0, false],
        [3, 0, false],
        [4, 200, true],
      ],
    )
    const { rows } = await gateway.db.query<{ revision: number }>(
      'select hotel.revision::int from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
      [name],
    )
    assert.deepEqual(rows, [{ revision: 1 }])
  })

  test('is also a rate limit, an overloaded service, or a failing proxy in front of it', async () => {
    const json = (status: number, type: string) =>
      Response.json(
        { code: String(status), message: 'Later', requestId: 'r', errors: [{ type, message: 'Later' }] },
        { status, headers: { 'retry-after': '0' } },
      )
    const way = broken([
      json(429, 'RATE_LIMITED'),
      json(503, 'OVERLOADED'),
      json(409, 'IDEMPOTENCY_KEY_IN_USE'),
      new Response('<html>Bad Gateway</html>', { status: 502 }),
    ])
    const { client } = await connect({ fetch: way.fetch })
    const { message } = await client.pushHotels([hotel()])
    assert.equal(message, 'Hotels updated successfully')
    assert.equal(way.keys.length, 5)
  })

  test('ends in an error of the last attempt when the time is over', async () => {
    const way = broken(['refused', new Response('', { status: 503, headers: { 'retry-after': '120' } })])
    const { client } = await connect({ fetch: way.fetch })
    const error = await refusalOf(client.getLimits())
    assert.deepEqual(
      [error.status, error.code, error.retryAfterMs, error.isWithoutAnswer],
      [503, 'NOT_JSON', 120_000, true],
    )
    const once = broken(['refused'])
    const { client: impatient } = await connect({ fetch: once.fetch, retryForMs: 0 })
    const none = await refusalOf(impatient.getLimits())
    assert.deepEqual(
      [none.status, none.code, none.message, once.keys.length],
      [0, 'NO_ANSWER', 'getLimits: no answer: ECONNREFUSED', 1],
    )
  })

  test('is also a test booking: it has a key, and books only once', async () => {
    const way = broken(['lost'])
    const { client } = await connect({ fetch: way.fetch })
    const stay = { checkin: '2027-04-20', checkout: '2027-04-21' }
    const rooms = [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }]
    const error = await refusalOf(client.bookTest({ hotelId: 'H1', ...stay, rooms }))
    assert.ok(error.has('HOTEL_NOT_FOUND'))
    const [first, second, ...others] = way.keys
    assert.deepEqual([typeof first, second, others], ['string', first, []])
  })
})

test('a call without an answer ends by its timeout, and by the caller’s signal with its own reason', async () => {
  const never: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    })
  const { client } = await connect({ fetch: never, retryForMs: 0, timeoutMs: 20 })
  const late = await refusalOf(client.getLimits())
  assert.deepEqual([late.status, late.code], [0, 'TIMEOUT'])
  const left = new AbortController()
  const call = client.getLimits({ signal: left.signal, timeoutMs: 10_000 })
  left.abort(new Error('not needed any more'))
  await assert.rejects(call, /^Error: not needed any more$/)
})

test('large bodies are sent compressed, small ones as they are', async () => {
  const sent: { encoding: string | null; bytes: number; json: unknown }[] = []
  const watched: Fetch = (url, init) => {
    const encoding = new Headers(init.headers).get('content-encoding')
    assert.ok(init.body instanceof Uint8Array)
    const plain = encoding === 'gzip' ? gunzipSync(init.body) : Buffer.from(init.body)
    sent.push({ encoding, bytes: init.body.length, json: JSON.parse(plain.toString()) })
    return fetch(url, init)
  }
  const { client } = await connect({ fetch: watched })
  const many = Array.from({ length: 300 }, (_, index) => hotel({ hotelId: `H${index}` }))
  await client.pushHotels(many)
  await client.getHotels(['H7'])
  assert.deepEqual(
    sent.map(({ encoding, json }) => [encoding, json]),
    [
      ['gzip', many],
      [null, ['H7']],
    ],
  )
  assert.ok((sent[0]?.bytes ?? Infinity) < JSON.stringify(many).length / 5)
})
