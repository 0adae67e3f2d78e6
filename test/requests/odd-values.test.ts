import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../stage/story.ts'

/** Warnings about values that are applied as sent but are hardly intended. */

let supplier: TestSupplier

const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const ari = [{ ...april, inventory: 4 }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
})

const april = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-03' }

/** The warnings for the only item, as [type, message]. */
async function told(rate: object, more: object = {}): Promise<string[][]> {
  const ari = [{ ...april, rates: [{ rateId: 'BAR', ...rate }] }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, ...more }))
  const [{ status, warnings = [] }] = Object(body['results'])
  assert.notEqual(status, 'rejected')
  return warnings.map(({ type, message, path }: Record<string, string>) => {
    assert.equal(path, '/ari/0')
    return [type, message]
  })
}

const never = (nights: number, min: string, max: string): string[][] => [
  ['NEVER_BOOKABLE', `${nights} nights cannot be booked: ${min} is above ${max}`],
]
const neverOnArrival = (min: string, max: string): string[][] => [
  ['NEVER_BOOKABLE', `No stay can begin on 3 nights: ${min} is above ${max}`],
]

test('a least stay above the longest, by values of one push or of two, can never be booked', async () => {
  const lengths = ['minLengthStay', 'maxLengthStay']
  assert.deepEqual(
    await told({ minLengthStay: 5, maxLengthStay: 3 }),
    never(3, 'minLengthStay', 'maxLengthStay'),
  )
  assert.deepEqual(await told({ maxLengthStay: 5 }), [])
  assert.deepEqual(
    await told({ maxLengthStay: 4 }, { dryRun: true }),
    never(3, lengths[0] ?? '', 'maxLengthStay'),
  )
  assert.deepEqual(await told({ minLengthStay: null, maxLengthStay: null }), [])
  assert.deepEqual(await told({ minStayArrival: 3 }), [])
  assert.deepEqual(await told({ maxStayArrival: 2 }), neverOnArrival('minStayArrival', 'maxStayArrival'))
  assert.deepEqual(await told({ minStayArrival: null }), [])
  assert.deepEqual(
    await told({ minAdvanceDays: 30, maxAdvanceDays: 7 }),
    neverOnArrival('minAdvanceDays', 'maxAdvanceDays'),
  )
})

test('a least stay on arrival above the longest stay through the night, and the reverse, can never be booked', async () => {
  const none = { minLengthStay: null, maxLengthStay: null, minStayArrival: null, maxStayArrival: null }
  const pairs: [string, string][] = [
    ['minStayArrival', 'maxLengthStay'],
    ['minLengthStay', 'maxStayArrival'],
  ]
  for (const [min, max] of pairs) {
    await told(none)
    assert.deepEqual(await told({ [max]: 3 }), [])
    assert.deepEqual(await told({ [min]: 3 }), [])
    assert.deepEqual(await told({ [min]: 5 }), neverOnArrival(min, max))
    assert.deepEqual(await told({ [min]: null }), [])
    assert.deepEqual(await told({ [max]: null, [min]: 5 }), [])
    assert.deepEqual(await told({ [max]: 3 }), neverOnArrival(min, max))
  }
  assert.deepEqual(await told(none), [])
})

const adult = (guests: number, amount: number) => ({ ageCategory: 'adult', guests, amount })
const guest = { pricingModel: 'guest' }
const singleAbove = [['SINGLE_ABOVE_DOUBLE', 'On 3 nights one adult pays more than two']]

test('a price for one adult above that for two gets a warning, whichever was pushed last', async () => {
  assert.deepEqual(await told({ prices: [adult(1, 90), adult(2, 110)] }, guest), [])
  assert.deepEqual(await told({ prices: [adult(2, 80)] }, guest), singleAbove)
  assert.deepEqual(await told({ prices: [adult(1, 85)] }, guest), singleAbove)
  assert.deepEqual(await told({ prices: [adult(1, 80)] }, guest), [])
})

