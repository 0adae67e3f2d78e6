import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../test/stage/files.ts'

/** What the tests of commit groups notice if a group relies on cached hotels without comparing them. */

const breaks: Readonly<Record<string, readonly RegExp[]>> = {
  uncomparedHotels: [
    /✖ nights that another process pushed/,
    /✖ units that another process sold/,
    /✖ a currency, products and taxes that another process changed/,
    /✖ a hotel that was reset and pushed again/,
  ],
  uncomparedBlocks: [/✖ a sequence that another process stored/],
}

for (const [name, failures] of Object.entries(breaks)) {
  test(`deliberate break ${name}: the tests of two processes notice it`, async () => {
    const output = await outputWith(name)
    for (const failure of failures) assert.match(output, failure)
  })
}

async function outputWith(name: string): Promise<string> {
  const environ = { ...process.env }
  // A test run within another would run nothing.
  delete environ['NODE_TEST_CONTEXT']
  const child = spawn(process.execPath, [join(root, 'test/run.ts'), 'src/ari/commit/commit-group.test.ts'], {
    cwd: root,
    env: {
      ...environ,
      NODE_OPTIONS: `--import=${import.meta.resolve('../../test/stage/query-breaks.ts')}`,
      ARI_PROOF_BREAK: name,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = await once(child, 'exit')
  assert.equal(code, 1, output.slice(-8_000))
  return output
}
