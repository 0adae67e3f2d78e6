import { randomBytes } from 'node:crypto'
import { openLog } from '../../src/base/log.ts'
import { migrate } from '../../src/postgres/schema/migrate.ts'
import { openDatabase } from '../../src/postgres/postgres.ts'
import { preparePartitions } from '../../src/push-log/bodies/housekeeping.ts'
import { fillReference } from '../../src/reference/store.ts'
import { asAdmin, type TestAddress } from './postgres.ts'

/** Monday; at 12:00 UTC the date is the same from −11 to +11. */
export const testNow = '2027-03-01T12:00:00Z'

/** The variable that tells test files about a template made for all of them. */
export const templateVariable = 'ARI_TEST_TEMPLATE'

/** A migrated database of which every gateway gets a copy. */
export async function makeTemplate(address: TestAddress): Promise<string> {
  const name = `template_${randomBytes(8).toString('hex')}`
  await asAdmin(address, `create database ${name}`)
  const database = { ...address, database: name }
  await migrate(database)
  const db = openDatabase(database, openLog('fatal'))
  await fillReference(db)
  await preparePartitions(db, Date.parse(testNow))
  // Each copy is a store that nobody has opened yet, not one that was replaced.
  await db.query(
    'update store_epoch set (system_identifier, timeline, database_oid, table_oid) = (null, null, null, null)',
  )
  await db.close()
  return name
}
