import { test } from 'node:test'
import { proveAri } from './proof/prove-ari.ts'

/** A sample of test/proof/ari-model.test.ts, always the same. */
test('random pushes of 8 clients are answered and kept as the naive model says', async (context) => {
  await proveAri({ firstSeed: 1, sequences: 60, say: (line) => context.diagnostic(line) })
})
