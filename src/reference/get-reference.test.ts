import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { shippedCancelCodes as cancelCodes } from './cancel-codes.ts'
import { mealPlans, roomTypes } from './shipped-lists.ts'
import { currencies } from './currencies.ts'
import { fillReference } from './store.ts'

const gateway = await gatewayForTests()

const by =
  (member: string) =>
  (one: object, other: object): number =>
    String(Reflect.get(one, member)) < String(Reflect.get(other, member)) ? -1 : 1

test('a supplier reads the shipped room types, meal plans, currencies and cancellation codes', async () => {
  const supplier = await gateway.supplier('reader')
  const { status, body } = await supplier.get('/push/reference')
  assert.equal(status, 200)
  const { roomTypes: types, mealPlans: plans, ...others } = body
  assert.deepEqual(others, {
    code: '200',
    message: 'Reference data retrieved successfully',
    currencies,
    cancelCodes,
  })
  assert.ok(Array.isArray(types) && Array.isArray(plans))
  assert.deepEqual(types.toSorted(by('name')), roomTypes.toSorted(by('name')))
  assert.deepEqual(plans.toSorted(by('code')), mealPlans.toSorted(by('code')))
})

test('edits, additions and retirements by operators survive a restart; missing entries are added', async () => {
  const fresh = await gatewayForTests()
  await fresh.db.query(`update room_type set description = 'Edited' where name = 'Double'`)
  await fresh.db.query(`update room_type set retired_at = now() where name = 'Twin'`)
  await fresh.db.query(`delete from room_type where name = 'Villa'`)
  await fresh.db.query(`insert into meal_plan (code, name, description) values ('XYZ', 'Own', 'Own plan')`)
  await Promise.all(Array.from({ length: 4 }, () => fillReference(fresh.db)))
  const { body } = await (await fresh.supplier('reader')).get('/push/reference')
  const { roomTypes: types, mealPlans: plans } = body
  assert.ok(Array.isArray(types) && Array.isArray(plans))
  assert.deepEqual(
    types
      .filter(({ name }) => ['Double', 'Twin', 'Villa'].includes(name))
      .map(({ name, description }) => [name, description]),
    [
      ['Double', 'Edited'],
      ['Villa', roomTypes.find(({ name }) => name === 'Villa')?.description],
    ],
  )
  assert.deepEqual([types.length, plans.length], [roomTypes.length - 1, mealPlans.length + 1])
})
