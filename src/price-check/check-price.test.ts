import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { client, gatewayForTests } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { minutes, seconds } from '../../test/stage/pace.ts'
import {
  answering,
  asPushed,
  outcomeOf,
  priceCheckStage,
  stay,
} from '../../test/stage/scenes/price-checks.ts'
import { httpAnswer, startReceiver, type Behaviour } from '../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'
import { setAccount } from '../keys/suppliers.ts'
import { circuitLimits } from '../outbound/circuit.ts'

/** One price check: the call, the outcome, and when no call is made. */

/** A host whose first look-up finds no address. */
const flakyHost = 'flaky.example.com'
const flaky = { asked: 0 }

const gateway = await gatewayForTests({
  allowPrivate: true,
  systemTime: true,
  resolve: async (host) => (host === flakyHost && ++flaky.asked === 1 ? [] : ['127.0.0.1']),
  outbound: { reach: (vetted) => vetted },
  checkBudgetMs: minutes(1),
})
const { platform, supplierWith, check, receivers } = await priceCheckStage(gateway)

test('the signed request follows the specification word for word, and the answered prices are listed beside the stored ones', async () => {
  const { supplier, receiver, signingSecret } = await supplierWith(answering({ ...asPushed, mealPlan: 'RO' }))
  const reply = expectOk(
    await platform.post(
      '/booking/priceCheck',
      { hotel: { supplier: supplier.name, hotelId: 'H1' }, ...stay },
      { 'x-request-id': 'asked-1' },
    ),
  )
  const { priceCheckId, durationMs, offer, ...said } = reply.body
  assert.equal(Object(offer).total.afterTax, '220.00')
  assert.match(String(priceCheckId), /^[0-9a-f-]{36}$/)
  assert.ok(Number.isInteger(durationMs))
  const amounts = {
    currency: 'USD',
    inventory: 5,
    amountBeforeTax: ['100.00', '100.00'],
    amountAfterTax: ['110.00', '110.00'],
  }
  assert.deepEqual(said, {
    code: '200',
    message: 'Price checked',
    outcome: 'available',
    bookable: true,
    live: amounts,
    stored: { ...amounts, bookable: true, revision: Object(said['stored']).revision },
    difference: '0.00',
  })
  const [{ line, headers, body } = assert.fail()] = receiver.calls
  assert.deepEqual([receiver.calls.length, line], [1, 'POST /check HTTP/1.1'])
  assert.deepEqual(JSON.parse(body.toString()), { hotelId: 'H1', ...stay })
  assert.deepEqual(
    [headers.get('webhook-id'), headers.get('x-request-id'), headers.get('user-agent')],
    [`chk_${String(priceCheckId)}`, 'asked-1', 'ari-gateway'],
  )
  new Webhook(signingSecret).verify(body.toString(), Object.fromEntries(headers))
})

