import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Break } from '../../test/stage/deliveries/breaks.ts'
import { roundsWithin } from '../../test/stage/pace.ts'
import {
  closeStage,
  crashRound,
  openStage,
  steps,
  type Finding,
  type Step,
} from '../../test/stage/deliveries/crashes.ts'

/** The guarantees of a delivery: at least once, in order, at most one repeat for each process that dies. */

const crashesPerStep = 20
const crashesPerStepLeast = 4
const stagesAtOnce = 6

test(`a worker is killed ${crashesPerStep} times at each of ${steps.length} steps: every state arrives, in order, with the same id and body, at most twice`, async (t) => {
  const rounds = roundsWithin({
    full: crashesPerStep * steps.length,
    floor: crashesPerStepLeast * steps.length,
    share: 0.04,
  })
  const nextCrash = () => {
    const number = rounds.next()
    const step = number === undefined ? undefined : steps[number % steps.length]
    return step && { step, at: 1 + (Math.floor((number ?? 0) / steps.length) % 2) }
  }
  const found: unknown[] = []
  let repeats = 0
  const lane = async (): Promise<void> => {
    const stage = await openStage()
    try {
      for (let round = nextCrash(); round; round = nextCrash()) {
        const wrong = await crashRound(stage, round)
        found.push(...wrong.map((one) => [round, ...one]))
        const ids = stage.receiver.calls.map(({ headers }) => headers.get('webhook-id'))
        repeats += ids.length - new Set(ids).size
      }
    } finally {
      await closeStage(stage)
    }
  }
  await Promise.all(Array.from({ length: stagesAtOnce }, lane))
  assert.deepEqual(found, [])
  t.diagnostic(`${rounds.summary()}, ${repeats} deliveries came twice`)
})

const breaksFound: readonly [Break, Step, Finding][] = [
  ['settled before it is sent', 'before call', 'lost'],
  ['older versions stay', 'after claim', 'out of order'],
  ['leases too short', 'after call', 'sent too often'],
  ['another body each time', 'after call', 'another body'],
]

for (const [broken, step, finding] of breaksFound) {
  test(`the comparison finds a worker that is broken: ${broken}`, async (t) => {
    const stage = await openStage(broken)
    try {
      const found: Finding[] = []
      for (let round = 0; round < 5 && !found.includes(finding); round++) {
        found.push(...(await crashRound(stage, { step, at: 1, broken })).map(([kind]) => kind))
      }
      t.diagnostic([...new Set(found)].join(', '))
      assert.ok(found.includes(finding), found.join())
    } finally {
      await closeStage(stage)
    }
  })
}
