import fc from 'fast-check'
import { formatNight } from '../../../src/base/calendar.ts'
import type { PricedRoom } from '../../../src/taxes/compute/compute.ts'
import { taxBases, taxTypes, taxUnits, type Tax } from '../../../src/taxes/contract.ts'
import { prepareTaxes, taxesFor } from '../../../src/taxes/room-rate-taxes.ts'

/** Random stays with random taxes. */

export const firstNight = 20_878

export type Stay = {
  minorDigits: number
  taxes: Tax[]
  rooms: { prices: number[]; persons: number }[]
}

const percent = fc.oneof(
  fc.integer({ min: 0, max: 30 }),
  fc.integer({ min: 0, max: 3_000 }).map((value) => value / 100),
  fc.integer({ min: 0, max: 30_000_000 }).map((value) => value / 1_000_000),
  fc.integer({ min: 0, max: 1_000 }),
)
export const nightCounts = fc.integer({ min: 1, max: 8 })
const dates = fc
  .tuple(fc.integer({ min: -3, max: 9 }), fc.integer({ min: 0, max: 6 }))
  .map(([from, length]) => ({
    startDate: formatNight(firstNight + from),
    endDate: formatNight(firstNight + from + length),
  }))
// VAT more often: others are taken of it.
const taxType = fc.constantFrom(...taxTypes, 'VAT' as const)
const charge = fc.constantFrom(
  { included: true, payNow: true },
  { included: false, payNow: true },
  { included: false, payNow: false },
)

function taxOf(minorDigits: number): fc.Arbitrary<Tax> {
  const fixed = fc.integer({ min: 0, max: 3_000 }).map((minor) => minor / 10 ** minorDigits)
  return fc
    .record({
      type: taxType,
      value: fc.oneof(
        percent.map((value) => ({ valueType: '%' as const, value })),
        fixed.map((value) => ({ valueType: 'fixed' as const, value })),
      ),
      basis: fc.constantFrom(...taxBases),
      appliedPer: fc.constantFrom(...taxUnits),
      charge,
      dates: fc.option(dates, { nil: undefined }),
    })
    .map(({ type, value, basis, appliedPer, charge: { included, payNow }, dates: range }) => ({
      type,
      ...value,
      appliedOn: type === 'VAT' ? ('net' as const) : basis,
      appliedPer,
      included,
      payNow,
      ...range,
    }))
}

const price = fc.oneof(
  fc.integer({ min: 1, max: 50 }),
  { arbitrary: fc.integer({ min: 1_000, max: 100_000 }), weight: 4 },
  // Beyond what plain numbers multiply exactly, and small enough for the sum of all taxes.
  fc.integer({ min: 1, max: 99_999_999_999 }),
)

export const stays: fc.Arbitrary<Stay> = fc.constantFrom(0, 2, 3).chain((minorDigits) =>
  nightCounts.chain((nightCount) =>
    fc.record({
      minorDigits: fc.constant(minorDigits),
      taxes: fc.array(taxOf(minorDigits), { maxLength: 7 }),
      rooms: fc.array(
        fc.record({
          prices: fc.array(price, { minLength: nightCount, maxLength: nightCount }),
          persons: fc.integer({ min: 0, max: 4 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  ),
)

/** The rooms with all taxes pushed for the property. */
export function roomsOf({ taxes, rooms, minorDigits }: Stay): PricedRoom[] {
  const hotel = prepareTaxes([{ roomNo: 0, rateNo: 0, taxes }], minorDigits)
  return rooms.map(({ prices, persons }) => ({
    taxes: taxesFor(hotel, 1, 1),
    nights: prices.map((each, index) => ({ day: firstNight + index, price: each })),
    persons,
  }))
}
