import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateSteps } from './rates.ts'

const limits = { stepMs: 10, steps: 6, settledAfterMs: 5, stepsAtOnce: 2, budgetMs: Infinity }

/** A table with one row per millisecond, and the ranges counted in it. */
function table() {
  const counted: [number, number][] = []
  const count = async (fromMs: number, toMs: number) => {
    counted.push([fromMs, toMs])
    return Array.from({ length: (toMs - fromMs) / 10 }, (_, index) => ({
      stepMs: fromMs + index * 10,
      rows: 10,
    }))
  }
  return { counted, count }
}

const stepsOf = (rows: readonly { stepMs: number }[]) =>
  rows.map(({ stepMs }) => stepMs).sort((a, b) => a - b)

test('the day is counted backwards from now, several steps per query, each step once', async () => {
  const { counted, count } = table()
  const steps = new RateSteps(limits, count)
  const { sinceMs, rows } = await steps.read(1_058)
  assert.deepEqual([sinceMs, stepsOf(rows)], [1_000, [1_000, 1_010, 1_020, 1_030, 1_040, 1_050]])
  assert.deepEqual(counted, [
    [1_050, 1_060],
    [1_030, 1_050],
    [1_010, 1_030],
    [1_000, 1_010],
  ])
})

test('only open steps are counted again, and steps older than a day are forgotten', async () => {
  const { counted, count } = table()
  const steps = new RateSteps(limits, count)
  await steps.read(1_058)
  counted.length = 0
  assert.deepEqual(stepsOf((await steps.read(1_059)).rows), [1_000, 1_010, 1_020, 1_030, 1_040, 1_050])
  // For a moment after its end, a step may still get rows of earlier answers.
  assert.deepEqual((await steps.read(1_062)).sinceMs, 1_010)
  assert.deepEqual((await steps.read(1_066)).sinceMs, 1_010)
  assert.deepEqual(counted, [
    [1_050, 1_060],
    [1_050, 1_070],
    [1_060, 1_070],
    [1_050, 1_060],
  ])
})

test('a call that runs out of time continues where the previous one stopped', async () => {
  const { count } = table()
  const steps = new RateSteps({ ...limits, budgetMs: -1 }, count)
  const since: number[] = []
  for (let look = 0; look < 4; look++) since.push((await steps.read(1_058)).sinceMs)
  assert.deepEqual(since, [1_030, 1_010, 1_000, 1_000])
})
