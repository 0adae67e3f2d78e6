import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz, lanesCount } from '../../test/stage/fuzz/run.ts'
import { roundsWithin } from '../../test/stage/pace.ts'

const requests = 100_000

test('100,000 hostile requests: none is our fault, none that is refused changes anything', async (context) => {
  const seed = Number(process.env.FUZZ_SEED ?? 1)
  const rounds = roundsWithin({ full: requests / lanesCount, floor: requests / lanesCount / 10, share: 0.08 })
  const report = await fuzz({ rounds, seed })
  context.diagnostic(`${rounds.summary()} of ${lanesCount} requests: ${JSON.stringify(report)}`)
  assert.equal(report.requests, rounds.done() * lanesCount)
  // The generator must keep both properties: most requests are refused, and enough are accepted.
  assert.ok(report.refused > report.requests / 2, `${report.refused} refused`)
  assert.ok(report.accepted > report.requests / 20, `${report.accepted} accepted`)
})
