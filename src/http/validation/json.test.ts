import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson, pointerPart } from './json.ts'
import { bodyNamesMax, bodyNestingMax, bodyValuesMax, objectMembersMax } from '../route.ts'
import { Rejected } from '../rejected.ts'

/** [type, path] of each problem with the text; empty if it is accepted. */
function problemsIn(text: string | Buffer): unknown[] {
  try {
    parseJson(Buffer.from(text))
    return []
  } catch (error) {
    assert.ok(error instanceof Rejected, String(error))
    assert.equal(error.status, error.problems[0]?.type === 'NOT_UTF8' ? 415 : 400)
    return error.problems.map(({ type, path }) => [type, path])
  }
}

const anyText = fc.string({ unit: 'binary' })
const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })

test('whatever JSON.stringify writes is read as JSON.parse reads it, however it is laid out', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, '\t', '  \n'), (written, blanks) => {
      const text = JSON.stringify(written, undefined, blanks)
      assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text))
    }),
    { numRuns: 1_000 },
  )
})

test('a key that appears twice in one object is found, wherever and however it is written', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.oneof(anyText, fc.integer({ min: 0, max: 3 })), { maxLength: 6 }),
      value,
      (key, way, other) => {
        const name = JSON.stringify(key)
        const escaped = `"${[...Array(key.length).keys()].map((at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
        let text = `{${name} :${JSON.stringify(other)},"${'x'.repeat(key.length + 1)}":[],${escaped}\n: 1}`
        let path = `/${pointerPart(key)}`
        for (const step of way) {
          text =
            typeof step === 'number' ? `[${'0,'.repeat(step)}${text}]` : `{${JSON.stringify(step)}:${text}}`
          path = `/${typeof step === 'number' ? step : pointerPart(step)}${path}`
        }
        assert.deepEqual(problemsIn(text), [['DUPLICATE_KEY', path.toWellFormed()]])
      },
    ),
    { numRuns: 1_000 },
  )
})

test('every duplicate key is listed, also __proto__, and at most 100', () => {
  assert.deepEqual(problemsIn('{"a":1,"a":2,"b":{"c":1,"c":2,"c":3},"__proto__":1,"__proto__":2}'), [
    ['DUPLICATE_KEY', '/a'],
    ['DUPLICATE_KEY', '/b/c'],
    ['DUPLICATE_KEY', '/b/c'],
    ['DUPLICATE_KEY', '/__proto__'],
  ])
  assert.equal(problemsIn(`{${'"a":1,'.repeat(400)}"a":1}`).length, 100)
})

test('no answer repeats a key that may be the number of a card', () => {
  for (const number of [
    '4111111111111111',
    '4111 1111-1111 1111',
    '4111.1111_1111  1111',
    '４１１１/1111/1111/1111',
  ]) {
    const member = `"card ${number}":0`
    assert.deepEqual(problemsIn(`{${member},${member}}`), [['DUPLICATE_KEY', '/card …']])
  }
})

test('text inside strings is not taken for structure', () => {
  for (const text of [
    '{"a":"\\"a\\":1,"}',
    '{"a\\\\":"\\\\","a":"{\\"a\\":["}',
    '["a","a",":"]',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
  ]) {
    assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text))
  }
})

test('__proto__ and constructor are plain members that change nothing', () => {
  const read = parseJson(
    Buffer.from('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  )
  assert.deepEqual(Object.keys(read ?? {}), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(read), Object.prototype)
  assert.equal('polluted' in {}, false)
})

test('nesting beyond the limit is refused, however deep', () => {
  const nested = (levels: number, open: string, close: string): string =>
    open.repeat(levels) + close.repeat(levels)
  assert.deepEqual(problemsIn(nested(bodyNestingMax, '[', ']')), [])
  assert.deepEqual(problemsIn(nested(bodyNestingMax + 1, '[', ']')), [['NESTED_TOO_DEEPLY', '']])
  for (const levels of [5_000, 200_000, 2_000_000]) {
    assert.equal(problemsIn(nested(levels, '[', ']')).length, 1)
    assert.equal(problemsIn(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`).length, 1)
    assert.equal(problemsIn('['.repeat(levels)).length, 1)
  }
})

