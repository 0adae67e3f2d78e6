import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { ada, expectStatus } from '../../../test/stage/scenes/booking.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { push, cityTax, type Fields } from '../../../test/stage/scenes/offers.ts'
import {
  byDeadline,
  nights,
  noShow,
  percent,
  policiesStage,
  policyStay,
  pushPolicies,
} from '../../../test/stage/scenes/policies.ts'

/** What guests agree to besides the price, as one hash. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { platform, selling, find } = await policiesStage(gateway)

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

test('the meal plan, what fees and no-show penalties charge count; the names of fees do not', async () => {
  const parking = { name: 'Parking', valueType: 'fixed', value: 5, appliedPer: 'per_room_per_stay' }
  const supplier = await selling([{ code: 'FLEX2' }])
  const digests: unknown[] = []
  const digestWith = async (policy: Fields, more: Fields = {}): Promise<unknown> => {
    await pushPolicies(supplier, [{ code: 'FLEX2', ...policy }], more)
    return Object(await find(supplier, policyStay)).offers[0].termsDigest
  }
  const withNoShow = (charge: Fields) => ({
    cancelPenalties: [byDeadline(2, nights(1)), noShow(charge)],
  })
  for (const [policy, more] of [
    [{}],
    [{}, { mealPlan: 'BB' }],
    [{ fees: [parking] }],
    [{ fees: [{ ...parking, value: 6 }] }],
    [{ fees: [{ ...parking, appliedPer: 'per_room_per_night' }] }],
    [{ fees: [parking, { ...parking, name: 'Spa' }] }],
    [withNoShow(nights(1))],
    [withNoShow(percent(100))],
  ] as const)
    digests.push(await digestWith(policy, more))
  assert.equal(new Set(digests).size, digests.length)
  assert.deepEqual(
    [await digestWith({ fees: [{ ...parking, name: 'Garage', value: '5.00' }] }), await digestWith({})],
    [digests[2], digests[0]],
  )
})

test('all rooms of a room-rate and an arrival have one digest: in offers, booked, whoever sleeps in them and however long', async () => {
  const supplier = await selling([{ code: 'FLEX2' }], [{ ...cityTax, payNow: false }])
  const prices = [1, 2].map((guests) => ({ ageCategory: 'adult', guests, amount: 50 + guests }))
  const dates = { startDate: '2027-04-20', endDate: '2027-04-25' }
  await push(supplier, [{ roomId: 'DBL', ...dates, rates: [{ rateId: 'BAR', prices }] }])
  const offered = async (more: Fields): Promise<unknown> =>
    Object(await find(supplier, { ...policyStay, ...more })).offers[0].termsDigest
  const digest = await offered({ rooms: [{ adults: 2 }] })
  assert.deepEqual(
    [
      await offered({ rooms: [{ adults: 1 }] }),
      await offered({ rooms: [{ adults: 1 }, { adults: 2 }] }),
      await offered({ checkout: '2027-04-25' }),
    ],
    [digest, digest, digest],
  )
  const room = (adults: number) => ({ roomId: 'DBL', rateId: 'BAR', adults, guest: ada })
  const booked = await platform.post('/booking/reservations', {
    hotel: { supplier: supplier.name, hotelId: 'H1' },
    ...policyStay,
    rooms: [room(1), room(2), room(2)],
    customer: ada,
    payment: { type: 'Channel Collect' },
    expectedTerms: [digest, digest, digest],
  })
  const { rooms } = Object(expectStatus(booked, 201).body['reservation'])
  assert.deepEqual(
    Array.from(rooms, (one) => Object(one).termsDigest),
    [digest, digest, digest],
  )
  assert.notEqual(await offered({ checkin: '2027-04-21' }), digest)
})
