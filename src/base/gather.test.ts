import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import { gather, type GatherLimits } from './gather.ts'

/** Long enough for what is answered in this turn of the event loop to make others begin in the next. */
async function nextTurn(): Promise<void> {
  await turn()
  await turn()
}

type Read = { keys: readonly number[]; answer: () => void; fail: (error: Error) => void }

/** Reads that the test answers, each with its number. */
function gatherOf(limits: GatherLimits) {
  const reads: Read[] = []
  const ask = gather((keys: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<number, number>>()
    const number = reads.length
    reads.push({ keys, answer: () => resolve(new Map(keys.map((key) => [key, number]))), fail: reject })
    return promise
  }, limits)
  const askedKeys = () => reads.map(({ keys }) => keys)
  return { ask, reads, askedKeys }
}

test('callers of one turn are answered by one read, each key in it once', async () => {
  const { ask, reads, askedKeys } = gatherOf({ keysMax: 10, readsAtOnceMax: 1 })
  const answers = Promise.all([ask([1, 2]), ask([2, 3])])
  await nextTurn()
  assert.deepEqual(askedKeys(), [[1, 2, 3]])
  reads[0]?.answer()
  assert.deepEqual(
    (await answers).map((found) => found.get(2)),
    [0, 0],
  )
})

test('a caller that comes while a read is running gets what a later one read', async () => {
  const { ask, reads, askedKeys } = gatherOf({ keysMax: 10, readsAtOnceMax: 1 })
  const first = ask([1])
  await nextTurn()
  const later = Promise.all([ask([1]), ask([2])])
  await nextTurn()
  assert.deepEqual(askedKeys(), [[1]])
  reads[0]?.answer()
  assert.equal((await first).get(1), 0)
  await nextTurn()
  assert.deepEqual(askedKeys(), [[1], [1, 2]])
  reads[1]?.answer()
  assert.deepEqual(
    (await later).map((found) => found.get(1)),
    [1, 1],
  )
})

test('a full read takes no further callers, and no more reads run than may at once', async () => {
  const { ask, reads, askedKeys } = gatherOf({ keysMax: 2, readsAtOnceMax: 2 })
  const answers = Promise.all([1, 2, 3, 4, 5].map((key) => ask([key])))
  await nextTurn()
  assert.deepEqual(askedKeys(), [
    [1, 2],
    [3, 4],
  ])
  reads[1]?.answer()
  await nextTurn()
  assert.deepEqual(askedKeys(), [[1, 2], [3, 4], [5]])
  reads[0]?.answer()
  reads[2]?.answer()
  assert.equal((await answers).length, 5)
})

test('a read that fails, fails for its callers alone', async () => {
  const { ask, reads } = gatherOf({ keysMax: 1, readsAtOnceMax: 1 })
  const [first, second] = [ask([1]), ask([2])]
  await nextTurn()
  reads[0]?.fail(new Error('down'))
  await assert.rejects(first, /down/)
  await nextTurn()
  reads[1]?.answer()
  assert.equal((await second).get(2), 1)
})
