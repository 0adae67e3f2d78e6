import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHmac } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { bookingBody, expectStatus, idOf, openShop, type Shop } from '../stage/scenes/booking.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { gatewayForCalls, liveUrl, receiverOf, urlOf, type Fields } from '../stage/under-way/calls.ts'
import type { Reply } from '../stage/harness.ts'
import { httpAnswer, type ReceivedCall, type Receiver } from '../stage/servers/receiver.ts'
import { expectOk } from '../stage/story.ts'
import { setAccount } from '../../src/keys/suppliers.ts'

/** A URL is moved or removed, or its secret rotated, while calls are under way or wait. */

const gateway = await gatewayForCalls({ vaultKey: Buffer.alloc(32, 7) })
gateway.app.startDeliveries()

/** What deliveries know of a URL and its secrets is trusted for a moment. */
const trustedMs = 600

let shops = 0
const shopOf = (): Promise<Shop> => openShop(gateway, `webhooks ${++shops}`, { inventory: 9 })

const outcomeOf = ({ body }: Reply): unknown => Object(Object(body['priceChecks'])[0]).outcome

const bookingsAt = ({ calls }: Receiver): ReceivedCall[] =>
  calls.filter(({ body }) => body.includes('reservation_id'))

/** The supplier's one delivery, once an attempt of it has failed and is settled. */
async function failedDelivery({ supplier }: Shop): Promise<Fields> {
  let one: Fields = {}
  await until('its attempt is settled', async () => {
    const { body } = expectOk(await supplier.get('/push/deliveries'))
    one = Object(Object(body['deliveries'])[0])
    return one['status'] === 'failing'
  })
  return one
}

async function register({ supplier }: Shop, kind: string, receiver: Receiver, path = ''): Promise<string> {
  const webhook = urlOf(receiver, path)
  const { body } = expectOk(await supplier.post(`/push/webhook/${kind}`, { webhook }))
  await wait(trustedMs)
  expectOk(await supplier.post('/push/webhook/test', { kind }))
  return String(body['signingSecret'])
}

test('a check that is on its way ends at the URL that it asked; the next one asks the URL of then, or none', async () => {
  const shop = await shopOf()
  const url = await liveUrl(shop)
  const first = await url.held(() => shop.book())
  const next = await liveUrl(shop)
  next.answers({ inventory: 0 })
  first.letGo()
  assert.equal(outcomeOf(expectStatus(await first.answer, 201)), 'available')
  assert.equal(expectStatus(await shop.book(), 409).body['message'], 'Sold out')
  const removed = await next.held(() => shop.book())
  expectOk(await shop.supplier.delete('/push/webhook/availability'))
  removed.letGo()
  assert.equal(expectStatus(await removed.answer, 409).body['message'], 'Sold out')
  assert.equal(outcomeOf(expectStatus(await shop.book(), 201)), 'not_registered')
})

test('a URL that is left alone because it fails keeps no call from the URL that takes its place', async () => {
  const shop = await shopOf()
  const failing = await receiverOf((socket) => socket.write(httpAnswer(500, '{}')))
  await register(shop, 'availability', failing)
  const outcomes: unknown[] = []
  for (let call = 0; call < 6; call++) outcomes.push(outcomeOf(expectStatus(await shop.book(), 409)))
  assert.deepEqual(outcomes.slice(-2), ['supplier_error', 'circuit_open'])
  await liveUrl(shop)
  assert.equal(outcomeOf(expectStatus(await shop.book(), 201)), 'available')
})

