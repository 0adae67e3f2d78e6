import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expectStatus } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestOperator, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

/** Room types and meal plans in the console. */

let admin: TestOperator
let supplier: TestSupplier

const gateway = await gatewayForTests()
before(async () => {
  admin = await gateway.operator('admin')
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
})

async function entry(list: string, key: string): Promise<Record<string, unknown> | undefined> {
  const entries = Object(expectOk(await admin.get('/reference')).body)[list]
  return entries.find((one: Record<string, unknown>) => one['key'] === key)
}

const push = (more: Record<string, unknown>, roomId = 'NEW') =>
  supplier.post('/push/products', { hotelId: 'H1', products: [product(roomId, 'BAR', more)] })

test('each entry has a count of its uses, and its use lists the suppliers', async () => {
  assert.deepEqual(await entry('roomTypes', 'Double'), {
    key: 'Double',
    name: null,
    description: 'Room for two guests with one large bed',
    isRetired: false,
    used: { count: 1, isMore: false },
  })
  const plan = await entry('mealPlans', 'RO')
  assert.deepEqual([plan?.['name'], plan?.['used']], ['Room only', { count: 2, isMore: false }])
  const use = expectOk(await admin.get('/reference/use?list=mealPlans&key=RO')).body
  const { suppliers, hotels, used } = use
  assert.deepEqual(used, { count: 2, isMore: false })
  assert.deepEqual(
    Object.values(Object(suppliers)).map((one) => [Object(one).name, Object(one).uses]),
    [['Acme', 2]],
  )
  assert.deepEqual(
    Object.values(Object(hotels)).map((one) => [Object(one).code, Object(one).name, Object(one).supplier]),
    [['H1', 'Sea View', 'Acme']],
  )
  assert.equal((await admin.get('/reference/use?list=mealPlans&key=ZZ')).status, 404)
})

test('an added entry can be pushed, and appears only once', async () => {
  const added = { list: 'roomTypes', key: 'Igloo', description: 'House of snow' }
  assert.equal((await push({ roomType: 'Igloo' })).status, 400)
  expectStatus(await admin.post('/reference', added), 201)
  expectOk(await push({ roomType: 'Igloo' }))
  assert.deepEqual(problemsOf(await admin.post('/reference', added)), [
    ['/key', 'ENTRY_EXISTS', 'The room type "Igloo" already exists'],
  ])
  const nameless = { list: 'mealPlans', key: 'XB', description: 'Extra breakfast' }
  assert.deepEqual(problemsOf(await admin.post('/reference', nameless)), [
    ['/name', 'REQUIRED', 'A meal plan needs a name as well as a code'],
  ])
  expectStatus(await admin.post('/reference', { ...nameless, name: 'Extra breakfast' }), 201)
  expectOk(await push({ mealPlan: 'XB' }, 'DBL'))
})

test('a retired entry stays valid where it is in use, is refused in new uses, and can be restored', async () => {
  const named = { list: 'mealPlans', key: 'HB' }
  expectOk(await push({ mealPlan: 'HB' }, 'HELD'))
  expectOk(await admin.post('/reference/retire', named))
  assert.equal((await entry('mealPlans', 'HB'))?.['isRetired'], true)
  expectOk(await push({ mealPlan: 'HB' }, 'HELD'))
  assert.equal((await push({ mealPlan: 'HB' }, 'OTHER')).status, 400)
  expectOk(await admin.post('/reference/retire', named))
  expectOk(await admin.post('/reference/bring-back', named))
  expectOk(await push({ mealPlan: 'HB' }, 'OTHER'))
  const { rows } = await gateway.db.query<{ action: string; after: unknown }>(
    `select action, after from audit_log where subject = 'meal plan "HB"' order by id`,
  )
  assert.deepEqual(
    rows.map(({ action, after: is }) => [action, is]),
    [
      ['reference.retire', { isRetired: true, used: { count: 1, isMore: false } }],
      ['reference.bring-back', { isRetired: false }],
    ],
  )
})

test('only admins can change entries', async () => {
  const named = { list: 'roomTypes', key: 'Single' }
  for (const role of ['viewer', 'operator'] as const) {
    const who = await gateway.operator(role)
    expectOk(await who.get('/reference'))
    const replies = [
      await who.post('/reference', { ...named, key: 'Cave', description: 'Room in rock' }),
      await who.post('/reference/retire', named),
      await who.post('/reference/bring-back', named),
    ]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [403, 403, 403],
    )
  }
  assert.equal((await entry('roomTypes', 'Single'))?.['isRetired'], false)
})