test('a price ten times the previous one, or a tenth of it, gets a warning; other factors get none', async () => {
  const tenfold = (nights: string) => [
    ['ROUND_NUMBER_X10', `${nights} got a price that is ten times, or a tenth of, the previous one`],
  ]
  const unit = { pricingModel: 'unit' }
  assert.deepEqual(await told({ rateId: 'NRF', price: 110 }, unit), [])
  assert.deepEqual(await told({ rateId: 'NRF', price: 1_100 }, unit), tenfold('3 nights'))
  assert.deepEqual(await told({ rateId: 'NRF', price: 1_100 }, unit), [])
  assert.deepEqual(await told({ rateId: 'NRF', price: '110.00' }, unit), tenfold('3 nights'))
  assert.deepEqual(await told({ rateId: 'NRF', price: 1_101 }, unit), [])
  const found = expectOk(await supplier.get('/push/log?problem=ROUND_NUMBER_X10'))
  assert.equal(Object(found.body['pushes']).length, 2)
})

test('a price a hundred times the previous one, or that of the nights beside, gets a warning', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M9' })
  const ask = async (startDate: string, endDate: string, price: unknown) => {
    const ari = [{ roomId: 'DBL', rateId: 'BAR', startDate, endDate, price, inventory: 3 }]
    const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'M9', pricingModel: 'unit', ari }))
    return (
      Object(body['results'])[0].warnings?.map(({ message, type }: Record<string, string>) => [
        type,
        message,
      ]) ?? []
    )
  }
  const X100 = 'ROUND_NUMBER_X100'
  assert.deepEqual(await ask('2027-04-01', '2027-04-04', 110), [])
  assert.deepEqual(await ask('2027-04-02', '2027-04-03', 11_000), [
    [X100, '2 nights got a price that is a hundred times, or a hundredth of, the previous one'],
  ])
  assert.deepEqual(await ask('2027-04-01', '2027-04-04', 110), [
    [X100, '2 nights got a price that is a hundred times, or a hundredth of, the previous one'],
  ])
  assert.deepEqual(await ask('2027-04-08', '2027-04-10', 11_000), [
    [X100, '3 nights got a price that is a hundred times, or a hundredth of, that of the nights beside'],
  ])
  assert.deepEqual(await ask('2027-05-01', '2027-05-31', 9_000), [])
  assert.deepEqual(await ask('2027-05-31', '2027-05-31', 90), [
    [X100, '1 night got a price that is a hundred times, or a hundredth of, the previous one'],
  ])
  const found = expectOk(await supplier.get(`/push/log?problem=${X100}`))
  assert.equal(Object(found.body['pushes']).length, 4)
})

test('price: null and prices: [{ amount: null }] are one: they clear all prices, in both models', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M8' })
  const range = { hotelId: 'M8', startDate: '2027-04-01', endDate: '2027-04-03' }
  const push = (pricingModel: string, rate: object) => {
    const ari = [{ ...april, rates: [{ rateId: 'BAR', ...rate }] }]
    return supplier.post('/push/ari', { hotelId: 'M8', pricingModel, ari })
  }
  const pushed = [
    { pricingModel: 'unit', price: 90 },
    { pricingModel: 'guest', prices: [adult(1, 90)] },
  ]
  for (const pricingModel of ['unit', 'guest'])
    for (const cleared of [{ price: null }, { prices: null }, { prices: [{ amount: null }] }])
      for (const stored of pushed) {
        expectOk(await push(pricingModel, stored))
        assert.equal(expectOk(await push(pricingModel, cleared)).body['code'], '200')
        assert.deepEqual(expectOk(await supplier.post('/push/getAri', range)).body['ari'], [])
      }
})

test('of many such items 100 warnings are listed and the others counted', async () => {
  const ari = Array.from({ length: 130 }, () => ({
    ...april,
    rates: [{ rateId: 'BAR', minLengthStay: 5, maxLengthStay: 3 }],
  }))
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, note: 'x' }))
  const listed = Object(body['results']).filter(({ warnings }: { warnings?: unknown }) => warnings)
  assert.deepEqual([listed.length, body['moreWarnings']], [99, 31])
})

