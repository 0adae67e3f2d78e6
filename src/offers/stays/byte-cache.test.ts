import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteCache } from './stay-cache.ts'

const megabyte = 1024 * 1024

function bytesOf(key: number, length = 100_000): Buffer {
  return Buffer.alloc(length, key % 251)
}

/** Which of the keys are cached, each checked for its own contents. */
function cachedOf(cache: ByteCache, keys: readonly number[]): number[] {
  return keys.filter((key) => {
    const value = cache.get(key)
    assert.ok(!value || value.equals(bytesOf(key, value.length)))
    assert.equal(cache.has(key), value !== undefined)
    return value !== undefined
  })
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

test('an entry is what was last set, until everything is cleared', () => {
  const cache = new ByteCache(8 * megabyte)
  cache.set(7, bytesOf(7, 10))
  cache.set(8, bytesOf(8, 0))
  cache.set(7, bytesOf(7, 20))
  assert.deepEqual([cache.get(7)?.length, cache.get(8)?.length, cache.get(9)], [20, 0, undefined])
  cache.clear()
  assert.deepEqual(cachedOf(cache, [7, 8]), [])
  cache.set(7, bytesOf(7, 30))
  assert.equal(cache.get(7)?.length, 30)
})

test('what was not read is dropped first, oldest first, and the rest is whole', () => {
  const cache = new ByteCache(8 * megabyte)
  const keys = range(0, 70)
  for (const key of keys) cache.set(key, bytesOf(key))
  const read = [3, 5, 30]
  assert.deepEqual(cachedOf(cache, read), read)
  for (const key of range(1_000, 30)) cache.set(key, bytesOf(key))
  const cached = cachedOf(cache, keys)
  assert.deepEqual(cached, [...read, ...range(41, 29)])
  assert.deepEqual(cachedOf(cache, range(1_000, 30)), range(1_000, 30))
})

test('however much is read and set, the memory stays within the limit', () => {
  const cache = new ByteCache(8 * megabyte)
  for (const key of range(0, 500)) {
    cache.set(key, bytesOf(key))
    for (const recent of range(key - 100, 100)) cache.get(recent)
  }
  const cached = cachedOf(cache, range(0, 500))
  assert.ok(cached.length * 100_000 <= 8 * megabyte)
  assert.ok(cached.includes(499))
})

test('an entry that is too large is not cached, nor what it replaces', () => {
  const cache = new ByteCache(8 * megabyte)
  cache.set(1, bytesOf(1))
  cache.set(1, bytesOf(1, 3 * megabyte))
  assert.equal(cache.get(1), undefined)
})
