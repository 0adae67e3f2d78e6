import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { sweep } from './queryable.ts'

const gateway = await gatewayForTests()
before(async () => {
  await gateway.db.query('create table line as select id from generate_series(1, 12000) as id')
})

const statement = 'delete from line where ctid = any(array(select ctid from line where id <= $1 limit $2))'

test('a sweep clears all selected rows and nothing else, batch by batch', async () => {
  assert.equal(await sweep(gateway.db, statement, 11_000), 11_000)
  assert.equal(await sweep(gateway.db, statement, 11_000), 0)
})

test('a sweep ends after a number of batches; the next one clears the rest', async () => {
  await gateway.db.query('insert into line select id from generate_series(1, 6000) as id')
  assert.equal(await sweep(gateway.db, statement, 11_000, { batchesMax: 1 }), 5_000)
  assert.equal(await sweep(gateway.db, statement, 11_000, { batchesMax: 1 }), 1_000)
  const { rows } = await gateway.db.query('select count(*)::int as count from line')
  assert.deepEqual(rows, [{ count: 1_000 }])
})
