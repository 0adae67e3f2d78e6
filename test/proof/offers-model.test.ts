import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { proveOffers } from './prove-offers.ts'

const hotels = 1_000
/** A run again, as a failure names it. */
const asked = process.env['ARI_PROOF_SEED']

test('every stay in a thousand random hotels is offered as a naive evaluator judges it, and refusals are explained rightly', async (context) => {
  const seed = asked === undefined ? randomInt(1_000_000_000) : Number(asked)
  context.diagnostic(`ARI_PROOF_SEED=${seed}`)
  await proveOffers({ seed, hotels, say: (line) => context.diagnostic(line) })
})
