import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Memory, type MemoryLimits } from './memory.ts'

type Lookup = { key: string; answer: (found: string | undefined) => void; fail: (error: Error) => void }

/** A memory whose lookups are answered by the test. */
function memoryOf(limits: MemoryLimits) {
  const lookups: Lookup[] = []
  const forgetters: (() => void)[] = []
  const memory = new Memory<string | undefined>(
    { onChange: (forget) => void forgetters.push(forget) },
    limits,
  )
  const get = (key: string) =>
    memory.get(key, () => new Promise((answer, fail) => void lookups.push({ key, answer, fail })))
  return {
    memory,
    get,
    lookups,
    endEpoch: () => {
      for (const forget of forgetters) forget()
    },
  }
}

test('callers during a lookup share it, and its result is trusted afterwards', async () => {
  const { get, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const asked = [get('a'), get('a')]
  lookups[0]?.answer('found')
  assert.deepEqual(await Promise.all([...asked, get('a')]), ['found', 'found', 'found'])
  assert.equal(lookups.length, 1)
})

test('without a time of trust, a lookup is shared only while it is in progress', async () => {
  const { get, lookups } = memoryOf({ entriesMax: 10 })
  const asked = [get('a'), get('a')]
  lookups[0]?.answer('older')
  assert.deepEqual(await Promise.all(asked), ['older', 'older'])
  const later = get('a')
  lookups[1]?.answer('newer')
  assert.equal(await later, 'newer')
})

test('absence is remembered too', async () => {
  const { get, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const asked = get('a')
  lookups[0]?.answer(undefined)
  assert.deepEqual([await asked, await get('a'), lookups.length], [undefined, undefined, 1])
})

test('trust counts from the beginning of the lookup: the result of a slow one is not reused', async () => {
  const { get, lookups } = memoryOf({ trustedMs: 0, entriesMax: 10 })
  const [first, second] = [get('a'), get('a')]
  lookups[1]?.answer('newer')
  lookups[0]?.answer('older')
  assert.deepEqual([await first, await second], ['older', 'newer'])
})

test('a failed lookup reaches all callers that share it and is not remembered', async () => {
  const { get, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const asked = [get('a'), get('a')]
  lookups[0]?.fail(new Error('down'))
  for (const one of asked) await assert.rejects(one, /down/)
  const again = get('a')
  lookups[1]?.answer('found')
  assert.equal(await again, 'found')
})

test('nothing is remembered beyond what forgets it: the epoch of the store, or a change by this process', async () => {
  const { memory, get, lookups, endEpoch } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const former = get('a')
  endEpoch()
  const present = get('a')
  lookups[0]?.answer('former store')
  lookups[1]?.answer('present store')
  assert.deepEqual(
    [await former, await present, await get('a')],
    ['former store', 'present store', 'present store'],
  )
  memory.forget('a')
  void get('a')
  assert.equal(lookups.length, 3)
})

test('no more answers are stored than the limit, and the oldest are dropped first', async () => {
  const { get, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 2 })
  const asked = ['a', 'b', 'c', 'b', 'c', 'a'].map((key) => get(key))
  for (const { key, answer } of lookups) answer(key)
  assert.deepEqual(await Promise.all(asked), ['a', 'b', 'c', 'b', 'c', 'a'])
  assert.deepEqual(
    lookups.map(({ key }) => key),
    ['a', 'b', 'c', 'a'],
  )
})
