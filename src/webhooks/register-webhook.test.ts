import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk } from '../../test/stage/story.ts'
import { commonLimits } from '../keys/contract.ts'
import { urlCharactersMax } from '../outbound/vet-url.ts'
import { webhookErrors } from './url-errors.ts'

const addressesByName: Record<string, readonly string[]> = {
  'pms.example.com': ['93.184.216.34', '2606:4700:4700::1111'],
  'inside.example.com': ['93.184.216.34', '10.0.0.7'],
}

const gateway = await gatewayForTests({ resolve: async (host) => addressesByName[host] ?? [] })

const paths = ['/push/webhook/availability', '/push/webhook/pushbook'] as const
const saved = { code: '200', message: 'Webhook request saved successfully' }
const url = 'https://pms.example.com/ari/price-check'

type Held = { availability: string | null; pushbook: string | null; secret: string | null }

async function held({ keyId }: TestSupplier, { db } = gateway): Promise<Held | undefined> {
  const { rows } = await db.query<Held>(
    'select availability_webhook as availability, pushbook_webhook as pushbook, signing_secret as secret from api_key where id = $1',
    [keyId],
  )
  return rows[0]
}

/** ping.test.ts tests the ping's result. */
function withoutPing({ ping: _ping, ...body }: Reply['body']): unknown {
  return body
}

function problems({ body }: Reply): unknown[] {
  assert.ok(Array.isArray(body['errors']))
  return body['errors'].map(({ type, message, path, value }) => [type, message, path, value])
}

