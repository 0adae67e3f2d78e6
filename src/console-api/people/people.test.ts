import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply, type TestOperator } from '../../../test/stage/harness.ts'
import { said } from '../../../test/stage/sign-in.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { managedPeopleMax } from './contract.ts'

const gateway = await gatewayForTests()

/** A supplier of its own with a manager, and the path of its people. */
async function supplierWithManager(
  name: string,
): Promise<{ path: string; id: number; manager: TestOperator }> {
  await gateway.supplier(name)
  const { rows } = await gateway.db.query<{ id: number }>('select max(id) as id from supplier')
  const id = rows[0]?.id ?? 0
  return { id, path: `/suppliers/${id}/people`, manager: await gateway.operator('operator', id) }
}

const short = (reply: Reply): unknown[] => [said(reply).status, said(reply).type]

test('a manager lets people in again whom managers shut out, but none whom the platform shut out', async () => {
  const { path, id, manager } = await supplierWithManager('Cut Off')
  const { operatorId: personId } = await gateway.operator('operator', id)
  const platform = await gateway.operator('operator')
  const change = (by: TestOperator, step: string) => by.post(`${path}/${personId}/${step}`, undefined)
  const refused = [409, 'DISABLED_BY_PLATFORM']

  for (const step of ['disable', 'enable']) expectOk(await change(manager, step))
  const { person } = expectOk(await change(platform, 'disable')).body
  assert.equal(Object(person).disabledByPlatform, true)
  assert.deepEqual(short(await change(manager, 'enable')), refused)
  // Nor after one of their own.
  expectOk(await change(manager, 'disable'))
  assert.deepEqual(short(await change(manager, 'enable')), refused)

  expectOk(await change(platform, 'enable'))
  for (const step of ['disable', 'enable']) expectOk(await change(manager, step))
})

test('managers make a limited number of people, simultaneous ones too; the platform adds more', async () => {
  const { path, id, manager } = await supplierWithManager('Crowd')
  const others = await gateway.db.query(
    `insert into operator (name, name_key, role, supplier_id, created_at, disabled_at)
     select name, name, 'viewer', $1, now(), now()
     from (select 'crowd ' || n as name from generate_series(1, $2) as n) as names`,
    [id, managedPeopleMax - 3],
  )
  assert.equal(others.rowCount, managedPeopleMax - 3)
  const add = (by: TestOperator, name: string) => by.post(path, { name, role: 'viewer' })
  const replies = await Promise.all([1, 2, 3, 4, 5].map((n) => add(manager, `crowd+${n}@example.com`)))
  assert.deepEqual(
    replies.map(short).toSorted((a, b) => Number(a[0]) - Number(b[0])),
    [[200, undefined], [200, undefined], ...Array.from({ length: 3 }, () => [409, 'ENOUGH_PEOPLE'])],
  )
  expectOk(await add(await gateway.operator('operator'), 'crowd+6@example.com'))
})
