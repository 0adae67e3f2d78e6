import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestGateway, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { watchOnce } from './watch.ts'

/** `webhook.failing` of the URLs for price checks and reservations. */

const noon = '2027-03-01T12:00:00Z'

type Stage = {
  gateway: TestGateway
  /** Looks at that minute after noon. */
  round: (minute: number) => Promise<void>
  /** Stores price checks of a hotel, with their time. */
  check: (supplier: TestSupplier, outcomes: readonly string[], hotelId?: string) => Promise<void>
}

async function stage(): Promise<Stage> {
  const gateway = await gatewayForTests({ now: noon })
  const { db, clock } = gateway
  return {
    gateway,
    round: async (minute) => {
      clock.set(`2027-03-01T12:${String(minute).padStart(2, '0')}:00Z`)
      const failures: string[] = []
      const write = (line: string) => void failures.push(line)
      await watchOnce({ db, clock, log: openLog('warn', { write }), telemetry: telemetry() })
      assert.deepEqual(
        failures.filter((line) => line.includes('one of the checks for alerts failed')),
        [],
      )
    },
    check: async ({ keyId }, outcomes, hotelId = 'H1') => {
      await db.query(
        `insert into price_check (check_id, at, supplier_id, hotel_id, room_no, rate_no, request_id, arrival, departure,
           room_count, adults, child_ages, outcome, bookable, duration_ms, currency, revision, stored_bookable, stored_inventory)
         select gen_random_uuid(), $3, hotel.supplier_id, hotel.id, 1, 1, 'r', '2027-04-01', '2027-04-02', 1, 2, '{}', outcome,
           false, 9, 'USD', 1, true, 1
         from hotel join api_key on api_key.supplier_id = hotel.supplier_id, unnest($4::text[]) as outcome
         where api_key.id = $1 and hotel.code = $2`,
        [keyId, hotelId, new Date(clock.now()), outcomes],
      )
    },
  }
}

type Kind = 'availability' | 'pushbook'

const register = async (supplier: TestSupplier, kind: Kind, name = 'first') =>
  void expectOk(
    await supplier.post(`/push/webhook/${kind}`, { webhook: `https://pms.example.com/${kind}/${name}` }),
  )
const remove = async (supplier: TestSupplier, kind: Kind) =>
  void expectOk(await supplier.delete(`/push/webhook/${kind}`))

async function failing(supplier: TestSupplier): Promise<string[]> {
  const { body } = await supplier.post('/push/alerts', { kinds: ['webhook.failing'] })
  return Object(body)['alerts'].map(({ subject }: { subject: string }) => subject)
}

const fiveTimes = ['timeout', 'supplier_error', 'timeout', 'circuit_open', 'invalid_response']

test('the last five price checks of a URL failed, until one succeeds', async () => {
  const { gateway, round, check } = await stage()
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  await register(supplier, 'availability')
  await check(supplier, ['available', ...fiveTimes.slice(1)])
  await round(1)
  assert.deepEqual(await failing(supplier), [])
  await check(supplier, ['timeout'])
  await round(2)
  assert.deepEqual(await failing(supplier), ['availability'])
  await check(supplier, ['available'])
  await round(3)
  assert.deepEqual(await failing(supplier), [])
})

test('checks of a busy supplier hide no failing URL of a quiet one', async () => {
  const { gateway, round, check } = await stage()
  const [quiet, busy] = [await gateway.supplier('Quiet'), await gateway.supplier('Busy')]
  for (const supplier of [quiet, busy]) {
    await pushStoryHotel(supplier)
    await register(supplier, 'availability')
  }
  await check(quiet, fiveTimes)
  await check(
    busy,
    Array.from({ length: 20_000 }, () => 'available'),
  )
  await round(1)
  assert.deepEqual([await failing(quiet), await failing(busy)], [['availability'], []])
})

test('of an account with two keys, successes of one URL hide no failures of the other', async () => {
  const { gateway, round, check } = await stage()
  const [one, other] = [await gateway.supplier('Two keys'), await gateway.supplier('Two keys')]
  await pushStoryHotel(one)
  await pushStoryHotel(other, { hotelId: 'H2' })
  await register(one, 'availability', 'one')
  await register(other, 'availability', 'other')
  await check(one, fiveTimes, 'H1')
  await check(
    other,
    Array.from({ length: 20 }, () => 'available'),
    'H2',
  )
  await round(1)
  assert.deepEqual(await failing(one), ['availability'])
  await check(one, ['available'], 'H1')
  await round(2)
  assert.deepEqual(await failing(one), [])
})

test('a URL for price checks fails no longer when it is removed or replaced', async () => {
  const { gateway, round, check } = await stage()
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  await register(supplier, 'availability')
  await check(supplier, fiveTimes)
  await round(1)
  assert.deepEqual(await failing(supplier), ['availability'])
  await remove(supplier, 'availability')
  await round(2)
  assert.deepEqual(await failing(supplier), [], 'removed')

  await register(supplier, 'availability')
  await check(supplier, fiveTimes)
  await round(3)
  assert.deepEqual(await failing(supplier), ['availability'])
  await register(supplier, 'availability', 'second')
  await round(4)
  assert.deepEqual(await failing(supplier), [], 'replaced')
})

/** A reservation whose delivery fails since that minute. */
async function bookInVain({ db, clock }: TestGateway, book: () => Promise<unknown>): Promise<void> {
  await book()
  await db.query(`update delivery set first_failed_at = $1, attempts = 5 where first_failed_at is null`, [
    new Date(clock.now()),
  ])
}

test('a URL for reservations fails no longer when it is removed or replaced', async () => {
  const { gateway, round } = await stage()
  const { supplier, book } = await openShop(gateway)
  await register(supplier, 'pushbook')
  await bookInVain(gateway, book)
  await round(1)
  assert.deepEqual(await failing(supplier), ['pushbook'])
  await register(supplier, 'pushbook', 'second')
  await round(2)
  assert.deepEqual(await failing(supplier), [], 'replaced')

  await bookInVain(gateway, book)
  await round(3)
  assert.deepEqual(await failing(supplier), ['pushbook'])
  await remove(supplier, 'pushbook')
  await round(4)
  assert.deepEqual(await failing(supplier), [], 'removed')
})

test('a reservation that another URL of the account accepted hides no failures', async () => {
  const { gateway, round } = await stage()
  const { supplier: one, book } = await openShop(gateway)
  const other = await gateway.supplier('Acme')
  await register(one, 'pushbook', 'one')
  await register(other, 'pushbook', 'other')
  await bookInVain(gateway, book)
  const accept = (keyId: number) =>
    gateway.db.query(
      `with accepted as (
         insert into delivery select (jsonb_populate_record(delivery, jsonb_build_object('id', gen_random_uuid(),
           'status', 'delivered', 'delivered_at', $2::timestamptz, 'endpoint', case when $1 = $3 then endpoint else 1 end))).*
         from delivery limit 1 returning id
       )
       insert into delivery_attempt (delivery_id, attempt, at, trigger, message_id, duration_ms, outcome)
       select id, 1, $2, 'realtime', 'm', 9, 'accepted' from accepted`,
      [keyId, new Date(gateway.clock.now()), one.keyId],
    )
  await accept(other.keyId)
  await round(1)
  assert.deepEqual(await failing(one), ['pushbook'])
  await accept(one.keyId)
  await round(2)
  assert.deepEqual(await failing(one), [])
})
