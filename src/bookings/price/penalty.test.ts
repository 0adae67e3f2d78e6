import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { idOf, expectStatus, openShop, room, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'
import { prepareTerms } from '../../offers/terms/penalties.ts'
import { preparePolicies, termsOn } from '../../products/policies/arrival-terms.ts'
import type { CancelPolicy } from '../../products/policies/contract.ts'
import { penaltyAt } from './penalty.ts'
import type { ReservationContent } from '../state.ts'

/** The cost of a cancellation, to the second. */

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
  const cancelPenalties = [
    {
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
      penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
    },
    {
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 24 },
      penaltyCharge: { chargeBase: 'FullStay', percent: 12.5 },
    },
    { noShow: true, penaltyCharge: { chargeBase: 'FullStay' } },
  ]
  expectOk(
    await shop.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [
        product('DBL', 'BAR', { cancelPolicies: [{ code: 'FLEX', cancelPenalties }] }),
        product('DBL', 'NRF', {
          cancelPolicies: [
            { code: 'NONREF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }] },
          ],
        }),
      ],
    }),
  )
})

const bookedAt = '2027-03-01T12:00:00Z'

/** Restores units for the bookings that follow. */
async function unitsAgain(): Promise<void> {
  expectOk(
    await shop.supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', startDate: '2027-04-20', endDate: '2027-04-21', inventory: 2 }],
    }),
  )
}

async function cancelled(at: string, rooms = [room()]): Promise<{ id: string; penalty: unknown }> {
  gateway.clock.set(bookedAt)
  await unitsAgain()
  const id = idOf(await shop.book({ rooms }))
  gateway.clock.set(at)
  const { body } = expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}), 200)
  return { id, penalty: body['penalty'] }
}

const ofBar = (from: string, amount: string) => (id: string) => ({
  amount,
  currency: 'USD',
  by: [{ roomReservationId: `${id}-1`, roomId: 'DBL', rateId: 'BAR', code: 'FLEX', from, amount }],
})

test('a cancellation states its cost: from the exact second of each deadline of the booked policy', async () => {
  // Summer time begins on 28 March; two nights at 110.00 from 20 April.
  const [first, second] = ['2027-03-27T00:00:00+01:00', '2027-04-18T18:00:00+02:00'] as const
  const cases = [
    ['2027-03-26T22:59:59.999Z', () => ({ amount: '0.00', currency: 'USD', by: [] })],
    ['2027-03-26T23:00:00.000Z', ofBar(first, '27.50')],
    ['2027-04-18T15:59:59.999Z', ofBar(first, '27.50')],
    ['2027-04-18T16:00:00.000Z', ofBar(second, '110.00')],
    ['2027-04-20T21:59:59.999Z', ofBar(second, '110.00')],
  ] as const
  for (const [at, due] of cases) {
    const { id, penalty } = await cancelled(at)
    assert.deepEqual(penalty, due(id), at)
  }
})

test('the penalty of a no-show is due when the hotel reports one, from the end of the arrival day on', async () => {
  gateway.clock.set(bookedAt)
  await unitsAgain()
  const id = idOf(await shop.book())
  gateway.clock.set('2027-04-20T22:00:00.000Z')
  expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}), 409)
  const report = { hotelId: 'H1', reservation_id: id, report: 'no_show' }
  expectOk(await shop.supplier.post('/push/reservations/report', report))
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const due = ofBar('2027-04-21T00:00:00+02:00', '220.00')(id)
  assert.deepEqual(Object(body['reservation']).penalty, due)
})

