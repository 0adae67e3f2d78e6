import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pushedRestrictions } from '../src/ari/restrictions.ts'

const root = resolve(import.meta.dirname, '..')

/** What knows restrictions by name on purpose, so that a fault of the service isn't repeated: CONTRIBUTING, steps 4 and 5. */
const knowing = [
  'packages/client/src/digest.ts',
  'test/proof/digest.test.ts',
  'test/proof/naive-ari.ts',
  'test/proof/naive-impact.ts',
  'test/proof/naive-offers.ts',
  'test/proof/offer-hotels.ts',
  'test/proof/prove-ari.ts',
  'test/proof/read-readings.ts',
]

test('the client and the models of the proofs know every restriction that is pushed', () => {
  const missing = knowing.flatMap((file) => {
    const text = readFileSync(resolve(root, file), 'utf8')
    return pushedRestrictions
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
      .map((name) => `${file}: ${name}`)
  })
  assert.deepEqual(missing, [])
})
