import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, pushNights } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestGateway, type TestSupplier } from '../../../test/stage/harness.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { expectOk, pushStoryHotel, storyHotel } from '../../../test/stage/story.ts'
import { watchOnce } from './watch.ts'

type Shown = {
  kind: string
  hotelId: string | null
  subject: string
  count: number
  evidence: Record<string, unknown>
}

const noon = '2027-03-01T12:00:00Z'
const wholeYear = { startDate: '2027-03-01', endDate: '2028-02-28' }

/** A gateway of its own for each test: a round looks at all hotels and keys. */
async function stage(): Promise<{ gateway: TestGateway; round: (instant?: string) => Promise<void> }> {
  const gateway = await gatewayForTests({ now: noon })
  return {
    gateway,
    round: async (instant) => {
      if (instant !== undefined) gateway.clock.set(instant)
      const { db, clock } = gateway
      const failures: unknown[] = []
      const write = (line: string) => {
        if (line.includes('one of the checks for alerts failed')) failures.push(line)
      }
      await watchOnce({ db, clock, log: openLog('warn', { write }), telemetry: telemetry() })
      assert.deepEqual(failures, [])
    },
  }
}

async function alertsOf(supplier: TestSupplier, ...kinds: string[]): Promise<Shown[]> {
  const { body } = await supplier.post('/push/alerts', { kinds, states: ['open', 'acknowledged'] })
  return Object(body)['alerts']
}

const refusedItem = (roomId: string) => ({
  roomId,
  ...wholeYear,
  inventory: 1,
})

test('10,000 refused items are one alert, which is resolved when less is refused', async () => {
  const { gateway, round } = await stage()
  const supplier = await gateway.supplier('Acme', { ariItemsMax: 20_000 })
  await pushStoryHotel(supplier)
  const ari = Array.from({ length: 10_000 }, (_, index) => refusedItem(`R${index}`))
  assert.equal((await supplier.post('/push/ari', { hotelId: 'H1', ari })).status, 404)
  await round()
  await round('2027-03-01T12:01:00Z')
  const [alert, ...others] = await alertsOf(supplier, 'push.refused')
  assert.deepEqual(
    [alert?.count, alert?.evidence['mostFrequentError'], others.length],
    [10_000, 'ROOM_NOT_FOUND', 0],
  )
  await round('2027-03-01T12:16:00Z')
  assert.deepEqual(await alertsOf(supplier, 'push.refused'), [])
})

test('up to 5 % of the items may be refused, unless it is one item three times', async () => {
  const { gateway, round } = await stage()
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const good = (price: number, index: number) => ({
    roomId: 'DBL',
    date: `2027-04-${String(index + 1).padStart(2, '0')}`,
    inventory: 1,
    rates: [{ rateId: 'BAR', price }],
  })
  const push = (price: number, wrong: string) =>
    supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'unit',
      ari: [...Array.from({ length: 29 }, (_, index) => good(price, index)), refusedItem(wrong)],
    })
  assert.equal((await push(100, 'SUITE')).status, 207)
  assert.equal((await push(101, 'OTHER')).status, 207)
  assert.equal((await push(102, 'SUITE')).status, 207)
  await round()
  assert.deepEqual(await alertsOf(supplier, 'push.refused'), [])
  await push(103, 'SUITE')
  await round()
  const [alert] = await alertsOf(supplier, 'push.refused')
  assert.deepEqual([alert?.count, alert?.evidence['sameItemTimes']], [4, 3])
})

test('a hotel is stale after 24 hours and six of its usual pauses, until it is pushed again', async () => {
  const { gateway, round } = await stage()
  const { supplier } = await openShop(gateway)
  await round('2027-03-02T11:59:00Z')
  assert.deepEqual(await alertsOf(supplier, 'ari.stale'), [])
  await round('2027-03-02T12:01:00Z')
  const [alert] = await alertsOf(supplier, 'ari.stale')
  assert.deepEqual([alert?.hotelId, alert?.evidence['allowedHours']], ['H1', 24])
  // The same values as before count, too.
  gateway.clock.set('2027-03-02T12:30:00Z')
  await pushNights(supplier)
  await round('2027-03-02T12:31:00Z')
  assert.deepEqual(await alertsOf(supplier, 'ari.stale'), [])
  // One pause of a day: six days are allowed.
  await round('2027-03-08T12:00:00Z')
  assert.deepEqual(await alertsOf(supplier, 'ari.stale'), [])
  await round('2027-03-08T16:00:00Z')
  assert.equal((await alertsOf(supplier, 'ari.stale')).length, 1)
  expectOk(await supplier.post('/push/hotels', [storyHotel({ isAvailable: false })]))
  await round()
  assert.deepEqual(await alertsOf(supplier, 'ari.stale'), [], 'it takes no bookings any more')
})