test('the supplier’s answer decides the outcome, and together with the account’s settings whether it can be booked', async () => {
  const dearer = { ...asPushed, amountBeforeTax: [100, 104], amountAfterTax: [110, 114.4] }
  const cheaper = { ...asPushed, amountBeforeTax: [90, 90], amountAfterTax: [99, '99.00'] }
  const cases: [string, Behaviour | undefined, Record<string, unknown>][] = [
    ['dearer', answering(dearer), { outcome: 'price_changed', bookable: false, difference: '4.40' }],
    ['cheaper', answering(cheaper), { outcome: 'price_changed', bookable: false, difference: '-22.00' }],
    [
      'sold out',
      answering({ ...asPushed, inventory: 0 }),
      { outcome: 'sold_out', bookable: false, difference: '0.00' },
    ],
    ['no URL', undefined, { outcome: 'not_registered', bookable: true, difference: null }],
    [
      'another room',
      answering({ ...asPushed, roomId: 'TWN' }),
      { outcome: 'invalid_response', failed: 'other_room', isAnswer: true },
    ],
    [
      'a sum',
      answering({ ...asPushed, amountBeforeTax: [200], amountAfterTax: [220] }),
      { outcome: 'invalid_response', failed: 'other_nights', isAnswer: true },
    ],
    [
      'no JSON',
      (socket) => socket.write(httpAnswer(200, '<html>')),
      { outcome: 'invalid_response', failed: 'malformed_json' },
    ],
    [
      'an error',
      (socket) => socket.write(httpAnswer(500, '{}')),
      { outcome: 'supplier_error', failed: 'http_status' },
    ],
    [
      'a redirect',
      (socket) => socket.write(httpAnswer(307, '', { location: 'http://127.0.0.1/' })),
      { outcome: 'supplier_error', failed: 'http_status' },
    ],
    ['a reset', (socket) => socket.resetAndDestroy(), { outcome: 'supplier_error', failed: 'reset' }],
    [
      'no HTTP',
      (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
      { outcome: 'invalid_response', failed: 'malformed' },
    ],
    [
      'too much',
      (socket) => socket.write(httpAnswer(200, 'x'.repeat(262_145))),
      { outcome: 'invalid_response', failed: 'too_large' },
    ],
    [
      'silence',
      (socket, { body }) => void (body.includes('ping') && socket.write(httpAnswer(200, ''))),
      { outcome: 'timeout', failed: 'timeout' },
    ],
  ]
  const { url } = await gateway.second({ checkBudgetMs: seconds(4) })
  const hurried = client(url, { authorization: `Bearer ${await gateway.token('platform')}` })
  for (const [what, behave, { isAnswer = false, ...expected }] of cases) {
    const { supplier } = await supplierWith(behave)
    const by = expected['failed'] === 'timeout' ? hurried : platform
    const usual = { bookable: false, difference: null, failed: undefined }
    const found = outcomeOf(expectOk(await check(supplier, {}, by)))
    assert.deepEqual([what, found], [what, { ...usual, ...expected }])
    if (expected['failed'] === undefined) continue
    await setAccount(gateway.db, supplier.name, { onFailure: 'use_stored' })
    assert.deepEqual(
      [what, outcomeOf(await check(supplier, {}, by))],
      [what, { ...usual, ...expected, bookable: isAnswer === false }],
    )
  }
})

test('the tolerance is per cent of the stored total, exact to the minor unit, up and down', async () => {
  let roomRate = asPushed
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  const tried = async (priceTolerance: string, second: number | string, roomCount = 1) => {
    roomRate = { ...asPushed, amountAfterTax: [110, second] }
    await setAccount(gateway.db, supplier.name, { priceTolerance })
    return Object(outcomeOf(await check(supplier, { roomCount }))).outcome
  }
  assert.deepEqual(
    [
      await tried('0', 110),
      await tried('0', 110.01),
      await tried('2.5', 115.5),
      await tried('2.5', 115.51),
      await tried('2.5', '104.5'),
      await tried('2.5', 104.49),
      await tried('2.5', 115.5, 3),
      await tried('2.5', 115.51, 3),
      await tried('100', 0 + 330),
    ],
    [
      'available',
      'price_changed',
      'available',
      'price_changed',
      'available',
      'price_changed',
      'available',
      'price_changed',
      'available',
    ],
  )
})

test('a stay that is not on sale as pushed is checked anyway, and never bookable', async () => {
  const { supplier, receiver } = await supplierWith(answering(asPushed))
  const ari = (line: Record<string, unknown>) =>
    supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'unit',
      ari: [
        {
          roomId: 'DBL',
          date: stay.checkin,
          rates: [{ rateId: 'BAR', ...line }],
        },
      ],
    })
  expectOk(await ari({ closed: true }))
  assert.deepEqual(outcomeOf(await check(supplier)), {
    outcome: 'available',
    bookable: false,
    difference: '0.00',
    failed: undefined,
  })
  expectOk(await ari({ closed: false, price: null }))
  const reply = await check(supplier)
  const { stored } = Object(reply.body)
  assert.deepEqual(
    [outcomeOf(reply), stored.amountBeforeTax, stored.amountAfterTax, stored.inventory],
    [{ outcome: 'price_changed', bookable: false, difference: null, failed: undefined }, null, null, 5],
  )
  assert.deepEqual(outcomeOf(await check(supplier, { roomCount: 6 })), {
    outcome: 'sold_out',
    bookable: false,
    difference: null,
    failed: undefined,
  })
  assert.equal(receiver.calls.length, 3)
})

test('more adults than any price line has have no stored price, and not that of a child', async () => {
  const { supplier } = await supplierWith(undefined)
  const prices = [{ ageCategory: 'child', guests: 1, amount: 20 }]
  const nights = { startDate: stay.checkin, endDate: stay.checkout }
  const ari = [{ roomId: 'DBL', ...nights, rates: [{ rateId: 'NRF', prices }] }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari }))
  const guests = { rateId: 'NRF', adultCount: 99, childAges: [99, 99] }
  const { stored } = Object(expectOk(await check(supplier, guests)).body)
  assert.deepEqual([stored.amountAfterTax, stored.bookable], [null, false])
})

test('identical concurrent checks share one call, others do not, and each is stored', async () => {
  const unanswered: (() => void)[] = []
  let answersAtOnce = false
  const { supplier, receiver } = await supplierWith((...call) => {
    if (answersAtOnce) answering(asPushed)(...call)
    else unanswered.push(() => answering(asPushed)(...call))
  })
  const asked = Promise.all([
    ...Array.from({ length: 5 }, () => check(supplier)),
    check(supplier, { childAges: [6] }),
    check(supplier, { checkout: nightAhead(23) }),
  ])
  await allAreWaiting(7)
  answersAtOnce = true
  for (const answer of unanswered) answer()
  const replies = await asked
  assert.deepEqual(
    replies.map((reply) => Object(outcomeOf(reply)).outcome),
    [...Array.from({ length: 6 }, () => 'available'), 'invalid_response'],
  )
  assert.equal(receiver.calls.length, 3)
  await check(supplier)
  assert.equal(receiver.calls.length, 4)
  const { body } = expectOk(await supplier.get('/push/priceChecks?hotelId=H1'))
  const checks: Record<string, unknown>[] = Object(body['priceChecks'])
  const ids = (name: string) => new Set(checks.map((one) => one[name])).size
  assert.deepEqual([checks.length, ids('priceCheckId'), ids('webhookId')], [8, 8, 4])
  // Five checks shared one call about the two nights.
  assert.equal(Object(body['drift']).checks, 2 * 3)
})

