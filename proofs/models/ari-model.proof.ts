import { test } from 'node:test'
import { firstSeed, repeatedSeed } from '../../test/stage/pace.ts'
import { proveAri } from '../../test/stage/models/prove-ari.ts'

const sequences = { full: 2_000, floor: 200 }

test('any order of 8 clients’ pushes gives answers and nights that one serial order of the model gives', async (context) => {
  const count = repeatedSeed === undefined ? sequences : { full: 1, floor: 1 }
  context.diagnostic(`sequences from seed ${firstSeed}`)
  await proveAri({ firstSeed, sequences: count, share: 0.07, say: (line) => context.diagnostic(line) })
})
