import assert from 'node:assert/strict'
import { afterEach, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { gatewayForTests, client, type TestClient, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../test/stage/story.ts'
import { systemClock } from '../base/clock.ts'
import { newSigningSecret } from '../outbound/signature.ts'
import { pushBookingCallback } from '../bookings/callback-contract.ts'
import type { SimulatedCall } from './answer.ts'
import { readFaultOrder } from './faults.ts'
import { startSupplier, type SimulatedSupplier, type SupplierOptions } from './supplier.ts'

/** The simulated supplier beside a gateway, called as the gateway calls: signed, with the public library. */

let supplier: TestSupplier
let platform: TestClient
let simulated: SimulatedSupplier | undefined
let calls: SimulatedCall[] = []

const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (vetted) => vetted } })
before(async () => {
  supplier = await gateway.supplier('Sea View')
  platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  await pushStoryHotel(supplier)
})
afterEach(async () => {
  await simulated?.close()
  simulated = undefined
  calls = []
})

async function start(
  options: Partial<SupplierOptions> = {},
): Promise<SimulatedSupplier & { secret: string }> {
  const { apiKey } = await gateway.supplier('Sea View')
  const started = await startSupplier({
    url: gateway.url,
    apiKey,
    host: '127.0.0.1',
    port: 0,
    secrets: [],
    faults: [],
    clock: systemClock,
    onCall: (call) => calls.push(call),
    ...options,
  })
  simulated = started
  return { ...started, secret: started.newSecret ?? options.secrets?.[0] ?? '' }
}

type Sent = { id?: string; secrets?: readonly string[]; atMs?: number }

async function send(
  url: string,
  body: unknown,
  { id = 'msg_1', secrets = [], atMs = Date.now() }: Sent,
): Promise<{ status: number; body: unknown }> {
  const text = JSON.stringify(body)
  const at = new Date(atMs)
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(atMs / 1_000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, text)).join(' '),
    },
    body: text,
    signal: AbortSignal.timeout(5_000),
  })
  return { status: response.status, body: await response.json() }
}

test('after its first registration a signed call is asked for, so that reservations that waited are sent at once', async () => {
  const { apiKey, keyId } = await gateway.supplier('Waiting')
  await start({ apiKey, clock: gateway.clock })
  const { rows } = await gateway.db.query<{ isProven: boolean }>(
    'select signing_secret_proven_at is not null as "isProven" from api_key where id = $1',
    [keyId],
  )
  assert.deepEqual(rows, [{ isProven: true }])
})

const stay = { checkin: '2027-04-15', checkout: '2027-04-18' }
const asked = {
  hotelId: 'H1',
  roomId: 'DBL',
  rateId: 'BAR',
  ...stay,
  roomCount: 1,
  adultCount: 2,
  childAges: [1, 5],
}

const tax = (more: object) => ({
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 2,
  appliedOn: 'net',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: true,
  ...more,
})

async function pushStay(): Promise<void> {
  const room = { roomId: 'DBL', startDate: '2027-04-10', endDate: '2027-04-30' }
  const lines = [
    ['adult', 2, 110],
    ['child', 1, '15.50'],
    ['infant', 1, 4],
  ].map(([ageCategory, guests, amount]) => ({ ageCategory, guests, amount }))
  const family = { occupancy: { maxOccupancy: 4, maxAdult: 2, maxChild: 2 } }
  const products = [product('DBL', 'BAR', family), product('DBL', 'NRF', family)]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const vat = tax({ type: 'VAT', valueType: '%', value: 10, included: true })
  expectOk(
    await supplier.post('/push/taxes', {
      hotelId: 'H1',
      taxes: [vat, tax({})],
      products: [
        {
          roomId: 'DBL',
          rateId: 'BAR',
          taxes: [tax({ type: 'OTHER_TAX', appliedPer: 'per_room_per_stay' })],
        },
        { rateId: 'NRF', taxes: [tax({ type: 'LOCAL_TAX', value: 50 })] },
      ],
    }),
  )
  expectOk(
    await supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'guest',
      ari: [
        { ...room, inventory: 6, rates: [{ rateId: 'BAR', prices: lines }] },
        {
          ...room,
          daysOfWeek: ['FRI', 'SAT'],
          inventory: 3,
          rates: [{ rateId: 'BAR', prices: [{ ageCategory: 'adult', guests: 2, amount: 150 }] }],
        },
        { ...room, rates: [{ rateId: 'NRF', pricingModel: 'unit', inventory: 2, price: 99 }] },
      ],
    }),
  )
}

