import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  platformOf,
  pushNights,
  type Shop,
} from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { gatewayForTests, type Reply, type TestClient } from '../../test/stage/harness.ts'
import {
  httpAnswer,
  startReceiver,
  type Behaviour,
  type Receiver,
} from '../../test/stage/servers/receiver.ts'
import { supplierDigests } from '../../test/stage/stored-state.ts'
import { expectOk, problemsOf, product } from '../../test/stage/story.ts'

/** The test clock of an account. The service's own clock stands still at noon on 1 March 2027. */

const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (vetted) => vetted } })
gateway.app.startDeliveries()
const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

const advance = (supplier: TestClient, advanceBy: unknown): Promise<Reply> =>
  supplier.post('/push/sandbox/clock', { advanceBy })

const clockOf = async (supplier: TestClient): Promise<unknown> =>
  expectOk(await supplier.get('/push/sandbox/clock')).body['clock']

async function digestOf(name: string): Promise<unknown> {
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const id = rows[0]?.id ?? 0
  return (await supplierDigests(gateway.db, [id])).get(id)
}

async function deliveredTo({ supplier }: Shop, behave: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver(behave)
  receivers.push(receiver)
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  return receiver
}

type Listed = { status: string; nextAttemptAt: string | null; giveUpAt: string; createdAt: string } & {
  attempts: { at: string; outcome: string; trigger: string }[]
}

async function deliveryOf({ supplier }: Shop): Promise<Listed> {
  const { body } = expectOk(await supplier.get('/push/deliveries'))
  const [one, ...others] = Array.isArray(body['deliveries']) ? body['deliveries'] : []
  assert.deepEqual([typeof one, others], ['object', []])
  return one
}

const untilAttempts = (shop: Shop, count: number): Promise<void> =>
  until(`${count} attempts`, async () => (await deliveryOf(shop)).attempts.length === count)

const failing: Behaviour = (socket) => socket.write(httpAnswer(500, '{}'))

test('hotels are in the time of their clock: past nights are refused and not offered, later ones can be pushed; other accounts are not touched', async () => {
  const shop = await openShop(gateway, 'Nights', { endDate: '2027-05-30' })
  await openShop(gateway, 'Beside')
  const beside = await digestOf('Beside')
  const push = (startDate: string): Promise<Reply> =>
    shop.supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', startDate, endDate: startDate, inventory: 1 }],
    })
  const offers = async (): Promise<unknown> => {
    const search = {
      hotels: [{ supplier: 'Nights', hotelId: 'H1' }],
      checkin: '2027-04-20',
      checkout: '2027-04-21',
      rooms: [{ adults: 2 }],
    }
    const { body } = expectOk(await shop.platform.post('/booking/offers', search))
    return Object(body['hotels'])[0].offers.length
  }
  const far = '2029-05-01'
  const wrong = async (reply: Promise<Reply>) => problemsOf(await reply).map((problem) => Object(problem)[1])
  assert.deepEqual([await offers(), await wrong(push(far))], [2, ['DATE_TOO_FAR']])
  expectOk(await push('2027-04-20'))

  const { body } = expectOk(await advance(shop.supplier, 'P60DT90M'))
  const clock = { now: '2027-04-30T13:30:00.000Z', aheadBy: 'P60DT1H30M' }
  assert.deepEqual(body, { code: '200', message: 'Clock advanced', clock, deliveriesDue: 0 })
  assert.deepEqual(await clockOf(shop.supplier), clock)
  assert.deepEqual(
    [await offers(), await wrong(push('2027-04-20')), await wrong(push(far))],
    [0, ['DATE_IN_PAST'], []],
  )
  const past = await shop.book()
  assert.equal(past.status, 409, past.text)
  idOf(await shop.book({ checkin: '2027-04-30', checkout: '2027-05-01' }))
  assert.equal(await digestOf('Beside'), beside)
  assert.deepEqual(await clockOf(await gateway.supplier('Beside')), {
    now: '2027-03-01T12:00:00.000Z',
    aheadBy: 'PT0S',
  })
})

test('a hotel that is pushed after the clock was advanced is in its time', async () => {
  const supplier = await gateway.supplier('Later')
  expectOk(await advance(supplier, 'P60D'))
  const shop = await openShop(gateway, 'Later', { startDate: '2027-04-30', endDate: '2027-05-30' })
  const past = [{ roomId: 'DBL', date: '2027-04-28', inventory: 1 }]
  assert.equal((await shop.supplier.post('/push/ari', { hotelId: 'H1', ari: past })).status, 400)
})

