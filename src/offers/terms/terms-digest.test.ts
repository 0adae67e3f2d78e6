import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { push, cityTax, type Fields } from '../../../test/stage/scenes/offers.ts'
import {
  byDeadline,
  nights,
  policiesStage,
  policyStay,
  pushPolicies,
} from '../../../test/stage/scenes/policies.ts'

/** What guests agree to besides the price, as one hash. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { selling, find } = await policiesStage(gateway)

test('the digest of terms is one for a room-rate and an arrival, and changes with the rules alone', async () => {
  const flexible = [{ code: 'FLEX2', description: 'Two days' }]
  const supplier = await selling(flexible, [{ ...cityTax, payNow: false }])
  const digestOf = async (more: Fields = {}): Promise<unknown> =>
    Object(await find(supplier, { ...policyStay, ...more })).offers[0].termsDigest
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
  await pushPolicies(supplier, [
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
  await pushPolicies(supplier, [{ code: 'FLEX3' }])
  await changed()
  await pushPolicies(supplier, [{ code: 'FLEX2FS' }])
  await changed()
  await pushPolicies(supplier, [{ code: 'UNKNOWN' }])
  await changed()
  await pushPolicies(supplier, flexible)
  expectOk(
    await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [{ ...cityTax, value: 3, payNow: false }] }),
  )
  await changed()
  gateway.clock.set('2027-04-18T16:00:00Z')
  await changed()
  gateway.clock.set('2027-03-01T12:00:00Z')
})