test('a product pushed without its former policies gets a warning that they were cleared', async () => {
  const cancelPolicies = [
    {
      code: 'NR',
      cancelPenalties: [{ noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } }],
    },
  ]
  const push = async (more: object) => {
    const products = [product('DBL', 'BAR', { ...more })]
    const { body } = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
    return Object(body['warnings']).map(({ type, path }: Record<string, string>) => [type, path])
  }
  assert.deepEqual(await push({ cancelPolicies }), [])
  assert.deepEqual(await push({}), [['POLICIES_CLEARED', '/products/0/cancelPolicies']])
  assert.deepEqual(await push({}), [])
  await push({ cancelPolicies })
  assert.deepEqual(await push({ cancelPolicies: [] }), [])
})

test('a product pushed without optional members that it had gets one warning that names them', async () => {
  const push = async (more: object): Promise<unknown> => {
    const products = [product('DBL', 'NRF', { ...more })]
    const { body } = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
    return Object(body['warnings'])
      .filter(
        ({ type = '' }: Record<string, string>) =>
          !['OCCUPANCY_LOWERED', 'INFANTS_STILL_SOLD'].includes(type),
      )
      .map(({ type, message, path }: Record<string, string>) => [type, path, message])
  }
  const cleared = (members: string) => [
    ['CLEARED', '/products/0', `Cleared, because the push left it out: ${members}`],
  ]
  const bare = { mealPlan: undefined, occupancy: { maxOccupancy: 3 } }
  assert.deepEqual(await push({}), [])
  assert.deepEqual(await push({ mealPlan: undefined }), cleared('mealPlan'))
  assert.deepEqual(await push({}), [])
  assert.deepEqual(await push(bare), cleared('mealPlan, occupancy.maxAdult, occupancy.maxChild'))
  assert.deepEqual(await push(bare), [])
  assert.deepEqual(await push({ occupancy: { maxOccupancy: 3, maxChild: 0 } }), [])
  assert.deepEqual(
    await push({ occupancy: { maxOccupancy: 3, maxAdult: 3, maxInfant: 1 } }),
    cleared('occupancy.maxChild'),
  )
  assert.deepEqual(
    await push({ occupancy: { maxOccupancy: 3, maxAdult: 3 } }),
    cleared('occupancy.maxInfant'),
  )
})

/** The warnings for each item of a push, as messages; everything is accepted. */
async function toldOf(hotelId: string, ari: object[], more: object = {}): Promise<string[][]> {
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId, ari, ...more }))
  return Object(body['results']).map(({ warnings = [] }: { warnings?: Record<string, string>[] }) =>
    warnings.filter(({ type }) => type !== 'SUPERSEDED').map(({ type, message }) => `${type}: ${message}`),
  )
}

const rate = (more: object, rateId = 'BAR') => ({ ...april, rates: [{ rateId, ...more }] })
const unit = { pricingModel: 'unit' }

test('a value that a later item corrects gets no warning, nor does one that a newer sequence keeps', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M1' })
  const limits = rate({ minLengthStay: 5, maxLengthStay: 3 })
  assert.deepEqual(await toldOf('M1', [limits, rate({ maxLengthStay: 7 })]), [[], []])
  assert.deepEqual(await toldOf('M1', [{ ...april, inventory: 1 }, rate({ price: 110 })], unit), [[], []])
  assert.deepEqual(await toldOf('M1', [rate({ price: 1_100 }), rate({ price: 110 })], unit), [[], []])
  assert.deepEqual(await toldOf('M1', [rate({ price: 110 }), rate({ price: 1_100 })], unit), [
    [],
    ['ROUND_NUMBER_X10: 3 nights got a price that is ten times, or a tenth of, the previous one'],
  ])
  await toldOf('M1', [rate({ minLengthStay: 2, maxLengthStay: 9 })], { sequence: 20 })
  assert.deepEqual(await toldOf('M1', [limits], { sequence: 10 }), [[]])
})

