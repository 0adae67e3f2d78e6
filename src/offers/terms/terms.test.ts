import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'
import { offersStage, push, vat, cityTax, type Fields } from '../../../test/stage/scenes/offers.ts'

/** What the pushed policies mean for an arrival: codes, several policies at once, gaps, and what a penalty is taken of. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { storySupplier, find } = await offersStage(gateway)

const stay = { checkin: '2027-04-20', checkout: '2027-04-23' }

/** A supplier that sells two adults three nights at 100.00 each. */
async function selling(cancelPolicies: Fields[] | undefined, taxes: Fields[] = []): Promise<TestSupplier> {
  const supplier = await storySupplier()
  await pushed(supplier, cancelPolicies)
  if (taxes.length > 0) expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  const prices = [{ ageCategory: 'adult', guests: 2, amount: 100 }]
  const dates = { startDate: '2027-04-01', endDate: '2027-05-31' }
  await push(supplier, [{ roomId: 'DBL', ...dates, inventory: 5, rates: [{ rateId: 'BAR', prices }] }])
  return supplier
}

/** The warnings of the push, by type, with the path. */
async function pushed(supplier: TestSupplier, cancelPolicies: Fields[] | undefined): Promise<string[]> {
  const products = [product('DBL', 'BAR', cancelPolicies ? { cancelPolicies } : {})]
  const { body } = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const warnings: { type: string; path: string }[] = Object(body)['warnings']
  return warnings.filter(({ type }) => type !== 'POLICIES_CLEARED').map(({ type, path }) => `${type} ${path}`)
}

type Terms = { cancellation: string; freeUntil: string | null; penalties: string[] | null | undefined }

async function termsOf(supplier: TestSupplier, more: Fields = {}): Promise<Terms> {
  const { offers } = await find(supplier, { ...stay, ...more })
  const [{ cancellation, freeUntil, cancelPolicy }] = Object(offers)
  const penalties: { from: string | null; amount: string; noShow?: boolean }[] | null | undefined =
    cancelPolicy === null ? undefined : cancelPolicy.penalties
  return {
    cancellation,
    freeUntil,
    penalties:
      penalties &&
      penalties.map(
        ({ from, amount, noShow }) => `${from ?? 'booking'} ${amount}${noShow ? ' no-show' : ''}`,
      ),
  }
}

const byDeadline = (days: number, penaltyCharge: Fields, deadline = '18:00') => ({
  cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: days, deadline },
  penaltyCharge,
})
const nights = (count: number) => ({ chargeBase: 'NightBase', nights: count })
const percent = (value: number) => ({ chargeBase: 'FullStay', percent: value })
const noShow = (penaltyCharge: Fields) => ({ noShow: true, penaltyCharge })

test('a code of the list without penalties means those of the list, to the second', async () => {
  const expected: [string, Terms][] = [
    ['NRF', { cancellation: 'never', freeUntil: null, penalties: ['booking 300.00'] }],
    ['PNR50', { cancellation: 'never', freeUntil: null, penalties: ['booking 150.00'] }],
    ['PNR1N', { cancellation: 'never', freeUntil: null, penalties: ['booking 100.00'] }],
    ['FREE', { cancellation: 'always', freeUntil: null, penalties: [] }],
    ...(
      [
        ['FLEX', '2027-04-20', '100.00'],
        ['FLEX1', '2027-04-19', '100.00'],
        ['FLEX7FS', '2027-04-13', '300.00'],
        // Summer time begins on 28 March.
        ['FLEX30HALF', '2027-03-21', '150.00'],
      ] as const
    ).map(([code, day, amount]): [string, Terms] => {
      const freeUntil = `${day}T18:00:00+0${day < '2027-03-28' ? 1 : 2}:00`
      return [code, { cancellation: 'until', freeUntil, penalties: [`${freeUntil} ${amount}`] }]
    }),
  ]
  for (const [code, terms] of expected) {
    assert.deepEqual(await termsOf(await selling([{ code }])), terms, code)
    // Nothing in the list is as if it were left out.
    assert.deepEqual(await termsOf(await selling([{ code, cancelPenalties: [] }])), terms, code)
  }
})

test('terms that nobody knows are never shown as free: other codes, fees alone, no policy, no policy for the date', async () => {
  const unknown = { cancellation: 'unknown', freeUntil: null }
  assert.deepEqual(await termsOf(await selling([{ code: 'SUMMER' }])), { ...unknown, penalties: null })
  assert.deepEqual(await termsOf(await selling([{ code: 'CUSTOM' }])), { ...unknown, penalties: null })
  const fees = [{ name: 'Parking', valueType: 'fixed', value: 5, appliedPer: 'per_room_per_stay' }]
  assert.deepEqual(await termsOf(await selling([{ fees }])), { ...unknown, penalties: null })
  assert.deepEqual(await termsOf(await selling(undefined)), { ...unknown, penalties: undefined })
  const dated = [{ code: 'FREE', startDate: '2027-05-01', endDate: '2027-05-31' }]
  const seasonal = await selling(dated)
  assert.deepEqual(await termsOf(seasonal), { ...unknown, penalties: undefined })
  assert.deepEqual(
    (await termsOf(seasonal, { checkin: '2027-05-10', checkout: '2027-05-11' })).cancellation,
    'always',
  )
  // One that is unknown makes all unknown.
  const both = await selling([{ code: 'FREE' }, { code: 'SUMMER' }])
  assert.deepEqual(await termsOf(both), { ...unknown, penalties: null })
})