test('the penalties of rooms add up; a repeated answer, the reservation, the list and the delivery agree', async () => {
  const rooms = [room(), room({ rateId: 'NRF' })]
  const { id, penalty } = await cancelled('2027-04-19T12:00:00Z', rooms)
  const due = {
    amount: '286.00',
    currency: 'USD',
    by: [
      {
        roomReservationId: `${id}-1`,
        roomId: 'DBL',
        rateId: 'BAR',
        code: 'FLEX',
        from: '2027-04-18T18:00:00+02:00',
        amount: '110.00',
      },
      {
        roomReservationId: `${id}-2`,
        roomId: 'DBL',
        rateId: 'NRF',
        code: 'NONREF',
        from: null,
        amount: '176.00',
      },
    ],
  }
  assert.deepEqual(penalty, due)
  // Later, when the product's policies have changed.
  gateway.clock.set('2027-04-21T12:00:00Z')
  const again = await shop.platform.post(`/booking/reservations/${id}/cancel`, {})
  const read = await shop.platform.get(`/booking/reservations/${id}`)
  const listed = await shop.platform.get('/booking/reservations?status=Cancel')
  const [ofList] = Array.isArray(listed.body['reservations']) ? listed.body['reservations'] : []
  assert.deepEqual(
    [again.body['penalty'], Object(read.body['reservation']).penalty, ofList.reservationId, ofList.penalty],
    [due, due, id, due],
  )
  const retrieved = await shop.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`)
  const [{ reservations }] = Array.isArray(retrieved.body['data']) ? retrieved.body['data'] : []
  assert.deepEqual(reservations.reservation[0].penalty, {
    amount: '286.00',
    currency: 'USD',
    by: [
      {
        room_reservation_id: `${id}-1`,
        room_id: 'DBL',
        rate_id: 'BAR',
        code: 'FLEX',
        from: '2027-04-18T18:00:00+02:00',
        amount: '110.00',
      },
      { room_reservation_id: `${id}-2`, room_id: 'DBL', rate_id: 'NRF', code: 'NONREF', amount: '176.00' },
    ],
  })
})

test('the penalty that an offer of several rooms shows is the one that cancelling them costs', async () => {
  gateway.clock.set(bookedAt)
  const other = await openShop(gateway, 'Percent')
  const cancelPolicies = [
    { code: 'HALF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay', percent: 50 } }] },
  ]
  expectOk(
    await other.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR', { cancelPolicies })],
    }),
  )
  const nights = { startDate: '2027-04-20', endDate: '2027-04-21' }
  expectOk(
    await other.supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [
        { roomId: 'DBL', rateId: 'BAR', ...nights, price: '100.00', pricingModel: 'unit' },
        { roomId: 'DBL', rateId: 'BAR', date: '2027-04-21', price: '100.01', pricingModel: 'unit' },
      ],
    }),
  )
  const offered = await other.platform.post('/booking/offers', {
    hotels: [{ supplier: 'Percent', hotelId: 'H1' }],
    checkin: '2027-04-20',
    checkout: '2027-04-22',
    rooms: [{ adults: 2 }, { adults: 2 }],
  })
  const [hotel] = Array.isArray(offered.body['hotels']) ? offered.body['hotels'] : []
  const offer = hotel.offers.find(({ rateId }: { rateId: string }) => rateId === 'BAR')
  const id = idOf(await other.book({ rooms: [room(), room()] }))
  const { body } = await other.platform.post(`/booking/reservations/${id}/cancel`, {})
  // Half of 220.01, a room with its taxes, is 110.005.
  assert.deepEqual(
    [offer.cancelPolicy.penalties[0].amount, Object(body['penalty']).amount],
    ['220.02', '220.02'],
  )
})

test('a flat penalty never exceeds what the room is charged: offer, cancellation and delivery agree', async () => {
  gateway.clock.set(bookedAt)
  const capped = await openShop(gateway, 'Capped')
  const penaltyCharge = { chargeBase: 'FullStay', amount: '250' }
  const cancelPolicies = [{ code: 'FLAT', cancelPenalties: [{ penaltyCharge }] }]
  const products = [product('DBL', 'BAR', { cancelPolicies })]
  expectOk(await capped.supplier.post('/push/products', { hotelId: 'H1', products }))
  const offeredAndCharged = async (checkout: string): Promise<unknown[]> => {
    const offered = await capped.platform.post('/booking/offers', {
      hotels: [{ supplier: 'Capped', hotelId: 'H1' }],
      checkin: '2027-04-20',
      checkout,
      rooms: [{ adults: 2 }],
    })
    const [hotel] = Object(expectOk(offered).body['hotels'])
    const offer = hotel.offers.find(({ rateId }: { rateId: string }) => rateId === 'BAR')
    const id = idOf(await capped.book({ checkout }))
    const { body } = await capped.platform.post(`/booking/reservations/${id}/cancel`, {})
    const path = `/push/webhook/pushbook/retrieve?reservation_id=${id}`
    const [{ reservations }] = Object(expectOk(await capped.supplier.get(path)).body['data'])
    const [delivered] = reservations.reservation
    return [
      offer.cancelPolicy.penalties[0].amount,
      Object(body['penalty']).amount,
      delivered.penalty.amount,
      delivered.penalty.by[0].amount,
    ]
  }
  // Nights at 110.00 with their tax.
  assert.deepEqual(await offeredAndCharged('2027-04-21'), Array(4).fill('110.00'))
  assert.deepEqual(await offeredAndCharged('2027-04-23'), Array(4).fill('250.00'))
})

test('a reservation that is not cancelled has no penalty, nor has one booked without a policy', async () => {
  gateway.clock.set(bookedAt)
  const other = await openShop(gateway, 'Without')
  const id = idOf(await other.book())
  const read = async (): Promise<unknown> =>
    Object((await other.platform.get(`/booking/reservations/${id}`)).body['reservation']).penalty
  const confirmed = await read()
  const { body } = await other.platform.post(`/booking/reservations/${id}/cancel`, {})
  assert.deepEqual([confirmed, body['penalty'], await read()], [null, null, null])
  const { text } = await other.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`)
  assert.ok(!text.includes('penalty'), text)
})

