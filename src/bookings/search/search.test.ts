import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import {
  emails,
  randomReservations,
  type Found,
  type SearchedStore,
} from '../../../test/stage/search/random-reservations.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'

/** The filters of reservations against a search by hand, over random reservations. */

let store: SearchedStore

const gateway = await gatewayForTests()
before(async () => {
  store = await randomReservations(gateway, { count: 160, seed: 20_270_301 })
})

type Query = Record<string, string>
/** A value to ask for, and whether a reservation has it. */
type Filter = (one: Found) => { query: Query; has: (other: Found) => boolean }

const dateOf = (instant: string): string => instant.slice(0, 10)
const emailOf = ({ customer }: Found): string => customer.email ?? 'nobody@guest.example'

/** Each filter asks for what a random reservation has. */
const filters: Readonly<Record<string, Filter>> = {
  hotel: ({ platformHotelId }) => ({
    query: { hotel: platformHotelId },
    has: (one) => one.platformHotelId === platformHotelId,
  }),
  supplier: ({ supplier }) => ({ query: { supplier }, has: (one) => one.supplier === supplier }),
  'supplier and hotelId': ({ supplier, hotelId }) => ({
    query: { supplier, hotelId },
    has: (one) => one.supplier === supplier && one.hotelId === hotelId,
  }),
  status: ({ status }) => ({ query: { status }, has: (one) => one.status === status }),
  arrivalFrom: ({ checkin }) => ({ query: { arrivalFrom: checkin }, has: (one) => one.checkin >= checkin }),
  arrivalTo: ({ checkin }) => ({ query: { arrivalTo: checkin }, has: (one) => one.checkin <= checkin }),
  departureFrom: ({ checkout }) => ({
    query: { departureFrom: checkout },
    has: (one) => one.checkout >= checkout,
  }),
  departureTo: ({ checkout }) => ({
    query: { departureTo: checkout },
    has: (one) => one.checkout <= checkout,
  }),
  'createdFrom, an instant': ({ createdAt }) => ({
    query: { createdFrom: createdAt },
    has: (one) => one.createdAt >= createdAt,
  }),
  'createdFrom, a date': ({ createdAt }) => ({
    query: { createdFrom: dateOf(createdAt) },
    has: (one) => dateOf(one.createdAt) >= dateOf(createdAt),
  }),
  'createdTo, an instant': ({ createdAt }) => ({
    query: { createdTo: createdAt },
    has: (one) => one.createdAt < createdAt,
  }),
  'createdTo, a date': ({ createdAt }) => ({
    query: { createdTo: dateOf(createdAt) },
    has: (one) => dateOf(one.createdAt) <= dateOf(createdAt),
  }),
  'modifiedFrom, an instant': ({ modifiedAt }) => ({
    query: { modifiedFrom: modifiedAt },
    has: (one) => one.modifiedAt >= modifiedAt,
  }),
  'modifiedFrom, a date': ({ modifiedAt }) => ({
    query: { modifiedFrom: dateOf(modifiedAt) },
    has: (one) => dateOf(one.modifiedAt) >= dateOf(modifiedAt),
  }),
  delivery: ({ delivery: { status } }) => ({
    query: { delivery: status },
    has: (one) => one.delivery.status === status,
  }),
  email: (one) => {
    const wanted = emailOf(one)
    return {
      query: { email: wanted.toUpperCase() },
      has: ({ customer }) => customer.email?.toLowerCase() === wanted.toLowerCase(),
    }
  },
}
const names = Object.keys(filters)

const path = (query: Query): string => `/booking/reservations?${new URLSearchParams(query).toString()}`
const idsOf = (some: readonly Found[]): string[] => some.map(({ reservationId }) => reservationId)

async function found(query: Query): Promise<string[]> {
  const { body } = expectOk(await store.platform.get(path({ limit: '500', ...query })))
  assert.equal(body['nextCursor'], null)
  // The boundary: the answer of the service.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return idsOf(body['reservations'] as Found[])
}

function anyOne(): Found {
  return store.all[store.chance.below(store.all.length)] ?? assert.fail('no reservation')
}

const filterNamed = (name: string, one: Found) => (filters[name] ?? assert.fail(name))(one)

