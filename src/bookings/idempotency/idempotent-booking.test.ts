import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  bookingBody,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  platformOf,
  pushNights,
  unitsLeft,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { meetingAtLock } from '../../../test/stage/locks.ts'
import { problemsOf } from '../../../test/stage/story.ts'
import type { Queryable } from '../../postgres/postgres.ts'

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})
beforeEach(() => pushNights(shop.supplier))

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once' }

  test('makes one reservation of a call that comes again, also at the same moment, and answers alike', async () => {
    const same = { 'idempotency-key': 'five-at-once' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => shop.book({}, same)))
    const again = await shop.book({}, same)
    assert.equal(new Set([...replies, again].map(idOf)).size, 1)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(replies.filter((reply) => reply.headers.get('idempotency-replayed') === null).length, 1)
    assert.deepEqual(await unitsLeft(gateway), [1, 1, 2])
  })

  test('is refused with another body or for another call, and is another with another token', async () => {
    const id = idOf(await shop.book({}, headers))
    const other = await expectRefusal(gateway, () => shop.book({ checkout: '2027-04-21' }, headers), 422)
    assert.deepEqual(problemsOf(other), [
      ['idempotency-key', 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key was used before with another body'],
    ])
    expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}, headers), 422)
    const elsewhere = await platformOf(gateway)
    assert.notEqual(idOf(await elsewhere.post('/booking/reservations', bookingBody('Acme'), headers)), id)
    const invalid = await shop.book({}, { 'idempotency-key': 'x'.repeat(65) })
    assert.deepEqual([invalid.status, Object(problemsOf(invalid)[0])[1]], [400, 'INVALID_IDEMPOTENCY_KEY'])
  })

  test('stores no refusal: a sold-out stay can be booked under the same key later', async () => {
    const later = { 'idempotency-key': 'later' }
    await pushNights(shop.supplier, { inventory: 0 })
    await expectRefusal(gateway, () => shop.book({}, later))
    await pushNights(shop.supplier)
    idOf(await shop.book({}, later))
  })

  test('that another call answers at the same moment is refused, and nothing is booked', async () => {
    const answering = (connection: Queryable): Promise<unknown> =>
      connection.query(
        `insert into booking_answer (token_id, idempotency_key, request_hash, at, status, answer)
         select id, 'at-once', '', to_timestamp($1::float8 / 1000), 201, '{}' from access_token order by id limit 1`,
        [gateway.clock.now()],
      )
    const reply = await expectRefusal(gateway, async () => {
      const ask = (): Promise<Reply> => shop.book({}, { 'idempotency-key': 'at-once' })
      const [answer] = await meetingAtLock(gateway.db, answering, [ask])
      assert.ok(answer)
      return answer
    })
    assert.deepEqual(problemsOf(reply), [
      ['idempotency-key', 'IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is being processed'],
    ])
  })

  test('is forgotten after 24 hours', async () => {
    const daily = { 'idempotency-key': 'daily' }
    const first = idOf(await shop.book({}, daily))
    gateway.clock.set('2027-03-02T12:00:01Z')
    try {
      assert.notEqual(idOf(await shop.book({}, daily)), first)
    } finally {
      gateway.clock.set('2027-03-01T12:00:00Z')
    }
  })
})
