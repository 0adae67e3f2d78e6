import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environments, hashSecret, makeSecret, recogniseSecret, secretKinds, tailOf } from './secret.ts'

const forms = {
  supplier: { sandbox: /^ari_sbx_[0-9A-Za-z]{49}$/, production: /^ari_live_[0-9A-Za-z]{49}$/ },
  platform: {
    sandbox: /^ari_tok_platform_sbx_[0-9A-Za-z]{49}$/,
    production: /^ari_tok_platform_live_[0-9A-Za-z]{49}$/,
  },
  operator: {
    sandbox: /^ari_tok_operator_sbx_[0-9A-Za-z]{49}$/,
    production: /^ari_tok_operator_live_[0-9A-Za-z]{49}$/,
  },
}

test('a secret names its kind and environment, and is recognised as that', () => {
  for (const kind of secretKinds) {
    for (const environment of environments) {
      const secret = makeSecret(kind, environment)
      assert.match(secret, forms[kind][environment])
      assert.deepEqual(recogniseSecret(secret), { kind, environment })
    }
  }
})

test('all 32 bytes are in it, with a fixed width from the smallest to the largest', () => {
  const of = (byte: number) => makeSecret('supplier', 'sandbox', (count) => Buffer.alloc(count, byte))
  assert.equal(of(0).slice(8, -6), '0'.repeat(43))
  assert.equal(of(255).length, of(0).length)
  const last = makeSecret('supplier', 'sandbox', (count) =>
    Buffer.concat([Buffer.alloc(count - 1), Buffer.of(1)]),
  )
  assert.equal(last.slice(8, -6), `${'0'.repeat(42)}1`)
  assert.notEqual(makeSecret('supplier', 'sandbox'), makeSecret('supplier', 'sandbox'))
})

test('any one character changed, missing or added makes it malformed', () => {
  const secret = makeSecret('supplier', 'sandbox')
  for (let at = 0; at < secret.length; at++) {
    const other = secret[at] === 'a' ? 'b' : 'a'
    assert.equal(recogniseSecret(secret.slice(0, at) + other + secret.slice(at + 1)), undefined)
    assert.equal(recogniseSecret(secret.slice(0, at) + secret.slice(at + 1)), undefined)
    assert.equal(recogniseSecret(`${secret.slice(0, at)}a${secret.slice(at)}`), undefined)
  }
})

test('the prefix of the other environment does not go with the checksum', () => {
  assert.equal(recogniseSecret(makeSecret('supplier', 'sandbox').replace('_sbx_', '_live_')), undefined)
})

test('anything else is malformed', () => {
  for (const text of ['', 'ari_sbx_', 'x'.repeat(57), '\0', '🔑'.repeat(60), 'ari_sbx_'.repeat(2_000)]) {
    assert.equal(recogniseSecret(text), undefined)
  }
})

test('a secret is looked up by its SHA-256 and known to people by its last four characters', () => {
  assert.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  assert.equal(tailOf('ari_sbx_12345678'), '5678')
})