test('a price on nights of which no inventory is held can never be booked, whatever else the push or an earlier one holds', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M2' })
  const without = (nights: string) => [
    `NEVER_BOOKABLE: ${nights} cannot be booked: there is a price but no inventory`,
  ]
  const inventory = { roomId: 'DBL', date: '2027-04-02', inventory: 0 }
  assert.deepEqual(await toldOf('M2', [rate({ price: 110 })], unit), [without('3 nights')])
  // Sending the same again changes nothing, and is as wrong as before.
  assert.deepEqual(await toldOf('M2', [rate({ price: 110 })], unit), [without('3 nights')])
  // An inventory of zero is not a missing one; and the order of the items doesn't matter.
  assert.deepEqual(await toldOf('M2', [rate({ price: 111 }), inventory], unit), [without('2 nights'), []])
  const flat = { roomId: 'DBL', rateId: 'NRF', date: '2027-04-03', price: 99 }
  assert.deepEqual(await toldOf('M2', [flat], { ...unit, dryRun: true }), [without('1 night')])
  // A rate's own inventory sells where the room has none.
  assert.deepEqual(await toldOf('M2', [rate({ price: 110, inventory: 2 }, 'NRF')], unit), [[]])
  // A price cleared by the same push doesn't count, and restrictions alone give no warning.
  assert.deepEqual(await toldOf('M2', [rate({ price: 120 }), rate({ price: null })], unit), [[], []])
  assert.deepEqual(await toldOf('M2', [rate({ closed: true, minLengthStay: 2 })]), [[]])
  assert.deepEqual(await toldOf('M2', [{ ...april, inventory: 3 }]), [[]])
  assert.deepEqual(await toldOf('M2', [rate({ price: 110 })], unit), [[]])
  // Clearing the inventory makes the stored prices useless; but only a push that sets a price gets the
  // warning.
  assert.deepEqual(await toldOf('M2', [{ ...april, inventory: null }]), [[]])
})

const fixed = (value: number, more: object = {}) => ({
  type: 'CITY_TAX',
  valueType: 'fixed',
  value,
  appliedOn: 'net',
  appliedPer: 'per_person_per_night',
  included: true,
  payNow: true,
  ...more,
})

test('a price below the taxes that it includes can never be booked; one that some party or stay can pay is not told of', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M3' })
  const below = (nights: string) => [
    `NEVER_BOOKABLE: ${nights} cannot be booked: a price is below the taxes that it includes`,
  ]
  const taxes = async (list: object[], products: object[] = []) =>
    expectOk(await supplier.post('/push/taxes', { hotelId: 'M3', taxes: list, products }))
  await toldOf('M3', [{ ...april, inventory: 3 }])
  assert.deepEqual(await toldOf('M3', [rate({ price: 3 })], unit), [[]])
  await taxes([fixed(4)])
  assert.deepEqual(await toldOf('M3', [rate({ price: 3.99 })], unit), [below('3 nights')])
  // Too little for two guests, but enough for one.
  assert.deepEqual(await toldOf('M3', [rate({ price: 4 })], unit), [[]])
  assert.deepEqual(await toldOf('M3', [rate({ prices: [adult(1, 5), adult(2, 7.99)] })], guest), [
    below('3 nights'),
  ])
  assert.deepEqual(await toldOf('M3', [rate({ prices: [adult(2, 8)] })], guest), [[]])
  const child = { ageCategory: 'child', guests: 1, amount: 1 }
  assert.deepEqual(await toldOf('M3', [rate({ prices: [child] })], guest), [[]])
  // A tax per stay costs less per night the longer the stay, an added tax takes nothing from the price, and a
  // dated tax applies to its own nights.
  await taxes([
    fixed(400, { appliedPer: 'per_room_per_stay' }),
    fixed(400, { included: false }),
    fixed(4, { appliedPer: 'per_room_per_night', startDate: '2027-04-02', endDate: '2027-04-02' }),
  ])
  assert.deepEqual(await toldOf('M3', [rate({ price: 3 })], unit), [below('1 night')])
  // Only the rate that has the tax; and a percentage counts on top of a fixed VAT.
  const vat = { type: 'VAT', appliedPer: 'per_room_per_night', included: false, payNow: true }
  const onVat = { type: 'OTHER_TAX', valueType: '%', appliedOn: 'net+vat' }
  await taxes([], [{ rateId: 'NRF', taxes: [fixed(100, vat), fixed(10, onVat)] }])
  assert.deepEqual(await toldOf('M3', [rate({ price: 9 })], unit), [[]])
  assert.deepEqual(await toldOf('M3', [rate({ price: 9.99 }, 'NRF')], unit), [below('3 nights')])
  assert.deepEqual(await toldOf('M3', [rate({ price: 10 }, 'NRF')], unit), [[]])
})

