import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { push } from '../../test/stage/scenes/offers.ts'
import { vat } from '../../test/stage/taxes/taxes.ts'
import { expectOk, pushStoryHotel, storyHotel } from '../../test/stage/story.ts'

/** What an accepted push of taxes is told. */

const gateway = await gatewayForTests({ now: '2027-04-10T12:00:00Z' })
let suppliers = 0

async function storySupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`warned ${++suppliers}`)
  await pushStoryHotel(supplier)
  return supplier
}

const stay = { ...vat, type: 'CITY_TAX', valueType: 'fixed', value: 120, included: true }

async function taxed(supplier: TestSupplier, taxes: object[], products?: object[]): Promise<unknown> {
  return warningsOf(expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes, products })))
}

function warningsOf({ body }: Reply): unknown {
  const { warnings } = body
  return Array.isArray(warnings) ? warnings.map(({ type, path, message }) => [type, path, message]) : warnings
}

test('taxes that exceed stored prices say how many nights they take off sale, once', async () => {
  const supplier = await storySupplier()
  const nights = (startDate: string, endDate: string) => ({ roomId: 'DBL', startDate, endDate, inventory: 1 })
  const adults = (guests: number, amount: number) => ({ ageCategory: 'adult', guests, amount })
  await push(supplier, [
    {
      ...nights('2027-04-09', '2027-04-12'),
      rates: [{ rateId: 'BAR', prices: [adults(1, 90), adults(2, 140)] }],
    },
    { ...nights('2027-04-20', '2027-04-21'), rates: [{ rateId: 'NRF', prices: [adults(2, 100)] }] },
    { ...nights('2027-05-01', '2027-05-01'), rates: [{ rateId: 'NRF', prices: [adults(2, 130)] }] },
  ])
  const exceeded = (count: number) => [
    [
      'TAXES_EXCEED_PRICE',
      '',
      `${count} stored nights can no longer be sold: a price is below the taxes that it includes`,
    ],
  ]
  // Three nights of BAR from today on, at 90 for one adult, and two of NRF.
  assert.deepEqual(await taxed(supplier, [stay]), exceeded(5))
  assert.equal(await taxed(supplier, [stay]), undefined)
  // The five were below the floor before.
  assert.deepEqual(await taxed(supplier, [{ ...stay, value: 135 }]), [
    [
      'TAXES_EXCEED_PRICE',
      '',
      '1 stored night can no longer be sold: a price is below the taxes that it includes',
    ],
  ])
  assert.deepEqual(await taxed(supplier, []), [
    [
      'PRICES_ON_SALE_AGAIN',
      '',
      '6 stored nights can be sold again: a price was below the taxes that it included',
    ],
  ])
  assert.deepEqual(
    await taxed(
      supplier,
      [],
      [
        {
          roomId: 'DBL',
          rateId: 'NRF',
          taxes: [{ ...stay, endDate: '2027-04-20', startDate: '2027-04-20' }],
        },
      ],
    ),
    [
      [
        'TAXES_EXCEED_PRICE',
        '',
        '1 stored night can no longer be sold: a price is below the taxes that it includes',
      ],
    ],
  )
})

test('prices of a former currency are not counted: they cannot be sold anyway', async () => {
  const supplier = await storySupplier()
  await push(supplier, [
    {
      roomId: 'DBL',
      startDate: '2027-04-20',
      endDate: '2027-04-21',
      rates: [{ rateId: 'BAR', prices: [{ ageCategory: 'adult', guests: 2, amount: 100 }] }],
    },
  ])
  expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'JPY' })]))
  assert.equal(await taxed(supplier, [stay]), undefined)
})

test('one type twice in a scope warns where both apply to a night, and a percentage above 100 always', async () => {
  const supplier = await storySupplier()
  const percent = { ...vat, value: 5 }
  const summer = { ...percent, startDate: '2027-06-01', endDate: '2027-08-31' }
  const winter = { ...percent, startDate: '2027-09-01', endDate: '2027-12-31' }
  assert.equal(await taxed(supplier, [summer, winter, { ...percent, type: 'OTHER_TAX' }]), undefined)
  assert.equal(await taxed(supplier, [percent], [{ roomId: 'DBL', taxes: [percent] }]), undefined)
  const repeated = (path: string, first: string) => [
    'TAX_TYPE_REPEATED',
    path,
    `VAT is charged twice on the same nights: ${first} applies to them too`,
  ]
  assert.deepEqual(await taxed(supplier, [summer, { ...winter, startDate: '2027-08-31' }]), [
    repeated('/taxes/1', '/taxes/0'),
  ])
  assert.deepEqual(await taxed(supplier, [], [{ rateId: 'BAR', taxes: [percent, percent] }]), [
    repeated('/products/0/taxes/1', '/products/0/taxes/0'),
  ])
  assert.deepEqual(await taxed(supplier, [{ ...percent, value: '190.50' }]), [
    ['TAX_PERCENT_HIGH', '/taxes/0/value', 'VAT of 190.5 % is more than the price'],
  ])
  assert.equal(await taxed(supplier, [{ ...percent, value: 100 }]), undefined)
})
