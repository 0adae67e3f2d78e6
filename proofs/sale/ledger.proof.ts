import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { firstSeed, roundsWithin } from '../../test/stage/pace.ts'
import { historiesPerBatch, openLedger } from '../../test/stage/ledger/batches.ts'

/** What guests agreed to, what they are charged and what hotels are owed, kept by a ledger of its own. */

const histories = 20_000
const rounds = { full: Math.ceil(histories / historiesPerBatch), floor: 3, share: 0.02 }
/** Others may show another fault. */
const listedMax = 3

const { batch, counted, delivered, failures, close } = await openLedger(firstSeed)
after(close)

test('guests are charged nothing that they did not agree to, hotels get no less than was owed, and both are told the same', async (t) => {
  t.diagnostic(`ARI_PROOF_SEED=${firstSeed}`)
  const { next, summary } = roundsWithin(rounds)
  try {
    for (let number = next(); number !== undefined && failures.length === 0; number = next())
      await batch(number)
  } finally {
    t.diagnostic(`${summary()} of ${historiesPerBatch}: ${JSON.stringify({ ...counted, ...delivered })}`)
  }
  assert.equal(
    failures.length,
    0,
    `${failures.length} histories differ:\n${failures.slice(0, listedMax).join('\n\n')}`,
  )
  for (const [kind, count] of Object.entries({ ...counted, ...delivered }))
    assert.ok(count > 0, `there was no case of ${kind}`)
})
