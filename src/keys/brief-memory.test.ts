import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BriefMemory } from './brief-memory.ts'

type Lookup = { key: string; answer: (found: string | undefined) => void; fail: (error: Error) => void }

/** A memory whose lookups are answered by the test. */
function memoryOf(limits: { trustedMs: number; entriesMax: number }) {
  const lookups: Lookup[] = []
  const read = (key: string) =>
    new Promise<string | undefined>((answer, fail) => void lookups.push({ key, answer, fail }))
  return { memory: new BriefMemory(read, limits), lookups }
}

test('those who ask while a lookup is under way share it, and what it found is trusted afterwards', async () => {
  const { memory, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const asked = [memory.get('a'), memory.get('a')]
  lookups[0]?.answer('found')
  assert.deepEqual(await Promise.all([...asked, memory.get('a')]), ['found', 'found', 'found'])
  assert.equal(lookups.length, 1)
})

test('absence is remembered too', async () => {
  const { memory, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const asked = memory.get('a')
  lookups[0]?.answer(undefined)
  assert.deepEqual([await asked, await memory.get('a'), lookups.length], [undefined, undefined, 1])
})

test('trust counts from the beginning of the lookup: one that takes too long is shared by nobody later', async () => {
  const { memory, lookups } = memoryOf({ trustedMs: 0, entriesMax: 10 })
  const [first, second] = [memory.get('a'), memory.get('a')]
  lookups[1]?.answer('newer')
  lookups[0]?.answer('older')
  assert.deepEqual([await first, await second], ['older', 'newer'])
})

test('a failed lookup reaches all who share it and is not remembered', async () => {
  const { memory, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 10 })
  const asked = [memory.get('a'), memory.get('a')]
  lookups[0]?.fail(new Error('down'))
  for (const one of asked) await assert.rejects(one, /down/)
  const again = memory.get('a')
  lookups[1]?.answer('found')
  assert.equal(await again, 'found')
})

test('no more answers are held than the limit, and the oldest go first', async () => {
  const { memory, lookups } = memoryOf({ trustedMs: 60_000, entriesMax: 2 })
  const asked = ['a', 'b', 'c', 'b', 'c', 'a'].map((key) => memory.get(key))
  for (const { key, answer } of lookups) answer(key)
  assert.deepEqual(await Promise.all(asked), ['a', 'b', 'c', 'b', 'c', 'a'])
  assert.deepEqual(
    lookups.map(({ key }) => key),
    ['a', 'b', 'c', 'a'],
  )
})
