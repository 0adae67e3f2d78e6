import assert from 'node:assert/strict'
import { afterEach, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import {
  client,
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestSupplier,
} from '../../test/harness.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from '../../test/receiver.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../test/story.ts'
import { setAccount } from '../keys/suppliers.ts'
import { circuitLimits } from '../outbound/circuit.ts'

let platform: TestClient
const receivers: Receiver[] = []

/** A host whose first look-up finds no address. */
const flakyHost = 'flaky.example.com'
const flaky = { asked: 0 }

const gateway = await gatewayForTests({
  allowPrivate: true,
  systemTime: true,
  resolve: async (host) => (host === flakyHost && ++flaky.asked === 1 ? [] : ['127.0.0.1']),
  outbound: { reach: (vetted) => vetted },
})
before(async () => {
  platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
})
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

type LiveRoomRate = Record<string, unknown>

/** The pushed price: 100.00 a night, plus 10 %. */
const asHeld: LiveRoomRate = {
  roomId: 'DBL',
  rateId: 'BAR',
  currency: 'USD',
  inventory: 5,
  amountBeforeTax: [100, 100],
  amountAfterTax: [110, 110],
}

const answering =
  (roomRate: LiveRoomRate, afterMs = 0): Behaviour =>
  (socket) =>
    void setTimeout(() => socket.write(httpAnswer(200, JSON.stringify({ roomRate }))), afterMs)

let suppliers = 0

/** A supplier with H1, DBL/BAR at 100 a night plus 10 % VAT, five units, and a URL that behaves as given. */
async function supplierWith(
  behave: Behaviour | undefined,
): Promise<{ supplier: TestSupplier; receiver: Receiver; signingSecret: string }> {
  const supplier = await gateway.supplier(`Checked ${++suppliers}`)
  await pushStoryHotel(supplier)
  const vat = { type: 'VAT', valueType: '%', value: 10, appliedOn: 'net', appliedPer: 'per_room_per_night' }
  expectOk(
    await supplier.post('/push/taxes', {
      hotelId: 'H1',
      taxes: [{ ...vat, included: false, payNow: true }],
    }),
  )
  await pushPrice(supplier, 100)
  const receiver = await startReceiver(behave)
  receivers.push(receiver)
  const url = `http://pms.example.com:${receiver.port}/check`
  const saved = behave && expectOk(await supplier.post('/push/webhook/availability', { webhook: url })).body
  // Drop the ping of the registration.
  receiver.calls.length = 0
  return { supplier, receiver, signingSecret: String(saved?.['signingSecret']) }
}

async function pushPrice(supplier: TestSupplier, price: number, requestId = 'prices'): Promise<void> {
  const nights = { startDate: '2027-04-01', endDate: '2027-04-30' }
  const ari = [{ roomId: 'DBL', ...nights, inventory: 5, rates: [{ rateId: 'BAR', price }] }]
  expectOk(
    await supplier.post(
      '/push/ari',
      { hotelId: 'H1', pricingModel: 'unit', ari },
      { 'x-request-id': requestId },
    ),
  )
}

const stay = {
  roomId: 'DBL',
  rateId: 'BAR',
  checkin: '2027-04-20',
  checkout: '2027-04-22',
  roomCount: 1,
  adultCount: 2,
  childAges: [5],
}

const check = (supplier: TestSupplier, more: Record<string, unknown> = {}): Promise<Reply> =>
  platform.post('/booking/priceCheck', {
    hotel: { supplier: supplier.name, hotelId: 'H1' },
    ...stay,
    ...more,
  })

/** The members of an answer that don't differ between runs. */
function told({ body }: Reply): unknown {
  const { outcome, bookable, difference, failure } = Object(body)
  return { outcome, bookable, difference, failed: failure?.reason }
}

test('the signed request follows the specification word for word, and the answered prices are listed beside the stored ones', async () => {
  const { supplier, receiver, signingSecret } = await supplierWith(answering({ ...asHeld, mealPlan: 'BB' }))
  const reply = expectOk(
    await platform.post(
      '/booking/priceCheck',
      { hotel: { supplier: supplier.name, hotelId: 'H1' }, ...stay },
      { 'x-request-id': 'asked-1' },
    ),
  )
  const { priceCheckId, durationMs, ...said } = reply.body
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
  const dearer = { ...asHeld, amountBeforeTax: [100, 104], amountAfterTax: [110, 114.4] }
  const cheaper = { ...asHeld, amountBeforeTax: [90, 90], amountAfterTax: [99, '99.00'] }
  const cases: [string, Behaviour | undefined, Record<string, unknown>][] = [
    ['dearer', answering(dearer), { outcome: 'price_changed', bookable: false, difference: '4.40' }],
    ['cheaper', answering(cheaper), { outcome: 'price_changed', bookable: false, difference: '-22.00' }],
    [
      'sold out',
      answering({ ...asHeld, inventory: 0 }),
      { outcome: 'sold_out', bookable: false, difference: '0.00' },
    ],
    ['no URL', undefined, { outcome: 'not_registered', bookable: true, difference: null }],
    [
      'another room',
      answering({ ...asHeld, roomId: 'TWN' }),
      { outcome: 'invalid_response', failed: 'other_room' },
    ],
    [
      'a sum',
      answering({ ...asHeld, amountBeforeTax: [200], amountAfterTax: [220] }),
      { outcome: 'invalid_response', failed: 'other_nights' },
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
  for (const [what, behave, expected] of cases) {
    const { supplier } = await supplierWith(behave)
    const usual = { bookable: false, difference: null, failed: undefined }
    const found = told(expectOk(await check(supplier)))
    assert.deepEqual([what, found], [what, { ...usual, ...expected }])
    if (expected['failed'] === undefined) continue
    await setAccount(gateway.db, supplier.name, { onFailure: 'use_stored' })
    assert.deepEqual([what, told(await check(supplier))], [what, { ...usual, ...expected, bookable: true }])
  }
})

test('the tolerance is per cent of the stored total, exact to the minor unit, up and down', async () => {
  let roomRate = asHeld
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  const tried = async (priceTolerance: string, second: number | string, roomCount = 1) => {
    roomRate = { ...asHeld, amountAfterTax: [110, second] }
    await setAccount(gateway.db, supplier.name, { priceTolerance })
    return Object(told(await check(supplier, { roomCount }))).outcome
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
  const { supplier, receiver } = await supplierWith(answering(asHeld))
  const ari = (line: Record<string, unknown>) =>
    supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'unit',
      ari: [
        {
          roomId: 'DBL',
          startDate: '2027-04-20',
          endDate: '2027-04-20',
          rates: [{ rateId: 'BAR', ...line }],
        },
      ],
    })
  expectOk(await ari({ closed: true }))
  assert.deepEqual(told(await check(supplier)), {
    outcome: 'available',
    bookable: false,
    difference: '0.00',
    failed: undefined,
  })
  expectOk(await ari({ closed: false, price: null }))
  const reply = await check(supplier)
  const { stored } = Object(reply.body)
  assert.deepEqual(
    [told(reply), stored.amountBeforeTax, stored.amountAfterTax, stored.inventory],
    [{ outcome: 'price_changed', bookable: false, difference: null, failed: undefined }, null, null, 5],
  )
  assert.deepEqual(told(await check(supplier, { roomCount: 6 })), {
    outcome: 'sold_out',
    bookable: false,
    difference: null,
    failed: undefined,
  })
  assert.equal(receiver.calls.length, 3)
})

test('identical concurrent checks share one call, others do not, and each is stored', async () => {
  const unanswered: (() => void)[] = []
  let answersAtOnce = false
  const { supplier, receiver } = await supplierWith((...call) => {
    if (answersAtOnce) answering(asHeld)(...call)
    else unanswered.push(() => answering(asHeld)(...call))
  })
  const asked = Promise.all([
    ...Array.from({ length: 5 }, () => check(supplier)),
    check(supplier, { childAges: [6] }),
    check(supplier, { checkout: '2027-04-23' }),
  ])
  await allAreWaiting(7)
  answersAtOnce = true
  for (const answer of unanswered) answer()
  const replies = await asked
  assert.deepEqual(
    replies.map((reply) => Object(told(reply)).outcome),
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
  assert.equal(Object(told(await check(supplier))).failed, 'connect')
  receivers.push(await startReceiver(answering(asHeld), { port }))
  await gateway.db.query('update api_key set availability_webhook = $2 where id = $1', [
    supplier.keyId,
    `http://${flakyHost}:${port}/check`,
  ])
  flaky.asked = 0
  assert.deepEqual([Object(told(await check(supplier))).outcome, flaky.asked], ['available', 2])
})

test('a URL that fails five times in a row is left alone, and the supplier sees why', async () => {
  const { supplier, receiver } = await supplierWith((socket) => socket.write(httpAnswer(503, '')))
  for (let count = 0; count < circuitLimits.failuresToOpen; count++)
    assert.equal(Object(told(await check(supplier))).failed, 'http_status')
  assert.deepEqual(told(await check(supplier)), {
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
      checkin: '2027-04-22',
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

test('the drift names the nights on which live and stored prices differ, how often, how far, and since which push', async () => {
  let roomRate = asHeld
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  const drift = async (): Promise<Record<string, unknown>> =>
    Object(Object(expectOk(await supplier.get('/push/priceChecks?hotelId=H1')).body)['drift'])
  const shown = async () => {
    const { worst, ...totals } = await drift()
    const nights: Record<string, unknown>[] = Object(worst)
    return {
      totals,
      nights: nights.map(({ date, differing, soldOut, largest, stored, live, setBy, differsSince }) => [
        date,
        differing,
        soldOut,
        largest,
        stored,
        live,
        Object(setBy).requestId,
        Object(Object(differsSince).setBy).requestId,
      ]),
    }
  }
  await check(supplier)
  const none = { currency: 'USD', nights: 2, differingNights: 0, differing: 0, soldOut: 0 }
  assert.deepEqual(await shown(), { totals: { ...none, checks: 2 }, nights: [] })
  roomRate = { ...asHeld, amountBeforeTax: [100, 95], amountAfterTax: [110, 104.5] }
  await check(supplier)
  await check(supplier)
  assert.deepEqual(await shown(), {
    totals: { ...none, differingNights: 1, checks: 6, differing: 2 },
    nights: [['2027-04-21', 2, 0, '-5.50', '110.00', '104.50', 'prices', 'prices']],
  })
  // Another push that doesn't correct it: it has differed since the first one.
  await pushPrice(supplier, 96, 'prices-2')
  roomRate = { ...asHeld, amountBeforeTax: [96, 95], amountAfterTax: [105.6, 104.5] }
  await check(supplier)
  assert.deepEqual(await shown(), {
    totals: { ...none, differingNights: 1, checks: 8, differing: 3 },
    nights: [['2027-04-21', 3, 0, '-5.50', '105.60', '104.50', 'prices-2', 'prices']],
  })
  roomRate = { ...asHeld, inventory: 0, amountBeforeTax: [0, 0], amountAfterTax: [0, 0] }
  await check(supplier)
  await pushPrice(supplier, 95, 'prices-3')
  roomRate = { ...asHeld, amountBeforeTax: [95, 95], amountAfterTax: [104.5, 104.5] }
  await check(supplier)
  assert.deepEqual(await shown(), {
    totals: { ...none, checks: 12, differing: 3, soldOut: 2 },
    nights: [
      ['2027-04-21', 3, 1, '-5.50', '104.50', '104.50', 'prices-3', undefined],
      ['2027-04-20', 0, 1, '0.00', '104.50', '104.50', 'prices-3', undefined],
    ],
  })
  const narrowed = expectOk(await supplier.get('/push/priceChecks?hotelId=H1&rateId=NRF')).body
  assert.deepEqual(narrowed['priceChecks'], [])
  assert.equal(Object(narrowed['drift']).nights, 0)
})

test('a stay whose total is the stored one differs on no night, however its taxes are spread', async () => {
  let roomRate = asHeld
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  /** How many comparisons of a night have differed so far. */
  const differing = async () => {
    const { body } = expectOk(await supplier.get('/push/priceChecks?hotelId=H1'))
    return Object(body['drift']).differing
  }
  // 33.33 plus 10 %, twice: 73.326 in total, of which the supplier rounds each night separately.
  await pushPrice(supplier, 33.33)
  const withNights = (...amountAfterTax: number[]) => ({
    ...asHeld,
    amountBeforeTax: [33.33, 33.33],
    amountAfterTax,
  })
  roomRate = withNights(36.66, 36.67)
  const first = await check(supplier)
  assert.deepEqual([first.body['outcome'], first.body['difference']], ['available', '0.00'])
  roomRate = withNights(36.67, 36.66)
  await check(supplier)
  assert.equal(await differing(), 0)
  // A cent more in total: no night is off by more than a cent, so the one that is off differs.
  roomRate = withNights(36.67, 36.67)
  await check(supplier)
  assert.equal(await differing(), 1)
  // One night is off by more than rounding; the other doesn't count as different for a cent.
  roomRate = withNights(36.68, 40)
  await check(supplier)
  assert.equal(await differing(), 2)
})

test('checks are listed newest first, page by page, by hotel, room, rate, outcome and time, each supplier its own', async () => {
  let roomRate = asHeld
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  const began = new Date().toISOString()
  const ids: unknown[] = []
  for (let count = 0; count < 5; count++) {
    roomRate = { ...asHeld, inventory: count === 2 ? 0 : 5 }
    ids.unshift((await check(supplier)).body['priceCheckId'])
  }
  const listed = async (query: string, by = supplier): Promise<{ found: unknown[]; nextCursor: unknown }> => {
    const { body } = expectOk(await by.get(`/push/priceChecks?${query}`))
    const checks: Record<string, unknown>[] = Object(body['priceChecks'])
    return { found: checks.map(({ priceCheckId }) => priceCheckId), nextCursor: body['nextCursor'] }
  }
  const first = await listed('limit=2')
  const second = await listed(`limit=2&cursor=${String(first.nextCursor)}`)
  const third = await listed(`limit=2&cursor=${String(second.nextCursor)}`)
  assert.deepEqual([...first.found, ...second.found, ...third.found, third.nextCursor], [...ids, null])
  assert.deepEqual((await listed('hotelId=H1&roomId=DBL&rateId=BAR')).found, ids)
  assert.deepEqual((await listed('outcome=sold_out')).found, [ids[2]])
  assert.deepEqual((await listed(`since=${began}`)).found, ids)
  assert.deepEqual((await listed(`until=${began}`)).found, [])
  assert.deepEqual((await listed('roomId=TWN')).found, [])
  const other = await gateway.supplier('Somebody else')
  assert.deepEqual((await listed('', other)).found, [])
  const foreign = await other.get('/push/priceChecks?hotelId=H1&limit=0&outcome=none')
  assert.deepEqual([foreign.status, problemsOf(foreign).length], [400, 3])
  const { text } = expectOk(await supplier.get('/push/priceChecks?limit=1'))
  const [newest] = JSON.parse(text).priceChecks
  assert.deepEqual(
    {
      ...newest,
      priceCheckId: '',
      webhookId: '',
      at: '',
      durationMs: 0,
      stored: { ...newest.stored, revision: 0 },
    },
    {
      priceCheckId: '',
      webhookId: '',
      at: '',
      hotelId: 'H1',
      ...stay,
      outcome: 'available',
      bookable: true,
      live: {
        currency: 'USD',
        inventory: 5,
        amountBeforeTax: ['100.00', '100.00'],
        amountAfterTax: ['110.00', '110.00'],
      },
      stored: {
        currency: 'USD',
        inventory: 5,
        amountBeforeTax: ['100.00', '100.00'],
        amountAfterTax: ['110.00', '110.00'],
        bookable: true,
        revision: 0,
      },
      difference: '0.00',
      durationMs: 0,
    },
  )
})

test('while a hotel is locked by a push, checks of it are answered and stored', async () => {
  const { supplier } = await supplierWith(answering(asHeld))
  await check(supplier)
  const holder = await gateway.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query(
      'select from hotel where supplier_id = (select id from supplier where name = $1) for update',
      [supplier.name],
    )
    assert.equal(Object(told(await check(supplier))).outcome, 'available')
    const { body } = expectOk(await supplier.get('/push/priceChecks'))
    assert.equal(Object(body['priceChecks']).length, 2)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('an answer does not wait for its check to be written; it is written when it can be', async () => {
  const { supplier } = await supplierWith(answering(asHeld))
  const holder = await gateway.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table price_check')
    for (let count = 0; count < 3; count++)
      assert.equal(Object(told(await check(supplier))).outcome, 'available')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  const { body } = expectOk(await supplier.get('/push/priceChecks'))
  assert.equal(Object(body['priceChecks']).length, 3)
})

test('a check that PostgreSQL refuses is answered, counted as lost, and takes no other with it', async () => {
  const { supplier } = await supplierWith(answering(asHeld))
  await gateway.db.query('alter table price_check add constraint refused check (adults <> 1)')
  const replies = await Promise.all([1, 2, 1, 2].map((adultCount) => check(supplier, { adultCount })))
  assert.deepEqual(
    replies.map((reply) => Object(told(reply)).outcome),
    ['available', 'available', 'available', 'available'],
  )
  const { body } = expectOk(await supplier.get('/push/priceChecks'))
  assert.equal(Object(body['priceChecks']).length, 2)
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  assert.match(metrics, /^ari_price_checks_lost_total 2$/m)
})
