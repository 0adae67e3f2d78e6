import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { vat, cityTax } from '../../../test/stage/scenes/offers.ts'
import {
  byDeadline,
  nights,
  percent,
  policiesStage,
  type Terms,
} from '../../../test/stage/scenes/policies.ts'

/** What a pushed policy means for an arrival: codes, what nobody knows, and what a penalty is taken of. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { selling, termsOf } = await policiesStage(gateway)

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
