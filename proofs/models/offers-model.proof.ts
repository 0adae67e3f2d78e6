import { test } from 'node:test'
import { firstSeed, roundsWithin } from '../../test/stage/pace.ts'
import { proveOffers } from '../../test/stage/models/prove-offers.ts'

/** In each of the rounds. */
const hotels = 25
const rounds = { full: 40, floor: 2, share: 0.05 }

test('every stay in a thousand random hotels is offered as a naive evaluator judges it, and refusals are explained rightly', async (context) => {
  context.diagnostic(`ARI_PROOF_SEED=${firstSeed}`)
  const turns = roundsWithin(rounds)
  for (let turn = turns.next(); turn !== undefined; turn = turns.next())
    await proveOffers({ seed: firstSeed + turn, hotels, say: (line) => context.diagnostic(line) })
  context.diagnostic(`${turns.summary()} of ${hotels} hotels`)
})
