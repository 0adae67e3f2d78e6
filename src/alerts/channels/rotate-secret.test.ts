import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startExampleSupplier, type ExampleSupplier } from '../../../test/stage/scenes/examples.ts'
import { startGateway, type TestGateway, type TestSupplier } from '../../../test/stage/harness.ts'
import { httpAnswer } from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { signedHeaders } from '../../outbound/signature.ts'

/** A supplier renews the secret of its alerts by itself, so a lost answer needs nobody else. */

let server: ExampleSupplier
let gateway: TestGateway
before(async () => {
  server = await startExampleSupplier((socket) => socket.write(httpAnswer(200, '{}')))
  gateway = await startGateway({
    now: '2027-03-01T12:00:00Z',
    outbound: server.outbound,
    resolve: async () => ['93.184.216.34'],
  })
})
after(async () => {
  await gateway.stop()
  await server.close()
})

async function registered(name: string): Promise<{ supplier: TestSupplier; secret: string }> {
  const supplier = await gateway.supplier(name)
  const webhook = 'https://pms.example.com/alerts'
  const { body } = expectOk(await supplier.post('/push/alerts/settings', { webhook }))
  return { supplier, secret: String(body['signingSecret']) }
}

const rotate = async (supplier: TestSupplier, body = {}): Promise<Record<string, unknown>> =>
  expectOk(await supplier.post('/push/alerts/rotate', body)).body

/** A test is sent every ten seconds at most. */
function later(ms = 11_000): void {
  gateway.clock.set(new Date(gateway.clock.now() + ms).toISOString())
}

/** Which of the secrets sign a message that is sent now. */
async function sign(supplier: TestSupplier, secrets: readonly unknown[]): Promise<boolean[]> {
  later()
  const earlier = server.calls.length
  expectOk(await supplier.post('/push/alerts/test', {}))
  const [call = assert.fail()] = server.calls.slice(earlier)
  const id = call.headers.get('webhook-id') ?? ''
  const atMs = 1_000 * Number(call.headers.get('webhook-timestamp'))
  const sent = (call.headers.get('webhook-signature') ?? '').split(' ')
  return secrets.map((secret) => {
    const expected = signedHeaders({ id, atMs, body: call.body, secrets: [String(secret)] })
    return sent.includes(expected['webhook-signature'])
  })
}

test('the new secret is shown once, and both sign until the end of the overlap', async () => {
  const { supplier, secret: old } = await registered('renews')
  const { signingSecret, ...said } = await rotate(supplier, { overlapHours: 2 })
  assert.deepEqual(said, {
    code: '200',
    message: 'Signing secret rotated successfully',
    oldSecretValidUntil: '2027-03-01T14:00:00Z',
  })
  assert.match(String(signingSecret), /^whsec_/)
  assert.deepEqual(await sign(supplier, [old, signingSecret]), [true, true])
  for (const path of ['/push/alerts/settings', '/push/log?limit=100'])
    assert.ok(!(await supplier.get(path)).text.includes(String(signingSecret)), path)
  later(2 * 3_600_000)
  assert.deepEqual(await sign(supplier, [old, signingSecret]), [false, true])
})

test('without an overlap the old secret signs nothing more; an answer that was lost is asked for again', async () => {
  const { supplier, secret: old } = await registered('leaked')
  const { signingSecret: lost } = await rotate(supplier)
  const { signingSecret: second } = await rotate(supplier)
  const refused = await supplier.post('/push/alerts/rotate', {})
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [409, [[undefined, 'SECRETS_OVERLAP', 'Two earlier signing secrets still sign calls']]],
  )
  assert.deepEqual(await sign(supplier, [old, lost, second]), [true, true, true])
  const { signingSecret: third } = await rotate(supplier, { overlapHours: 0 })
  assert.deepEqual(await sign(supplier, [old, lost, second, third]), [false, false, false, true])
})

test('an account without a secret is told how to get one; what it saves later keeps the secret', async () => {
  const bare = await gateway.supplier('bare')
  const refused = await bare.post('/push/alerts/rotate', {})
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [409, [[undefined, 'NO_SIGNING_SECRET', 'This account has no signing secret for alerts']]],
  )
  const { supplier } = await registered('keeps')
  const { signingSecret } = await rotate(supplier, { overlapHours: 0 })
  const webhook = 'https://pms.example.com/other'
  const { body } = expectOk(await supplier.post('/push/alerts/settings', { webhook }))
  assert.equal(body['signingSecret'], undefined)
  assert.deepEqual(await sign(supplier, [signingSecret]), [true])
})
