import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BeforeValues, decodeBefore } from './before-values.ts'
import { nightsMax, unset } from './block-codec.ts'
import { Block } from './block.ts'
import { fieldNumber, guestPriceField } from '../fields.ts'

const { inventory, closed, unitPrice } = fieldNumber
const fields = [inventory, closed, unitPrice, guestPriceField('adult', 2), guestPriceField('infant', 99)]

const change = fc.record({
  roomNo: fc.constantFrom(1, 2, 32_767),
  rateNo: fc.constantFrom(0, 1, 32_767),
  month: fc.constantFrom(0, 683, 684, 32_767),
  field: fc.constantFrom(...fields),
  mask: fc.oneof(fc.integer({ min: 1, max: 0x7fffffff }), fc.constantFrom(1, 1 << 30, 0x7fffffff)),
  value: fc.oneof(
    fc.constant(unset),
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom(999_999_999_999),
    fc.nat(),
  ),
})
type Change = { roomNo: number; rateNo: number; month: number; field: number; mask: number; value: number }

/** Applies the changes to the blocks; returns the values before, by `room/rate/month/field/night`. */
function apply(blocks: Map<string, Block>, changes: readonly Change[], before: BeforeValues) {
  const expected = new Map<string, number>()
  const stamp = { revision: 1, sequence: undefined, keyId: 0, currencyRevision: 0, before }
  for (const { roomNo, rateNo, month, field, mask, value } of changes) {
    const key = `${roomNo}/${rateNo}/${month}`
    const block = blocks.get(key) ?? Block.empty()
    blocks.set(key, block)
    for (let night = 0; night < nightsMax; night++) {
      const known = block.values(field)?.[night] ?? unset
      const cell = `${key}/${field}/${night}`
      if (((mask >> night) & 1) === 1 && known !== value && !expected.has(cell)) expected.set(cell, known)
    }
    before.at({ roomNo, rateNo }, month)
    block.set(field, mask, value, stamp)
  }
  return expected
}

function decoded(bytes: Buffer): { revisionsSince: number; cells: Map<string, number> } {
  const { revisionsSince, blocks } = decodeBefore(bytes)
  const cells = new Map<string, number>()
  for (const { roomNo, rateNo, month, fields: ofBlock } of blocks) {
    for (const { field, mask, values } of ofBlock) {
      let index = 0
      for (let night = 0; night < nightsMax; night++)
        if ((mask >> night) & 1)
          cells.set(`${roomNo}/${rateNo}/${month}/${field}/${night}`, values[index++] ?? Number.NaN)
      assert.equal(values.length, index)
    }
  }
  return { revisionsSince, cells }
}

test('the values before any changes are read as they were, each cell once and with its first value', () => {
  const changes = fc.array(change, { maxLength: 40 })
  fc.assert(
    fc.property(changes, changes, fc.integer({ min: 1, max: 2 ** 40 }), (earlier, later, since) => {
      const blocks = new Map<string, Block>()
      apply(blocks, earlier, new BeforeValues())
      const before = new BeforeValues()
      const expected = apply(blocks, later, before)
      const read = decoded(before.encode(2 ** 41, 2 ** 41 - since))
      assert.equal(read.revisionsSince, since)
      assert.deepEqual(
        [...read.cells].sort(([one], [other]) => (one < other ? -1 : 1)),
        [...expected].sort(([one], [other]) => (one < other ? -1 : 1)),
      )
    }),
  )
})

test('a small push takes few bytes, a long one is compressed, and unknown formats are refused', () => {
  const blocks = new Map<string, Block>()
  const week = 127 << 10
  const sets = (prices: number): Change[] => [
    { roomNo: 1, rateNo: 0, month: 684, field: inventory, mask: week, value: prices % 7 },
    ...[1, 2].map((guests) => {
      const field = guestPriceField('adult', guests)
      return { roomNo: 1, rateNo: 2, month: 684, field, mask: week, value: prices + guests }
    }),
    { roomNo: 1, rateNo: 2, month: 684, field: fieldNumber.minLengthStay, mask: week, value: prices % 5 },
  ]
  apply(blocks, sets(9_000), new BeforeValues())
  const small = new BeforeValues()
  apply(blocks, sets(11_001), small)
  const few = small.encode(8, 7)
  assert.ok(few.length <= 34, `${few.length} bytes`)

  const long = new BeforeValues()
  const everyMonth = Array.from({ length: 200 }, (_, index) =>
    sets(9_000).map((one) => ({ ...one, month: 684 + index })),
  ).flat()
  const expected = apply(blocks, everyMonth, long)
  const bytes = long.encode(9, null)
  assert.equal(bytes[0], 4)
  assert.equal(decoded(bytes).revisionsSince, 0)
  assert.deepEqual(decoded(bytes).cells.size, expected.size)
  assert.throws(() => decodeBefore(Buffer.of(1)), RangeError)
})

test('a price in a former currency counts as none', () => {
  const block = Block.empty()
  const stamp = { sequence: undefined, keyId: 0 }
  block.set(unitPrice, 3, 9_000, { ...stamp, revision: 3, currencyRevision: 0 })
  const before = new BeforeValues()
  before.at({ roomNo: 1, rateNo: 1 }, 684)
  block.set(unitPrice, 1, 9_000, { ...stamp, revision: 6, currencyRevision: 5, before })
  assert.deepEqual([...decoded(before.encode(6, 3)).cells], [[`1/1/684/${unitPrice}/0`, unset]])
})