test('fewer than 30 sellable days, and most nights closed at once', async () => {
  const { gateway, round } = await stage()
  const { supplier } = await openShop(gateway, 'Acme', { startDate: '2027-03-02', endDate: '2027-03-30' })
  await round()
  const [low] = await alertsOf(supplier, 'coverage.low')
  assert.deepEqual(low?.evidence, {
    sellableDays: 29,
    wantedDays: 30,
    daysLookedAt: 90,
    lastSellableNight: '2027-03-30',
  })
  await pushNights(supplier, wholeYear)
  await round()
  assert.deepEqual(await alertsOf(supplier, 'coverage.low', 'mass.closed'), [])

  const close = async (closed: boolean) =>
    expectOk(
      await supplier.post('/push/ari', {
        hotelId: 'H1',
        ari: [{ roomId: 'DBL', startDate: '2027-03-02', endDate: '2027-04-30', closed }],
      }),
    )
  await close(true)
  await round()
  const [mass, ...rest] = await alertsOf(supplier, 'mass.closed', 'coverage.low')
  assert.deepEqual(
    [mass?.kind, mass?.evidence, rest.length],
    ['mass.closed', { sellableBefore: 90, sellableNow: 30, daysLookedAt: 90 }, 0],
  )
  await round()
  assert.equal((await alertsOf(supplier, 'mass.closed')).length, 1, 'still closed')
  await close(false)
  await round()
  assert.deepEqual(await alertsOf(supplier, 'mass.closed'), [])
})

test('nights that are closed in steps of a day are one alert, which does not come back once it is acknowledged', async () => {
  const { gateway, round } = await stage()
  const { supplier } = await openShop(gateway, 'Acme', wholeYear)
  await round()
  let minute = 0
  /** Closes the nights up to the date, and tells whether that is an alert. */
  const closedTo = async (endDate: string): Promise<unknown[]> => {
    gateway.clock.set(`2027-03-01T12:${String(++minute).padStart(2, '0')}:00Z`)
    expectOk(
      await supplier.post('/push/ari', {
        hotelId: 'H1',
        ari: [{ roomId: 'DBL', startDate: '2027-03-02', endDate, closed: true }],
      }),
    )
    await round()
    return (await alertsOf(supplier, 'mass.closed')).map(({ evidence }) => evidence['sellableNow'])
  }
  assert.deepEqual(await closedTo('2027-04-06'), [], '54 of 90')
  assert.deepEqual(await closedTo('2027-04-27'), [33])
  assert.deepEqual(await closedTo('2027-05-10'), [20], 'the same alert')
  const { body } = await supplier.post('/push/alerts', { kinds: ['mass.closed'] })
  const [{ alertId, evidence }] = Object(body)['alerts']
  assert.equal(evidence.sellableBefore, 90)
  expectOk(await supplier.post('/push/alerts/ack', { alertIds: [alertId] }))
  assert.deepEqual(await closedTo('2027-05-18'), [], '12 left')
  assert.deepEqual(await closedTo('2027-05-20'), [], '10 left')
})

test('nights that are closed over several days are no alert', async () => {
  const { gateway, round } = await stage()
  const { supplier } = await openShop(gateway, 'Acme', wholeYear)
  await round()
  const days = { '2027-03-01': '2027-03-26', '2027-03-02': '2027-04-14', '2027-03-03': '2027-04-30' }
  for (const [day, endDate] of Object.entries(days)) {
    const ari = [{ roomId: 'DBL', startDate: '2027-03-04', endDate, closed: true }]
    for (const instant of [`${day}T06:00:00Z`, `${day}T12:00:00Z`]) {
      await round(instant)
      expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
      await round()
    }
    assert.deepEqual(await alertsOf(supplier, 'mass.closed'), [])
  }
})

test('undelivered reservations are one alert of the hotel', async () => {
  const { gateway, round } = await stage()
  const { supplier, book } = await openShop(gateway)
  await book()
  await book()
  await round('2027-03-01T12:29:00Z')
  assert.deepEqual(await alertsOf(supplier, 'booking.undelivered'), [])
  await round('2027-03-01T12:31:00Z')
  const [alert, ...others] = await alertsOf(supplier, 'booking.undelivered')
  assert.deepEqual([alert?.hotelId, alert?.count, others.length], ['H1', 2, 0])
  const { body } = await supplier.get('/push/webhook/pushbook/retrieve')
  const reservations = Object(body)['data'].flatMap(
    (one: { reservations: { reservation: unknown[] } }) => one.reservations.reservation,
  )
  expectOk(
    await supplier.post('/push/webhook/pushbook/ack', {
      reservations: reservations.map((one: Record<string, unknown>) => ({
        reservation_id: one['reservation_id'],
        reservation_version: one['reservation_version'],
      })),
    }),
  )
  await round('2027-03-01T12:32:00Z')
  assert.deepEqual(await alertsOf(supplier, 'booking.undelivered'), [])
})