test('an empty list with a code of one’s own, and without a code, is free cancellation', async () => {
  const free = { cancellation: 'always', freeUntil: null, penalties: [] }
  for (const policy of [{ code: 'SUMMER' }, { code: 'CUSTOM' }, {}])
    assert.deepEqual(await termsOf(await selling([{ ...policy, cancelPenalties: [] }])), free)
})

test('policies without dates count together: by deadline, by no-show and by fee, the highest at each instant', async () => {
  const fee = { name: 'Parking', valueType: 'fixed', value: 5, appliedPer: 'per_room_per_stay' }
  const supplier = await selling([
    {
      code: 'CUSTOM',
      description: 'First',
      cancelPenalties: [byDeadline(7, nights(1)), byDeadline(1, nights(2))],
      fees: [fee],
    },
    {
      cancelPenalties: [byDeadline(3, percent(50)), noShow(percent(100))],
      fees: [fee, { ...fee, name: 'Spa' }],
    },
  ])
  assert.deepEqual(await termsOf(supplier), {
    cancellation: 'until',
    freeUntil: '2027-04-13T18:00:00+02:00',
    penalties: [
      '2027-04-13T18:00:00+02:00 100.00',
      '2027-04-17T18:00:00+02:00 150.00',
      '2027-04-19T18:00:00+02:00 200.00',
      '2027-04-21T00:00:00+02:00 300.00 no-show',
    ],
  })
  const [offer] = (await find(supplier, stay)).offers
  const { code, description } = Object(offer?.cancelPolicy)
  assert.deepEqual([code, description], ['CUSTOM', 'First'])
  const charged: { name: string; amount: string }[] = Object(offer).fees
  assert.deepEqual(
    charged.map(({ name, amount }) => [name, amount]),
    [
      ['Parking', '5.00'],
      ['Spa', '5.00'],
    ],
  )
  assert.deepEqual([Object(offer?.total).feesAtProperty, Object(offer?.total).allIn], ['10.00', '310.00'])
})

test('dated policies that hold the arrival take the place of those without dates, each kind by itself', async () => {
  const easter = { startDate: '2027-04-15', endDate: '2027-04-25' }
  const always = { cancelPenalties: [byDeadline(1, nights(1)), noShow(nights(1))] }
  const nonRefundable = await selling([
    always,
    { ...easter, cancelPenalties: [{ penaltyCharge: percent(100) }] },
  ])
  assert.deepEqual((await termsOf(nonRefundable)).penalties, [
    'booking 300.00',
    '2027-04-21T00:00:00+02:00 100.00 no-show',
  ])
  const stricterNoShow = await selling([always, { ...easter, cancelPenalties: [noShow(percent(100))] }])
  assert.deepEqual((await termsOf(stricterNoShow)).penalties, [
    '2027-04-19T18:00:00+02:00 100.00',
    '2027-04-21T00:00:00+02:00 300.00 no-show',
  ])
  const free = await selling([always, { ...easter, code: 'FREE' }])
  assert.deepEqual(await termsOf(free), {
    cancellation: 'always',
    freeUntil: null,
    penalties: ['2027-04-21T00:00:00+02:00 100.00 no-show'],
  })
})

test('of two penalties at one instant the higher is listed; a passed one means never, whatever follows', async () => {
  const supplier = await selling([
    { cancelPenalties: [byDeadline(3, nights(1)), byDeadline(3, percent(50)), byDeadline(1, percent(0))] },
  ])
  assert.deepEqual((await termsOf(supplier)).penalties, [
    '2027-04-17T18:00:00+02:00 150.00',
    '2027-04-19T18:00:00+02:00 0.00',
  ])
  gateway.clock.set('2027-04-17T15:59:59Z')
  assert.equal((await termsOf(supplier)).cancellation, 'until')
  gateway.clock.set('2027-04-17T16:00:00Z')
  assert.equal((await termsOf(supplier)).cancellation, 'never')
  gateway.clock.set('2027-04-19T17:00:00Z')
  assert.equal((await termsOf(supplier)).cancellation, 'never')
  gateway.clock.set('2027-03-01T12:00:00Z')
})

