import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountMinorMax, fromMinor, largestAmount, minorText, toMinor } from './money.ts'

const digits = fc.integer({ min: 0, max: 4 })
const minor = fc.integer({ min: -amountMinorMax, max: amountMinorMax })

/** The decimal for minor units, built from text. */
function decimalOf(units: number, of: number): string {
  const text = String(Math.abs(units)).padStart(of + 1, '0')
  const decimal = of === 0 ? text : `${text.slice(0, -of)}.${text.slice(-of)}`
  return units < 0 ? `-${decimal}` : decimal
}

test('every amount of every currency goes in and out as the same number and the same text', () => {
  fc.assert(
    fc.property(minor, digits, (units, of) => {
      assert.equal(toMinor(decimalOf(units, of), of), units)
      assert.equal(toMinor(Number(decimalOf(units, of)), of), units)
      assert.equal(toMinor(fromMinor(units, of), of), units)
      if (units >= 0) assert.equal(minorText(units, of), decimalOf(units, of))
      assert.equal(Number(decimalOf(units, of)), fromMinor(units, of) + 0)
      assert.equal(toMinor(`${decimalOf(units, of)}${of === 0 ? '.' : ''}000`, of), units)
    }),
    { numRuns: 2_000 },
  )
})

test('a number is taken exactly when its shortest decimal fits the digits', () => {
  const number = fc.oneof(
    fc.double({ min: -1e7, max: 1e7, noNaN: true }),
    fc.tuple(minor, digits).map(([units, of]) => units / 10 ** of),
  )
  fc.assert(
    fc.property(number, digits, (amount, of) => {
      const shortest = String(amount)
      const decimals = /e/.test(shortest) ? Number.POSITIVE_INFINITY : (shortest.split('.')[1] ?? '').length
      const fits = (amount === 0 || decimals <= of) && Math.abs(amount) * 10 ** of <= amountMinorMax
      assert.equal(toMinor(amount, of) !== undefined, fits, `${amount} with ${of} digits`)
    }),
    { numRuns: 2_000 },
  )
})

test('nothing is rounded', () => {
  const refused: [number | string, number][] = [
    [0.5, 0],
    [1.005, 2],
    [0.1 + 0.2, 2],
    ['0.001', 2],
    ['110.001', 2],
    [1e-7, 2],
    [Number.MIN_VALUE, 3],
    ['0.0000000001', 3],
  ]
  for (const [amount, of] of refused) assert.equal(toMinor(amount, of), undefined, String(amount))
  assert.equal(toMinor('110.500', 2), 11_050)
  assert.equal(toMinor('1.00000000', 0), 1)
  assert.equal(toMinor(0.29, 2), 29)
  assert.equal(toMinor(1.1, 1), 11)
})

test('text that is not a plain amount is refused, and zero has no sign', () => {
  for (const amount of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e300, 2 ** 53])
    assert.equal(toMinor(amount, 2), undefined)
  assert.equal(toMinor('99999999999999999', 2), undefined)
  assert.equal(toMinor(amountMinorMax, 0), amountMinorMax)
  assert.equal(toMinor(amountMinorMax + 1, 0), undefined)
  assert.deepEqual([0, 2, 3].map(largestAmount), ['999999999999', '9999999999.99', '999999999.999'])
  assert.equal(Object.is(toMinor(-0, 2), 0), true)
  assert.equal(Object.is(toMinor('-0.00', 2), 0), true)
})
