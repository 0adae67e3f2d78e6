import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitsOf, type OwnLimits } from './store.ts'

const none: OwnLimits = {
  requestsPerMinute: null,
  requestsBurst: null,
  bodyBytesMax: null,
  ariItemsMax: null,
  ariCellsMax: null,
}

test('a key without limits of its own has the defaults', () => {
  assert.deepEqual(limitsOf(none), {
    rate: { perMinute: 6_000, burst: 1_000 },
    bodyBytesMax: 10_485_760,
    ariItemsMax: 1_000,
    ariCellsMax: 200_000,
  })
})

test('a rate of 0 is none', () => {
  assert.equal(limitsOf({ ...none, requestsPerMinute: 0, requestsBurst: 5 }).rate, undefined)
})

test("a rate without a burst allows ten seconds' worth at once, at least one request", () => {
  assert.deepEqual(limitsOf({ ...none, requestsPerMinute: 600 }).rate, { perMinute: 600, burst: 100 })
  assert.deepEqual(limitsOf({ ...none, requestsPerMinute: 1 }).rate, { perMinute: 1, burst: 1 })
})

test('limits of its own take the place of the defaults, each by itself', () => {
  const own = { ...none, requestsBurst: 7, bodyBytesMax: 2_048, ariItemsMax: 3, ariCellsMax: 4 }
  assert.deepEqual(limitsOf(own), {
    rate: { perMinute: 6_000, burst: 7 },
    bodyBytesMax: 2_048,
    ariItemsMax: 3,
    ariCellsMax: 4,
  })
})