test('a penalty leaves out what is owed for nights slept, and nights what is charged once a stay', async () => {
  const town = { ...cityTax, included: false, payNow: true }
  const perPerson = { ...town, type: 'OTHER_TAX', value: 1 }
  const local = { ...vat, type: 'LOCAL_TAX', value: 5, included: true }
  const onceAStay = { ...town, type: 'GOV_TAX', value: 9, appliedPer: 'per_room_per_stay' }
  const supplier = await selling(
    [{ cancelPenalties: [byDeadline(3, nights(1)), byDeadline(2, nights(9)), byDeadline(1, percent(100))] }],
    [{ ...vat, included: false }, town, perPerson, local, onceAStay],
  )
  // 100 contains 5 % local tax: net 95.24 a night, 9.52 VAT on top. 3 x 100 - 14.29 + 28.57 + 9.00 once.
  assert.deepEqual((await termsOf(supplier)).penalties, [
    '2027-04-17T18:00:00+02:00 104.76',
    '2027-04-18T18:00:00+02:00 314.28',
    '2027-04-19T18:00:00+02:00 323.28',
  ])
})

test('pushes warn of codes that are contradicted, terms that are unknown, gaps, and penalties that fall', async () => {
  const supplier = await storySupplier()
  const list = '/products/0/cancelPolicies'
  const cases: [Fields[], string[]][] = [
    [[{ code: 'NRF' }, { code: 'FLEX2', cancelPenalties: [byDeadline(2, nights(1))] }], []],
    [[{ code: 'FLEX2', cancelPenalties: [byDeadline(2, nights(1)), noShow(percent(100))] }], []],
    [[{ code: 'CUSTOM', cancelPenalties: [byDeadline(2, nights(1))] }], []],
    [
      [{ code: 'FLEX2', cancelPenalties: [byDeadline(3, nights(1))] }],
      [`POLICY_CODE_CONTRADICTED ${list}/0/cancelPenalties`],
    ],
    [
      [{ code: 'FREE', cancelPenalties: [{ penaltyCharge: percent(100) }] }],
      [`POLICY_CODE_CONTRADICTED ${list}/0/cancelPenalties`],
    ],
    [[{ code: 'SUMMER' }], [`POLICY_TERMS_UNKNOWN ${list}/0/code`]],
    [
      [{ cancelPenalties: [byDeadline(7, percent(50)), byDeadline(1, percent(20))] }],
      [`PENALTIES_FALL ${list}/0/cancelPenalties`],
    ],
    [[{ cancelPenalties: [byDeadline(7, nights(1)), byDeadline(1, percent(20))] }], []],
    [
      [
        { code: 'FREE', startDate: '2027-01-01', endDate: '2027-06-30' },
        { code: 'NRF', startDate: '2027-08-01' },
      ],
      [`POLICY_GAP ${list}`],
    ],
    [[{ code: 'FREE', startDate: '2027-01-01', endDate: '2027-06-30' }, { code: 'NRF' }], []],
  ]
  for (const [policies, warnings] of cases)
    assert.deepEqual(await pushed(supplier, policies), warnings, JSON.stringify(policies))
  const products = [
    product('DBL', 'BAR', {
      cancelPolicies: [
        { code: 'FREE', startDate: '2027-01-01', endDate: '2027-06-30' },
        { code: 'NRF', startDate: '2027-08-01', endDate: '2027-12-31' },
      ],
    }),
  ]
  const { body } = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const [gap] = Object(body['warnings'])
  assert.equal(gap.message, 'No policy holds arrivals 2027-07-01 to 2027-07-31, from 2028-01-01 on')
})

test('the digest of terms is one for a room-rate and an arrival, and changes with the rules alone', async () => {
  const flexible = [{ code: 'FLEX2', description: 'Two days' }]
  const supplier = await selling(flexible, [{ ...cityTax, payNow: false }])
  const digestOf = async (more: Fields = {}): Promise<unknown> =>
    Object(await find(supplier, { ...stay, ...more })).offers[0].termsDigest
  const first = await digestOf()
  assert.match(String(first), /^[\w-]{22}$/)
  // Amounts and texts don't count.
  await push(supplier, [
    {
      roomId: 'DBL',
      date: '2027-04-20',
      rates: [{ rateId: 'BAR', prices: [{ guests: 2, ageCategory: 'adult', amount: 90 }] }],
    },
  ])
  assert.equal(await digestOf({ rooms: [{ adults: 2 }, { adults: 2 }] }), first)
  await pushed(supplier, [
    { code: 'CUSTOM', description: 'Other words', cancelPenalties: [byDeadline(2, nights(1))] },
  ])
  assert.equal(await digestOf(), first)
  // Rules do.
  const others = new Set([first])
  const changed = async (): Promise<void> => {
    const digest = await digestOf()
    assert.ok(!others.has(digest))
    others.add(digest)
  }
  await pushed(supplier, [{ code: 'FLEX3' }])
  await changed()
  await pushed(supplier, [{ code: 'FLEX2FS' }])
  await changed()
  await pushed(supplier, [{ code: 'UNKNOWN' }])
  await changed()
  await pushed(supplier, flexible)
  expectOk(
    await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [{ ...cityTax, value: 3, payNow: false }] }),
  )
  await changed()
  gateway.clock.set('2027-04-18T16:00:00Z')
  await changed()
  gateway.clock.set('2027-03-01T12:00:00Z')
})