test('a reservation of guests who arrive within 48 hours is an alert at once', async () => {
  const { gateway, round } = await stage()
  const { supplier, book } = await openShop(gateway)
  await round('2027-04-19T12:00:00Z')
  await book()
  await round()
  const [alert] = await alertsOf(supplier, 'booking.undelivered')
  assert.deepEqual([alert?.count, alert?.evidence['arrivingWithin48Hours']], [1, 1])
})

test('of reservations that were late before, those whose guests arrive soon are counted', async () => {
  const { gateway, round } = await stage()
  const { supplier, book } = await openShop(gateway)
  await round('2027-04-10T12:00:00Z')
  await book()
  const near: unknown[] = []
  for (const instant of ['2027-04-10T12:31:00Z', '2027-04-19T12:00:00Z']) {
    await round(instant)
    const [alert] = await alertsOf(supplier, 'booking.undelivered')
    near.push(alert?.evidence['arrivingWithin48Hours'])
  }
  assert.deepEqual(near, [0, 1])
})

test('a key that expires within 14 days, until it is extended', async () => {
  const { gateway, round } = await stage()
  const supplier = await gateway.supplier('Acme')
  const expire = (instant: string) =>
    gateway.db.query('update api_key set expires_at = $1, created_at = $2', [instant, noon])
  await expire('2027-03-16T12:00:00Z')
  await round()
  assert.deepEqual(await alertsOf(supplier, 'key.expiring'), [])
  await expire('2027-03-15T11:00:00Z')
  await round()
  const [alert] = await alertsOf(supplier, 'key.expiring')
  assert.deepEqual(alert?.evidence, { expiresAt: '2027-03-15T11:00:00.000Z' })
  await expire('2028-03-15T11:00:00Z')
  await round()
  assert.deepEqual(await alertsOf(supplier, 'key.expiring'), [])
})

test('live prices that differ on several nights, until they agree', async () => {
  const { gateway, round } = await stage()
  const { supplier } = await openShop(gateway)
  const drift = (live: number) =>
    gateway.db.query(
      `insert into price_drift (hotel_id, room_no, rate_no, night, currency, checks, differing, sold_out, largest,
         last_at, stored, live, revision, since_at, since_revision)
       select id, 1, 1, night::date, currency, 3, 3, 0, $1 - 10000, $2, 10000, $1, 1,
         case when $1 <> 10000 then $2::timestamptz end, case when $1 <> 10000 then 1 end
       from hotel, generate_series('2027-04-01'::date, '2027-04-03', interval '1 day') as night
       on conflict (hotel_id, room_no, rate_no, night) do update
         set live = excluded.live, since_at = excluded.since_at, since_revision = excluded.since_revision`,
      [live, noon],
    )
  await drift(10_499)
  await round()
  assert.deepEqual(await alertsOf(supplier, 'drift.high'), [])
  await drift(10_600)
  await round()
  const [alert] = await alertsOf(supplier, 'drift.high')
  assert.deepEqual([alert?.hotelId, alert?.evidence], ['H1', { nights: 3, largestPercent: 6 }])
  await drift(10_000)
  await round()
  assert.deepEqual(await alertsOf(supplier, 'drift.high'), [])
})

test('a URL to which reservations cannot be delivered, until one arrives', async () => {
  const { gateway, round } = await stage()
  const { supplier, book } = await openShop(gateway)
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook: 'https://pms.example.com/pushbook' }))
  await book()
  await gateway.db.query('update delivery set first_failed_at = $1, attempts = 2', [noon])
  await round()
  assert.deepEqual(await alertsOf(supplier, 'webhook.failing'), [])
  await round('2027-03-01T12:05:00Z')
  assert.deepEqual(
    (await alertsOf(supplier, 'webhook.failing')).map(({ subject }) => subject),
    ['pushbook'],
  )
  await gateway.db.query(`update delivery set status = 'delivered', delivered_at = $1`, [noon])
  await round('2027-03-01T12:06:00Z')
  assert.deepEqual(await alertsOf(supplier, 'webhook.failing'), [])
})
