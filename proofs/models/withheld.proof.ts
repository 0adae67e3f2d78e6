import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { firstSeed, roundsWithin } from '../../test/stage/pace.ts'
import { openTwins, stepsPerRound } from '../../test/stage/withheld/twins.ts'

/** What the guard withholds leaves no trace. */

const steps = 50_000
const rounds = { full: Math.ceil(steps / stepsPerRound), floor: 8, share: 0.015 }
/** Others may show another fault. */
const listedMax = 3

test('with the guard on, what is stored is at every moment as if the withheld parts had never been sent', async (t) => {
  t.diagnostic(`ARI_PROOF_SEED=${firstSeed}`)
  const { round, counted, failures } = await openTwins(
    await gatewayForTests({ now: '2027-03-01T12:00:00Z' }),
    firstSeed,
  )
  const { next, summary } = roundsWithin(rounds)
  try {
    for (let number = next(); number !== undefined && failures.length < listedMax; number = next())
      await round(number)
  } finally {
    t.diagnostic(`${summary()}: ${JSON.stringify(counted)}`)
  }
  assert.equal(
    failures.length,
    0,
    `${failures.length} hotels differ:\n${failures.slice(0, listedMax).join('\n\n')}`,
  )
  for (const [kind, count] of Object.entries(counted)) assert.ok(count > 0, `there was no case of ${kind}`)
  const { steps: done, pushes, withheld, heldItems } = counted
  assert.ok(withheld * 10 > pushes, `of ${pushes} pushes, ${withheld} had something to withhold`)
  assert.ok(heldItems * 20 > done, `${heldItems} items of ${done} steps were held`)
})
