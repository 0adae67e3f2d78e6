import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { routes, type RouteName } from '../../src/contract.ts'
import type { PublicRoute } from '../../src/http/route.ts'
import { ada, bookingBody, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { examplesOf } from '../stage/scenes/examples.ts'
import { gatewayForTests, type Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/**
 * Unknown members and parameters of the platform's calls are refused, with nothing done: a filter that is ignored shows
 * everybody's reservations, and a misspelt list of rooms would cancel them all.
 */

let shop: Shop

const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})

/** Without the value: the platform's requests may contain a card. */
const unknown = (name: string, path: string, hint?: string) => ({
  type: 'UNKNOWN_FIELD',
  message: `${name} is not known`,
  path,
  ...(hint === undefined ? {} : { hint }),
  docUrl: '/docs/guides/errors#UNKNOWN_FIELD',
})

function refusedFor(reply: Reply): unknown {
  assert.equal(reply.status, 400, reply.text)
  return reply.body['errors']
}

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
const platformRoutes = (Object.keys(routes) as RouteName[]).filter(
  (name) => routeByName[name].access === 'platform',
)

function send(name: RouteName, body: unknown, query: string): Promise<Reply> {
  const { method, path } = routeByName[name]
  const url = `${path.replaceAll(/\{\w+\}/g, '1')}${query}`
  const { platform } = shop
  if (method === 'GET') return platform.get(url)
  if (method === 'DELETE') return platform.delete(url)
  return method === 'PUT' ? platform.put(url, body) : platform.post(url, body)
}

/** The pointers of all objects of a body. */
function placesIn(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => placesIn(element, `${at}/${index}`))
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, member]) => placesIn(member, `${at}/${name}`))
  return [at, ...inner]
}

/** A copy with an unknown member at the pointer. */
function withUnknownAt(body: unknown, pointer: string): unknown {
  const copy: unknown = structuredClone(body)
  let place = Object(copy)
  for (const part of pointer.split('/').slice(1)) place = Object(place[part])
  place.qqq = 'x'
  return copy
}

const pathsOf = (errors: unknown): string[] =>
  Object(errors).flatMap(({ type, path }: { type: string; path: string }) =>
    type === 'UNKNOWN_FIELD' ? [path] : [],
  )

describe('every call of the platform refuses', () => {
  for (const name of platformRoutes) {
    const { method, body } = routeByName[name]
    const request = body === undefined ? {} : examplesOf(name)[0]?.request
    test(`${name}: an unknown parameter`, async () => {
      assert.deepEqual(pathsOf(refusedFor(await send(name, request, '?qqq=x'))), ['?qqq'])
    })
    if (method === 'GET' || method === 'DELETE') continue
    test(`${name}: an unknown member at any depth`, async () => {
      for (const place of placesIn(request)) {
        const reply = await send(name, withUnknownAt(request, place), '')
        assert.deepEqual(pathsOf(refusedFor(reply)), [`${place}/qqq`])
      }
    })
  }
})

test('a search, a check and a booking name what was meant', async () => {
  const { platform } = shop
  const hotel = { supplier: 'Acme', hotelId: 'H1' }
  const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }
  const rooms = [{ adults: 2 }, { adults: 1, childages: [5], note: 'x' }]
  const searched = await platform.post('/booking/offers', { hotels: [hotel], ...stay, rooms, explian: true })
  assert.deepEqual(refusedFor(searched), [
    unknown('childages', '/rooms/1/childages', 'Did you mean childAges?'),
    unknown('note', '/rooms/1/note'),
    unknown('explian', '/explian', 'Did you mean explain?'),
  ])
  const check = {
    hotel,
    ...stay,
    roomId: 'DBL',
    rateId: 'BAR',
    adultCount: 2,
    child_ages: [5],
    roomCounts: 2,
  }
  assert.deepEqual(refusedFor(await platform.post('/booking/priceCheck', check)), [
    unknown('child_ages', '/child_ages', 'Did you mean childAges?'),
    unknown('roomCounts', '/roomCounts', 'Did you mean roomCount?'),
  ])
  const booked = await shop.book({
    expectedTotals: { afterTax: '1.00' },
    customer: { ...ada, e_mail: 'a@b.example' },
  })
  assert.deepEqual(refusedFor(booked), [
    unknown('e_mail', '/customer/e_mail', 'Did you mean email?'),
    unknown('expectedTotals', '/expectedTotals', 'Did you mean expectedTotal?'),
  ])
})

test('a list with a misspelt filter shows nobody’s reservations', async () => {
  const reply = await shop.platform.get('/booking/reservations?suplier=Acme&arivalFrom=2027-04-01')
  assert.deepEqual(refusedFor(reply), [
    unknown('suplier', '?suplier', 'Did you mean supplier?'),
    unknown('arivalFrom', '?arivalFrom', 'Did you mean arrivalFrom?'),
  ])
})

test('a change or a cancel with a misspelt member changes nothing', async () => {
  const { reservationId } = (await shop.book()).body
  const path = `/booking/reservations/${String(reservationId)}`
  const held = expectOk(await shop.platform.get(path)).body
  const body = bookingBody('Acme', { rooms: [room({ childrenAges: [5] })] })
  assert.deepEqual(refusedFor(await shop.platform.put(path, body)), [
    unknown('childrenAges', '/rooms/0/childrenAges', 'Did you mean childAges?'),
  ])
  const cancel = await shop.platform.post(`${path}/cancel`, { qqq: [`${String(reservationId)}-1`] })
  assert.deepEqual(refusedFor(cancel), [unknown('qqq', '/qqq')])
  assert.equal((await shop.platform.post(`${path}/cancel`, ['x'])).status, 400)
  assert.equal((await shop.platform.post(`${path}/cancel`, '{')).status, 400)
  assert.deepEqual(expectOk(await shop.platform.get(path)).body, held)
})

test('no header lets unknown members pass, and unknown headers always do', async () => {
  const search = {
    hotels: [{ supplier: 'Acme', hotelId: 'H1' }],
    checkin: '2027-04-20',
    checkout: '2027-04-21',
  }
  const headers = { 'x-unknown-fields': 'warn', 'x-no-such-header': 'x' }
  const body = { ...search, rooms: [{ adults: 2 }] }
  const reply = await shop.platform.post('/booking/offers', { ...body, qqq: 1 }, headers)
  assert.deepEqual(refusedFor(reply), [unknown('qqq', '/qqq')])
  expectOk(await shop.platform.post('/booking/offers', body, headers))
})
