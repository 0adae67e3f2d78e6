import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, gatewayForTests } from '../../../test/stage/harness.ts'
import type { TestAddress } from '../../../test/stage/postgres.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { migrate } from '../../postgres/schema/migrate.ts'
import { preparePartitions } from './housekeeping.ts'

const migration = '0029_push_log_row.sql'

/** The log as it was before the migration, without its indexes. */
const formerLog = `
  drop table push_log;
  drop type push_kind, push_outcome;
  create table push_log (
    at timestamptz not null, id bigint generated always as identity, supplier_id int not null, key_id int,
    request_id text not null, kind text not null, hotel_id int, hotel_ids int[], hotel_code text, outcome text not null,
    problems jsonb, status smallint not null, revision bigint, cells_changed int not null default 0,
    duration_ms int not null default 0, body_bytes int not null, body_encoding text not null, body bytea,
    answer_encoding text not null, answer bytea, warnings jsonb, batch bigint, body_from int, answer_from int,
    answer_length int
  ) partition by range (at)`

const uuid = '01932d6c-9f2e-7c41-8a9e-5b1d2c3e4f50'
const summary = { count: 2, types: ['ROOM_NOT_FOUND', 'REQUIRED'], message: 'RoomID not found' }

test('a log of the former shape is rewritten: every row reads as before, and ids go on', async () => {
  let address: TestAddress | undefined
  const gateway = await gatewayForTests({ through: (database) => (address = database) })
  const supplier = await gateway.supplier('rewritten')
  await pushStoryHotel(supplier, { hotelId: 'H1' })
  const { db, clock } = gateway
  await db.query(formerLog)
  await preparePartitions(db, clock.now())
  const day = 24 * 60 * 60 * 1000
  await db.query(
    `insert into push_body_batch (batch, at, bytes) overriding system value
     values (900000, instant($1), convert_to('{"in":"batch"}{"code":"207"}', 'UTF8'))`,
    [clock.now()],
  )
  await db.query(
    `insert into push_log (at, supplier_id, key_id, request_id, kind, hotel_id, hotel_code, outcome, problems, warnings, status,
       revision, cells_changed, duration_ms, body_bytes, body_encoding, body, answer_encoding, answer, batch, body_from,
       answer_from, answer_length)
     select instant(ms), key.supplier_id, key.id, request, kind, hotel.id, 'H1', outcome, problems, warnings, status, 7, cells, 3,
       14, body_encoding, convert_to(body, 'UTF8'), answer_encoding, convert_to(answer, 'UTF8'), batch, body_from, answer_from,
       answer_length
     from api_key as key join hotel using (supplier_id)
     cross join (values
       (1, $2::float8, 'own-id', 'ari', 'applied', null::jsonb, null::jsonb, 200, 5, 'identity', '{"in": "row"} ', 'plain.1', '',
         null::bigint, null::int, null::int, null::int),
       (2, $3::float8, $4, 'ari', 'partial', $5::jsonb, null, 207, 0, 'batch', null, 'batch', null, 900000, 0, 14, 14),
       (3, $3::float8 - 40 * 86400000::float8, 'in-rest', 'products', 'rejected', null, $5::jsonb, 400, 0, 'identity', '{"in": "row"} ',
         'identity', '{"code":"400"}', null, null, null, null)
     ) as pushed (place, ms, request, kind, outcome, problems, warnings, status, cells, body_encoding, body, answer_encoding, answer,
       batch, body_from, answer_from, answer_length)
     where key.id = $1 order by place`,
    [supplier.keyId, clock.now() - day, clock.now(), uuid, JSON.stringify(summary)],
  )
  await db.query('delete from schema_migration where name = $1', [migration])
  assert.ok(address)
  assert.deepEqual((await migrate(address)).applied, [migration])
  // Later migrations added it to the log that this test replaced.
  await db.query('alter table push_log add column before bytea')

  const { rows } = await db.query(`select id, request_uuid is null as "isText" from push_log order by id`)
  assert.deepEqual(
    rows.map(({ id, isText }) => [id, isText]),
    [
      [1, true],
      [2, false],
      [3, true],
    ],
  )
  const { body: list } = expectOk(await supplier.get('/push/log'))
  const pushes: Record<string, unknown>[] = Array.from(Object(list).pushes)
  assert.deepEqual(
    pushes.map(({ requestId, kind, outcome, status, problems, warnings, cellsChanged }) => [
      requestId,
      kind,
      outcome,
      status,
      problems,
      warnings,
      cellsChanged,
    ]),
    [
      [uuid, 'ari', 'partial', 207, summary, null, 0],
      ['own-id', 'ari', 'applied', 200, null, null, 5],
      ['in-rest', 'products', 'rejected', 400, null, summary, 0],
    ],
  )
  const read = async (requestId: string) => {
    const { push } = Object(expectOk(await supplier.get(`/push/log/${requestId}`)).body)
    return [push.body, push.answer.code, push.answer.summary?.cellsChanged]
  }
  assert.deepEqual(await read(uuid), [{ in: 'batch' }, '207', undefined])
  assert.deepEqual(await read('own-id'), [{ in: 'row' }, '200', 5])
  assert.deepEqual(await read('in-rest'), [{ in: 'row' }, '400', undefined])

  // Another process: connections of this one have statements on the types that were dropped above.
  const other = client((await gateway.second()).url, { 'x-api-key': supplier.apiKey })
  expectOk(await other.post('/push/hotels', [hotel]))
  const { rows: newest } = await db.query('select max(id) as id from push_log')
  assert.deepEqual(newest, [{ id: 4 }])
})

const hotel = {
  hotelId: 'H1',
  hotelName: 'Changed',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}