test('what is booked, changed and cancelled waits without a URL and goes with its card to the one of then', async () => {
  const shop = await shopOf()
  const { supplier, platform } = shop
  await setAccount(gateway.db, supplier.name, { deliversCards: true })
  const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2030', cvv: '837' }
  const payment = { type: 'Channel Collect', card }
  const first = await receiverOf((socket) => socket.write(httpAnswer(404, '{}')))
  await register(shop, 'pushbook', first)
  const kept = idOf(await shop.book({ payment }))
  const cancelled = idOf(await shop.book({ payment }))
  await until('both were refused', () => bookingsAt(first).length === 2)
  expectOk(await supplier.delete('/push/webhook/pushbook'))
  await wait(trustedMs)
  const fewer = bookingBody(supplier.name, { checkout: '2027-04-21' })
  expectOk(await platform.put(`/booking/reservations/${kept}`, fewer))
  expectOk(await platform.post(`/booking/reservations/${cancelled}/cancel`, {}))
  const second = await receiverOf()
  await register(shop, 'pushbook', second)
  await until('both are delivered', () => bookingsAt(second).length === 2)
  const told = bookingsAt(second).map(({ body }) => {
    const { status, reservations } = JSON.parse(body.toString())
    const [{ reservation_id: id, reservation_version: version, paymentcarddetail: sent }] =
      reservations.reservation
    return [id, status, version, sent?.CardNumber, sent?.cvv].join(' ')
  })
  assert.deepEqual(
    told.toSorted(),
    [`${kept} Confirm 2 4111111111111111 837`, `${cancelled} Cancel 2  `].toSorted(),
  )
  assert.equal(bookingsAt(first).length, 2)
})

test('what a URL has refused goes to the one that takes its place at its next time, or at once when it is sent again', async () => {
  const shop = await shopOf()
  const refusing = await receiverOf((socket) => socket.write(httpAnswer(404, '{}')))
  await register(shop, 'pushbook', refusing)
  const first = idOf(await shop.book())
  const one = await failedDelivery(shop)
  const second = idOf(await shop.book())
  await until('both were refused', () => bookingsAt(refusing).length === 2)
  const taking = await receiverOf()
  await register(shop, 'pushbook', taking)
  assert.equal(one['nextAttemptAt'], '2027-03-01T13:00:00.000Z')
  expectOk(await shop.supplier.post('/push/deliveries/sendAgain', { deliveryIds: [one['deliveryId']] }))
  await until('it is delivered', () => bookingsAt(taking).length === 1)
  expectOk(await shop.supplier.post('/push/sandbox/clock', { advanceBy: 'PT59M' }))
  assert.equal(bookingsAt(taking).length, 1)
  expectOk(await shop.supplier.post('/push/sandbox/clock', { advanceBy: 'PT1M' }))
  await until('so is the other', () => bookingsAt(taking).length === 2)
  assert.deepEqual(
    bookingsAt(taking).map(({ body: sent }) => [first, second].filter((id) => sent.includes(`"${id}"`))),
    [[first], [second]],
  )
  assert.equal(bookingsAt(refusing).length, 2)
})

test('a reservation that waits is signed with the secrets of the moment in which it is sent', async () => {
  const shop = await shopOf()
  const down = await receiverOf((socket) => socket.write(httpAnswer(500, '{}')))
  const first = await register(shop, 'pushbook', down)
  idOf(await shop.book())
  const one = await failedDelivery(shop)
  const { body } = expectOk(await shop.supplier.post('/push/webhook/rotate', { overlapHours: 0 }))
  const up = await receiverOf()
  await register(shop, 'pushbook', up)
  expectOk(await shop.supplier.post('/push/deliveries/sendAgain', { deliveryIds: [one['deliveryId']] }))
  await until('it is delivered', () => bookingsAt(up).length === 1)
  const [call] = bookingsAt(up)
  assert.ok(call)
  const isSignedBy = (secret: unknown): boolean => {
    const content = `${call.headers.get('webhook-id')}.${call.headers.get('webhook-timestamp')}.${call.body.toString()}`
    const key = Buffer.from(String(secret).replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key).update(content).digest('base64')
    return call.headers.get('webhook-signature')?.includes(`v1,${signature}`) === true
  }
  assert.deepEqual([isSignedBy(body['signingSecret']), isSignedBy(first)], [true, false])
})

test('a registration that is repeated under its Idempotency-Key doesn’t move the URL back', async () => {
  const { supplier } = await shopOf()
  const key = { 'idempotency-key': 'first-url' }
  const webhook = (name: string): Fields => ({ webhook: `https://pms.example.com/${name}` })
  expectOk(await supplier.post('/push/webhook/pushbook', webhook('first'), key))
  expectOk(await supplier.post('/push/webhook/pushbook', webhook('second')))
  const again = expectOk(await supplier.post('/push/webhook/pushbook', webhook('first'), key))
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal(expectOk(await supplier.get('/push/webhook')).body['pushbook'], webhook('second')['webhook'])
})
