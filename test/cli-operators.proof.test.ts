import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startGateway, type TestGateway } from './harness.ts'
import { runAri, type Outcome } from './programs.ts'
import { environOf } from './postgres.ts'
import { browser } from './sign-in.ts'

/** ari operator, run as people run it, beside a service on the same store. */

let gateway: TestGateway
const settings: Record<string, string> = {}

before(async () => {
  gateway = await startGateway({ systemTime: true })
  const { host = '', port = 0, user = '', database = '' } = gateway.db.pool.options
  Object.assign(settings, environOf({ host, port, user, database }))
})
after(() => gateway.stop())

const ari = (...parameters: string[]): Promise<Outcome> => runAri(settings, 'operator', ...parameters)

async function json(...parameters: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await ari(...parameters, '--json')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^[^\n]+\n$/)
  return JSON.parse(stdout)
}

const link = /^http:\/\/127\.0\.0\.1:8080\/console\/sign-in#token=([A-Za-z0-9_-]{43})\n$/

test('an operator is made with a link that signs in once, listed, given another role, disabled and enabled', async () => {
  const made = await ari('create', '--name', 'maria@example.com', '--role', 'admin')
  assert.equal(made.code, 0, made.stderr)
  const [, token = ''] = link.exec(made.stdout) ?? []
  assert.match(made.stderr, /^It signs "maria@example\.com" in once, until \S+Z\. It is not shown again\.\n$/)
  const maria = browser(gateway.url)
  assert.equal((await maria.signInByLink(token)).status, 200)
  const { role } = (await maria.get('/me')).body
  assert.equal(role, 'admin')

  assert.equal((await json('create', '--name', 'Otto', '--role', 'admin'))['name'], 'Otto')
  assert.equal((await json('set-role', 'OTTO', 'viewer'))['role'], 'viewer')
  const last = await ari('disable', 'maria@example.com')
  assert.deepEqual([last.code, last.stdout], [1, ''])
  assert.match(last.stderr, /"maria@example\.com" is the only admin who can sign in/)
  assert.equal(typeof (await json('disable', 'otto'))['disabledAt'], 'string')
  const { stdout } = await ari('list')
  assert.match(stdout, /^\d+ +maria@example\.com +admin +active +no +no +\S+Z +\S+Z$/m)
  assert.match(stdout, /^\d+ +Otto +viewer +disabled +no +no +\S+Z +-$/m)
  assert.deepEqual(await ari('enable', 'otto'), {
    code: 0,
    stdout: 'Operator "Otto" is enabled\n',
    stderr: '',
  })
  const { signInUrl } = await json('sign-in-link', 'Otto')
  assert.match(`${String(signInUrl)}\n`, link)

  const changes = (await maria.get('/audit?action=operator.&limit=200')).body['changes']
  assert.ok(Array.isArray(changes))
  assert.deepEqual(
    changes.map(({ operator, action, requestId }) => `${operator}: ${action} ${requestId}`).toReversed(),
    [
      'command line: operator.create null',
      `maria@example.com: operator.sign-in ${String(changes.at(-2).requestId)}`,
      'command line: operator.create null',
      'command line: operator.role null',
      'command line: operator.disable null',
      'command line: operator.enable null',
      'command line: operator.sign-in-link null',
    ],
  )
})

test('a link shows the address at which people reach the console', async () => {
  const { stdout } = await runAri(
    { ...settings, ARI_PUBLIC_URL: 'https://ari.example.com' },
    'operator',
    'create',
    '--name',
    'Pia',
    '--role',
    'viewer',
  )
  assert.match(stdout, /^https:\/\/ari\.example\.com\/console\/sign-in#token=/)
})

test('a name that is taken and one that is unknown are refused', async () => {
  const twice = await ari('create', '--name', 'PIA', '--role', 'viewer')
  assert.deepEqual([twice.code, twice.stdout], [1, ''])
  assert.match(twice.stderr, /Operator "PIA" exists already/)
  const unknown = await ari('sign-in-link', 'nobody')
  assert.deepEqual([unknown.code, /Operator "nobody" not found/.test(unknown.stderr)], [1, true])
})
