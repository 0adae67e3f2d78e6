import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/harness.ts'
import { untilWaiting } from '../../test/locks.ts'
import type { TestAddress } from '../../test/postgres.ts'
import { openShop, pushNights } from '../../test/booking.ts'
import { migrate } from './migrate.ts'
import { transaction } from './transaction.ts'

let address: TestAddress | undefined
const gateway = await gatewayForTests({ through: (database) => (address = database) })

const online = ['0025_many_hotels.sql', '0026_parts_of_words.sql']
const isIndexValid = `select relname as name, indisvalid as "isValid" from pg_index join pg_class on oid = indexrelid
  where relname in ('hotel_by_ari_day', 'hotel_search_by_part') order by 1`
const allValid = [
  { name: 'hotel_by_ari_day', isValid: true },
  { name: 'hotel_search_by_part', isValid: true },
]

/** To the schema before the migrations that index the hotels. */
async function goBack(): Promise<void> {
  await gateway.db.query(`drop index hotel_by_ari_day, hotel_by_ari_end, hotel_by_currency, hotel_by_country,
    hotel_without_products, hotel_unavailable, hotel_search_by_supplier, hotel_search_newest, hotel_search_by_part`)
  await gateway.db.query('update hotel set ari_day = 0')
  await gateway.db.query('delete from schema_migration where name = any($1::text[])', [online])
}

test('a migration that indexes the hotels lets pushes through, however long it takes, whoever else starts', async () => {
  assert.ok(address)
  const database = address
  const { supplier } = await openShop(gateway)
  const { rows: before } = await gateway.db.query('select id, ari_day from hotel')
  await goBack()
  // The migrations end after this transaction, as they do with indexes that take minutes.
  const migrations = await transaction(gateway.db, async (connection) => {
    await connection.query('lock table hotel, hotel_search in row exclusive mode')
    const starts = Promise.all([migrate(database), migrate(database)])
    await untilWaiting(gateway.db, () => 1)
    await pushNights(supplier, { inventory: 7 })
    return { starts }
  })
  const applied = (await migrations.starts).flatMap((migrated) => migrated.applied)
  assert.deepEqual(applied.sort(), online)
  assert.deepEqual((await gateway.db.query(isIndexValid)).rows, allValid)
  assert.deepEqual((await gateway.db.query('select id, ari_day from hotel')).rows, before)
})

test('a migration that was interrupted while it created an index creates it again', async () => {
  assert.ok(address)
  await goBack()
  await gateway.db.query('create index hotel_by_ari_day on hotel (ari_day, id)')
  await gateway.db.query(
    "update pg_index set indisvalid = false where indexrelid = 'hotel_by_ari_day'::regclass",
  )
  assert.deepEqual((await migrate(address)).applied, online)
  assert.deepEqual((await gateway.db.query(isIndexValid)).rows, allValid)
})
