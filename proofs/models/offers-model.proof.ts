import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { roundsWithin } from '../../test/stage/pace.ts'
import { proveOffers } from '../../test/stage/models/prove-offers.ts'

/** In each of the rounds. */
const hotels = 200
const rounds = { full: 5, floor: 1, share: 0.05 }
/** Repeats a run, as named by a failure. */
const asked = process.env['ARI_PROOF_SEED']

test('every stay in a thousand random hotels is offered as a naive evaluator judges it, and refusals are explained rightly', async (context) => {
  const seed = asked === undefined ? randomInt(1_000_000_000) : Number(asked)
  context.diagnostic(`ARI_PROOF_SEED=${seed}`)
  const turns = roundsWithin(rounds)
  for (let turn = turns.next(); turn !== undefined; turn = turns.next())
    await proveOffers({ seed: seed + turn, hotels, say: (line) => context.diagnostic(line) })
  context.diagnostic(`${turns.summary()} of ${hotels} hotels`)
})
