import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { idOf, openShop, pushNights } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestGateway } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import type { Overview } from './contract.ts'
import { instantOf } from '../../base/calendar.ts'

/** A token, because the clock advances by days and sessions would end. */
let token: string

/** Overviews are cached for a moment, so each one is requested from a service with an empty cache. */
const overview = async (): Promise<Overview> => {
  const fresh = await gateway.second()
  fresh.clock.set(new Date(gateway.clock.now()).toISOString())
  return overviewOf(fresh)
}

/** Traffic is counted in the background: this waits until all of it is. */
async function overviewOf(service: TestGateway): Promise<Overview> {
  for (;;) {
    const read = await readOverview(service)
    const isWhole = [read.pushes, read.deliveries].every(
      ({ until, steps }) => until === instantOf(service.clock.now()) && steps.length === stepsOfDay,
    )
    if (isWhole) return read
  }
}

const stepsOfDay = (24 * 60) / 15

async function readOverview({ url }: TestGateway): Promise<Overview> {
  const response = await fetch(`${url}/console/api/overview`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(response.status, 200)
  return JSON.parse(await response.text())
}

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
before(async () => {
  token = await gateway.token('operator')
})

test('an empty service has no problems and no pushes', async () => {
  const { pushes, deliveries, ...rest } = await overview()
  assert.deepEqual(rest, {
    at: '2027-03-01T12:00:00.000Z',
    undelivered: {
      all: { count: 0, isMore: false },
      olderThan: { quarterHour: 0, hour: 0, day: 0 },
      arrivingWithin: { day: 0, threeDays: 0 },
      dead: 0,
      withoutUrl: 0,
      urgent: [],
    },
    refusing: [],
    stale: { count: 0, isMore: false, since: '2027-02-26', hotels: [] },
    neverPushed: { count: 0, isMore: false, hotels: [] },
    ending: { count: 0, isMore: false, endsBy: '2027-04', hotels: [] },
    drifting: { nights: { count: 0, isMore: false }, hotels: [] },
    alerts: { count: 0, isMore: false, critical: 0 },
    stopSells: { count: 0, isMore: false, hotels: 0, first: [] },
    holds: { count: 0, isMore: false, hotels: 0 },
    vault: { state: 'unused', cardsToRewrap: 0, cardsUnreadable: 0 },
    circuits: [],
    hasHotels: false,
  })
  assert.deepEqual(pushes.steps.at(0), { at: pushes.since, ...none })
  assert.deepEqual(deliveries.steps.at(-1), { at: '2027-03-01T12:00:00.000Z', delivered: 0, failed: 0 })
})

const none = { applied: 0, unchanged: 0, partial: 0, rejected: 0, dryRun: 0 }

test('problems are listed: refused pushes, an undelivered booking, old or ending ARI', async () => {
  const shop = await openShop(gateway, 'Acme')
  const reservationId = Number(idOf(await shop.book()))
  gateway.clock.set('2027-03-01T12:20:00Z')
  const careless = await gateway.supplier('Careless')
  for (let count = 0; count < 3; count++) await careless.post('/push/ari', { hotelId: 'H1' })
  await pushStoryHotel(careless)

  const { undelivered, refusing, ending, stale, neverPushed, pushes, hasHotels } = await overview()
  assert.equal(hasHotels, true)
  assert.deepEqual(
    { ...undelivered, urgent: undelivered.urgent.map(({ deliveryId: _id, ...told }) => told) },
    {
      all: { count: 1, isMore: false },
      olderThan: { quarterHour: 1, hour: 0, day: 0 },
      arrivingWithin: { day: 0, threeDays: 0 },
      dead: 0,
      withoutUrl: 1,
      urgent: [
        {
          reservationId,
          supplier: 'Acme',
          hotelName: 'Sea View',
          timeZone: 'Europe/Paris',
          reservationStatus: 'Confirm',
          state: 'no_url',
          undeliveredSince: '2027-03-01T12:00:00.000Z',
          arrivesAt: '2027-04-19T22:00:00.000Z',
        },
      ],
    },
  )
  const refused = { pushes: 5, rejected: 3, partial: 0 }
  assert.deepEqual(
    refusing.map(({ supplierId: _id, ...told }) => told),
    [{ supplier: 'Careless', hour: refused, day: refused }],
  )
  // The story's nights end in April.
  const since = { createdAt: '2027-03-01T12:00:00.000Z', lastAriAt: '2027-03-01T12:00:00.000Z' }
  const hotel = { name: 'Sea View', supplier: 'Acme', ...since }
  assert.deepEqual(
    ending.hotels.map(({ hotelId: _id, ...told }) => told),
    [{ ...hotel, ariUntilMonth: '2027-04' }],
  )
  assert.equal(stale.count, 0)
  // Open for bookings since its first push, and nothing to sell.
  assert.deepEqual(
    [neverPushed.count, neverPushed.hotels.map(({ hotelId: _id, ...told }) => told)],
    [
      1,
      [
        {
          name: 'Sea View',
          supplier: 'Careless',
          createdAt: '2027-03-01T12:20:00.000Z',
          lastAriAt: null,
          ariUntilMonth: null,
        },
      ],
    ],
  )
  assert.deepEqual(pushes.steps.slice(-2), [
    { at: '2027-03-01T12:00:00.000Z', ...none, applied: 4 },
    { at: '2027-03-01T12:15:00.000Z', ...none, applied: 2, rejected: 3 },
  ])

  gateway.clock.set('2027-03-05T12:00:00Z')
  const later = await overview()
  assert.deepEqual(
    [later.stale.since, later.stale.count, later.stale.hotels[0]?.name],
    ['2027-03-02', 1, 'Sea View'],
  )
  assert.deepEqual(later.refusing, [])
  expectOk(await shop.supplier.post('/push/hotels', [{ ...closedHotel }]))
  assert.equal((await overview()).stale.count, 0, 'a hotel that takes no bookings may be stale')
})

const closedHotel = {
  hotelId: 'H1',
  hotelName: 'Sea View',
  currency: 'USD',
  isAvailable: false,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}

test('a completed quarter of an hour is counted once and does not change', async () => {
  const supplier = await gateway.supplier('Steady')
  await pushStoryHotel(supplier)
  gateway.clock.set('2027-03-06T10:05:00Z')
  await pushNights(supplier)
  gateway.clock.set('2027-03-06T11:00:00Z')
  const service = await gateway.second()
  const read = async (instant: string) => {
    service.clock.set(instant)
    const { pushes } = await overviewOf(service)
    return pushes.steps.find(({ at }) => at === '2027-03-06T10:00:00.000Z')
  }
  const expected = { at: '2027-03-06T10:00:00.000Z', ...none, applied: 1 }
  assert.deepEqual(await read('2027-03-06T11:00:00Z'), expected)
  assert.deepEqual(await read('2027-03-06T12:30:00Z'), expected)
})

test('the overview does not wait for the count of the pushes, and states when they were counted', async () => {
  const service = await gateway.second()
  const blocker = await gateway.db.connect({ statement_timeout: '0' })
  try {
    await blocker.query('begin')
    await blocker.query('lock table push_log in access exclusive mode')
    const { pushes, hasHotels } = await readOverview(service)
    assert.deepEqual([pushes.until, hasHotels], [null, true])
  } finally {
    await blocker.end()
  }
  assert.equal((await overviewOf(service)).pushes.until, instantOf(service.clock.now()))
})
