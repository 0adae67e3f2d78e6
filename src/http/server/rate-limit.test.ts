import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter } from './rate-limit.ts'

/** The rate of a key. The time passes when the test says so. */

/** One request a second, and three at once. */
const rate = { perMinute: 60, burst: 3 }

test('a burst is allowed at once, and then as many as the passing time refills, never more than a burst', () => {
  let nowMs = 1_000
  const limiter = new RateLimiter(() => nowMs)
  const allowed = (count: number): boolean[] =>
    Array.from({ length: count }, () => limiter.take('one', rate, nowMs).allowed)
  assert.deepEqual(allowed(5), [true, true, true, false, false])
  nowMs += 999
  assert.deepEqual(allowed(1), [false])
  nowMs += 1
  assert.deepEqual(allowed(2), [true, false])
  nowMs += 3_600_000
  assert.deepEqual(allowed(4), [true, true, true, false])
})

test('a caller is told how many requests are left, and in how many seconds the next is allowed', () => {
  const limiter = new RateLimiter(() => 0)
  const take = (nowMs: number) => limiter.take('one', rate, nowMs)
  assert.deepEqual(take(0), { allowed: true, remaining: 2, untilNextSeconds: 0 })
  take(0)
  assert.deepEqual(take(0), { allowed: true, remaining: 0, untilNextSeconds: 1 })
  assert.deepEqual(take(0), { allowed: false, remaining: 0, untilNextSeconds: 1 })
  assert.deepEqual(take(500), { allowed: false, remaining: 0, untilNextSeconds: 1 })
})

test('each caller has a rate of its own', () => {
  const limiter = new RateLimiter(() => 0)
  for (let count = 0; count < 4; count++) limiter.take('one', rate, 0)
  assert.equal(limiter.take('one', rate, 0).allowed, false)
  assert.equal(limiter.take('other', rate, 0).allowed, true)
})

test('what other processes have granted counts', () => {
  let granted: Parameters<
    NonNullable<ConstructorParameters<typeof RateLimiter>[1]>['onGranted']
  >[0] = () => {}
  const limiter = new RateLimiter(() => 0, {
    announce: () => {},
    onGranted: (apply) => (granted = apply),
  })
  granted([{ caller: 'one', requests: 2, perMinute: 60 }])
  const allowed = [1, 2].map(() => limiter.take('one', rate, 0).allowed)
  assert.deepEqual(allowed, [true, false])
})