const zones = [
  'UTC',
  'Europe/Paris',
  'Europe/Lisbon',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
]
const dayMs = 86_400_000

/** Minutes that a zone is ahead of UTC at an instant, by a different library from the one in use. */
function offsetMsAt(zone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(atMs)
  const at = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  const wall = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'))
  return wall - Math.floor(atMs / 1_000) * 1_000
}

/**
 * The instant when a wall clock first shows this time; if the clock skips it, the instant at which it would
 * have shown it without the change.
 */
function instantMsOf(zone: string, wallMs: number): number {
  const [earlier = 0, later = 0] = [wallMs - dayMs, wallMs + dayMs].map((atMs) => offsetMsAt(zone, atMs))
  const fits = [earlier, later]
    .map((offsetMs) => wallMs - offsetMs)
    .filter((atMs) => atMs + offsetMsAt(zone, atMs) === wallMs)
  return fits.length > 0 ? Math.min(...fits) : wallMs - earlier
}

/** Nights around clock changes in these zones, and other nights. */
const arrivals = fc.oneof(
  fc.constantFrom(
    '2027-03-14',
    '2027-03-28',
    '2027-04-04',
    '2027-09-05',
    '2027-09-26',
    '2027-10-03',
    '2027-10-31',
    '2027-11-07',
  ),
  fc.integer({ min: 20_500, max: 21_500 }).map((day) => new Date(day * dayMs).toISOString().slice(0, 10)),
)
const twoDigits = (value: number): string => String(value).padStart(2, '0')
const deadlines = fc.record({
  offsetTimeUnit: fc.constantFrom('D' as const, 'H' as const),
  offsetTimeValue: fc.integer({ min: 0, max: 60 }),
  hour: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 23 })),
  minute: fc.constantFrom(0, 15, 30, 59),
})

test('for any deadlines, zone and change of clocks: the last deadline that is over decides, to the millisecond', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      arrivals,
      fc.array(deadlines, { minLength: 1, maxLength: 4 }),
      (zone, arrival, chosen) => {
        const policy: CancelPolicy = {
          code: 'P',
          cancelPenalties: chosen.map(({ hour, minute, ...offset }, index) => ({
            cancelDeadline: { ...offset, deadline: `${twoDigits(hour)}:${twoDigits(minute)}` },
            penaltyCharge: { chargeBase: 'FullStay', amount: index + 1 },
          })),
        }
        const arrivalMs = Date.parse(arrival)
        const instants = chosen.map(({ offsetTimeUnit, offsetTimeValue, hour, minute }) => {
          const clockMs = (hour * 60 + minute) * 60_000
          return offsetTimeUnit === 'D'
            ? instantMsOf(zone, arrivalMs - offsetTimeValue * dayMs + clockMs)
            : instantMsOf(zone, arrivalMs + clockMs) - offsetTimeValue * 3_600_000
        })
        const content = contentOf(policy, zone, arrivalMs / dayMs)
        for (const atMs of instants.flatMap((instant) => [instant - 1, instant, instant + 1])) {
          const lastMs = Math.max(...instants.filter((instant) => instant <= atMs))
          // At the same deadline the highest penalty applies.
          const expected = instants.findLastIndex((instant) => instant === lastMs) + 1
          assert.equal(penaltyAt('1', content, atMs)?.amount, expected * 100, `${zone} ${arrival} ${atMs}`)
        }
      },
    ),
    { numRuns: 400 },
  )
})

/** A room with this policy, in a currency with two minor digits, as booking stores it. */
function contentOf(policy: CancelPolicy, zone: string, arrival: number): ReservationContent {
  const terms = termsOn(preparePolicies([policy], {}, 2), arrival) ?? assert.fail()
  const penalties = prepareTerms(terms, zone, arrival)
    .deadlines.flat()
    .map(({ from, charge }) => ({ from, amount: `${charge.amount ?? 0}.00` }))
  const total = { beforeTax: 1_000, tax: 0, afterTax: 1_000, dueAtProperty: 0 }
  return {
    supplier: 'S',
    hotelCode: 'H1',
    hotelName: 'Sea View',
    checkin: '2027-04-20',
    checkout: '2027-04-21',
    currency: 'USD',
    minorDigits: 2,
    rooms: [
      {
        roomNo: 1,
        rateNo: 1,
        roomId: 'DBL',
        rateId: 'BAR',
        roomName: 'Double',
        rateName: 'Best',
        mealPlan: null,
        adults: 1,
        childAges: [],
        party: { adults: 1, childAges: [], infantAges: [] },
        guest: { firstName: 'Ada', lastName: 'Lovelace' },
        nights: [],
        taxes: [],
        total,
        cancelPolicy: { code: 'P', description: null, penalties },
      },
    ],
    customer: { firstName: 'Ada', lastName: 'Lovelace' },
    payment: { type: 'Channel Collect' },
    total,
    priceChecks: [],
  }
}
