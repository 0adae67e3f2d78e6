import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './files.ts'

export type BrokenProof = {
  /** Its file, from the root. */
  proof: string
  /** The file with its breaks, from test/stage/. */
  breaks: string
  name: string
  /** Of a round that shows it: a machine that has time for few rounds may not come to one by chance. */
  seed: number
  /** Time for the rounds of all proofs, of which this one has its share; by default as much as the run has. */
  proofSeconds?: number
}

/** Runs a proof with a deliberate break, and asserts that it finds a difference. Returns its output. */
export async function outputOf({ proof, breaks, name, seed, proofSeconds }: BrokenProof): Promise<string> {
  const environ = { ...process.env }
  // A test run within another would run nothing.
  delete environ['NODE_TEST_CONTEXT']
  const child = spawn(process.execPath, [join(root, 'test/run.ts'), '--proof', proof], {
    cwd: root,
    env: {
      ...environ,
      ARI_TEST_PART: 'yes',
      NODE_OPTIONS: `--import=${import.meta.resolve(`./${breaks}`)}`,
      ARI_PROOF_BREAK: name,
      ARI_PROOF_SEED: String(seed),
      ...(proofSeconds === undefined ? {} : { ARI_TEST_PROOF_SECONDS: String(proofSeconds) }),
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
