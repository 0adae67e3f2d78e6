import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countries, countryName, isCountryCode } from './countries.ts'

test('every country of ISO 3166-1 and Kosovo has a code and an English name', () => {
  const codes = countries.map(({ code }) => code)
  assert.equal(codes.length, 250)
  assert.deepEqual(codes, [...new Set(codes)].toSorted())
  assert.deepEqual(
    countries.filter(({ code, name }) => !/^[A-Z]{2}$/.test(code) || !/^\S.*\S$/.test(name)),
    [],
  )
  assert.deepEqual(
    ['DE', 'GB', 'TR', 'XK'].map((code) => countryName(code)),
    ['Germany', 'United Kingdom', 'Türkiye', 'Kosovo'],
  )
})

test('only a listed code in upper case is a country', () => {
  const listed = new Set<string>(countries.map(({ code }) => code))
  const codes = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 3 }),
    fc.constantFrom('__proto__', 'constructor', 'UK', 'EU', 'AN', 'ZZ', 'XX', 'USA', 'US ', ''),
    fc.constantFrom(...listed).map((code) => code.toLowerCase()),
  )
  fc.assert(
    fc.property(codes, (code) => {
      assert.equal(isCountryCode(code), listed.has(code))
      assert.equal(countryName(code) !== undefined, listed.has(code))
    }),
  )
})
