import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel, storyHotel } from '../../../test/stage/story.ts'

/** A rule's amount belongs to the currency in which it was made: it bounds no prices of another one. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
const admin = await gateway.operator('admin')

type Fields = Record<string, unknown>

const floor = (more: Fields = {}): Fields => ({ kind: 'priceFloor', amount: 70, action: 'reject', ...more })

/** Each step a minute later: what was set before what is told by the time. */
let minute = 0
const later = (): void => gateway.clock.set(`2027-03-01T13:${String(++minute).padStart(2, '0')}:00Z`)

async function guarded(name: string, body: Fields): Promise<TestSupplier> {
  const supplier = await gateway.supplier(name)
  await pushStoryHotel(supplier)
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  await setGuard(supplier, body)
  return supplier
}

async function setGuard(supplier: TestSupplier, body: Fields): Promise<unknown> {
  later()
  return expectOk(await supplier.post('/push/guard', body)).body['warnings']
}

async function sellIn(supplier: TestSupplier, currency: string, hotelId = 'H1'): Promise<unknown> {
  later()
  const { body } = expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId, currency })]))
  const warnings: Fields[] = Object(body)['warnings']
  return warnings
    .filter(({ type }) => type === 'GUARD_RULE_LAPSED')
    .map(({ path, message }) => [path, message])
}

/** Whether a price of 60 is refused by the guard. */
async function refuses(supplier: TestSupplier, hotelId = 'H1'): Promise<boolean> {
  const ari = [{ roomId: 'DBL', date: '2027-04-10', inventory: 2, rates: [{ rateId: 'BAR', price: 60 }] }]
  const push = { hotelId, pricingModel: 'unit', ari, dryRun: true }
  const { body } = await supplier.post('/push/ari', push)
  const [{ errors = [] }] = Object(body)['results']
  return errors.some(({ type }: Fields) => type === 'GUARD_REJECTED')
}

async function warned(supplier: TestSupplier, query = ''): Promise<unknown> {
  const { body } = expectOk(await supplier.get(`/push/guard${query}`))
  const { warnings } = Object(body)
  return warnings?.map(({ type, path, message }: Fields) => [type, path, message])
}

const changed = [
  '/0/currency',
  '1 rule of the guard has an amount in USD and is no longer applied to this hotel',
]

test('an amount of the account’s rules is not taken for one of the currency that a hotel changed to, and both sides are told', async () => {
  const supplier = await guarded('account', {
    rules: [{ kind: 'priceDrop', percent: 50, action: 'warn' }, floor()],
  })
  assert.deepEqual([await refuses(supplier), await refuses(supplier, 'H2')], [true, true])
  assert.equal(await warned(supplier), undefined)
  assert.deepEqual(await sellIn(supplier, 'JPY'), [changed])
  assert.deepEqual([await refuses(supplier), await refuses(supplier, 'H2')], [false, true])
  const ofHotel = [
    [
      'GUARD_RULE_LAPSED',
      '/rules/1/amount',
      'priceFloor 70 was set before the hotel changed its currency to JPY, and is not applied',
    ],
  ]
  assert.deepEqual(await warned(supplier, '?hotelId=H1'), ofHotel)
  assert.equal(await warned(supplier, '?hotelId=H2'), undefined)
  const ofAccount = [
    [
      'GUARD_RULE_LAPSED',
      '/rules/1/amount',
      'priceFloor 70 was set before H1 changed its currency to JPY, and is not applied there',
    ],
  ]
  assert.deepEqual(await warned(supplier), ofAccount)
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [
    'account',
  ])
  const { body } = expectOk(await admin.get(`/suppliers/${rows[0]?.id}/guard`))
  assert.deepEqual(body['lapsed'], [{ rule: 1, hotelIds: ['H1'], hotels: 1 }])
})

test('the same rules, sent once more, are meant for the currency of now', async () => {
  const supplier = await guarded('renewed', { rules: [floor()] })
  await sellIn(supplier, 'JPY')
  assert.equal(await refuses(supplier), false)
  assert.equal(await setGuard(supplier, { rules: [floor()] }), undefined)
  assert.equal(await refuses(supplier), true)
  assert.equal(await warned(supplier, '?hotelId=H1'), undefined)
})

test('a hotel’s own rules lapse like those of the account; rules with a currency apply again with it', async () => {
  const supplier = await guarded('own', {
    hotelId: 'H1',
    rules: [floor(), floor({ amount: 65, currency: 'USD' })],
  })
  assert.deepEqual(await sellIn(supplier, 'JPY'), [
    ['/0/currency', '2 rules of the guard have an amount in USD and are no longer applied to this hotel'],
  ])
  assert.equal(await refuses(supplier), false)
  assert.equal(
    Object(await warned(supplier, '?hotelId=H1')).length,
    1,
    'the other one says by itself where it applies',
  )
  assert.equal(await warned(supplier), undefined, 'the account has no rules')
  assert.deepEqual(await sellIn(supplier, 'USD'), [])
  assert.equal(await refuses(supplier), true, 'by the rule that names the currency')
})

test('rules are refused as before', async () => {
  const supplier = await guarded('refused', { rules: [] })
  const wrong = await supplier.post('/push/guard', { rules: [floor({ amount: 0 })] })
  assert.deepEqual(problemsOf(wrong), [
    ['/rules/0/amount', 'GUARD_BOUND_INVALID', 'amount must be above 0, with at most 3 decimals'],
  ])
})
