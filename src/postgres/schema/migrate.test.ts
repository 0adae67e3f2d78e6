import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { untilWaiting } from '../../../test/stage/locks.ts'
import { asAdmin, newTestDatabase, type TestAddress } from '../../../test/stage/postgres.ts'
import { openShop, pushNights } from '../../../test/stage/scenes/booking.ts'
import { isMigrated, migrate, migrateAs, schemaNames } from './migrate.ts'
import { transaction } from '../transaction.ts'

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

test('five processes that start at once on an empty database apply each migration once', async () => {
  const { address: empty, drop } = await newTestDatabase()
  try {
    const starts = await Promise.all(Array.from({ length: 5 }, () => migrate(empty)))
    const applied = starts.flatMap((migrated) => migrated.applied)
    assert.deepEqual(applied.sort(), await schemaNames())
  } finally {
    await drop()
  }
})

test('with ARI_MIGRATE=off, missing migrations are named with the remedy, and nothing is changed', async () => {
  const { address: empty, drop } = await newTestDatabase()
  const names = await schemaNames()
  const last = names.at(-1) ?? ''
  const remedy = 'and ARI_MIGRATE is off: run "ari migrate" of this version first'
  try {
    await assert.rejects(migrateAs('off', empty), {
      message: `The database lacks ${names.length} migrations: ${names.join(', ')}, ${remedy}`,
    })
    assert.equal(await isMigrated(empty), false)
    await migrateAs('auto', empty)
    assert.deepEqual(await migrateAs('off', empty), { applied: [], version: last })
    await asAdmin(empty, `delete from schema_migration where name = '${last}'`)
    await assert.rejects(migrateAs('off', empty), {
      message: `The database lacks the migration ${last}, ${remedy}`,
    })
  } finally {
    await drop()
  }
})

test('an older version runs on a newer schema that only adds, and stops on any other with both versions and the way back', async () => {
  assert.ok(address)
  const { supplier } = await openShop(gateway, 'Rolling')
  const names = await schemaNames()
  // As the next version would have left it.
  await gateway.db.query(`alter table hotel add column later text; create table later (id int primary key);
    insert into schema_migration (name, checksum, expands) values ('9998_later.sql', 'x', true)`)
  for (const choice of ['auto', 'off'] as const)
    assert.deepEqual(await migrateAs(choice, address), { applied: [], version: '9998_later.sql' })
  await pushNights(supplier, { inventory: 5 })
  await gateway.db.query("insert into schema_migration (name, checksum) values ('9999_contracts.sql', 'x')")
  for (const choice of ['auto', 'off'] as const)
    await assert.rejects(migrateAs(choice, address), {
      message: `The database's schema is at 9999_contracts.sql, but this version only knows it up to ${names.at(-1)}: start the newer version again, or restore the backup from before the upgrade into an empty database (ari backup restore)`,
    })
})

test('a user who may neither create nor grant roles migrates too', async () => {
  const { address: empty, drop } = await newTestDatabase()
  const user = `limited_${empty.database}`
  try {
    // Other databases of the server have made the role already.
    await migrate(empty)
    await asAdmin(
      empty,
      `drop schema public cascade; create role ${user}; create schema public authorization ${user}`,
    )
    // The server has one login, which takes the other user's rights.
    await asAdmin(empty, `alter database ${empty.database} set role = ${user}`)
    assert.deepEqual((await migrate(empty)).applied, await schemaNames())
  } finally {
    await asAdmin(empty, `set role none; drop owned by ${user} cascade; drop role ${user}`)
    await drop()
  }
})
