import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputOf } from '../../test/stage/broken-proof.ts'

/** Deliberate breaks that the proof of the ledger notices. */

/** With the seed of a round that shows it. */
const seeds: Readonly<Record<string, number>> = {
  owedShrinks: 1,
  goneOwesNothing: 1,
  chargedUnasked: 1,
  townTaxCharged: 1,
  keptPriceLost: 1,
  mealPlanUnasked: 1,
  hotelToldOtherwise: 1,
}

for (const [name, seed] of Object.entries(seeds)) {
  test(`deliberate break ${name}: the proof of the ledger notices it`, async () => {
    const output = await outputOf({
      proof: 'proofs/sale/ledger.proof.ts',
      breaks: 'ledger/break.ts',
      name,
      seed,
    })
    assert.match(output, /histories differ/)
  })
}
