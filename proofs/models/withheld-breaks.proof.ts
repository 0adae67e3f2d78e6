import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputOf } from '../../test/stage/broken-proof.ts'

/** Deliberate breaks that the proof of what the guard withholds notices. */

/** With the seed of a round that shows it. */
const seeds: Readonly<Record<string, number>> = {
  clearedFirst: 1,
  sequenceKept: 1,
  olderEndsNewer: 1,
  itemsApart: 1,
  laterItemReplaces: 1,
  infantsFreed: 1,
}

/** A minute and a half of rounds, unless they find it sooner. */
const proofSeconds = 6_000

for (const [name, seed] of Object.entries(seeds)) {
  test(`deliberate break ${name}: the proof of what the guard withholds notices it`, async () => {
    const output = await outputOf({
      proof: 'proofs/models/withheld.proof.ts',
      breaks: 'withheld/break.ts',
      name,
      seed,
      proofSeconds,
    })
    assert.match(output, /hotels differ/)
  })
}
