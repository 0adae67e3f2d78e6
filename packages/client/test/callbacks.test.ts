import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Delivery, PriceCheckRequest } from '../src/api.ts'
import { supplierClient } from '../src/clients.ts'
import { handleCallbacks, handleNodeCallbacks, type CallbackHandlers } from '../src/handle-callbacks.ts'
import { SignatureError, verifyCallback } from '../src/verify-callback.ts'
import { newSigningSecret, signedHeaders } from '../../../src/outbound/signature.ts'
import { priceCheckCallback } from '../../../src/price-check/callback-contract.ts'
import { pushBookingCallback } from '../../../src/bookings/callback-contract.ts'
import { startGateway } from '../../../test/stage/harness.ts'
import { pushStoryHotel } from '../../../test/stage/story.ts'
import { nightAhead } from '../../../test/stage/nights.ts'

const secret = newSigningSecret()
const atMs = Date.parse('2027-03-01T12:00:00Z')
const nowMs = () => atMs
const delivery = JSON.stringify(pushBookingCallback.example.request)

function signed(body: string, { secrets = [secret], at = atMs }: { secrets?: string[]; at?: number } = {}) {
  return { body, headers: signedHeaders({ id: 'msg_1', atMs: at, body: Buffer.from(body), secrets }) }
}

async function problemOf(call: ReturnType<typeof verifyCallback>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof SignatureError, String(error))
  return error.problem
}

describe('a signature', () => {
  test('of the platform, and of any library of Standard Webhooks, is verified', async () => {
    const { headers, body } = signed(delivery)
    const verified = { id: 'msg_1', sentAt: new Date(atMs) }
    assert.deepEqual(await verifyCallback({ headers, body }, { secrets: secret, nowMs }), verified)
    const asWeb = { headers: new Headers(headers), body: Buffer.from(body) }
    assert.deepEqual(await verifyCallback(asWeb, { secrets: secret, nowMs }), verified)
    const theirs = new Webhook(secret).sign('msg_1', new Date(atMs), delivery)
    const withTheirs = { ...headers, 'webhook-signature': theirs }
    assert.deepEqual(
      await verifyCallback({ headers: withTheirs, body }, { secrets: secret, nowMs }),
      verified,
    )
  })

  test('is one of several during a rotation, on either side', async () => {
    const other = newSigningSecret()
    const both = signed(delivery, { secrets: [other, secret] })
    await verifyCallback(both, { secrets: secret, nowMs })
    await verifyCallback(both, { secrets: [newSigningSecret(), other], nowMs })
    assert.equal(await problemOf(verifyCallback(both, { secrets: [newSigningSecret()], nowMs })), 'wrong')
    assert.equal(await problemOf(verifyCallback(both, { secrets: [], nowMs })), 'wrong')
  })

  test('is wrong when a byte, the id or the time was changed', async () => {
    const { headers, body } = signed(delivery)
    const options = { secrets: secret, nowMs }
    const problems = [
      verifyCallback({ headers, body: `${body} ` }, options),
      verifyCallback({ headers: { ...headers, 'webhook-id': 'msg_2' }, body }, options),
      verifyCallback(
        { headers: { ...headers, 'webhook-timestamp': String(atMs / 1_000 + 1) }, body },
        options,
      ),
      verifyCallback({ headers: { ...headers, 'webhook-timestamp': '1e9' }, body }, options),
      verifyCallback({ headers: { ...headers, 'webhook-signature': 'v1,%%' }, body }, options),
      verifyCallback(
        { headers: { ...headers, 'webhook-signature': headers['webhook-signature'].slice(3) }, body },
        options,
      ),
    ]
    assert.deepEqual(
      await Promise.all(problems.map(problemOf)),
      problems.map(() => 'wrong'),
    )
  })

  test('is missing without its headers, and stale outside the tolerance', async () => {
    const { headers, body } = signed(delivery)
    const without = { ...headers, 'webhook-id': undefined }
    const twice = { ...headers, 'webhook-signature': ['v1,a', 'v1,b'] }
    assert.equal(
      await problemOf(verifyCallback({ headers: without, body }, { secrets: secret, nowMs })),
      'missing',
    )
    assert.equal(
      await problemOf(verifyCallback({ headers: twice, body }, { secrets: secret, nowMs })),
      'missing',
    )
    const old = signed(delivery, { at: atMs - 301_000 })
    const early = signed(delivery, { at: atMs + 301_000 })
    assert.equal(await problemOf(verifyCallback(old, { secrets: secret, nowMs })), 'stale')
    assert.equal(await problemOf(verifyCallback(early, { secrets: secret, nowMs })), 'stale')
    await verifyCallback(old, { secrets: secret, nowMs, toleranceSeconds: 600 })
  })

  test('takes no secret that is none', async () => {
    const call = verifyCallback(signed(delivery), { secrets: 'whsec_', nowMs })
    await assert.rejects(call, TypeError)
  })
})

test('what a handler of deliveries returns is the answer: the hotel’s own numbers', async () => {
  const handle = handleCallbacks({
    secrets: secret,
    nowMs,
    delivery: ({ reservations }) => ({
      confirmations: reservations.reservation.map(({ reservation_id }) => ({
        reservation_id,
        confirmation_number: `A-${reservation_id}`,
      })),
    }),
  })
  const { headers, body } = signed(delivery)
  const response = await handle(new Request('https://pms.example.com/ari', { method: 'POST', body, headers }))
  assert.deepEqual(
    [response.status, await response.json()],
    [200, { confirmations: [{ reservation_id: '55191', confirmation_number: 'A-55191' }] }],
  )
})

