import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { firstSeed, roundsWithin } from '../../test/stage/pace.ts'
import { openDryRuns, pairsPerBatch } from '../../test/stage/dry-runs/dry-runs.ts'

/** What dry runs and quotes say is what then happens; one that has aged is refused, and nothing is charged. */

const wanted = 10_000
const rounds = { full: Math.ceil(wanted / pairsPerBatch), floor: 3, share: 0.01 }
/** Others may show another fault. */
const listedMax = 3

const { batch, counted, failures, close, pairs } = await openDryRuns(firstSeed)
after(close)

test('a call with what its dry run asked for does what the dry run said, and an aged one is refused', async (t) => {
  t.diagnostic(`ARI_PROOF_SEED=${firstSeed}`)
  const { next, summary } = roundsWithin(rounds)
  try {
    for (let number = next(); number !== undefined && failures.length === 0; number = next())
      await batch(number)
  } finally {
    t.diagnostic(`${summary()}, ${pairs()} pairs: ${JSON.stringify(counted)}`)
  }
  assert.equal(
    failures.length,
    0,
    `${failures.length} hotels differ:\n${failures.slice(0, listedMax).join('\n\n')}`,
  )
  for (const [kind, count] of Object.entries(counted)) assert.ok(count > 0, `there was no case of ${kind}`)
})
