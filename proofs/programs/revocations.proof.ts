import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { client, gatewayForTests, serverAddress, type TestClient } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'
import { asAdmin, environOf, type TestAddress } from '../../test/stage/postgres.ts'
import { runAri, startProgram, type Running } from '../../test/stage/programs/programs.ts'
import { browser, withPassword } from '../../test/stage/sign-in.ts'
import { expectOk } from '../../test/stage/story.ts'

/** A store restored from a backup, and a service that starts on it or runs meanwhile. */

const folder = await mkdtemp(join(tmpdir(), 'ari-put-back-'))
const file = join(folder, 'revoked')
const gateway = await gatewayForTests({ systemTime: true, revocationsFile: file })
after(() => rm(folder, { recursive: true }))

const passwords = { old: 'seven green lamps hum', next: 'two old boats drift' }

async function serve(address: TestAddress): Promise<Running & { url: string }> {
  const settings = { ...environOf(address), PORT: '0', ARI_REVOCATIONS_FILE: file, LOG_LEVEL: 'info' }
  const service = startProgram('serve', settings)
  const said = await service.printed(/http:\/\/127\.0\.0\.1:\d+/)
  return { ...service, url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '' }
}

async function statusOf(url: string, apiKey: string): Promise<number> {
  return (await client(url, { 'x-api-key': apiKey }).get('/push/limits')).status
}

