import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { routes, type RouteName } from '../../src/contract.ts'
import type { PublicRoute } from '../../src/http/route.ts'
import { bookingBody, expectStatus, idOf, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** Every call of the platform that changes something takes an Idempotency-Key, and what is already so answers 200 as it is. */

const gateway = await gatewayForTests()
let shop: Shop
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 20 })
})

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
const platformRoutes = (Object.keys(routes) as RouteName[]).filter(
  (name) => routeByName[name].access === 'platform',
)
/** They answer a question: a stored answer would be an old price. */
const questions: readonly RouteName[] = ['findOffers', 'checkPrice']
const changing = platformRoutes.filter(
  (name) => routeByName[name].method !== 'GET' && !questions.includes(name),
)

const other = { rooms: [room({ guest: { firstName: 'Bo', lastName: 'Li' } })] }
const body = (more = {}) => bookingBody('Acme', more)

/**
 * For each: a call that changes something, as it is sent under a key, and another one under the same key. A new call
 * without a row fails the test of its name.
 */
const calls: Readonly<
  Record<string, (key: Record<string, string>) => Promise<[() => Promise<Reply>, Promise<Reply>]>>
> = {
  createReservation: async (key) => {
    const book = (more = {}) => shop.platform.post('/booking/reservations', body(more), key)
    await book()
    return [book, book(other)]
  },
  modifyReservation: async (key) => {
    const path = `/booking/reservations/${idOf(await shop.book())}`
    const change = (more = {}) => shop.platform.put(path, body({ ...other, ...more }), key)
    await change()
    return [change, change({ checkout: '2027-04-21' })]
  },
  cancelReservation: async (key) => {
    const path = `/booking/reservations/${idOf(await shop.book())}/cancel`
    const cancel = () => shop.platform.post(path, {}, key)
    await cancel()
    const another = `/booking/reservations/${idOf(await shop.book())}/cancel`
    return [cancel, shop.platform.post(another, {}, key)]
  },
  requestResync: async (key) => {
    const ask = (hotelId = 'H1') =>
      shop.platform.post('/booking/resync', { hotel: { supplier: 'Acme', hotelId } }, key)
    await ask()
    return [ask, ask('H2')]
  },
}

describe('takes an Idempotency-Key, under which a repeat gets the stored answer:', () => {
  for (const name of changing) {
    test(name, async () => {
      assert.equal(routeByName[name].takesIdempotencyKey, true)
      const call = calls[name] ?? assert.fail(`no call of ${name}`)
      const [again, differing] = await call({ 'idempotency-key': `key-of-${name}` })
      const refused = await differing
      assert.deepEqual(
        [refused.status, Object(refused.body['errors'])[0].type],
        [422, 'IDEMPOTENCY_KEY_REUSED'],
      )
      const replies = [await again(), await again()]
      for (const reply of replies) {
        assert.ok(reply.status < 300, reply.text)
        assert.equal(reply.headers.get('idempotency-replayed'), 'true')
      }
      assert.deepEqual(replies[0]?.body, replies[1]?.body)
    })
  }
})

test('two requests for a resync at once, under one key, are one', async () => {
  const ask = () =>
    shop.platform.post(
      '/booking/resync',
      { hotel: { supplier: 'Acme', hotelId: 'H1' } },
      { 'idempotency-key': 'at-once' },
    )
  const [first, second] = await Promise.all([ask(), ask()])
  assert.deepEqual(expectOk(first).body, expectOk(second).body)
  const replayed = [first, second].map(({ headers }) => headers.get('idempotency-replayed'))
  assert.deepEqual(new Set(replayed), new Set(['true', null]))
})

test('what is already so answers 200 as it is: a repeated cancel, change and resync, without a key', async () => {
  const id = idOf(expectStatus(await shop.book(), 201))
  const path = `/booking/reservations/${id}`
  const read = async () => expectOk(await shop.platform.get(path)).body
  const change = async () => expectOk(await shop.platform.put(path, body(other))).body
  const changed = await change()
  const afterChange = await read()
  const { rooms } = changed
  const matchedByGuest = [rooms].flat().map((matched) => ({ ...Object(matched), matchedBy: 'guest' }))
  assert.deepEqual(await change(), { ...changed, message: 'Reservation unchanged', rooms: matchedByGuest })
  assert.deepEqual(await read(), afterChange)

  const cancel = async () => expectOk(await shop.platform.post(`${path}/cancel`, {})).body
  const cancelled = await cancel()
  const afterCancel = await read()
  // Also long after, when it could not be cancelled any more.
  gateway.clock.set('2027-06-01T12:00:00Z')
  const { reservation } = await read()
  assert.deepEqual(await cancel(), { ...cancelled, delivery: Object(reservation).delivery, reservation })
  assert.deepEqual((await read())['versions'], afterCancel['versions'])

  const ask = async () =>
    expectOk(await shop.platform.post('/booking/resync', { hotel: { supplier: 'Acme', hotelId: 'H1' } })).body
  assert.deepEqual(await ask(), await ask())
})
