import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bookingClient, supplierClient } from '../src/clients.ts'
import type { Fetch } from '../src/call.ts'
import type { Change } from '../src/follow-changes.ts'
import { isGatewayError } from '../src/gateway-error.ts'
import { gatewayForTests, type TestSupplier, changesSettled } from '../../../test/stage/harness.ts'
import { pushStoryHotel } from '../../../test/stage/story.ts'
import { minutes } from '../../../test/stage/pace.ts'

let supplier: TestSupplier
let token: string

const gateway = await gatewayForTests()
before(async () => {
  token = await gateway.token('platform')
  supplier = await gateway.supplier('Followed')
  await pushStoryHotel(supplier)
  await changesSettled(gateway.db)
})

const limit = 2

async function push(price: number): Promise<void> {
  const { url } = gateway
  const client = supplierClient({ url, apiKey: supplier.apiKey })
  const ari = [{ roomId: 'DBL', rateId: 'BAR', date: `2027-04-0${price}`, price }]
  await client.pushAri({ hotelId: 'H1', pricingModel: 'unit', ari })
}

test('changes come one after another over calls that fail, none twice and none left out', async () => {
  let calls = 0
  const shaky: Fetch = (url, init) => {
    calls++
    if (calls % 2 === 0)
      return Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNRESET') }))
    return fetch(url, init)
  }
  const client = bookingClient({ url: gateway.url, token, fetch: shaky })
  const { cursor } = await client.listChanges()
  const ended = new AbortController()
  const troubles: string[] = []
  const followed = client.followChanges({
    after: cursor,
    limit,
    waitSeconds: 1,
    signal: ended.signal,
    onError: ({ code }) => void troubles.push(code),
  })
  const found: Change[] = []
  const following = (async () => {
    for await (const change of followed) {
      found.push(change)
      if (found.length === 5) ended.abort()
    }
  })()
  for (let price = 1; price <= 5; price++) await push(price)
  await following
  assert.deepEqual(
    found.map(({ kind, hotelId, nights }) => [kind, hotelId, nights?.[0]?.startDate]),
    [1, 2, 3, 4, 5].map((price) => ['ari', 'H1', `2027-04-0${price}`]),
  )
  assert.ok(troubles.length > 0 && troubles.every((code) => code === 'NO_ANSWER'))

  // A reader that stops can resume from the last change that it processed.
  const resumed = client.followChanges({
    after: found[2]?.cursor ?? '',
    limit,
    signal: AbortSignal.timeout(minutes(2)),
  })
  assert.equal((await resumed.next()).value?.nights?.[0]?.startDate, '2027-04-04')
  await resumed.return()
})

test('an error that would stay ends it', async () => {
  const client = bookingClient({ url: gateway.url, token })
  const wrong = client.followChanges({ after: 'yesterday' })
  await assert.rejects(wrong.next(), (error) => isGatewayError(error) && error.has('INVALID_CURSOR'))
  const { cursor } = await client.listChanges()
  const nobody = bookingClient({ url: gateway.url, token: `${token}x` })
  await assert.rejects(
    nobody.followChanges({ after: cursor }).next(),
    (error) => isGatewayError(error) && error.status === 401,
  )
})

test('a feed that began anew is followed from before all is read again', async () => {
  const client = bookingClient({ url: gateway.url, token })
  const other = Buffer.from('change 0123456789ab 1 1 1').toString('base64url')
  await assert.rejects(
    client.followChanges({ after: other }).next(),
    (error) => isGatewayError(error) && error.status === 410 && error.has('FEED_RESTARTED'),
  )
  const restarted: boolean[] = []
  const changes = client.followChanges({
    after: other,
    // A change arrives while everything is read again.
    onRestart: async (error) => {
      restarted.push(error.has('FEED_RESTARTED'))
      await push(9)
    },
  })
  assert.equal((await changes.next()).value?.nights?.[0]?.startDate, '2027-04-09')
  await changes.return()
  assert.deepEqual(restarted, [true])
})

/** A feed that began anew, of a service that can't be reached for three calls after that. */
function restartedFeed(more: { onAway?: () => void } = {}) {
  let away = 0
  const client = bookingClient({
    url: gateway.url,
    token,
    fetch: async (url, init) => {
      if (url.includes('after=') || ++away > 3) return fetch(url, init)
      more.onAway?.()
      throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    },
    retryForMs: 0,
  })
  return { client, after: Buffer.from('change 0123456789ab 1 1 1').toString('base64url') }
}

test('a feed that began anew is followed although the service is away just then', async () => {
  const { client, after } = restartedFeed()
  const troubles: string[] = []
  let restarts = 0
  const changes = client.followChanges({
    after,
    onRestart: async () => {
      restarts++
      await push(8)
    },
    onError: ({ code }) => void troubles.push(code),
  })
  assert.equal((await changes.next()).value?.nights?.[0]?.startDate, '2027-04-08')
  await changes.return()
  assert.deepEqual([restarts, troubles], [1, ['NO_ANSWER', 'NO_ANSWER', 'NO_ANSWER']])
})

test('the signal ends it quietly while the service is away just then', async () => {
  const ended = new AbortController()
  const { client, after } = restartedFeed({ onAway: () => ended.abort() })
  const onRestart = () => Promise.reject(new Error('nothing has to be read'))
  const changes = client.followChanges({ after, signal: ended.signal, onRestart })
  assert.deepEqual(await changes.next(), { done: true, value: undefined })
})
