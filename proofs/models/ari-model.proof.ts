import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { proveAri } from '../../test/stage/models/prove-ari.ts'

const sequences = { full: 2_000, floor: 500 }
/** A single sequence, as named by a failure. */
const asked = process.env['ARI_PROOF_SEED']

test('any order of 8 clients’ pushes gives answers and nights that one serial order of the model gives', async (context) => {
  const firstSeed = asked === undefined ? randomInt(1_000_000_000) : Number(asked)
  const count = asked === undefined ? sequences : { full: 1, floor: 1 }
  context.diagnostic(`sequences from seed ${firstSeed}`)
  await proveAri({ firstSeed, sequences: count, share: 0.07, say: (line) => context.diagnostic(line) })
})
