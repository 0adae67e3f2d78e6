import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { runAri } from '../../test/stage/programs/programs.ts'

/** Commands get the secrets they need without any secret among their arguments. */

const gateway = await gatewayForTests({ systemTime: true })
const settings = environOf(gateway.storeAddress)

test('a secret is taken from a file that NAME_FILE names, and never from both', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ari-secrets-'))
  const file = join(folder, 'database-url')
  const { DATABASE_URL = '', ...others } = settings
  await writeFile(file, `${DATABASE_URL}\n`, { mode: 0o600 })
  const listed = await runAri({ ...others, DATABASE_URL_FILE: file }, 'key', 'list', '--json')
  assert.equal(listed.code, 0, listed.stderr)
  assert.equal(listed.stderr, '')
  const both = await runAri({ ...settings, DATABASE_URL_FILE: file }, 'key', 'list')
  assert.deepEqual(both, {
    code: 1,
    stdout: '',
    stderr: 'error: DATABASE_URL and DATABASE_URL_FILE must not both be set\n',
  })
  const missing = await runAri({ ...others, DATABASE_URL_FILE: join(folder, 'none') }, 'key', 'list')
  assert.match(missing.stderr, /^error: DATABASE_URL_FILE names \/[^\n]+none, which can't be read: [^\n]+\n$/)
  const key = join(folder, 'key')
  await writeFile(key, 'not a key\n')
  const simulated = await runAri(
    { ...others, ARI_URL: 'http://127.0.0.1:1' },
    'simulate',
    'supplier',
    '--key-file',
    key,
  )
  assert.equal(simulated.code, 1)
  assert.doesNotMatch(simulated.stderr, /API key is missing|not a key/)
  const none = await runAri(others, 'simulate', 'supplier')
  assert.match(none.stderr, /the API key is missing: --key-file FILE, ARI_API_KEY or --key/)
  await rm(folder, { recursive: true })
})