test('before its deadline a cancellation is free, behind it costs, and after the stay it is refused', async () => {
  const shop = await openShop(gateway, 'Deadlines', { endDate: '2027-05-30' })
  const cancelPenalties = [
    {
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
      penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
    },
  ]
  const products = [product('DBL', 'BAR', { cancelPolicies: [{ code: 'FLEX', cancelPenalties }] })]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const [free, dear] = [idOf(await shop.book()), idOf(await shop.book())]
  const late = idOf(await shop.book({ checkin: '2027-04-22', checkout: '2027-04-23' }))
  const cancel = (id: string): Promise<Reply> => shop.platform.post(`/booking/reservations/${id}/cancel`, {})
  // To 18 April, 16:00 UTC, which is 18:00 in Paris; then past it.
  expectOk(await advance(shop.supplier, 'P48DT3H59M59S'))
  assert.equal(Object(expectOk(await cancel(free)).body['penalty']).amount, '0.00')
  expectOk(await advance(shop.supplier, 'PT2S'))
  assert.equal(Object(expectOk(await cancel(dear)).body['penalty']).amount, '110.00')
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${dear}`))
  const { createdAt, modifiedAt } = Object(body['reservation'])
  assert.deepEqual([createdAt, modifiedAt], ['2027-03-01T12:00:00.000Z', '2027-04-18T16:00:01.000Z'])
  expectOk(await advance(shop.supplier, 'P6D'))
  assert.deepEqual(
    problemsOf(expectStatus(await cancel(late), 409)).map((one) => Object(one)[1]),
    ['STAY_BEGUN'],
  )
})

test('no attempt comes before the announced one when the clock passes a full hour of its own', async () => {
  const shop = await openShop(gateway, 'Refusing')
  expectOk(await advance(shop.supplier, 'PT31M'))
  await deliveredTo(shop, (socket) => socket.write(httpAnswer(400, '{}')))
  await shop.book()
  await untilAttempts(shop, 1)
  const { nextAttemptAt } = await deliveryOf(shop)
  assert.equal(nextAttemptAt, '2027-03-01T13:00:00.000Z')
  expectOk(await advance(shop.supplier, 'PT29M'))
  await untilAttempts(shop, 2)
  const { attempts } = await deliveryOf(shop)
  assert.deepEqual([attempts[1]?.trigger, attempts[1]?.at], ['hourly', nextAttemptAt])
})

test('a delivery that fails is tried step by step as the clock goes on, alerted after half an hour, and given up after 72 hours, in seconds', async () => {
  const shop = await openShop(gateway, 'Failing')
  const receiver = await deliveredTo(shop, failing)
  const id = idOf(await shop.book())
  await untilAttempts(shop, 1)
  const { nextAttemptAt, giveUpAt } = await deliveryOf(shop)
  assert.equal(giveUpAt, '2027-03-04T12:00:00.000Z')
  assert.match(String(nextAttemptAt), /^2027-03-01T12:00:1[01]/)
  const { body: early } = expectOk(await advance(shop.supplier, 'PT5S'))
  assert.equal(early['deliveriesDue'], 0)
  assert.equal((await deliveryOf(shop)).nextAttemptAt, nextAttemptAt, 'nothing but the clock has changed')
  const { body: due } = expectOk(await advance(shop.supplier, 'PT7S'))
  assert.equal(due['deliveriesDue'], 1)
  await untilAttempts(shop, 2)
  // Each delay at its longest.
  for (const [index, step] of ['PT33S', 'PT2M12S', 'PT5M30S', 'PT11M', 'PT11M'].entries()) {
    expectOk(await advance(shop.supplier, step))
    await untilAttempts(shop, index + 3)
  }
  const alerts = async (): Promise<unknown[]> => {
    const { rows } = await gateway.db.query(
      'select reason, at::text from delivery_alert where reservation_id = $1',
      [id],
    )
    return rows
  }
  await until('the alert', async () => (await alerts()).length === 1)
  assert.deepEqual(await alerts(), [{ reason: 'undelivered', at: '2027-03-01 12:30:27+00' }])
  expectOk(await advance(shop.supplier, 'PT1H'))
  await untilAttempts(shop, 8)
  assert.equal((await deliveryOf(shop)).status, 'failing')
  expectOk(await advance(shop.supplier, 'P3D'))
  await untilAttempts(shop, 9)
  const { status, nextAttemptAt: none, giveUpAt: still, attempts } = await deliveryOf(shop)
  assert.deepEqual([status, none, still], ['dead', null, giveUpAt])
  assert.deepEqual(
    attempts.map(({ at, outcome, trigger }) => [at.slice(0, 19), outcome, trigger]),
    [
      ['2027-03-01T12:00:00', 'unavailable', 'realtime'],
      ['2027-03-01T12:00:12', 'unavailable', 'retry'],
      ['2027-03-01T12:00:45', 'unavailable', 'retry'],
      ['2027-03-01T12:02:57', 'unavailable', 'retry'],
      ['2027-03-01T12:08:27', 'unavailable', 'retry'],
      ['2027-03-01T12:19:27', 'unavailable', 'retry'],
      ['2027-03-01T12:30:27', 'unavailable', 'retry'],
      ['2027-03-01T13:30:27', 'unavailable', 'hourly'],
      ['2027-03-04T13:30:27', 'unavailable', 'hourly'],
    ],
  )
  const signedAt = new Set(receiver.calls.map(({ headers }) => headers.get('webhook-timestamp')))
  assert.deepEqual(
    [...signedAt],
    [String(Date.parse('2027-03-01T12:00:00Z') / 1000)],
    'receivers have a real clock',
  )
})

test('a call in progress while the clock is advanced counts as an earlier attempt, and its retry is due at once', async () => {
  const shop = await openShop(gateway, 'Under way')
  const waiting: (() => void)[] = []
  const receiver = await deliveredTo(shop, (socket, _call, index) => {
    const answer = (): void => void socket.write(httpAnswer(500, '{}'))
    if (index === 0) waiting.push(answer)
    else answer()
  })
  idOf(await shop.book())
  await until('the call is under way', () => waiting.length === 1)
  expectOk(await advance(shop.supplier, 'P4D'))
  for (const answer of waiting) answer()
  await until('it is given up', async () => (await deliveryOf(shop)).status === 'dead')
  const { attempts } = await deliveryOf(shop)
  assert.deepEqual(
    attempts.map(({ at }) => at.slice(0, 19)),
    ['2027-03-01T12:00:00', '2027-03-05T12:00:00'],
  )
  assert.equal(receiver.calls.length, 2)
})

test('every process is in the time of the account at once, and so is one that is started later', async () => {
  const shop = await openShop(gateway, 'Processes', { endDate: '2027-05-30' })
  const other = await gateway.second()
  const platforms = [shop.platform, await platformOf(other)]
  const body = bookingBody('Processes', { checkin: '2027-04-20', checkout: '2027-04-21' })
  const statuses = async (): Promise<number[]> => {
    const found: number[] = []
    for (const platform of platforms) found.push((await platform.post('/booking/reservations', body)).status)
    return found
  }
  assert.deepEqual(await statuses(), [201, 201])
  await pushNights(shop.supplier, { endDate: '2027-05-30' })
  expectOk(await advance(shop.supplier, 'P60D'))
  platforms.push(await platformOf(await gateway.second()))
  assert.deepEqual(await statuses(), [409, 409, 409])
})

test('two advances at once add up', async () => {
  const { supplier } = await openShop(gateway, 'Twice')
  await Promise.all([advance(supplier, 'P1D'), advance(supplier, 'PT12H'), advance(supplier, 'P1W')])
  assert.equal(Object(await clockOf(supplier)).aheadBy, 'P8DT12H')
})

test('an invalid, empty or too long duration is refused, and changes nothing', async () => {
  const supplier = await gateway.supplier('Wrong')
  const refusals: unknown[] = []
  for (const sent of [
    'tomorrow',
    'PT0S',
    '-P1D',
    'P1M',
    'P1Y',
    'P',
    'PT',
    'PT1.5H',
    'P401D',
    'P999999999W',
    'pt1h',
  ])
    refusals.push([
      sent,
      ...problemsOf(expectStatus(await advance(supplier, sent), 400)).map((one) => Object(one)[1]),
    ])
  const invalid = 'DURATION_INVALID'
  assert.deepEqual(refusals, [
    ['tomorrow', invalid],
    ['PT0S', invalid],
    ['-P1D', invalid],
    ['P1M', invalid],
    ['P1Y', invalid],
    ['P', invalid],
    ['PT', invalid],
    ['PT1.5H', invalid],
    ['P401D', 'CLOCK_TOO_FAR'],
    ['P999999999W', 'CLOCK_TOO_FAR'],
    ['pt1h', invalid],
  ])
  assert.equal(Object(await clockOf(supplier)).aheadBy, 'PT0S')
  expectOk(await advance(supplier, 'P400D'))
  expectStatus(await advance(supplier, 'PT1S'), 400)
})
