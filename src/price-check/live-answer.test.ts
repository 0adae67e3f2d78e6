import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceCheckCallback } from './callback-contract.ts'
import { readLiveAnswer, type Expected } from './live-answer.ts'

const expected: Expected = {
  roomId: 'DBL',
  rateId: 'BAR',
  currency: 'USD',
  minorDigits: 2,
  nightCount: 2,
}
const right = {
  roomId: 'DBL',
  rateId: 'BAR',
  currency: 'USD',
  inventory: 4,
  amountBeforeTax: [100, '110.50'],
  amountAfterTax: ['110', 121.55],
}

const read = (answer: unknown, agree = expected) =>
  readLiveAnswer({ body: Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)) }, agree)

test('an answer is read to the minor unit, as documented and as strings or numbers', () => {
  assert.deepEqual(read({ roomRate: right }), {
    inventory: 4,
    nights: [
      { beforeTax: 10_000, afterTax: 11_000 },
      { beforeTax: 11_050, afterTax: 12_155 },
    ],
    terms: {},
  })
  assert.deepEqual(read(priceCheckCallback.example.answer), {
    inventory: 4,
    nights: [
      { beforeTax: 10_000, afterTax: 11_000 },
      { beforeTax: 11_000, afterTax: 12_100 },
    ],
    terms: {
      mealPlan: 'BB',
      penalties: priceCheckCallback.example.answer.roomRate.cancelPolicy.cancelPenalties,
    },
  })
  const yen = { ...right, currency: 'JPY', amountBeforeTax: [9_000, 0], amountAfterTax: [9_000, '0'] }
  assert.deepEqual(read({ roomRate: yen }, { ...expected, currency: 'JPY', minorDigits: 0 }), {
    inventory: 4,
    nights: [
      { beforeTax: 9_000, afterTax: 9_000 },
      { beforeTax: 0, afterTax: 0 },
    ],
    terms: {},
  })
})

test('a deviation from the request is named', () => {
  const having = (changed: Record<string, unknown>) => ({ roomRate: { ...right, ...changed } })
  const cases: [unknown, string][] = [
    ['', 'malformed_json'],
    ['{', 'malformed_json'],
    ['<html>', 'malformed_json'],
    [
      JSON.stringify({ roomRate: right }).replace('"inventory":4', '"inventory":4,"inventory":9'),
      'malformed_json',
    ],
    ['['.repeat(10_000), 'malformed_json'],
    ['null', 'wrong_shape'],
    [right, 'wrong_shape'],
    [having({ inventory: -1.5 }), 'wrong_shape'],
    [having({ inventory: '4' }), 'wrong_shape'],
    [having({ amountAfterTax: [] }), 'wrong_shape'],
    [having({ amountAfterTax: [110, -1] }), 'wrong_shape'],
    [JSON.stringify(having({})).replace('121.55', '1e400'), 'wrong_shape'],
    [having({ roomId: 'dbl' }), 'other_room'],
    [having({ rateId: 'NRF' }), 'other_rate'],
    [having({ currency: 'EUR' }), 'other_currency'],
    [having({ amountBeforeTax: [100] }), 'other_nights'],
    [having({ amountBeforeTax: [210.5], amountAfterTax: [231.55] }), 'other_nights'],
    [having({ amountAfterTax: [110, 121.55, 130] }), 'other_nights'],
    [having({ amountAfterTax: [110, 121.555] }), 'wrong_amount'],
    [having({ amountAfterTax: ['110', '99999999999999.00'] }), 'wrong_amount'],
    [having({ amountAfterTax: [110, 110.49] }), 'wrong_amount'],
  ]
  const found = cases.map(([answer]) => {
    const said = read(answer)
    return 'fault' in said ? said.fault : 'read'
  })
  assert.deepEqual(
    found,
    cases.map(([, fault]) => fault),
  )
})

test('an inventory below zero is read as 0', () => {
  const said = read({ roomRate: { ...right, inventory: -3 } })
  assert.ok(!('fault' in said))
  assert.equal(said.inventory, 0)
})
