import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currencies, minorDigits } from './currencies.ts'

test('minor digits are those of ISO 4217, even where Intl differs', () => {
  const expected = { JPY: 0, CLP: 0, ISK: 0, USD: 2, EUR: 2, HUF: 2, IDR: 2, PKR: 2, KWD: 3, IQD: 3, UYW: 4 }
  const actual = Object.fromEntries(Object.keys(expected).map((code) => [code, minorDigits(code)]))
  assert.deepEqual(actual, expected)
})

test('the Caribbean guilder is in the list, withdrawn currencies are not', () => {
  assert.equal(minorDigits('XCG'), 2)
  const withdrawn = ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'ZWL', 'DEM']
  assert.deepEqual(
    withdrawn.filter((code) => minorDigits(code) !== undefined),
    [],
  )
})

test('funds, metals, test codes and units without decimals of their own are not currencies', () => {
  const excluded = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'XAD', 'XAG', 'XAU', 'XBA', 'XDR']
  excluded.push('XPD', 'XPT', 'XSU', 'XTS', 'XUA', 'XXX')
  assert.deepEqual(
    excluded.filter((code) => minorDigits(code) !== undefined),
    [],
  )
  assert.deepEqual(
    currencies.map(({ code }) => code).filter((code) => code.startsWith('X')),
    ['XAF', 'XCD', 'XCG', 'XOF', 'XPF'],
  )
})

test('the list is complete, sorted, and has each code once', () => {
  const codes = currencies.map(({ code }) => code)
  assert.equal(codes.length, 156)
  assert.deepEqual(codes, [...new Set(codes)].toSorted())
  assert.deepEqual(
    currencies.filter(({ code, name }) => !/^[A-Z]{3}$/.test(code) || !/^\S.*\S$/.test(name)),
    [],
  )
})

test('only a listed code has minor digits', () => {
  const listed = new Set<string>(currencies.map(({ code }) => code))
  const codes = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'usd', 'Usd', ' USD', 'USD\n', ''),
    fc.constantFrom(...listed).map((code) => code.toLowerCase()),
  )
  fc.assert(fc.property(codes, (code) => (minorDigits(code) !== undefined) === listed.has(code)))
})
