import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import {
  byDeadline,
  nights,
  noShow,
  percent,
  policiesStage,
  policyStay,
} from '../../../test/stage/scenes/policies.ts'

/** Which of a product's policies count for an arrival. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { selling, termsOf, find } = await policiesStage(gateway)
const easter = { startDate: '2027-04-15', endDate: '2027-04-25' }
const may = { checkin: '2027-05-10', checkout: '2027-05-13' }

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
  const [offer] = (await find(supplier, policyStay)).offers
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

test('a policy with unknown terms makes unknown what it counts for, and nothing else', async () => {
  const unknown = { cancellation: 'unknown', freeUntil: null, penalties: null }
  const fixed = { cancellation: 'never', freeUntil: null, penalties: ['booking 300.00'] }
  const atEaster = await selling([{ code: 'SUMMER' }, { ...easter, code: 'NRF' }])
  assert.deepEqual([await termsOf(atEaster), await termsOf(atEaster, may)], [fixed, unknown])
  const [offer] = (await find(atEaster, policyStay)).offers
  assert.equal(offer?.cancelPolicy['code'], 'NRF')
  const otherwise = await selling([{ code: 'NRF' }, { ...easter, code: 'SUMMER' }])
  assert.deepEqual([await termsOf(otherwise), await termsOf(otherwise, may)], [unknown, fixed])
  // A dated policy that speaks of no-shows alone leaves the deadlines to the others.
  const noShows = await selling([{ code: 'SUMMER' }, { ...easter, cancelPenalties: [noShow(nights(1))] }])
  assert.deepEqual(await termsOf(noShows), unknown)
  const ofTheYear = [{ code: 'SUMMER' }, { cancelPenalties: [noShow(percent(100))] }]
  assert.deepEqual(await termsOf(await selling([...ofTheYear, { ...easter, code: 'FREE' }])), {
    cancellation: 'always',
    freeUntil: null,
    penalties: ['2027-04-21T00:00:00+02:00 300.00 no-show'],
  })
  const two = [
    { ...easter, code: 'FREE' },
    { ...easter, code: 'SUMMER' },
  ]
  assert.deepEqual(await termsOf(await selling([...two, { code: 'NRF' }])), unknown)
})

test('fees of dated policies take the place of those without dates, by themselves', async () => {
  const fee = (name: string) => ({
    name,
    valueType: 'fixed',
    value: 5,
    appliedPer: 'per_room_per_stay',
  })
  const soldWith = async (supplier: TestSupplier, stay: object): Promise<unknown[]> => {
    const [offer] = (await find(supplier, { ...policyStay, ...stay })).offers
    const { cancellation, fees } = Object(offer)
    return [cancellation, ...Array.from(fees, (one) => Object(one).name)]
  }
  const always = { code: 'FREE', fees: [fee('Parking')] }
  const spaAtEaster = await selling([always, { ...easter, fees: [fee('Spa')] }])
  assert.deepEqual(
    [await soldWith(spaAtEaster, {}), await soldWith(spaAtEaster, may)],
    [
      ['always', 'Spa'],
      ['always', 'Parking'],
    ],
  )
  const fixedAtEaster = await selling([always, { ...easter, code: 'NRF' }])
  assert.deepEqual(await soldWith(fixedAtEaster, {}), ['never', 'Parking'])
})
