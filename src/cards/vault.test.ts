import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openVault, type Card } from './vault.ts'

const key = Buffer.alloc(32, 7)
const withoutCvv: Card = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
}
const card: Card = { ...withoutCvv, cvv: '123' }

test('a sealed card opens again only for its own reservation and with its own key', () => {
  const sealed = openVault(key).seal('7', card)
  assert.deepEqual(openVault(key).open('7', sealed), card)
  assert.throws(() => openVault(key).open('8', sealed))
  assert.throws(() => openVault(Buffer.alloc(32, 8)).open('7', sealed))
})

test('a card and its CVV cannot take the place of another', () => {
  const vault = openVault(key)
  const [one, other] = [vault.seal('7', card), vault.seal('7', { ...card, cvv: '999' })]
  assert.throws(() => vault.open('7', { ...one, card: other.card }))
  assert.throws(() => vault.open('7', { ...one, cvvKey: one.cardKey, cvv: one.card }))
  for (const part of ['cardKey', 'card', 'cvvKey', 'cvv'] as const) {
    const bytes = Buffer.from(one[part] ?? '')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    assert.throws(() => vault.open('7', { ...one, [part]: bytes }), part)
  }
})

test('without the key of the CVV it is gone and the card is not; without that of the card all is', () => {
  const vault = openVault(key)
  const sealed = vault.seal('7', card)
  assert.deepEqual(vault.open('7', { ...sealed, cvvKey: null, cvv: null }), withoutCvv)
  assert.equal(
    vault.open('7', { keyId: null, cardKey: null, card: null, cvvKey: null, cvv: null }),
    undefined,
  )
  assert.deepEqual(vault.open('7', vault.seal('7', withoutCvv)), withoutCvv)
})

test('a sealed card contains no plain card data, and the same card is sealed differently each time', () => {
  const vault = openVault(key)
  const texts = [1, 2].map(() =>
    Object.values(vault.seal('7', card))
      .map((part) => part?.toString('latin1') ?? '')
      .join(),
  )
  for (const text of texts)
    for (const secret of [card.holderName, card.number, card.expiry]) assert.ok(!text.includes(secret))
  assert.notEqual(texts[0], texts[1])
})

test('a fingerprint tells equal texts, and is another with another key', () => {
  const other = Buffer.alloc(32, 8)
  const of = (text: string, ...[present = key, ...previous]: Buffer[]) =>
    openVault(present, previous).fingerprints(text)
  assert.deepEqual(of('a'), of('a'))
  assert.notDeepEqual(of('a'), of('b'))
  assert.notDeepEqual(of('a'), of('a', other))
  assert.deepEqual(of('a', other, key), [...of('a', other), ...of('a')])
})
