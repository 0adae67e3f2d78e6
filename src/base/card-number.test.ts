import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCheckDigit, isCardNumberId, maskedNumber, withoutCardNumbers } from './card-number.ts'

test('check digits of card numbers', () => {
  const right = [
    '4111111111111111',
    '5555555555554444',
    '378282246310005',
    '30569309025904',
    '6011111111111117',
  ]
  for (const number of right) {
    assert.ok(hasCheckDigit(number), number)
    const wrong = number.slice(0, -1) + String((Number(number.slice(-1)) + 1) % 10)
    assert.ok(!hasCheckDigit(wrong), wrong)
  }
  assert.deepEqual(right.map(maskedNumber).slice(0, 3), [
    '411111******1111',
    '555555******4444',
    '378282*****0005',
  ])
})

const removed = '[card number removed]'

test('the number of a card is found in a text, in groups, with signs, over lines and in digits of any script', () => {
  const numbers = [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111/1111/1111/1111',
    '4111- 1111- 1111- 1111',
    '4111 - 1111 - 1111 - 1111',
    '4111\u00A01111\u00A01111\u00A01111',
    '4111\u200B1111\u200B1111\u200B1111',
    '4111\n1111\r\n1111\t1111',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '４１１１１１１１１１１１１１１１',
    '٤١١١ ١١١١ ١١١١ ١١١١',
    '④①①①①①①①①①①①①①①①',
    '𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '6011111111111117',
    '3530111333300000',
    '6200000000000005',
    '6759649826438453',
    '4000000000000000006',
  ]
  for (const number of numbers) {
    assert.equal(withoutCardNumbers(number), removed, number)
    assert.equal(withoutCardNumbers(`Card: ${number}.`), `Card: ${removed}.`, number)
    assert.equal(withoutCardNumbers(`VISA${number}exp 01/30 cvv 837`), `VISA${removed}exp 01/30 cvv 837`)
    assert.equal(withoutCardNumbers(`${number} 01/30`), `${removed} 01/30`)
    assert.equal(withoutCardNumbers(`${number} or\n${number}`), `${removed} or\n${removed}`)
  }
})

test('other numbers stay: telephones, dates, references, too long, too short, a wrong check digit, no known prefix', () => {
  const others = [
    '',
    'Late arrival, room 12',
    '4111111111111112',
    '411111111111111',
    '41111111111111111111',
    '1111111111111117',
    '9111111111111116',
    '+49 30 1234567890',
    'From 2027-04-20 18:00 to 2027-04-22 11:00, two rooms',
    '4111x1111x1111x1111',
    '4111 and 1111 and 1111 and 1111',
  ]
  for (const text of others) assert.equal(withoutCardNumbers(text), text)
})

test('of ids those are refused that are a number, and none that a machine made of letters and digits by chance', () => {
  const numbers = [
    '4111111111111111',
    'booking-4111-1111-1111-1111',
    'x_4111111111111111',
    '４１１１１１１１１１１１１１１１',
  ]
  for (const id of numbers) assert.ok(isCardNumberId(id), id)
  const others = [
    '41111111-1111-4111-8111-111111111111',
    'b-4ABC1111-1111-4111-8111-111111111111-1',
    'a4111111111111111aaaaaaaaaaaaaaa',
    'deadbeef4111111111111111deadbeef4111111111111111deadbeefdeadbeef',
    '0192f4d2-7b6c-7e3a-9c1d-5e8f2a4b6c8d',
    'order-1234567890123456',
  ]
  for (const id of others) assert.ok(!isCardNumberId(id), id)
})
