import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { Gate, type GateMax } from './gate.ts'

/** Records the order in which keys pass; `enter` returns the gate's immediate response. */
function watched(max: GateMax) {
  const gate = new Gate<string>(max)
  const passed: string[] = []
  const enter = async (key: string): Promise<'passes' | 'waits' | 'turned away'> => {
    const turn = gate.enter(key)
    if (!turn) return 'turned away'
    const before = passed.length
    void turn.then(() => passed.push(key))
    await settled()
    return passed.length > before ? 'passes' : 'waits'
  }
  const leave = async (key: string): Promise<string[]> => {
    const before = passed.length
    gate.leave(key)
    await settled()
    return passed.slice(before)
  }
  return { enter, leave }
}

async function all<Result>(
  keys: readonly string[],
  work: (key: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const key of keys) results.push(await work(key))
  return results
}

test('of a key a few pass, a few wait in order, and the rest is turned away; other keys are not concerned', async () => {
  const { enter, leave } = watched({ passing: 2, waiting: 1 })
  assert.deepEqual(await all(['a', 'a', 'a', 'a'], enter), ['passes', 'passes', 'waits', 'turned away'])
  assert.deepEqual(await all(['b', 'b', 'b'], enter), ['passes', 'passes', 'waits'])
  assert.deepEqual(await all(['a', 'a', 'a', 'a'], leave), [['a'], [], [], []])
  assert.equal(await enter('a'), 'passes')
})

test('of all keys together no more pass than the total, and the last places are for keys that have none', async () => {
  const { enter, leave } = watched({ passing: 4, waiting: 9, inAll: { passing: 6, keptForOthers: 2 } })
  assert.deepEqual(await all(['a', 'a', 'a', 'a', 'a'], enter), [
    'passes',
    'passes',
    'passes',
    'passes',
    'waits',
  ])
  // The two remaining places are reserved for keys that have none.
  assert.deepEqual(await all(['b', 'b', 'c', 'd'], enter), ['passes', 'waits', 'passes', 'waits'])
  // Keys with no place come first, then those with the fewest, as long as places remain for others.
  assert.deepEqual(await leave('a'), ['d'])
  assert.deepEqual(await all(['a', 'a', 'c', 'd', 'b'], leave), [[], [], ['b'], ['a'], []])
})

test('keys that wait for the same places get them in turns, however many of each wait', async () => {
  const { enter, leave } = watched({ passing: 1, waiting: 9, inAll: { passing: 1, keptForOthers: 0 } })
  assert.deepEqual(await all(['a', 'a', 'a', 'a', 'b', 'b', 'c'], enter), [
    'passes',
    ...Array(6).fill('waits'),
  ])
  const order: string[] = []
  for (let last: string | undefined = 'a'; last !== undefined; last = (await leave(last))[0]) order.push(last)
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a'])
})
