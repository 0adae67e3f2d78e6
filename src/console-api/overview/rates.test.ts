import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateSteps } from './rates.ts'

const limits = {
  stepMs: 10,
  steps: 6,
  partMs: 2,
  settledAfterMs: 5,
  stepsAtOnce: 2,
  budgetMs: Infinity,
  trustedMs: 0,
  // The tests wait for the counting; one of them ends it only afterwards.
  waitMs: 60_000,
}

/** A table with one row per millisecond, and the ranges counted in it. */
function table() {
  const counted: [number, number][] = []
  const count = async ({ fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number }) => {
    counted.push([fromMs, toMs])
    return Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, index) => ({
      stepMs: fromMs + index * stepMs,
      rows: Math.min(stepMs, toMs - fromMs - index * stepMs),
    }))
  }
  return { counted, count }
}

const sumOf = (rows: readonly { rows: number }[]) => rows.reduce((sum, row) => sum + row.rows, 0)

test('the day is counted backwards from now, several steps per query, each step once', async () => {
  const { counted, count } = table()
  const steps = new RateSteps(limits, count)
  const { sinceMs, untilMs, rows } = await steps.read(1_058)
  assert.deepEqual([sinceMs, untilMs, sumOf(rows)], [1_000, 1_058, 60])
  assert.deepEqual(counted, [
    [1_050, 1_052],
    [1_052, 1_060],
    [1_030, 1_050],
    [1_010, 1_030],
    [1_000, 1_010],
  ])
})

test('only the last moments are counted again, and steps older than a day are forgotten', async () => {
  const { counted, count } = table()
  const steps = new RateSteps(limits, count)
  await steps.read(1_058)
  counted.length = 0
  assert.equal(sumOf((await steps.read(1_059)).rows), 60)
  // For a moment after its end, a step may still get rows of earlier answers.
  const next = await steps.read(1_062)
  assert.deepEqual([next.sinceMs, sumOf(next.rows)], [1_010, 60])
  const complete = await steps.read(1_066)
  assert.deepEqual([complete.sinceMs, sumOf(complete.rows)], [1_010, 60])
  assert.deepEqual(counted, [
    [1_052, 1_054],
    [1_054, 1_060],
    [1_054, 1_056],
    [1_056, 1_070],
    [1_060, 1_070],
    [1_050, 1_060],
  ])
})

test('nothing is counted again within a moment', async () => {
  const { counted, count } = table()
  const steps = new RateSteps({ ...limits, trustedMs: 3 }, count)
  await steps.read(1_058)
  counted.length = 0
  assert.equal((await steps.read(1_060)).untilMs, 1_058)
  assert.deepEqual(counted, [])
  assert.equal((await steps.read(1_061)).untilMs, 1_061)
})

test('a count that runs out of time is continued by the next call', async () => {
  const { count } = table()
  const steps = new RateSteps({ ...limits, budgetMs: -1 }, count)
  const since: number[] = []
  for (let look = 0; look < 4; look++) since.push((await steps.read(1_058)).sinceMs)
  assert.deepEqual(since, [1_030, 1_010, 1_000, 1_000])
})

test('nobody waits for a slow count: what is counted until then is returned', async () => {
  const { count } = table()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow: typeof count = async (range) => {
    await released
    return count(range)
  }
  const steps = new RateSteps({ ...limits, waitMs: 1 }, slow)
  assert.deepEqual(await steps.read(1_058), { sinceMs: 1_050, untilMs: undefined, rows: [] })
  release()
  let later = await steps.read(1_058)
  while (later.sinceMs > 1_000) later = await steps.read(1_058)
  assert.deepEqual([later.untilMs, sumOf(later.rows)], [1_058, 60])
})