describe('a price check', () => {
  before(pushStay)

  test('is answered from the pushed data, to the cent of the platform’s offer', async () => {
    const { urls, secret } = await start()
    for (const [rateId, inventory] of [
      ['BAR', 3],
      ['NRF', 2],
    ] as const) {
      const { status, body } = await send(urls.priceCheck, { ...asked, rateId }, { secrets: [secret] })
      assert.equal(status, 200)
      const { roomRate } = Object(body)
      const offers = expectOk(
        await platform.post('/booking/offers', {
          hotels: [{ supplier: 'Sea View', hotelId: 'H1' }],
          ...stay,
          rooms: [{ adults: 2, childAges: [1, 5] }],
        }),
      )
      const [hotel] = Object(offers.body).hotels
      const offer = hotel.offers.find((one: { rateId: string }) => one.rateId === rateId)
      const sum = (amounts: readonly string[]): number =>
        amounts.reduce((cents, amount) => cents + Math.round(Number(amount) * 100), 0)
      assert.deepEqual(
        {
          ids: [roomRate.roomId, roomRate.rateId, roomRate.currency, roomRate.mealPlan],
          inventory: roomRate.inventory,
          nights: [roomRate.amountBeforeTax.length, roomRate.amountAfterTax.length],
          totals: [sum(roomRate.amountBeforeTax), sum(roomRate.amountAfterTax)],
        },
        {
          ids: ['DBL', rateId, 'USD', 'RO'],
          inventory,
          nights: [3, 3],
          totals: [sum([offer.total.beforeTax]), sum([offer.total.afterTax])],
        },
      )
      assert.equal(inventory, offer.unitsLeft)
    }
    assert.deepEqual(
      calls
        .filter(({ call: kind }) => kind !== 'ping')
        .map(({ call: kind, signature, status }) => [kind, signature, status]),
      [
        ['priceCheck', 'verified', 200],
        ['priceCheck', 'verified', 200],
      ],
    )
  })

  test('finds no units for a stay that is not on sale, and nothing for unknown codes', async () => {
    const { urls, secret } = await start()
    const far = { ...asked, checkin: '2027-06-01', checkout: '2027-06-02' }
    const { body } = await send(urls.priceCheck, far, { secrets: [secret] })
    assert.deepEqual(Object(body).roomRate, {
      roomId: 'DBL',
      rateId: 'BAR',
      currency: 'USD',
      inventory: 0,
      amountBeforeTax: ['0.00'],
      amountAfterTax: ['0.00'],
      mealPlan: 'RO',
    })
    assert.equal(calls.at(-1)?.why, '2027-06-01 has no price for the party')
    const unknown = await send(urls.priceCheck, { ...asked, hotelId: 'H2' }, { secrets: [secret] })
    assert.equal(unknown.status, 404)
    assert.equal((await send(urls.priceCheck, { ...asked, checkin: 5 }, { secrets: [secret] })).status, 400)
  })

  test('goes wrong in the ways that were ordered, as often as was ordered, then right again', async () => {
    const { urls, secret, order, orderNothing } = await start({ faults: [orderOf('dearer:1')] })
    const ask = async () => send(urls.priceCheck, asked, { secrets: [secret] })
    const answerAfter = async (text?: string) => {
      if (text !== undefined) order(orderOf(text))
      const { status, body } = await ask()
      const { inventory, amountAfterTax } = Object(body).roomRate ?? {}
      return [status, inventory, amountAfterTax?.[0]]
    }
    const dearer = await answerAfter()
    const usual = await answerAfter()
    assert.equal(dearer[2], (Math.ceil(Number(usual[2]) * 110) / 100).toFixed(2))
    assert.deepEqual(await answerAfter('sold-out check 1'), [200, 0, usual[2]])
    assert.deepEqual(await answerAfter('500:1'), [500, undefined, undefined])
    assert.deepEqual(await answerAfter('bad-signature 1'), [401, undefined, undefined])
    assert.deepEqual(await answerAfter('cancel-before-confirm'), usual)
    const startedMs = performance.now()
    assert.deepEqual(await answerAfter('slow:1'), usual)
    assert.ok(performance.now() - startedMs > 1_400)
    order(orderOf('garbage:1'))
    await assert.rejects(ask())
    order(orderOf('hang'))
    await assert.rejects(
      fetch(urls.priceCheck, {
        method: 'POST',
        body: JSON.stringify(asked),
        signal: AbortSignal.timeout(300),
      }),
    )
    orderNothing()
    assert.deepEqual(await answerAfter(), usual)
    assert.deepEqual(
      calls.flatMap(({ fault, status }) => (fault ? [[fault, status]] : [])),
      [
        ['dearer', 200],
        ['sold-out', 200],
        ['500', 500],
        ['bad-signature', 401],
        ['slow', 200],
        ['garbage', undefined],
        ['hang', undefined],
      ],
    )
  })
})

