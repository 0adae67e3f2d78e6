import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { runAri, type Outcome } from '../../test/stage/programs/programs.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { browser } from '../../test/stage/sign-in.ts'

/** ari operator, run as people run it, beside a service on the same store. */

const gateway = await gatewayForTests({ systemTime: true })
const settings = environOf(gateway.storeAddress)

/** The name that the audit log gives to the user who runs the tests. */
const commandLine = `command line (${userInfo().username})`

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
  assert.match(stdout, /^\d+ +maria@example\.com +admin +active +no +no +no +\S+Z +\S+Z$/m)
  assert.match(stdout, /^\d+ +Otto +viewer +disabled +no +no +no +\S+Z +-$/m)
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
      `${commandLine}: operator.create null`,
      `maria@example.com: operator.sign-in ${String(changes.at(-2).requestId)}`,
      `${commandLine}: operator.create null`,
      `${commandLine}: operator.role null`,
      `${commandLine}: operator.disable null`,
      `${commandLine}: operator.enable null`,
      `${commandLine}: operator.sign-in-link null`,
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
  assert.match(twice.stderr, /The name "PIA" is taken/)
  const unknown = await ari('sign-in-link', 'nobody')
  assert.deepEqual([unknown.code, /Operator "nobody" not found/.test(unknown.stderr)], [1, true])
})

test('every change on the command line is in the audit log, with the user of the operating system and no secret', async () => {
  const run = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runAri(settings, ...parameters)
    assert.equal(code, 0, stderr)
    return stdout
  }
  await run('supplier', 'create', 'Sea View')
  await run('supplier', 'set', 'Sea View', '--card-delivery', 'on')
  const { apiKey, keyId } = JSON.parse(await run('key', 'create', '--supplier', 'Sea View'))
  await run('key', 'limits', keyId, '--rate-limit', '600')
  await run('key', 'limits', keyId)
  await run('key', 'expire', keyId, '--at', '2099-12-31')
  const rotated = JSON.parse(await run('key', 'rotate', keyId))
  await run('key', 'revoke', keyId)
  const { token } = JSON.parse(await run('token', 'create', '--role', 'platform', '--name', 'engine'))
  await run('token', 'revoke', '1')
  await run('reference', 'room-type', 'add', 'Sky Pod', '--description', 'Glass capsule')
  await run('reference', 'room-type', 'retire', 'Sky Pod')
  await run('reference', 'meal-plan', 'add', 'BRU', '--name', 'Brunch', '--description', 'Late breakfast')
  await run('reference', 'meal-plan', 'retire', 'BRU')
  const { rows } = await gateway.db.query<{ line: string; kept: string }>(
    `select action || ' ' || subject as line, to_jsonb(a)::text as kept from audit_log a
     where operator_name = $1 and action not like 'operator.%' order by id`,
    [commandLine],
  )
  assert.deepEqual(
    rows.map(({ line }) => line),
    [
      'supplier.create supplier 1 "Sea View"',
      'supplier.change supplier 1 "Sea View"',
      `key.create key ${keyId} of "Sea View"`,
      `key.limits key ${keyId} of "Sea View"`,
      `key.expire key ${keyId} of "Sea View"`,
      `key.rotate key ${keyId} of "Sea View"`,
      `key.revoke key ${keyId} of "Sea View"`,
      'token.create token 1',
      'token.revoke token 1',
      'reference.add room type "Sky Pod"',
      'reference.retire room type "Sky Pod"',
      'reference.add meal plan "BRU"',
      'reference.retire meal plan "BRU"',
    ],
  )
  const kept = rows.map((row) => row.kept).join()
  for (const secret of [apiKey, rotated.apiKey, token]) assert.equal(kept.includes(secret), false)
})
