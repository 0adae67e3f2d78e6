import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSigningSecret, signedHeaders } from './signature.ts'

// The library compares the timestamp with the system clock.
const signed = (more: Partial<Parameters<typeof signedHeaders>[0]> = {}) => {
  const body = Buffer.from('{"name":"Zoë","amount":"120.00"}')
  return { id: 'msg_1', atMs: Date.now(), body, secrets: [newSigningSecret()], ...more }
}

const accepts = (secret: string, body: Buffer | string, headers: Record<string, string>): boolean => {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

test('a signing secret is 32 random bytes in the form that the standard gives', () => {
  const secrets = [newSigningSecret(), newSigningSecret()]
  for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(secrets[0], secrets[1])
})

test("the standard's own library accepts what is signed, byte for byte, and nothing else", () => {
  const sent = signed()
  const [secret = ''] = sent.secrets
  const headers = signedHeaders(sent)
  const { body } = sent
  assert.deepEqual(Object.keys(headers), ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  assert.equal(accepts(secret, body, headers), true)
  assert.equal(accepts(secret, body.toString(), headers), true)
  const changed = [
    accepts(newSigningSecret(), body, headers),
    accepts(secret, `${body.toString()} `, headers),
    accepts(secret, body, { ...headers, 'webhook-id': 'msg_2' }),
    accepts(secret, body, {
      ...headers,
      'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1),
    }),
  ]
  assert.deepEqual(changed, [false, false, false, false])
})

test('during a rotation the receiver may hold either secret, before and after it only one', () => {
  const [previous, present] = [newSigningSecret(), newSigningSecret()]
  const accepted = (secrets: readonly string[]) => {
    const sent = signed({ secrets })
    return [previous, present].map((secret) => accepts(secret, sent.body, signedHeaders(sent)))
  }
  assert.deepEqual(
    [accepted([previous]), accepted([present, previous]), accepted([present])],
    [
      [true, false],
      [true, true],
      [false, true],
    ],
  )
})

test("a call that is older than the standard's five minutes is not accepted any more", () => {
  const sent = signed({ atMs: Date.now() - 301_000 })
  assert.equal(accepts(sent.secrets[0] ?? '', sent.body, signedHeaders(sent)), false)
})
