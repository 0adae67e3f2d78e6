import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputOf } from '../../test/stage/broken-proof.ts'

/** Deliberate breaks that the proof of history notices. */

/** With the seed of a round that shows it: a machine that has time for few rounds may not come to one by chance. */
const seeds: Readonly<Record<string, number>> = {
  lastNoteWins: 851_869_787,
  bookingsWithout: 372_844_880,
  formerCurrencyCounts: 873_049_862,
  brokenChain: 163_005_825,
  oneTooMany: 907_851_155,
  undoneRegardless: 635_826_394,
  bothModels: 67_500_487,
  firstChanger: 220_552_365,
  sameMask: 200_688_119,
}

for (const [name, seed] of Object.entries(seeds)) {
  test(`deliberate break ${name}: the proof of history notices it`, async () => {
    const output = await outputOf({
      proof: 'proofs/models/history.proof.ts',
      breaks: 'history/break.ts',
      name,
      seed,
    })
    assert.match(output, /✖ the ARI as of every revision and time/)
  })
}
