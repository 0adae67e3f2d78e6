import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../test/stage/files.ts'

/** Deliberate breaks that the proof of history notices. */

/** With the seed of a round that shows it: a machine that has time for few rounds may not come to one by chance. */
const seeds: Readonly<Record<string, number>> = {
  lastNoteWins: 851_869_787,
  bookingsWithout: 372_844_880,
  formerCurrencyCounts: 873_049_862,
  brokenChain: 163_005_825,
  oneTooMany: 907_851_155,
  undoneRegardless: 635_826_394,
  bothModels: 67_500_487,
  firstChanger: 220_552_365,
  sameMask: 200_688_119,
}

for (const [name, seed] of Object.entries(seeds)) {
  test(`deliberate break ${name}: the proof of history notices it`, async () => {
    assert.match(await outputWith(name, seed), /✖ the ARI as of every revision and time/)
  })
}

async function outputWith(name: string, seed: number): Promise<string> {
  const environ = { ...process.env }
  // A test run within another would run nothing.
  delete environ['NODE_TEST_CONTEXT']
  const parameters = [join(root, 'test/run.ts'), '--proof', 'proofs/models/history.proof.ts']
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    env: {
      ...environ,
      NODE_OPTIONS: `--import=${import.meta.resolve('../../test/stage/history/break.ts')}`,
      ARI_PROOF_BREAK: name,
      ARI_PROOF_SEED: String(seed),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = await once(child, 'exit')
  assert.equal(code, 1, output.slice(-8_000))
  // It ran and found a difference; a source that a break doesn't fit any more fails otherwise.
  assert.match(output, /AssertionError/)
  return output
}
