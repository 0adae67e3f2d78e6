import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from '../../web/src/parts/lists/csv.ts'

test('rows become lines that every spreadsheet reads', () => {
  assert.equal(
    csvOf([
      ['Guest', 'Total'],
      ['Müller, "Ada"', '1200.50'],
      ['two\nlines', 7],
    ]),
    '\ufeffGuest,Total\r\n"Müller, ""Ada""",1200.50\r\n"two\nlines",7\r\n',
  )
})

test('what a guest is called is never a formula; an amount below zero stays one', () => {
  const names = [
    '=cmd()',
    '+1',
    '-2+3',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '-5.00',
    '-7',
    ' =cmd()',
    '\u00a0 +1',
    'x; -1+2',
  ]
  assert.deepEqual(
    names.map((name) => csvOf([[name]]).slice(1, -2)),
    [
      "'=cmd()",
      "'+1",
      "'-2+3",
      "'@SUM(A1)",
      "'\tx",
      `"'\rx"`,
      '-5.00',
      '-7',
      "' =cmd()",
      "'\u00a0 +1",
      "x;' -1+2",
    ],
  )
})

test('nor is a part of it, where a spreadsheet separates cells by semicolons and lines by breaks, or in full width', () => {
  const names = [
    "x;=cmd|'/C calc'!A0",
    'x\n=cmd()',
    '\n=cmd()',
    '\uff1dcmd()',
    'a; b-c=d',
    ';-5',
    'x;"=cmd()"',
  ]
  assert.deepEqual(
    names.map((name) => csvOf([[name]]).slice(1, -2)),
    [
      "x;'=cmd|'/C calc'!A0",
      `"x\n'=cmd()"`,
      `"\n'=cmd()"`,
      "'\uff1dcmd()",
      'a; b-c=d',
      ";'-5",
      `"x;'""=cmd()"""`,
    ],
  )
})