function orderOf(text: string) {
  const order = readFaultOrder(text)
  assert.ok(!('problem' in order), text)
  return order
}

describe('a reservation', () => {
  const [example] = pushBookingCallback.example.request.reservations.reservation
  const body = (status: 'Confirm' | 'Cancel', version = '1', more: object = {}) => ({
    hotelId: 'H1',
    status,
    reservations: { reservation: [{ ...example, status, reservation_version: version, ...more }] },
  })
  const receipts = () => calls.flatMap(({ reservations = [] }) => reservations.map(({ receipt }) => receipt))

  test('is processed once: repeats get the same answer and change nothing, nor do older versions', async () => {
    const { urls, secret, reservation } = await start()
    const deliver = (sent: unknown, id: string) => send(urls.booking, sent, { id, secrets: [secret] })
    const answers = [
      await deliver(body('Confirm'), 'dlv_1'),
      await deliver(body('Confirm'), 'dlv_1'),
      await deliver(body('Confirm', '3'), 'dlv_3'),
      await deliver(body('Confirm', '2'), 'dlv_2'),
      await deliver(body('Cancel', '4'), 'dlv_4'),
      await deliver(body('Confirm', '3'), 'dlv_5'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200],
    )
    assert.deepEqual(receipts(), ['created', 'duplicate', 'changed', 'outdated', 'cancelled', 'outdated'])
    assert.deepEqual(
      calls.filter(({ call: kind }) => kind === 'booking').map(({ isRepeat }) => isRepeat),
      [false, true, false, false, false, false],
    )
    assert.deepEqual(reservation('55191'), { version: 4, status: 'Cancel' })
  })

  test('may be cancelled before it was ever confirmed', async () => {
    const { urls, secret } = await start({ faults: [orderOf('cancel-before-confirm')] })
    const sent = { secrets: [secret] }
    assert.equal((await send(urls.booking, body('Confirm'), sent)).status, 503)
    assert.equal((await send(urls.booking, body('Cancel', '2'), sent)).status, 200)
    assert.deepEqual(receipts(), ['cancelled unseen'])
  })

  test('shows of a card no more than its end', async () => {
    const { urls, secret } = await start()
    const card = {
      CardHolderName: 'Ada Lovelace',
      CardType: 'VI',
      CardNumber: '4111111111111111',
      ExpireDate: '01/2030',
      cvv: '917',
      IsVirtual: '0',
    }
    const sent = body('Confirm', '1', { paymentcarddetail: card })
    assert.equal((await send(urls.booking, sent, { secrets: [secret] })).status, 200)
    const told = JSON.stringify(calls)
    assert.ok(told.includes('VI …1111'))
    assert.ok(!told.includes('411111') && !told.includes('01/2030'))
    // Times, ids and signatures may have the same digits within.
    assert.doesNotMatch(told, /(?<![\w.-])917(?!\w)/)
  })

  test('is refused without a good signature; during a rotation either secret verifies', async () => {
    const [old, next, foreign] = [newSigningSecret(), newSigningSecret(), newSigningSecret()]
    const { apiKey, keyId } = await gateway.supplier('Signed')
    await gateway.db.query('update api_key set signing_secret = $2 where id = $1', [keyId, old])
    const { urls, newSecret } = await start({ apiKey, secrets: [old] })
    assert.equal(newSecret, undefined)
    const statusOf = async (sent: Sent) => (await send(urls.booking, body('Confirm'), sent)).status
    assert.deepEqual(
      [
        await statusOf({ secrets: [old] }),
        await statusOf({ secrets: [next, old] }),
        await statusOf({ secrets: [foreign] }),
        await statusOf({ secrets: [] }),
        await statusOf({ secrets: [old], atMs: Date.now() - 6 * 60_000 }),
      ],
      [200, 200, 401, 401, 401],
    )
    await simulated?.close()
    const both = await start({ apiKey, secrets: [old, next] })
    assert.equal((await send(both.urls.booking, body('Confirm'), { secrets: [next] })).status, 200)
    assert.equal(
      calls.every(({ signature }) => signature !== 'unverifiable'),
      true,
    )
  })
})

test('a gateway that calls no private addresses is named as the reason, with the remedy', async () => {
  const closed = await gatewayForTests()
  const { apiKey } = await closed.supplier('Sea View')
  await assert.rejects(start({ url: closed.url, apiKey }), /ARI_ALLOW_PRIVATE_WEBHOOKS=true.*--public-url/)
  await assert.rejects(
    start({ url: 'http://127.0.0.1:9', apiKey }),
    /got no answer from http:\/\/127\.0\.0\.1:9/,
  )
})
