import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type pg from 'pg'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { selectFew } from './narrow.ts'
import { selectReservations, type ReservationFilter } from './reservation-filter.ts'

/** No filter reads all reservations where few match, however old those are. */

const gateway = await gatewayForTests()
const { db } = gateway
const count = 20_000
/** The first ones match; a search from the newest on would pass by all others. */
const matching = 5
/** What the scans of a search may read together; each reservation found has a version, a delivery and an account. */
const rowsMax = 20 * matching

const ids = { supplierId: 0, hotelId: 0 }
before(async () => {
  await openShop(gateway, 'Few')
  await openShop(gateway, 'Many')
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    `select supplier.id as "supplierId", hotel.id as "hotelId" from hotel join supplier on supplier.id = supplier_id
     order by supplier.name`,
  )
  Object.assign(ids, rows[0])
  const values = [
    rows[0]?.supplierId,
    rows[0]?.hotelId,
    rows[1]?.supplierId,
    rows[1]?.hotelId,
    matching,
    count,
  ]
  await db.query(
    `with made as (
       insert into reservation (supplier_id, hotel_id, status, version, arrival, departure, rooms, currency,
         total_after_tax, created_at, modified_at, client_reference, channel)
       select case when no <= $5 then $1::int else $3::int end, case when no <= $5 then $2::int else $4::int end,
         case when no <= $5 then 'Cancel' else 'Confirm' end, 1,
         case when no <= $5 then date '2027-01-10' else date '2027-02-10' + no % 300 end,
         case when no <= $5 then date '2027-01-12' else date '2027-02-12' + no % 300 end, 1, 'USD', 100,
         timestamptz '2026-01-01Z' + no * interval '1 minute',
         timestamptz '2026-01-01Z' + case when no <= $5 then interval '300 days' else no * interval '1 minute' end,
         case when no <= $5 then 'few' else 'guest' || no end, case when no <= $5 then 'few' else 'app' end
       from generate_series(1, $6::int) as no
       returning id, hotel_id, supplier_id, status, created_at
     ), written as (
       insert into reservation_version (reservation_id, version, hotel_id, status, at, content)
       select id, 1, hotel_id, status, created_at, jsonb_build_object('customer', jsonb_build_object('email',
         case status when 'Cancel' then 'few@guest.example' else 'guest' || id || '@guest.example' end))
       from made
     )
     insert into delivery (id, supplier_id, hotel_id, reservation_id, version, reservation_status, status, lane, endpoint,
       due_at, leased_until, trigger, arrives_at, created_at, undelivered_since, give_up_at, delivered_at)
     select gen_random_uuid(), supplier_id, hotel_id, id, 1, status, state, 'first', 1, created_at,
       case state when 'sending' then created_at end, 'realtime', created_at, created_at, created_at, created_at,
       case state when 'delivered' then created_at end
     from made cross join lateral (
       select case when status = 'Confirm' then 'delivered'
         else (array['queued', 'sending', 'dead'])[id % 3 + 1] end as state) as standing`,
    values,
  )
  for (const table of ['reservation', 'reservation_version', 'delivery']) await db.query(`analyze ${table}`)
})

type Plan = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** Rows that the plan's scans have read. */
function rowsRead(plan: Plan): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, Plans = [] } = plan
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const own = plan['Node Type'].includes('Scan') ? (rows + removed) * loops : 0
  return own + Plans.reduce((sum, inner) => sum + rowsRead(inner), 0)
}

const none: ReservationFilter = {
  supplierId: undefined,
  hotelId: undefined,
  status: undefined,
  arrivalFrom: undefined,
  arrivalTo: undefined,
  departureFrom: undefined,
  departureTo: undefined,
  createdFromMs: undefined,
  createdUntilMs: undefined,
  modifiedFromMs: undefined,
  delivery: undefined,
  email: undefined,
  clientReference: undefined,
  channel: undefined,
}

/** Of all statements of a search together. */
async function readFor(filter: Partial<ReservationFilter>): Promise<{ found: number; read: number }> {
  const search = { ...none, ...filter, beforeId: undefined, limit: 100 }
  let read = 0
  const explaining: Queryable = {
    query: async <Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) => {
      const text = typeof query === 'string' ? query : query.text
      const { rows } = await db.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (analyze, format json) ${text}`,
        values,
      )
      for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) read += rowsRead(plan)
      return db.query<Row>(text, values)
    },
  }
  const found = await selectReservations(explaining, search, await selectFew(explaining, search))
  return { found: found.length, read }
}

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`)

const filters: Readonly<Record<string, () => Partial<ReservationFilter>>> = {
  supplier: () => ({ supplierId: ids.supplierId }),
  hotel: () => ({ hotelId: ids.hotelId }),
  status: () => ({ status: 'Cancel' }),
  arrivalTo: () => ({ arrivalTo: '2027-01-31' }),
  departureTo: () => ({ departureTo: '2027-01-31' }),
  'arrivalFrom and arrivalTo': () => ({ arrivalFrom: '2027-01-10', arrivalTo: '2027-01-10' }),
  'departureFrom and departureTo': () => ({ departureFrom: '2027-01-12', departureTo: '2027-01-12' }),
  createdTo: () => ({ createdUntilMs: day('2026-01-01') + (matching + 0.5) * 60_000 }),
  modifiedFrom: () => ({ modifiedFromMs: day('2026-10-01') }),
  'delivery that is open': () => ({ delivery: 'dead' }),
  email: () => ({ email: 'FEW@guest.example' }),
  clientReference: () => ({ clientReference: 'few' }),
  channel: () => ({ channel: 'few' }),
}

for (const [name, filter] of Object.entries(filters)) testReads(name, filter)

function testReads(name: string, filter: () => Partial<ReservationFilter>): void {
  test(`by ${name}`, async () => {
    const { found, read } = await readFor(filter())
    assert.ok(found > 0 && found <= matching, `${found} found`)
    assert.ok(read >= found && read <= rowsMax, `${read} rows read`)
  })
}

test('newest first, without a filter: no more than a page', async () => {
  const { found, read } = await readFor({})
  assert.equal(found, 100)
  assert.ok(read < 1_000, `${read} rows read`)
})
