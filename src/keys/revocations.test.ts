import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startGateway, type Reply, type TestGateway } from '../../test/stage/harness.ts'
import { expectOk } from '../../test/stage/story.ts'
import { revocationsIn } from './revocations.ts'
import { withPassword } from '../../test/stage/sign-in.ts'

/**
 * Revocations are in the file before they take effect, and restored access afterwards; tested through the
 * console, where people do both.
 */

let gateway: TestGateway
/** A gateway whose configured file can't keep lines. */
let fileless: TestGateway
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ari-revocations-'))
  gateway = await startGateway({ revocationsFile: join(folder, 'revoked') })
  fileless = await gateway.second({ revocationsFile: '/dev/full' })
})
after(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

function refusal({ status, body }: Reply): unknown[] {
  const [problem] = Array.from(Object(body)['errors'] ?? [])
  return [status, Object(problem).type, Object(body)['message']]
}

const unwritable = "the file of ARI_REVOCATIONS_FILE can't be written (it is not a regular file)"
const unchanged = [503, 'REVOCATIONS_FILE_UNWRITABLE', `Nothing was changed: ${unwritable}`]

test('a revocation is refused if the file can’t be written, and nothing is changed', async () => {
  const admin = await fileless.operator('admin')
  const other = await fileless.operator('operator')
  const supplier = await fileless.supplier('Fileless')
  await supplier.post('/push/webhook/availability', { webhook: 'https://pms.example.com/check' })
  const keyPath = `/keys/${supplier.keyId}`
  const operatorPath = `/operators/${other.operatorId}`
  const held = async () => {
    const { rows } = await fileless.db.query(
      `select k.revoked_at, k.expires_at, k.signing_secret, s.hash, s.expires_at as secret_end, o.disabled_at, o.role
       from api_key k join api_key_secret s on s.key_id = k.id, operator o where k.id = $1 and o.id = $2`,
      [supplier.keyId, other.operatorId],
    )
    const { rows: audited } = await fileless.db.query('select count(*) from audit_log')
    return [rows, audited]
  }
  const heldBefore = await held()
  const ends = { at: '2027-06-30' }
  assert.deepEqual(
    [
      await admin.post(`${keyPath}/revoke`, {}),
      await admin.post(`${keyPath}/rotate`, { overlapMinutes: 60 }),
      await admin.post(`${keyPath}/signing-secret`, { overlapMinutes: 60 }),
      await admin.put(`${keyPath}/expiry`, ends),
      await admin.post(`${operatorPath}/disable`, {}),
      await admin.post(`${operatorPath}/role`, { role: 'viewer' }),
    ].map(refusal),
    Array.from({ length: 6 }, () => unchanged),
  )
  assert.deepEqual(await held(), heldBefore)
  assert.equal((await supplier.get('/push/limits')).status, 200)
})

test('what an older copy of the store has forgotten is revoked again, and nothing else', async () => {
  const admin = await gateway.operator('admin')
  const other = await gateway.operator('operator')
  const [revoked, kept] = [await gateway.supplier('Revoked'), await gateway.supplier('Kept')]
  expectOk(await admin.post(`/keys/${revoked.keyId}/revoke`, {}))
  expectOk(await admin.post(`/operators/${other.operatorId}/disable`, {}))
  const { db } = gateway
  await db.query('update api_key set revoked_at = null')
  await db.query('update operator set disabled_at = null')
  const { enforced, unreadable } = await revocationsIn(join(folder, 'revoked')).enforce(db)
  assert.deepEqual([enforced.keys, enforced.operators, unreadable], [1, 1, 0])
  const { rows } = await db.query<{ keys: number[]; operators: number[] }>(
    `select array(select id from api_key where revoked_at is not null) as keys,
       array(select id from operator where disabled_at is not null) as operators`,
  )
  assert.deepEqual(rows, [{ keys: [revoked.keyId], operators: [other.operatorId] }])
  assert.equal((await kept.get('/push/limits')).status, 200)
})

test('restoring access is done anyway, and the answer warns that a restart undoes it', async () => {
  const admin = await gateway.operator('admin')
  const filelessAdmin = await fileless.operator('admin')
  const other = await gateway.operator('viewer')
  const path = `/operators/${other.operatorId}`
  expectOk(await admin.post(`${path}/disable`, {}))
  const done = [
    503,
    'REVOCATIONS_FILE_UNWRITABLE',
    `It was done, but a restart will take it back: ${unwritable}`,
  ]
  assert.deepEqual(refusal(await filelessAdmin.post(`${path}/enable`, {})), done)
  assert.deepEqual(refusal(await filelessAdmin.post(`${path}/role`, { role: 'admin' })), done)
  const { rows } = await gateway.db.query('select role, disabled_at from operator where id = $1', [
    other.operatorId,
  ])
  assert.deepEqual(rows, [{ role: 'admin', disabled_at: null }])
  // Repeated once the file can be written, it takes effect.
  expectOk(await admin.post(`${path}/enable`, {}))
  expectOk(await admin.post(`${path}/role`, { role: 'admin' }))
  const lines = (await readFile(join(folder, 'revoked'), 'utf8')).trim().split('\n')
  const said = lines.flatMap((line) =>
    JSON.parse(line).noted.map(({ kind, is }: { kind: string; is: string }) => `${kind} ${is}`),
  )
  assert.deepEqual(said.slice(-4), ['operator enabled', 'role admin', 'operator enabled', 'role admin'])
})

test('a change of password is refused where the file can not be written, and the old one still signs in', async () => {
  const there = await withPassword(
    fileless,
    (await fileless.operator('viewer')).name,
    'nine blue doors swing',
  )
  const change = { current: 'nine blue doors swing', next: 'two old boats drift' }
  assert.deepEqual(refusal(await there.post('/me/password', change)), unchanged)
  assert.equal((await there.get('/me')).status, 200)
})
