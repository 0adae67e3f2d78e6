import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { client, gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { environOf } from '../../test/stage/postgres.ts'
import { runAri, runAriWithin } from '../../test/stage/programs/programs.ts'
import { browser } from '../../test/stage/sign-in.ts'
import { expectOk, product, pushStoryHotel } from '../../test/stage/story.ts'

/** `ari after-restore`, as an operator runs it on a restored store. */

const gateway = await gatewayForTests({ systemTime: true })

test('rooms, rates and hotels keep their platform ids, and new ones get none that may have been given out', async () => {
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const held = await idsOf(supplier)
  const environ = environOf(gateway.storeAddress)
  const refused = await runAri(environ, 'after-restore')
  assert.equal(refused.code, 1, refused.stderr)
  assert.match(refused.stderr, /A service or another command is using this store \(\d+ connections\)/)
  assert.deepEqual(await idsOf(supplier), held)
  const { code, stderr } = await runAri(environ, 'after-restore', '--force')
  assert.equal(code, 0, stderr)
  // The service that was running on it notices, which takes one call at most.
  const cabin = { hotelId: 'H1', products: [product('CABIN', 'CABIN')] }
  const pushed = await supplier.post('/push/products', cabin)
  expectOk(pushed.status === 503 ? await settled(() => supplier.post('/push/products', cabin)) : pushed)
  const later = await idsOf(supplier)
  for (const [name, id] of held) assert.equal(later.get(name), id)
  const made = [...later].filter(([name]) => !held.has(name))
  assert.equal(made.length, 2)
  const highest = Math.max(...[...held.values()].map(numberIn))
  for (const [, id] of made) assert.ok(numberIn(id) > highest + 100, id)
  const { rows: audited } = await gateway.db.query(
    `select operator_name, subject from audit_log where action = 'store.after-restore'`,
  )
  assert.deepEqual(audited, [{ operator_name: `command line (${userInfo().username})`, subject: 'store' }])
})

test('sessions and links end, revocations in the file are repeated, and everything valid is listed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ari-revoked-'))
  const file = join(folder, 'revoked')
  const environ = { ...environOf(gateway.storeAddress), ARI_REVOCATIONS_FILE: file }
  const run = async (...parameters: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await runAri(environ, ...parameters)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const names = ['gone', 'back', 'stays'] as const
  const keys = new Map<string, { apiKey?: string; keyId?: string }>()
  for (const name of names) keys.set(name, await run('key', 'create', '--supplier', `Restored ${name}`))
  const { token = '' } = await run('token', 'create', '--role', 'platform', '--name', 'stolen')
  const link = new URL(
    (await run('operator', 'create', '--name', 'Otto', '--role', 'admin', '--json'))['signInUrl'] ?? '',
  )
  await run('operator', 'create', '--name', 'Pia', '--role', 'admin', '--json')
  await run('operator', 'create', '--name', 'Ute', '--role', 'admin', '--json')
  const person = await gateway.operator('viewer')
  const { rows } = await gateway.db.query<{ id: number }>(`select id from access_token where name = 'stolen'`)
  await run('key', 'revoke', keys.get('gone')?.keyId ?? '', '--json')
  await run('token', 'revoke', String(rows[0]?.id), '--json')
  await run('operator', 'disable', 'Pia', '--json')
  await run('operator', 'disable', 'Ute', '--json')
  await run('operator', 'enable', 'Ute', '--json')
  // A line cut off by a crash damages neither the lines before it nor those after it.
  await appendFile(file, '{"kind":"key","ha')
  await run('key', 'revoke', keys.get('back')?.keyId ?? '', '--json')
  const kept = await readFile(file, 'utf8')
  for (const { apiKey = 'none' } of keys.values()) assert.equal(kept.includes(apiKey), false)
  assert.equal((await stat(file)).mode & 0o777, 0o600)

  // As in a backup from before.
  await gateway.db.query('update api_key set revoked_at = null')
  await gateway.db.query('update access_token set revoked_at = null')
  await gateway.db.query('update operator set disabled_at = null')
  const callOf = async (name: string) => {
    const apiKey = keys.get(name)?.apiKey ?? ''
    const { status } = await settled(() => client(gateway.url, { 'x-api-key': apiKey }).get('/push/limits'))
    return status
  }
  assert.deepEqual([await callOf('gone'), await callOf('back')], [200, 200])
  assert.equal((await person.get('/me')).status, 200)
  const outcome: Record<string, unknown> = await run('after-restore', '--force', '--json')
  assert.deepEqual(outcome['revokedAgain'], {
    keys: 2,
    tokens: 1,
    operators: 1,
    roles: 0,
    passwords: 0,
    ends: 0,
    signingSecrets: 0,
  })
  const valid = outcome['valid']
  assert.ok(Array.isArray(valid))
  const listed = valid
    .map(({ what, name }) => `${what} ${name}`)
    .filter((line) => /Restored|stolen|Pia|Ute/.test(line))
  assert.deepEqual(listed, ['key Restored stays (direct)', 'operator Ute (admin)'])
  // Keys and sessions are cached for half a second.
  await wait(1_000)
  assert.deepEqual([await callOf('gone'), await callOf('back'), await callOf('stays')], [401, 401, 200])
  const asPlatform = client(gateway.url, { authorization: `Bearer ${token}` })
  assert.equal((await asPlatform.get('/booking/changes')).status, 401)
  assert.equal((await person.get('/me')).status, 401)
  const used = await browser(gateway.url).signInByLink(link.hash.replace('#token=', ''))
  assert.equal(used.status, 401)
  await rm(folder, { recursive: true })
})

