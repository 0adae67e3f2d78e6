import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { until } from '../../../test/stage/pace.ts'
import { openLog } from '../../base/log.ts'
import type { Answered } from '../../http/calls/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { BookingCalls } from './booking-calls.ts'
import { callRenewedEveryMs, type Repeatable } from './stored-answers.ts'

/** Calls under one key at two processes: the seconds pass when the test says so. */

const { db } = await gatewayForTests()
before(() => mock.timers.enable({ apis: ['setInterval'] }))
after(() => mock.timers.reset())
const log = openLog('silent')
const [here, elsewhere] = [new BookingCalls(), new BookingCalls()]
const nowMs = Date.parse('2027-03-01T12:00:00Z')
const answer: Answered<object> = { status: 200, body: {}, json: '{}' }

function repeatableAs(key: string): Repeatable {
  return { ownedKey: { owner: { tokenId: 1 }, key }, requestHashes: [Buffer.alloc(32)] }
}

const run = (calls: BookingCalls, key: string, work: () => Promise<Answered<object>>) =>
  calls.run(db, log, { request: repeatableAs(key), nowMs }, work)

/** As after a minute without a word of the call. */
const forgetting = (key: string) =>
  db.query(`update booking_call set at = now() - interval '1 minute' where idempotency_key = $1`, [key])

test('a call bars its key at other processes as long as it goes on, however long that is', async () => {
  const began = Promise.withResolvers<void>()
  const end = Promise.withResolvers<Answered<object>>()
  const first = run(here, 'long', () => {
    began.resolve()
    return end.promise
  })
  await began.promise
  await forgetting('long')
  mock.timers.tick(callRenewedEveryMs)
  await until(async () => {
    const { rows } = await db.query(`select from booking_call where at > now() - interval '10 seconds'`)
    return rows.length === 1
  })
  await assert.rejects(
    run(elsewhere, 'long', () => Promise.resolve(answer)),
    { status: 409 },
  )
  end.resolve(answer)
  assert.equal(await first, answer)
})

test('a call whose process died bars its key until it is forgotten', async () => {
  const began = Promise.withResolvers<void>()
  void run(here, 'died', () => {
    began.resolve()
    return new Promise(() => {})
  })
  await began.promise
  await assert.rejects(
    run(elsewhere, 'died', () => Promise.resolve(answer)),
    { status: 409 },
  )
  await forgetting('died')
  assert.equal(await run(elsewhere, 'died', () => Promise.resolve(answer)), answer)
})

test('a call that fails while the store is away bars its key for no repeat at the same process', async () => {
  const away: Queryable = {
    query: (query, values) =>
      typeof query === 'object' && query.name === 'end-booking-call'
        ? Promise.reject(new Error('the store is away'))
        : db.query(query, values),
  }
  const failing = here.run(away, log, { request: repeatableAs('left'), nowMs }, () =>
    Promise.reject(new Error('the store went away')),
  )
  await assert.rejects(failing, { message: 'the store went away' })
  await assert.rejects(
    run(elsewhere, 'left', () => Promise.resolve(answer)),
    { status: 409 },
  )
  assert.equal(await run(here, 'left', () => Promise.resolve(answer)), answer)
})
