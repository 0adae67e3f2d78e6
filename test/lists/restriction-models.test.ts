import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pushedRestrictions } from '../../src/ari/restrictions.ts'
import { naiveNames } from '../stage/models/naive-restrictions.ts'
import { samples } from '../stage/scenes/digest-vectors.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What knows restrictions by name on purpose, so that a fault of the service isn't repeated: CONTRIBUTING, steps 4 and 5. */

test('the models of the proofs know every restriction that is pushed', () => {
  const missing = pushedRestrictions.filter((name) => !naiveNames.includes(name))
  assert.deepEqual(missing, [], 'test/stage/models/naive-restrictions.ts lacks them')
  const others = naiveNames.filter((name) => !pushedRestrictions.includes(name))
  assert.deepEqual(others, [], 'test/stage/models/naive-restrictions.ts has them, and the contract has not')
})

test('the programs of the guide know every restriction that is pushed', () => {
  const missing = ['ari_digest.py', 'ari-digest.php'].flatMap((file) => {
    const text = readFileSync(join(samples, file), 'utf8')
    return pushedRestrictions
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
      .map((name) => `docs/samples/${file}, LATER: ${name}`)
  })
  assert.deepEqual(missing, [])
})