test('where the file can not be written, nothing is revoked, and the command says why', async () => {
  const { keyId } = await gateway.supplier('Kept')
  const environ = { ...environOf(gateway.storeAddress), ARI_REVOCATIONS_FILE: '/nowhere/revoked' }
  const { code, stderr } = await runAri(environ, 'key', 'revoke', String(keyId))
  assert.equal(code, 1)
  assert.match(stderr, /Nothing was changed: the file of ARI_REVOCATIONS_FILE can't be written \(ENOENT\)/)
  assert.match(stderr, /Let the service write the file, or make room on its disk/)
  const { rows } = await gateway.db.query('select revoked_at from api_key where id = $1', [keyId])
  assert.deepEqual(rows, [{ revoked_at: null }])
})

test('where the file has room for some of what a revocation notes, nothing is revoked, and nothing is when it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ari-full-'))
  const file = join(folder, 'revoked')
  const environ = { ...environOf(gateway.storeAddress), ARI_REVOCATIONS_FILE: file }
  const { operatorId, name } = await gateway.operator('operator')
  const isDisabled = async () => {
    const { rows } = await gateway.db.query(
      'select from operator where id = $1 and disabled_at is not null',
      [operatorId],
    )
    return rows.length > 0
  }
  // Whether the operator is disabled, and the role: the first would fit on its own.
  await writeFile(file, '\n'.repeat(fileBlocks * 512 - 200))
  const { code, stderr } = await runAriWithin(fileBlocks, environ, 'operator', 'disable', name)
  assert.deepEqual(
    [code, /Nothing was changed: .* can't be written \(EFBIG\)/.test(stderr)],
    [1, true],
    stderr,
  )
  const restored = await runAri(environ, 'after-restore', '--force', '--json')
  assert.equal(restored.code, 0, restored.stderr)
  assert.deepEqual([JSON.parse(restored.stdout).revokedAgain.operators, await isDisabled()], [0, false])

  // Once there is room again, the line that was cut off does no harm.
  assert.equal((await runAri(environ, 'operator', 'disable', name)).code, 0)
  await gateway.db.query('update operator set disabled_at = null where id = $1', [operatorId])
  assert.equal((await runAri(environ, 'after-restore', '--force')).code, 0)
  assert.equal(await isDisabled(), true)
  await rm(folder, { recursive: true })
})

const fileBlocks = 8

async function settled(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    await wait(100)
    const reply = await call()
    if (reply.status !== 503) return reply
  }
}

/** Platform ids of rooms and rates, by kind and the supplier's code. */
async function idsOf(supplier: TestSupplier): Promise<Map<string, string>> {
  const { body } = expectOk(await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' }))
  const { mappings } = Object(body)
  return new Map(
    Array.from(mappings).flatMap((mapping) => {
      const { roomId, rateId, platformRoomId, platformRateId } = Object(mapping)
      return [
        [`room ${roomId}`, String(platformRoomId)],
        [`rate ${rateId}`, String(platformRateId)],
      ]
    }),
  )
}

function numberIn(platformId: string): number {
  return Number(/-[A-Z](\d+)$/.exec(platformId)?.[1])
}
