import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { matchCity, cityKey } from './cities.ts'

const tableLines = zstdDecompressSync(readFileSync(new URL('./cities.tsv.zst', import.meta.url)))
  .toString()
  .split('\n')
  .slice(1, -1)
const places = tableLines.map((line) => {
  const [key = '', countryCode = '', name = ''] = line.split('\t')
  return { key, countryCode, name }
})

function matchedNames(countryCode: string, names: readonly string[]): (string | undefined)[] {
  return names.map((name) => matchCity(name, countryCode)?.name)
}

/** Like fc.constantFrom, which can't take a hundred thousand arguments. */
function anyOf<T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc
    .nat(values.length - 1)
    .map((index) => values[index])
    .filter((value) => value !== undefined)
}

test('case, accents, punctuation and spaces do not matter', () => {
  assert.deepEqual(matchCity('ZURICH', 'CH'), { name: 'Zürich', countryCode: 'CH' })
  assert.deepEqual(matchedNames('BR', ['sao paulo', 'SÃO PAULO', ' São-Paulo ', 'Sa\u0303oPaulo']), [
    ...Array(4).fill('São Paulo'),
  ])
  assert.deepEqual(matchedNames('EG', ['Sharm El Sheikh', 'sharm-el-sheikh', 'Sharm el-Sheikh']), [
    ...Array(3).fill('Sharm el-Sheikh'),
  ])
  assert.deepEqual(matchedNames('TR', ['ISTANBUL', 'İSTANBUL', 'istanbul']), [...Array(3).fill('Istanbul')])
  assert.deepEqual(matchedNames('US', ['Washington DC', 'washington, d.c.']), [
    ...Array(2).fill('Washington, D.C.'),
  ])
})

test('St, Sankt and Saint are equivalent, and umlauts may be written with an e', () => {
  assert.deepEqual(matchedNames('CH', ['St. Moritz', 'Saint Moritz', 'Sankt Moritz', 'ST MORITZ']), [
    ...Array(4).fill('St. Moritz'),
  ])
  assert.deepEqual(matchedNames('AT', ['St. Pölten', 'Sankt Poelten', 'St Polten']), [
    ...Array(3).fill('Sankt Pölten'),
  ])
  assert.deepEqual(matchedNames('DE', ['Köln', 'Koeln', 'Koln', 'Düsseldorf', 'Duesseldorf', 'Muenchen']), [
    ...Array(3).fill('Köln'),
    ...Array(2).fill('Düsseldorf'),
    'Munich',
  ])
})

test('well-known names in other languages match the same city', () => {
  assert.deepEqual(matchedNames('DE', ['München', 'Cologne', 'Nuremberg', 'Frankfurt']), [
    'Munich',
    'Köln',
    'Nürnberg',
    'Frankfurt am Main',
  ])
  assert.deepEqual(matchedNames('US', ['New York', 'NYC']), [...Array(2).fill('New York City')])
  assert.deepEqual(matchedNames('IT', ['Roma', 'Firenze', 'Venezia']), ['Rome', 'Florence', 'Venice'])
  assert.deepEqual(matchedNames('ES', ['San Sebastián', 'Donostia', 'Palma de Mallorca']), [
    ...Array(2).fill('Donostia / San Sebastián'),
    'Palma',
  ])
  assert.deepEqual(matchedNames('RO', ['București', 'Bukarest']), [...Array(2).fill('Bucharest')])
})

test('with a country only its own cities match', () => {
  assert.deepEqual(matchCity('Paris', 'US'), { name: 'Paris', countryCode: 'US' })
  assert.deepEqual(matchCity('Paris', 'FR'), { name: 'Paris', countryCode: 'FR' })
  assert.equal(matchCity('Paris', 'JP'), undefined)
  assert.equal(matchCity('Paris', 'fr'), undefined)
  assert.equal(matchCity('Paris', ''), undefined)
})

test('without a country a name matches when it is found in exactly one', () => {
  assert.deepEqual(matchCity('Reykjavik', undefined), { name: 'Reykjavík', countryCode: 'IS' })
  assert.equal(matchCity('Birmingham', undefined), undefined)
  const countriesByKey = Map.groupBy(places, ({ key }) => key)
  fc.assert(
    fc.property(anyOf([...countriesByKey.values()]), ([first, ...others]) => {
      assert.ok(first)
      const expected = others.length === 0 ? { name: first.name, countryCode: first.countryCode } : undefined
      assert.deepEqual(matchCity(first.key, undefined), expected)
    }),
  )
})

test('every line of the table is found by its key, and by its name in any case or accents', () => {
  const notFoundByKey = places.filter(
    ({ key, countryCode, name }) => matchCity(key, countryCode)?.name !== name,
  )
  assert.deepEqual(notFoundByKey, [])
  const respell = fc.constantFrom<(name: string) => string>(
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.toLowerCase(),
    (name) => name.normalize('NFD'),
    (name) => name.normalize('NFD').replace(/\p{M}/gu, ''),
    (name) => `  ${name.replaceAll(' ', ' - ')}.`,
  )
  fc.assert(
    fc.property(anyOf(places), respell, ({ name, countryCode }, spelled) => {
      assert.deepEqual(matchCity(spelled(name), countryCode), matchCity(name, countryCode))
      assert.notEqual(matchCity(name, countryCode), undefined)
    }),
    { numRuns: 2_000 },
  )
})

test('a name that no city has does not match, whatever it contains', () => {
  const hostile = ['', ' ', '...', '#', '\t', '\n', 'Paris\tFR', '\u0000', '\ud800', '東京', 'Atlantis']
  hostile.push('~', 'zzzzzzzz', '\u{10ffff}', '0', 'a'.repeat(1_000_000), 'ﷺ'.repeat(1_000), '__proto__')
  assert.deepEqual(
    hostile.map((name) => matchCity(name, 'FR')),
    hostile.map(() => undefined),
  )
  const keys = new Set(places.map(({ key }) => key))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (name) => {
      if (!keys.has(cityKey(name))) assert.equal(matchCity(name, undefined), undefined)
    }),
  )
})
