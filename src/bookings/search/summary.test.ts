import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import {
  randomReservations,
  type Found,
  type SearchedStore,
} from '../../../test/stage/search/random-reservations.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'

/** Sums of reservations against sums by hand, over random reservations. */

let store: SearchedStore

const gateway = await gatewayForTests()
before(async () => {
  store = await randomReservations(gateway, { count: 80, seed: 4_711 })
})

const digitsOf: Readonly<Record<string, number>> = { USD: 2, JPY: 0 }

/** Decimals as integers: no float, and not the product's way. */
const minorOf = (text: string): bigint => BigInt(text.replace('.', ''))
function decimalOf(minor: bigint, currency: string): string {
  const digits = digitsOf[currency] ?? assert.fail(currency)
  const text = minor.toString().padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

const sumOf = (amounts: readonly string[]): bigint => amounts.reduce((sum, text) => sum + minorOf(text), 0n)
const nightsOf = ({ checkin, checkout }: Found): number =>
  (Date.parse(checkout) - Date.parse(checkin)) / 86_400_000

function sumsOf(some: readonly Found[], currency: string) {
  return {
    reservations: some.length,
    rooms: some.reduce((sum, { rooms }) => sum + rooms.length, 0),
    roomNights: some.reduce((sum, one) => sum + one.rooms.length * nightsOf(one), 0),
    afterTax: decimalOf(sumOf(some.map(({ total }) => total.afterTax)), currency),
  }
}

function figuresOf(some: readonly Found[], currency: string) {
  const cancelled = some.filter(({ status }) => status === 'Cancel')
  return {
    currency,
    // Nobody of them has arrived yet.
    noShows: { reservations: 0, penalties: decimalOf(0n, currency), penaltiesUnknown: 0 },
    confirmed: sumsOf(
      some.filter(({ status }) => status === 'Confirm'),
      currency,
    ),
    cancelled: {
      ...sumsOf(cancelled, currency),
      penalties: decimalOf(sumOf(cancelled.map(({ penalty }) => penalty?.amount ?? '0')), currency),
      penaltiesUnknown: cancelled.filter(({ penalty }) => penalty === null || penalty.unknown).length,
    },
  }
}

type Group = { key: string; named: Record<string, string> }

const groupings: Readonly<Record<string, (one: Found) => Group>> = {
  day: ({ createdAt }) => ({ key: createdAt.slice(0, 10), named: { day: createdAt.slice(0, 10) } }),
  hotel: ({ platformHotelId, supplier, hotelId, hotelName }) => ({
    key: platformHotelId.padStart(12, '0'),
    named: { platformHotelId, supplier, hotelId, hotelName },
  }),
  supplier: ({ supplier }) => ({ key: supplier, named: { supplier } }),
}

function expectedOf(some: readonly Found[], by: string): unknown {
  const grouping = groupings[by] ?? assert.fail(by)
  const groups = Map.groupBy(some, (one) => JSON.stringify([grouping(one).key, one.currency]))
  const currencies = [...new Set(some.map(({ currency }) => currency))].sort()
  return {
    groups: [...groups]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([, ofGroup]) => {
        const [first] = ofGroup
        return first ? [{ ...grouping(first).named, ...figuresOf(ofGroup, first.currency) }] : []
      }),
    totals: currencies.map((currency) =>
      figuresOf(
        some.filter((one) => one.currency === currency),
        currency,
      ),
    ),
  }
}

async function summaryOf(query: Record<string, string>): Promise<unknown> {
  const text = new URLSearchParams(query).toString()
  const { groups, totals } = expectOk(await store.platform.get(`/booking/reservations/summary?${text}`)).body
  return { groups, totals }
}

for (const by of ['day', 'hotel', 'supplier']) testSummary(by)

function testSummary(by: string): void {
  test(`by ${by}: numbers, sums and penalties are those of the reservations that the list finds`, async () => {
    assert.deepEqual(await summaryOf({ by }), expectedOf(store.all, by))
    const some = store.all.filter(({ supplier, checkin }) => supplier === 'Acme' && checkin >= '2027-04-10')
    assert.deepEqual(
      await summaryOf({ by, supplier: 'Acme', arrivalFrom: '2027-04-10' }),
      expectedOf(some, by),
    )
    const gone = store.all.filter(
      ({ status, delivery }) => status === 'Cancel' && delivery.status === 'delivered',
    )
    assert.ok(gone.length > 0)
    assert.deepEqual(await summaryOf({ by, status: 'Cancel', delivery: 'delivered' }), expectedOf(gone, by))
    assert.deepEqual(await summaryOf({ by, email: 'x@y.example' }), { groups: [], totals: [] })
  })
}

test('penalties that are known and unknown are among them', () => {
  const cancelled = store.all.filter(({ status }) => status === 'Cancel')
  assert.ok(cancelled.some(({ penalty }) => penalty && penalty.amount !== '0.00' && !penalty.unknown))
  assert.ok(cancelled.some(({ penalty }) => penalty === null))
})

test('sums beyond what a float has are exact', async () => {
  const { db } = gateway
  const { rows } = await db.query<{ id: number; minor: number }>(
    `select id, total_after_tax as minor from reservation where currency = 'USD' and status = 'Confirm' limit 3`,
  )
  const large = 9_007_199_254_740_991n
  await db.query('update reservation set total_after_tax = $2 where id = any($1::int8[])', [
    rows.map(({ id }) => id),
    large,
  ])
  const { totals } = Object(await summaryOf({ by: 'supplier', status: 'Confirm' }))
  const usd = totals.find(({ currency }: { currency: string }) => currency === 'USD')
  const others = store.all.filter(
    ({ reservationId, status, currency }) =>
      status === 'Confirm' && currency === 'USD' && !rows.some(({ id }) => String(id) === reservationId),
  )
  assert.equal(
    usd.confirmed.afterTax,
    decimalOf(sumOf(others.map(({ total }) => total.afterTax)) + 3n * large, 'USD'),
  )
  for (const { id, minor } of rows)
    await db.query('update reservation set total_after_tax = $2 where id = $1', [id, minor])
})

test('it says by what, and refuses what is not a filter', async () => {
  const refused = async (query: string): Promise<unknown> => {
    const reply = await store.platform.get(`/booking/reservations/summary${query}`)
    assert.equal(reply.status, 400, reply.text)
    return problemsOf(reply).map((problem) => Object.values(Object(problem)).slice(0, 2))
  }
  assert.deepEqual(await refused(''), [['?by', 'REQUIRED']])
  assert.deepEqual(await refused('?by=month'), [['?by', 'NOT_ALLOWED']])
  assert.deepEqual(await refused('?by=day&limit=5'), [['?limit', 'UNKNOWN_FIELD']])
  const other = await store.platform.get('/booking/reservations/summary?by=day&supplier=Nobody')
  assert.equal(other.status, 404)
})
