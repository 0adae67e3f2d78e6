import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerBytes } from './offer-text.ts'

test('the parts of an answer stay unchanged, regardless of their length and characters', () => {
  const lengths = [0, 1, 20_000, 21_845, 21_846, 65_536, 300_000]
  for (const character of ['a', 'é', '€', '🏨']) {
    const parts = lengths.flatMap((length) => ['{', character.repeat(length), '', '}'])
    const bytes = new AnswerBytes()
    for (const part of parts) bytes.add(part)
    assert.equal(bytes.all().toString(), parts.join(''))
  }
})

test('an answer that fills its buffer to the last byte accepts more parts', () => {
  const bytes = new AnswerBytes()
  bytes.add('a'.repeat(64 * 1024))
  bytes.add('')
  bytes.add('é')
  assert.equal(bytes.all().toString(), `${'a'.repeat(64 * 1024)}é`)
})