test('the first registration on a key answers with a signing secret of 32 bytes, later ones of either URL with none', async () => {
  const supplier = await gateway.supplier('first')
  const first = await supplier.post(paths[0], { webhook: url })
  const { signingSecret, ...said } = first.body
  assert.deepEqual([first.status, withoutPing(said)], [200, saved])
  assert.match(String(signingSecret), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(Buffer.from(String(signingSecret).slice(6), 'base64').length, 32)
  const other = 'https://pms.example.com/ari/reservations'
  for (const path of [paths[1], paths[1], paths[0]]) {
    const later = await supplier.post(path, { webhook: other })
    assert.deepEqual([later.status, withoutPing(later.body)], [200, saved])
  }
  assert.deepEqual(await held(supplier), { availability: other, pushbook: other, secret: signingSecret })
})

test('registering again replaces the URL of that callback only, and the same URL again is unchanged', async () => {
  const supplier = await gateway.supplier('again')
  await supplier.post(paths[1], { webhook: url })
  await supplier.post(paths[1], { webhook: `${url}?v=2` })
  await supplier.post(paths[1], { webhook: `${url}?v=2` })
  const record = await held(supplier)
  assert.deepEqual([record?.availability, record?.pushbook], [null, `${url}?v=2`])
  const { body } = await supplier.get('/push/log?kind=pushbookWebhook')
  assert.ok(Array.isArray(body['pushes']))
  assert.deepEqual(
    body['pushes'].map(({ outcome }) => outcome),
    ['unchanged', 'applied', 'applied'],
  )
})

test('the signing secret is shown once: not in the push log, not when the same push is repeated', async () => {
  const supplier = await gateway.supplier('once')
  const headers = { 'idempotency-key': 'k1', 'x-request-id': 'r1' }
  const first = await supplier.post(paths[0], { webhook: url }, headers)
  const secret = String(first.body['signingSecret'])
  const repeated = await supplier.post(paths[0], { webhook: url }, headers)
  assert.deepEqual([repeated.headers.get('idempotency-replayed'), repeated.body], ['true', saved])
  const { body } = await supplier.get('/push/log/r1')
  assert.deepEqual(Object(body['push']).answer, saved)
  const { rows } = await gateway.db.query<{ found: boolean }>(
    `select exists (select from push_log where position($1::bytea in answer) > 0 or position($1::bytea in body) > 0)
       or exists (select from push_body_batch where position($1::bytea in bytes) > 0)
       or exists (select from idempotency where position($1::bytea in answer) > 0) as found`,
    [Buffer.from(secret)],
  )
  assert.deepEqual(rows, [{ found: false }])
})

test('two first registrations at once make one secret, and one of them shows it', async () => {
  const supplier = await gateway.supplier('race')
  const answers = await Promise.all([...paths, ...paths].map((path) => supplier.post(path, { webhook: url })))
  const secrets = answers.flatMap(({ body }) => ('signingSecret' in body ? [body['signingSecret']] : []))
  assert.deepEqual(secrets, [(await held(supplier))?.secret])
})

test('each key has its own URLs and its own secret, also two keys of one supplier', async () => {
  const [one, two] = [await gateway.supplier('keys'), await gateway.supplier('keys')]
  const first = await one.post(paths[0], { webhook: url })
  assert.deepEqual(await held(two), { availability: null, pushbook: null, secret: null })
  const second = await two.post(paths[0], { webhook: `${url}/2` })
  assert.notEqual(first.body['signingSecret'], second.body['signingSecret'])
  assert.equal((await held(one))?.availability, url)
})

test('the URLs of a key are read back, with whether there is a secret, and never the secret', async () => {
  const supplier = await gateway.supplier('read')
  const other = await gateway.supplier('read')
  const read = async (one = supplier) => {
    const { status, body } = await one.get('/push/webhook')
    const { code, message, ...webhooks } = body
    assert.deepEqual([status, code, message], [200, '200', 'Webhooks retrieved successfully'])
    return webhooks
  }
  const none = { availability: null, pushbook: null, hasSigningSecret: false, notCallable: [] }
  assert.deepEqual(await read(), none)
  await supplier.post(paths[1], { webhook: `${url}?of=pushbook` })
  assert.deepEqual(await read(), { ...none, pushbook: `${url}?of=pushbook`, hasSigningSecret: true })
  await supplier.post(paths[0], { webhook: url })
  assert.deepEqual(await read(), {
    availability: url,
    pushbook: `${url}?of=pushbook`,
    hasSigningSecret: true,
    notCallable: [],
  })
  assert.deepEqual(await read(other), none)
})

test('a URL that may no longer be called says so when it is read, in the words of a registration', async () => {
  const supplier = await gateway.supplier('moved inside')
  const webhook = 'https://moves.example.com/'
  addressesByName['moves.example.com'] = ['93.184.216.34']
  expectOk(await supplier.post(paths[0], { webhook: url }))
  expectOk(await supplier.post(paths[1], { webhook }))
  addressesByName['moves.example.com'] = ['10.0.0.7']
  const { body } = expectOk(await supplier.get('/push/webhook'))
  const { type, message, hint } = webhookErrors.privateAddress
  assert.deepEqual(
    [body['availability'], body['pushbook'], body['notCallable']],
    [url, webhook, [{ kind: 'pushbook', type, message, hint }]],
  )
})

test('a removed URL is gone and the other stays; the secret stays too, and registering again does not show it', async () => {
  const supplier = await gateway.supplier('remove')
  const first = await supplier.post(paths[0], { webhook: url })
  await supplier.post(paths[1], { webhook: url })
  const secret = String(first.body['signingSecret'])
  const removed = { code: '200', message: 'Webhook removed successfully' }
  for (let count = 1; count <= 2; count++) {
    const { status, body } = await supplier.delete(paths[0])
    assert.deepEqual([status, body], [200, removed])
    assert.deepEqual(await held(supplier), { availability: null, pushbook: url, secret })
  }
  const again = await supplier.post(paths[0], { webhook: url })
  assert.deepEqual([again.status, withoutPing(again.body)], [200, saved])
  assert.deepEqual(await held(supplier), { availability: url, pushbook: url, secret })
  assert.deepEqual((await supplier.delete(paths[1])).body, removed)
  assert.deepEqual(await held(supplier), { availability: url, pushbook: null, secret })
  const { body } = await supplier.get('/push/log?kind=availabilityWebhook')
  assert.ok(Array.isArray(body['pushes']))
  assert.deepEqual(
    body['pushes'].map(({ outcome, bodyBytes }) => [outcome, bodyBytes > 0]),
    [
      ['applied', true],
      ['unchanged', false],
      ['applied', false],
      ['applied', true],
    ],
  )
})

test('a removal repeated under its Idempotency-Key gets the stored answer and removes nothing anew', async () => {
  const supplier = await gateway.supplier('remove once')
  const headers = { 'idempotency-key': 'remove' }
  await supplier.post(paths[0], { webhook: url })
  await supplier.delete(paths[0], headers)
  await supplier.post(paths[0], { webhook: url })
  const { status, headers: told } = await supplier.delete(paths[0], headers)
  assert.deepEqual([status, told.get('idempotency-replayed')], [200, 'true'])
  assert.equal((await held(supplier))?.availability, url)
})

test('a removal with a content type and no body is a removal: many clients always send the header', async () => {
  const supplier = await gateway.supplier('remove with a header')
  await supplier.post(paths[0], { webhook: url })
  const { status, body } = await supplier.delete(paths[0], { 'content-type': 'application/json' })
  assert.deepEqual([status, body['message']], [200, 'Webhook removed successfully'])
  assert.equal((await held(supplier))?.availability, null)
})

test('another method is answered with those there are', async () => {
  const supplier = await gateway.supplier('methods')
  const asked = await supplier.get(paths[0])
  assert.deepEqual([asked.status, asked.headers.get('allow')], [405, 'POST, DELETE'])
})

test('a missing URL and one that is not text are refused', async () => {
  const supplier = await gateway.supplier('shape')
  for (const path of paths) {
    const missing = await supplier.post(path, {})
    assert.equal(missing.status, 400)
    assert.deepEqual(problems(missing), [['REQUIRED', 'webhook is required', '/webhook', undefined]])
    const number = await supplier.post(path, { webhook: 443 })
    assert.deepEqual(problems(number), [['WRONG_TYPE', 'webhook must be a string', '/webhook', 443]])
  }
})

test('each reason for refusing a URL has its own words', async () => {
  const supplier = await gateway.supplier('words')
  const cases: [string, keyof typeof webhookErrors][] = [
    [`https://pms.example.com/${'a'.repeat(2_048)}`, 'tooLong'],
    ['https://bücher.example.com/', 'notAscii'],
    ['pms.example.com', 'malformed'],
    ['http://pms.example.com/', 'notHttps'],
    ['https://user:secret@pms.example.com/', 'credentials'],
    ['https://pms.example.com/#x', 'fragment'],
    ['https://pms.example.com./', 'trailingDot'],
    ['https://pms.example.com:25/', 'port'],
    ['https://localhost/', 'privateName'],
    ['https://169.254.169.254/latest/meta-data', 'privateAddress'],
    ['https://inside.example.com/', 'privateAddress'],
    ['https://unknown.example.com/', 'unresolved'],
  ]
  for (const path of paths) {
    for (const [webhook, fault] of cases) {
      const refused = await supplier.post(path, { webhook })
      const { type, message, hint } = webhookErrors[fault]
      assert.deepEqual([refused.status, refused.body['message']], [400, message])
      const value = webhook.length > 100 ? `${webhook.slice(0, 100)}…` : webhook
      assert.deepEqual(refused.body['errors'], [
        { type, message, hint, path: '/webhook', value, docUrl: `/docs/guides/errors#${type}` },
      ])
    }
    const odd = await supplier.post(path, { webhook: 'https://0x7f.1/' })
    assert.deepEqual(odd.body['errors'], [
      {
        ...webhookErrors.hostForm,
        docUrl: `/docs/guides/errors#${webhookErrors.hostForm.type}`,
        hint: 'Write the host as 127.0.0.1',
        path: '/webhook',
        value: 'https://0x7f.1/',
      },
    ])
  }
  assert.deepEqual(await held(supplier), { availability: null, pushbook: null, secret: null })
})

test('a URL of this machine is refused with the setting by which it can be tried there', async () => {
  const supplier = await gateway.supplier('One machine')
  for (const webhook of ['http://127.0.0.1:8000/', 'https://127.0.0.1:8000/', 'https://localhost:8000/']) {
    const { status, text } = await supplier.post(paths[0], { webhook })
    assert.deepEqual([status, text.includes('ARI_ALLOW_PRIVATE_WEBHOOKS=true')], [400, true], text)
  }
})

test('the limit of the URL that is published is the one that counts', () => {
  assert.equal(commonLimits.webhookUrlLength, urlCharactersMax)
})

test('with private webhooks allowed, http and loopback are registered, other private addresses are not', async () => {
  const local = await gatewayForTests({ allowPrivate: true, resolve: async () => ['127.0.0.1', '::1'] })
  const supplier = await local.supplier('local')
  const webhook = 'http://localhost:3000/price-check'
  assert.equal((await supplier.post(paths[0], { webhook })).status, 200)
  assert.equal((await held(supplier, local))?.availability, webhook)
  for (const address of ['169.254.169.254', '10.0.0.1', '192.168.0.1', '[fd00::1]']) {
    const refused = await supplier.post(paths[1], { webhook: `http://${address}/` })
    assert.deepEqual([refused.status, refused.body['message']], [400, webhookErrors.privateAddress.message])
  }
})
