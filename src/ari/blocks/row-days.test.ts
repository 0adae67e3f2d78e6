import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysIn, firstDay, monthOf, parseNight } from '../../base/calendar.ts'
import { amountMinorMax } from '../../base/money.ts'
import { Block } from './block.ts'
import type { Stamp } from './stamp.ts'
import { unset } from './block-codec.ts'
import { fieldNumber, guestPriceField, isPriceField } from '../fields.ts'
import { RowDays } from './row-days.ts'

const bucket = guestPriceField('adult', 2)
const notAsked = guestPriceField('child', 1)
const plain = [fieldNumber.inventory, fieldNumber.closed, fieldNumber.maxAdvanceDays, fieldNumber.unitPrice]
const month = monthOf(parseNight('2027-02-01') ?? 0)

const changes = fc.array(
  fc.record({
    month: fc.constantFrom(month, month + 1),
    field: fc.constantFrom(...plain, bucket, notAsked),
    mask: fc.oneof(fc.integer({ min: 1, max: 0x7fffffff }), fc.constantFrom(1, 1 << 27, 0x7fffffff)),
    value: fc.oneof(
      fc.constant(unset),
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: 0, max: amountMinorMax }),
    ),
    revision: fc.integer({ min: 1, max: 300 }),
    sequence: fc.constantFrom(undefined, undefined, 1, 2 ** 40),
  }),
  { maxLength: 12 },
)

test('a window of a row has the values of its blocks, without prices in a former currency, regardless of earlier reads', () => {
  fc.assert(
    fc.property(
      changes,
      fc.integer({ min: -3, max: 40 }),
      fc.integer({ min: 1, max: 45 }),
      fc.constantFrom(0, 0, 150),
      (changed, start, days, currencyRevision) => {
        const blocks = new Map([month, month + 1].map((number) => [number, Block.empty()]))
        for (const { month: of, field, mask, value, revision, sequence } of changed) {
          const stamp: Stamp = { revision, sequence, keyId: 7, currencyRevision: 0 }
          // Never set nights that the month does not have.
          blocks.get(of)?.set(field, mask & (0x7fffffff >>> (31 - daysIn(of))), value, stamp)
        }
        const from = firstDay(month) + start
        const row = new RowDays(from, days, [bucket])
        for (let time = 0; time < 2; time++) {
          for (const [number, block] of blocks) {
            const bytes = Buffer.concat([Buffer.from('before'), block.encode(), Buffer.from([255, 255])])
            row.read(bytes, 6, bytes.length - 2, number, currencyRevision)
          }
          for (const field of [...plain, bucket]) {
            const held: number[] = []
            const read: number[] = []
            for (let day = from; day < from + days; day++) {
              held.push(
                heldOn(blocks.get(monthOf(day)), field, day - firstDay(monthOf(day)), currencyRevision),
              )
              read.push(row.at(field, day))
            }
            assert.deepEqual(read, held)
            assert.ok(row.holds(field) || held.every((value) => value === unset))
          }
          row.clear()
          assert.equal(row.at(bucket, from), unset)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

function heldOn(block: Block | undefined, field: number, night: number, currencyRevision: number): number {
  const value = block?.values(field)?.[night] ?? unset
  const isFormer = isPriceField(field) && (block?.revisions(field)?.[night] ?? unset) <= currencyRevision
  return currencyRevision > 0 && isFormer ? unset : value
}
