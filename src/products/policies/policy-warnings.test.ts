import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'
import { offersStage, type Fields } from '../../../test/stage/scenes/offers.ts'
import {
  byDeadline,
  flat,
  nights,
  noShow,
  percent,
  pushPolicies,
} from '../../../test/stage/scenes/policies.ts'

/** What a push of policies is warned of. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { storySupplier } = await offersStage(gateway)

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
    assert.deepEqual(await pushPolicies(supplier, policies), warnings, JSON.stringify(policies))
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

test('a later deadline that can cost less than an earlier one is warned of, for stays of two nights and more', async () => {
  const supplier = await storySupplier()
  const isWarned = async (...cancelPenalties: Fields[]): Promise<boolean> => {
    const [warning, ...others] = await pushPolicies(supplier, [{ cancelPenalties }])
    assert.deepEqual(others, [])
    if (warning !== undefined)
      assert.equal(warning, 'PENALTIES_FALL /products/0/cancelPolicies/0/cancelPenalties')
    return warning !== undefined
  }
  /** From the booking on, and then from the day before the arrival. */
  const falling: [Fields, Fields][] = [
    [percent(100), nights(1)],
    [percent(100), flat(50)],
    [percent(100), percent(50)],
    [percent(50), nights(1)],
    [nights(2), percent(50)],
    [nights(1), percent(20)],
    [nights(1), percent(0)],
    [nights(3), nights(1)],
    [nights(1), flat(50)],
    [flat(50), nights(1)],
    [flat(50), percent(50)],
    [flat(50), flat(40)],
  ]
  const rising: [Fields, Fields][] = [
    [nights(1), percent(50)],
    [nights(1), nights(3)],
    [nights(9), percent(100)],
    [percent(20), percent(50)],
    [percent(50), percent(50)],
    [flat(50), percent(100)],
    [flat(40), flat(50)],
    [percent(0), nights(1)],
  ]
  for (const [charges, isFalling] of [
    [falling, true],
    [rising, false],
  ] as const)
    for (const [first, later] of charges) {
      const text = JSON.stringify([first, later])
      assert.equal(await isWarned({ penaltyCharge: first }, byDeadline(1, later)), isFalling, text)
      // The order in which they are sent doesn't matter.
      assert.equal(await isWarned(byDeadline(2, later), byDeadline(7, first)), isFalling, text)
    }
  assert.equal(
    await isWarned(byDeadline(9, nights(1)), byDeadline(7, percent(100)), byDeadline(1, nights(1))),
    true,
  )
  // Of two at one instant the higher counts, and a no-show is beside the deadlines.
  assert.equal(
    await isWarned(byDeadline(7, nights(1)), byDeadline(1, percent(0)), byDeadline(1, nights(1))),
    false,
  )
  assert.equal(await isWarned(byDeadline(7, percent(100)), noShow(nights(1))), false)
})