test('a service that starts on an older copy repeats the revocations made since', async () => {
  const admin = await gateway.operator('admin')
  const names = ['revoked', 'rotated', 'ended', 'extended', 'kept'] as const
  const suppliers = await Promise.all(names.map((name) => gateway.supplier(name)))
  const [revoked, rotated, ended, extended, kept] = suppliers
  assert.ok(revoked && rotated && ended && extended && kept)
  await kept.post('/push/webhook/availability', { webhook: 'https://pms.example.com/check' })
  const lowered = await gateway.operator('admin')
  const { name: person } = await gateway.operator('viewer')
  const first = await withPassword(gateway, person, passwords.old)

  const copy: TestAddress = { ...gateway.storeAddress, database: `${gateway.storeAddress.database}_copy` }
  // As a backup of this moment contains it.
  const dump = `create database ${copy.database} template ${gateway.storeAddress.database} strategy file_copy`
  await withoutConnections(async () => asAdmin(await serverAddress(), dump))

  expectOk(await admin.post(`/keys/${revoked.keyId}/revoke`, {}))
  expectOk(await admin.post(`/keys/${rotated.keyId}/rotate`, { overlapMinutes: 0 }))
  const past = new Date(Date.now() - 1_000).toISOString()
  expectOk(await admin.put(`/keys/${ended.keyId}/expiry`, { at: past }))
  expectOk(await admin.put(`/keys/${extended.keyId}/expiry`, { at: past }))
  expectOk(await admin.put(`/keys/${extended.keyId}/expiry`, { at: null }))
  expectOk(await admin.post(`/keys/${kept.keyId}/signing-secret`, { overlapMinutes: 0 }))
  expectOk(await admin.post(`/operators/${lowered.operatorId}/role`, { role: 'viewer' }))
  expectOk(await first.post('/me/password', { current: passwords.old, next: passwords.next }))

  const service = await serve(copy)
  const said = /\{[^\n]*revocations that a restore had undone were applied again[^\n]*/.exec(
    service.output.stdout + service.output.stderr,
  )
  const { keys, ends, roles, passwords: forgotten, signingSecrets } = Object(JSON.parse(said?.[0] ?? '{}'))
  assert.deepEqual(
    { keys, ends, roles, forgotten, signingSecrets },
    { keys: 1, ends: 2, roles: 1, forgotten: 1, signingSecrets: 1 },
  )
  const statuses = await Promise.all(suppliers.map(({ apiKey }) => statusOf(service.url, apiKey)))
  assert.deepEqual(statuses, [401, 401, 401, 200, 200])
  assert.equal((await browser(service.url).signIn(person, passwords.old)).status, 401)
  const { stdout } = await runAri(environOf(copy), 'operator', 'list', '--json')
  const operators = Array.from(JSON.parse(stdout)).map(Object)
  assert.equal(operators.find(({ name }) => name === lowered.name)?.role, 'viewer')

  // While it runs, the store is restored once more, and the file is missing for a moment.
  await rename(file, `${file}.away`)
  await mkdir(file)
  await asAdmin(copy, 'update api_key set revoked_at = null')
  const restored = await runAri(environOf(copy), 'after-restore', '--force')
  assert.equal(restored.code, 0, restored.stderr)
  await until(async () => (await statusOf(service.url, revoked.apiKey)) === 200)
  await rm(file, { recursive: true })
  await rename(`${file}.away`, file)
  await until(async () => (await statusOf(service.url, revoked.apiKey)) === 401)
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

test('what another machine, with a file of its own, gave back stays so when the one that revoked it starts again', async () => {
  const admin = await gateway.operator('admin')
  const supplier = await gateway.supplier('given back')
  const [disabled, lowered] = [await gateway.operator('operator'), await gateway.operator('admin')]
  const past = new Date(Date.now() - 1_000).toISOString()
  const end = async (caller: TestClient, at: string | null) =>
    expectOk(await caller.put(`/keys/${supplier.keyId}/expiry`, { at }))
  await end(admin, past)
  expectOk(await admin.post(`/operators/${disabled.operatorId}/disable`, {}))
  expectOk(await admin.post(`/operators/${lowered.operatorId}/role`, { role: 'viewer' }))

  const other = await gateway.second({ revocationsFile: join(folder, 'other') })
  const otherAdmin = await other.operator('admin')
  await end(otherAdmin, null)
  expectOk(await otherAdmin.post(`/operators/${disabled.operatorId}/enable`, {}))
  expectOk(await otherAdmin.post(`/operators/${lowered.operatorId}/role`, { role: 'admin' }))

  const isOnAfterStart = async (): Promise<unknown> => {
    const service = await serve(gateway.storeAddress)
    const status = await statusOf(service.url, supplier.apiKey)
    const { stdout } = await runAri(environOf(gateway.storeAddress), 'operator', 'list', '--json')
    const operators = Array.from(JSON.parse(stdout)).map(Object)
    const [first, second] = [disabled, lowered].map(({ name }) => operators.find((one) => one.name === name))
    service.child.kill('SIGTERM')
    assert.equal((await service.ended).code, 0)
    return [status, first?.disabledAt === null, second?.role]
  }
  assert.deepEqual(await isOnAfterStart(), [200, true, 'admin'])

  // Revoked once more, and then forgotten by the store, as by a restore.
  await end(admin, past)
  expectOk(await admin.post(`/operators/${disabled.operatorId}/disable`, {}))
  expectOk(await admin.post(`/operators/${lowered.operatorId}/role`, { role: 'viewer' }))
  await asAdmin(
    gateway.storeAddress,
    `update api_key set expires_at = null; update operator set disabled_at = null; update operator set role = 'admin' where id = ${lowered.operatorId}`,
  )
  assert.deepEqual(await isOnAfterStart(), [401, false, 'viewer'])
})

test('a file that can’t be used is refused at the start, and invalid lines are reported', async () => {
  const settings = { ...environOf(gateway.storeAddress), PORT: '0', LOG_LEVEL: 'info' }
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const none of ['/dev/null', pipe, folder]) {
    const { code, stderr } = await runAri({ ...settings, ARI_REVOCATIONS_FILE: none }, 'serve')
    const said = `ARI_REVOCATIONS_FILE ${none} can't be read and written: `
    assert.deepEqual([code, stderr.includes(said)], [1, true], stderr)
  }
  const foreign = join(folder, 'foreign')
  await writeFile(foreign, 'DATABASE_URL=postgres://elsewhere\n\nLOG_LEVEL=info\n')
  const service = startProgram('serve', { ...settings, ARI_REVOCATIONS_FILE: foreign })
  const said = await service.printed(/\{[^\n]*lines of ARI_REVOCATIONS_FILE can't be read[^\n]*/)
  assert.match(said, /"unreadable":2,/)
  assert.doesNotMatch(said, /elsewhere/)
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

/** A database can only be copied while it has no connections. */
async function withoutConnections(copy: () => Promise<void>): Promise<void> {
  const { database } = gateway.storeAddress
  await until(async () => {
    await asAdmin(
      await serverAddress(),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    )
    return copy().then(
      () => true,
      () => false,
    )
  })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + minutes(2)
  while (!(await isSo())) {
    assert.ok(performance.now() < endMs, 'it did not come about')
    await wait(100)
  }
}
