import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { night, nights, outcomesOf, push, readAri, storySupplier } from '../../../test/stage/scenes/ari.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { monthOf, parseNight } from '../../base/calendar.ts'
import { removePastMonths } from './past-months.ts'

const gateway = await gatewayForTests()
const month = (text: string): number => monthOf(parseNight(`${text}-01`) ?? 0)

before(async () => {
  const supplier = await gateway.supplier('months')
  await gateway.db.query(
    `insert into hotel (id, supplier_id, key_id, code, name, currency, is_available, min_child_age, max_child_age,
       time_zone, pushed) overriding system value
     select case when n < 1500 then n else n + 100000 end, supplier_id, id, 'H' || n, 'Hotel', 'EUR', true, 2, 12, 'UTC', '{}'
     from api_key, generate_series(1, 3000) as n where id = $1`,
    [supplier.keyId],
  )
  await gateway.db.query(
    `insert into ari_month (hotel_id, room_no, rate_no, month, written_at, block)
     select id, 1, 1, month, now(), '' from hotel, unnest($1::int[]) as month`,
    [['2027-01', '2027-02', '2027-03', '2027-04'].map(month)],
  )
})

async function stored(): Promise<unknown> {
  const { rows } = await gateway.db.query<{ month: number; hotels: number }>(
    'select month, count(*)::int as hotels from ari_month group by 1 order by 1',
  )
  return rows
}

test('months that are past everywhere are removed for all hotels, whatever their ids', async () => {
  // It is still February in the last zone, and a day later its last day can no longer be pushed.
  assert.equal(await removePastMonths(gateway.db, Date.parse('2027-03-02T11:00:00Z')), 3_000)
  assert.equal(await removePastMonths(gateway.db, Date.parse('2027-03-02T13:00:00Z')), 3_000)
  assert.deepEqual(await stored(), [
    { month: month('2027-03'), hotels: 3_000 },
    { month: month('2027-04'), hotels: 3_000 },
  ])
})

test('until the next month ends, the months are not read again', async () => {
  const { rows } = await gateway.db.query<{ mark: number }>(
    'select months_removed_before as mark from housekeeping_mark',
  )
  assert.equal(rows[0]?.mark, month('2027-03'))
  const query = mock.method(gateway.db, 'query')
  assert.equal(await removePastMonths(gateway.db, Date.parse('2027-03-20T13:00:00Z')), 0)
  const statements = query.mock.calls.map((call) => JSON.stringify(call.arguments))
  query.mock.restore()
  assert.ok(statements.length > 0)
  assert.ok(statements.every((statement) => !statement.includes('ari_month')))
  assert.equal(await removePastMonths(gateway.db, Date.parse('2027-04-20T13:00:00Z')), 3_000)
})

test('a push to a hotel whose months were removed with the clocks ahead is stored', async () => {
  const service = await gatewayForTests()
  const supplier = await storySupplier(service)
  const lastOfMonth = '2027-05-31'
  const pushNight = (inventory: number) => push(supplier, night(lastOfMonth, { inventory }))
  expectOk(await pushNight(6))
  expectOk(await pushNight(5))
  await removePastMonths(service.db, Date.parse('2027-06-03T00:00:00Z'))
  assert.deepEqual(outcomesOf(await pushNight(4)), ['applied 1'])
  assert.deepEqual(await readAri(supplier, lastOfMonth, lastOfMonth), [
    nights(lastOfMonth, lastOfMonth, { inventory: 4 }),
  ])
})