describe('what is found is what a search by hand finds, newest first', () => {
  test('the reservations have every state that a filter asks for', () => {
    const states = new Set(store.all.map(({ delivery, status }) => `${status} ${delivery.status}`))
    for (const status of ['queued', 'sending', 'delivered', 'dead'])
      assert.ok(states.has(`Confirm ${status}`), [...states].join())
    assert.ok(states.has('Cancel delivered'))
    assert.deepEqual(new Set(store.all.map(({ customer }) => customer.email)).size, emails.length + 1)
  })

  for (const name of names) testFilter(name)

  test('by each pair of them, which must both match', async () => {
    for (const [index, left] of names.entries()) {
      for (const right of names.slice(index + 1)) {
        const [one, other] = [filterNamed(left, anyOne()), filterNamed(right, anyOne())]
        const query = { ...one.query, ...other.query }
        const isEachItsOwn =
          Object.keys(query).length === [one, other].flatMap(({ query: of }) => Object.keys(of)).length
        const isHotelTwice = 'hotel' in query && ('supplier' in query || 'hotelId' in query)
        if (!isEachItsOwn || isHotelTwice || isEmptyRange(query)) continue
        const expected = store.all.filter((reservation) => one.has(reservation) && other.has(reservation))
        assert.deepEqual(await found(query), idsOf(expected), JSON.stringify(query))
      }
    }
  })

  test('by all of them together', async () => {
    const one = anyOne()
    const all = [
      'supplier and hotelId',
      'status',
      'arrivalFrom',
      'departureTo',
      'createdFrom, a date',
      'delivery',
    ]
    const wanted = all.map((name) => filterNamed(name, one))
    const query = Object.assign({}, ...wanted.map(({ query: part }) => part))
    const expected = store.all.filter((reservation) => wanted.every(({ has }) => has(reservation)))
    assert.ok(expected.includes(one))
    assert.deepEqual(await found(query), idsOf(expected))
  })
})

function testFilter(name: string): void {
  test(`by ${name}`, async () => {
    for (let round = 0; round < 4; round++) {
      const { query, has } = filterNamed(name, anyOne())
      assert.deepEqual(await found(query), idsOf(store.all.filter(has)), JSON.stringify(query))
    }
  })
}

function isEmptyRange(query: Query): boolean {
  return [
    ['arrivalFrom', 'arrivalTo'],
    ['departureFrom', 'departureTo'],
    ['createdFrom', 'createdTo'],
  ].some(([from = '', to = '']) => {
    const [first, last] = [query[from], query[to]]
    if (first === undefined || last === undefined) return false
    return last.length > 10 ? Date.parse(last) <= Date.parse(first) : last < dateOf(first)
  })
}

test('pages of any size have every reservation once, also while others are made and changed', async () => {
  const { query, has } = filterNamed('supplier', anyOne())
  const expected = idsOf(store.all.filter(has))
  const walked: string[] = []
  let cursor: string | null = ''
  for (let page = 0; cursor !== null; page++) {
    const more: Query = cursor === '' ? {} : { cursor }
    const { body } = expectOk(await store.platform.get(path({ ...query, ...more, limit: String(1 + page) })))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the answer of the service.
    walked.push(...idsOf(body['reservations'] as Found[]))
    const { nextCursor } = body
    cursor = typeof nextCursor === 'string' ? nextCursor : null
    // Its version rises, its place doesn't change.
    if (page === 2) {
      const { reservationId } = store.all.find(has) ?? assert.fail()
      await store.platform.post(`/booking/reservations/${reservationId}/cancel`, {})
    }
  }
  assert.deepEqual(walked, expected)
})

test('a filter that cannot be read is refused, never left out', async () => {
  const refused = async (query: Query): Promise<unknown> => {
    const reply = await store.platform.get(path(query))
    assert.equal(reply.status, 400, reply.text)
    return problemsOf(reply).map((problem) => Object.values(Object(problem)).slice(0, 2))
  }
  assert.deepEqual(await refused({ createdFrom: 'yesterday' }), [['?createdFrom', 'INVALID_TIME']])
  assert.deepEqual(await refused({ modifiedFrom: '2027-02-30' }), [['?modifiedFrom', 'INVALID_TIME']])
  assert.deepEqual(await refused({ departureTo: '2027-04-15T10:00:00Z' }), [['?departureTo', 'INVALID_DATE']])
  assert.deepEqual(await refused({ delivery: 'superseded' }), [['?delivery', 'NOT_ALLOWED']])
  assert.deepEqual(await refused({ email: '' }), [['?email', 'TOO_SHORT']])
  const ranges = {
    createdFrom: '2027-03-02',
    createdTo: '2027-03-01',
    departureFrom: '2027-05-02',
    departureTo: '2027-05-01',
  }
  assert.deepEqual(await refused(ranges), [
    ['?departureFrom', 'EMPTY_RANGE'],
    ['?createdFrom', 'EMPTY_RANGE'],
  ])
})