test('a departure rule is told to be unused where it stands on no day on which anybody could leave', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M4' })
  const ctd = (date: string, endDate = date) => ({
    roomId: 'DBL',
    startDate: date,
    endDate,
    rates: [{ rateId: 'BAR', closedToDeparture: true }],
  })
  const unused = (days: string) => [
    `DEPARTURE_RULE_UNUSED: closedToDeparture has no effect on ${days}: the night before is not on sale`,
  ]
  assert.deepEqual(await toldOf('M4', [ctd('2027-04-02', '2027-04-03')]), [unused('2 days')])
  const sold = { ...april, startDate: '2027-03-31', endDate: '2027-04-02', inventory: 2 }
  await toldOf('M4', [{ ...sold, rates: [{ rateId: 'BAR', price: 110 }] }], unit)
  // The night before 31 March is not sold; the one before 1 April is, in another month; in a range one such
  // day is enough.
  assert.deepEqual(await toldOf('M4', [ctd('2027-03-31')]), [unused('1 day')])
  assert.deepEqual(await toldOf('M4', [ctd('2027-04-01')]), [[]])
  assert.deepEqual(await toldOf('M4', [ctd('2027-03-28', '2027-04-01')]), [[]])
  // Guests can leave on the day after the last night.
  assert.deepEqual(await toldOf('M4', [ctd('2027-04-03')]), [[]])
  assert.deepEqual(await toldOf('M4', [ctd('2027-04-04')], { dryRun: true }), [unused('1 day')])
  // The same push may put the night before on sale.
  const night = { roomId: 'DBL', date: '2027-04-04', inventory: 1, rates: [{ rateId: 'BAR', price: 99 }] }
  assert.deepEqual(await toldOf('M4', [ctd('2027-04-05'), night], unit), [[], []])
  // Lifting a restriction never gives a warning.
  const off = { ...april, rates: [{ rateId: 'NRF', closedToDeparture: false }] }
  assert.deepEqual(await toldOf('M4', [off]), [[]])
})

test('each kind is found in the push log by its type, and a push is applied as if it had none', async () => {
  await pushStoryHotel(supplier, { hotelId: 'M5' })
  await toldOf('M5', [rate({ price: 110, closedToDeparture: true })], unit)
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'M5', startDate: '2027-04-01', endDate: '2027-04-30' }),
  )
  assert.deepEqual(body['ari'], [
    { ...april, rates: [{ rateId: 'BAR', closedToDeparture: true, prices: [{ amount: 110 }] }] },
  ])
  for (const problem of ['NEVER_BOOKABLE', 'DEPARTURE_RULE_UNUSED']) {
    const found = expectOk(await supplier.get(`/push/log?hotelId=M5&problem=${problem}`))
    assert.deepEqual(
      Object(found.body['pushes']).map(({ outcome }: { outcome: string }) => outcome),
      ['applied'],
      problem,
    )
  }
})