/** Until so many requests are under way and none of them has anything left to read from the store. */
async function allAreWaiting(requests: number): Promise<void> {
  const { pool } = gateway.db
  for (let quietTurns = 0; quietTurns < 20; await wait(2)) {
    const isQuiet = pool.idleCount === pool.totalCount && pool.waitingCount === 0
    quietTurns = isQuiet && gateway.app.requestsInFlight() === requests ? quietTurns + 1 : 0
  }
}

test('a call is repeated only if no byte of it was sent', async () => {
  const { supplier, receiver } = await supplierWith((socket) => socket.resetAndDestroy())
  await check(supplier)
  assert.equal(receiver.calls.length, 1)
  const { port } = receiver
  await receiver.close()
  assert.equal(Object(outcomeOf(await check(supplier))).failed, 'connect')
  receivers.push(await startReceiver(answering(asPushed), { port }))
  await gateway.db.query('update api_key set availability_webhook = $2 where id = $1', [
    supplier.keyId,
    `http://${flakyHost}:${port}/check`,
  ])
  flaky.asked = 0
  assert.deepEqual([Object(outcomeOf(await check(supplier))).outcome, flaky.asked], ['available', 2])
})

test('a URL that fails five times in a row is left alone, and the supplier sees why', async () => {
  const { supplier, receiver } = await supplierWith((socket) => socket.write(httpAnswer(503, '')))
  for (let count = 0; count < circuitLimits.failuresToOpen; count++)
    assert.equal(Object(outcomeOf(await check(supplier))).failed, 'http_status')
  assert.deepEqual(outcomeOf(await check(supplier)), {
    outcome: 'circuit_open',
    bookable: false,
    difference: null,
    failed: 'circuit_open',
  })
  assert.equal(receiver.calls.length, circuitLimits.failuresToOpen)
  const { body } = expectOk(await supplier.get('/push/priceChecks?outcome=circuit_open'))
  assert.deepEqual(
    Object(body['priceChecks']).map((one: Record<string, unknown>) => [one['webhookId'], one['outcome']]),
    [[null, 'circuit_open']],
  )
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  assert.match(metrics, /^ari_price_check_circuits_open 1$/m)
  assert.match(metrics, /^ari_price_check_circuit_changes_total\{state="open"\} 1$/m)
})

describe('queries that cannot be checked', () => {
  test('is refused with everything that is wrong', async () => {
    const wrong = await platform.post('/booking/priceCheck', {
      hotel: { platformHotelId: '1', hotelId: 'H1' },
      ...stay,
      checkin: stay.checkout,
      roomCount: 0,
      adultCount: undefined,
    })
    assert.deepEqual(
      [wrong.status, problemsOf(wrong)],
      [
        400,
        [
          ['/adultCount', 'REQUIRED', 'adultCount is required'],
          ['/roomCount', 'OUT_OF_RANGE', 'roomCount must be greater than or equal to 1'],
          [
            '/hotel',
            'HOTEL_REFERENCE_AMBIGUOUS',
            'platformHotelId cannot be sent together with supplier or hotelId',
          ],
          ['/checkout', 'DATES_REVERSED', 'checkout must be later than checkin'],
        ],
      ],
    )
  })

  test('is not found: a hotel, a room, a rate, a rate of another room', async () => {
    const { supplier } = await supplierWith(undefined)
    const nobody = await platform.post('/booking/priceCheck', {
      hotel: { platformHotelId: '999999' },
      ...stay,
    })
    const both = await check(supplier, { roomId: 'X', rateId: 'Y' })
    const rate = await check(supplier, { rateId: 'Y' })
    const room = await check(supplier, { roomId: 'X' })
    assert.deepEqual(
      [nobody, both, rate, room].map((reply) => [reply.status, problemsOf(reply)]),
      [
        [404, [['/hotel', 'HOTEL_NOT_FOUND', 'Hotel not found']]],
        [
          404,
          [
            ['/roomId', 'ROOM_NOT_FOUND', 'RoomID not found'],
            ['/rateId', 'RATE_NOT_FOUND', 'RateID not found'],
          ],
        ],
        [404, [['/rateId', 'RATE_NOT_FOUND', 'RateID not found']]],
        [404, [['/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']]],
      ],
    )
  })
})