test('750,000 keys, commas and lists are taken, one more is refused', () => {
  const key = (index: number): string => `"${index}":1`
  const objects = (keys: number): string =>
    `[${Array.from({ length: keys }, (_, at) => `{${key(at % 9)}}`).join()}]`
  assert.deepEqual(problemsIn(objects(bodyValuesMax)), [])
  assert.deepEqual(problemsIn(`[${'1,'.repeat(bodyValuesMax)}1]`), [])
  assert.deepEqual(problemsIn(`[${'1,'.repeat(bodyValuesMax + 1)}1]`), [['TOO_MANY_VALUES', '']])
  assert.deepEqual(problemsIn(`{"a":${objects(bodyValuesMax)}}`), [['TOO_MANY_VALUES', '']])
  // Without commas between them.
  const lists = (count: number): string =>
    `[${Array.from({ length: (count - 1) / 3 }, () => '[[[]]]').join()}]`
  assert.deepEqual(problemsIn(lists(bodyValuesMax - 2)), [])
  assert.deepEqual(problemsIn(lists(bodyValuesMax + 1)), [['TOO_MANY_VALUES', '']])
  assert.deepEqual(problemsIn(`"${'\\",:[{'.repeat(bodyValuesMax)}"`), [])
})

test('an object has 500 members and no more, on every level, and lists have none', () => {
  const members = (count: number): string => Array.from({ length: count }, (_, at) => `"${at}":[1,2]`).join()
  const object = (count: number): string => `{${members(count)}}`
  assert.deepEqual(problemsIn(`[${object(objectMembersMax)},${object(objectMembersMax)}]`), [])
  for (const text of [
    object(objectMembersMax + 1),
    `{"a":[${object(objectMembersMax + 1)}]}`,
    `{"first":{"a":1},${members(objectMembersMax)}}`,
  ])
    assert.deepEqual(problemsIn(text), [['TOO_MANY_MEMBERS', '']])
})

test('20,000 names are taken and one more is refused, however they are spread; in the same order they count once', () => {
  const objects = (count: number, members: (index: number) => string[]): string =>
    `[${Array.from(
      { length: count },
      (_, index) =>
        `{${members(index)
          .map((name) => `"${name}":"some text"`)
          .join()}}`,
    ).join()}]`
  const spread: Readonly<Record<string, (names: number) => string>> = {
    'one in each object': (names) => objects(names, (index) => [`name ${index}`]),
    'a hundred in each object': (names) =>
      objects(Math.ceil(names / 100), (index) =>
        Array.from({ length: Math.min(100, names - index * 100) }, (_, at) => `name ${index} ${at}`),
      ),
    'the same ones behind another': (names) =>
      objects(names / 2, (index) => [`name ${index}`, 'the same']).replace(
        /\]$/,
        names % 2 === 1 ? ',{"last":1}]' : ']',
      ),
  }
  for (const [how, body] of Object.entries(spread)) {
    assert.deepEqual([how, problemsIn(body(bodyNamesMax))], [how, []])
    assert.deepEqual([how, problemsIn(body(bodyNamesMax + 1))], [how, [['TOO_MANY_NAMES', '']]])
  }
  // With hashes of only 31 bits, some of these would be accepted.
  for (let round = 0; round < 60; round++) {
    const body = objects(bodyNamesMax + 1, (index) => [`name ${index} of ${round}`])
    assert.deepEqual([round, problemsIn(body)], [round, [['TOO_MANY_NAMES', '']]])
  }
  const alike = objects(70_000, () => Array.from({ length: 10 }, (_, at) => `member ${at}`))
  assert.deepEqual(problemsIn(alike), [])
})

test('a body that is not JSON in UTF-8 is refused with one plain problem', () => {
  const malformed = [
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    'NaN',
    '01',
    '"\u0000"',
    '\uFEFF{}',
    '{"a":"\\ud8"}',
    'nul',
    '{} {}',
  ]
  for (const text of malformed) assert.deepEqual(problemsIn(text), [['MALFORMED_JSON', '']], text)
  assert.deepEqual(problemsIn(Buffer.from([0x22, 0xff, 0x22])), [['NOT_UTF8', '']])
  assert.deepEqual(problemsIn(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), [['NOT_UTF8', '']])
})

test('a key becomes a part of a JSON Pointer by RFC 6901', () => {
  assert.equal(pointerPart('a/b~c~1'), 'a~1b~0c~01')
  assert.equal(pointerPart(`${'/'.repeat(99)}😀`), `${'~1'.repeat(99)}\uFFFD`)
})