describe('a server of Request and Response', () => {
  const troubles: unknown[] = []
  const seen: unknown[] = []
  const handlers: CallbackHandlers = {
    secrets: secret,
    nowMs,
    bodyBytesMax: 100_000,
    priceCheck: (request, { id }) => {
      seen.push([id, request])
      return priceCheckAnswer
    },
    delivery: async ({ reservations }, { id }) => {
      if (reservations.reservation[0]?.propertyname === 'Nowhere') throw new Error('disk full')
      seen.push([id, reservations.reservation.map(({ reservation_id }) => reservation_id)])
    },
    onError: (error) => void troubles.push(error),
  }
  const priceCheckAnswer = {
    roomRate: {
      roomId: 'DBL',
      rateId: 'BAR',
      currency: 'USD',
      inventory: 2,
      amountBeforeTax: ['100.00'],
      amountAfterTax: ['110.00'],
    },
  }
  const handle = handleCallbacks(handlers)
  const send = async (body: string, headers: Record<string, string> = signed(body).headers) => {
    const response = await handle(
      new Request('https://pms.example.com/ari', { method: 'POST', body, headers }),
    )
    return [response.status, await response.json()]
  }

  test('answers with the result of its handlers, and answers pings itself', async () => {
    const asked: PriceCheckRequest = { ...priceCheckCallback.example.request, childAges: [5] }
    assert.deepEqual(await send(JSON.stringify(asked)), [200, priceCheckAnswer])
    assert.deepEqual(await send(delivery), [200, {}])
    assert.deepEqual(await send('{"type":"ping"}'), [200, {}])
    assert.deepEqual(seen, [
      ['msg_1', asked],
      ['msg_1', ['55191']],
    ])
    assert.deepEqual(troubles, [])
  })

  test('answers 401 to forged calls, 400 to malformed ones, and 500 when a handler fails', async () => {
    assert.deepEqual((await send(delivery, {}))[0], 401)
    const withoutStatus = JSON.stringify({ ...JSON.parse(delivery), status: undefined })
    assert.deepEqual(await send(withoutStatus), [400, { message: '/status is missing' }])
    const unknownStatus = delivery.replaceAll('"Confirm"', '"Maybe"')
    assert.deepEqual(await send(unknownStatus), [400, { message: '/status is none of Confirm, Cancel' }])
    assert.deepEqual(await send('{"adultCount":"2"}'), [400, { message: '/hotelId is missing' }])
    assert.deepEqual(await send('no'), [400, { message: 'The body is not JSON' }])
    const failing = delivery.replace('Hôtel du Port', 'Nowhere')
    assert.deepEqual(await send(failing), [500, { message: 'It failed here; send it again' }])
    assert.equal(troubles.length, 6)
    assert.deepEqual((await send(' '.repeat(100_001)))[0], 413)
    assert.equal((await handle(new Request('https://pms.example.com/ari'))).status, 405)
    const none = handleCallbacks({ secrets: secret, nowMs })
    const request = new Request('https://pms.example.com/ari', { method: 'POST', ...signed(delivery) })
    assert.equal((await none(request)).status, 404)
  })

  test('keeps a member that it does not know', async () => {
    const more = JSON.stringify({ ...JSON.parse(delivery), loyalty: 'gold' })
    assert.deepEqual(await send(more), [200, {}])
  })
})

test('a test booking of the sandbox is checked and delivered to a server of node:http', async () => {
  const reach = <Vetted>(vetted: Vetted) => vetted
  const gateway = await startGateway({
    systemTime: true,
    allowPrivate: true,
    now: new Date().toISOString(),
    outbound: { reach },
  })
  const deliveries = gateway.app.startDeliveries()
  const secrets: string[] = []
  const checks: PriceCheckRequest[] = []
  const { promise, resolve } = Promise.withResolvers<Delivery>()
  const server = createServer(
    handleNodeCallbacks({
      get secrets() {
        return secrets
      },
      priceCheck: (request) => {
        checks.push(request)
        const { roomId, rateId } = request
        return {
          roomRate: {
            roomId,
            rateId,
            currency: 'USD',
            inventory: 1,
            amountBeforeTax: ['100.00'],
            amountAfterTax: ['100.00'],
          },
        }
      },
      delivery: (delivered) => resolve(delivered),
    }),
  ).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A server on TCP has an address.
    const { port } = server.address() as AddressInfo
    const supplier = await gateway.supplier('Called')
    await pushStoryHotel(supplier)
    const client = supplierClient({ url: gateway.url, apiKey: supplier.apiKey })
    const webhook = `http://127.0.0.1:${port}/ari`
    const { signingSecret } = await client.registerAvailabilityWebhook({ webhook })
    secrets.push(signingSecret ?? '')
    await client.registerPushbookWebhook({ webhook })
    const checkin = nightAhead(30)
    const ari = [{ roomId: 'DBL', date: checkin, inventory: 1, rates: [{ rateId: 'BAR', price: 100 }] }]
    await client.pushAri({ hotelId: 'H1', pricingModel: 'unit', ari })
    const rooms = [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }]
    const booked = await client.bookTest(
      { hotelId: 'H1', checkin, checkout: nightAhead(31), rooms },
      { requestId: randomUUID() },
    )
    const delivered = await promise
    assert.deepEqual(
      [booked.code, checks.map(({ roomId, checkin: arrival }) => [roomId, arrival])],
      ['201', [['DBL', checkin]]],
    )
    assert.deepEqual(
      delivered.reservations.reservation.map(({ reservation_id, status }) => [reservation_id, status]),
      [[booked.reservationId, 'Confirm']],
    )
  } finally {
    server.closeAllConnections()
    server.close()
    await deliveries.close()
    await gateway.stop()
  }
})
