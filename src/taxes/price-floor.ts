import type { DayNumber } from '../base/calendar.ts'
import type { Tax } from './contract.ts'
import { scopesOf, taxesColumn, type StoredTax, type ScopedTaxes } from './store.ts'
import { prepareTaxes, taxesFor, type PreparedTaxes } from './room-rate-taxes.ts'
import { isFormerAmount } from './former-taxes.ts'
import { planStay } from './compute/stay-plan.ts'

/**
 * The lowest prices that cover the fixed taxes included in them, whatever the stay. Taxes due once per stay
 * are left out: the longer the stay, the less of them falls on a night.
 */
export const priceFloors = {
  /** Null if no price can be too low: percentages alone leave a positive net of any price. */
  column: (hotelId: string): string =>
    `case when exists (select from tax where hotel_id = ${hotelId} and included
        and (value_type = 'fixed' or applied_on = 'net+vat')) then ${taxesColumn(hotelId)} end`,
  of: (stored: unknown, minorDigits: number): PriceFloor | undefined => {
    if (stored === null) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: `column` made it.
    const scopes = scopesOf(stored as StoredTax[])
    const dated = preparedBy(scopes, minorDigits, (tax) => tax)
    // As if each tax applied every night: a price that is enough then is enough on any night.
    const undated = preparedBy(scopes, minorDigits, ({ startDate: _start, endDate: _end, ...tax }) => tax)
    return {
      highest: (roomNo, rateNo, persons) => floorOf(undated, roomNo, rateNo, 0, persons),
      on: (night, roomNo, rateNo, persons) => floorOf(dated, roomNo, rateNo, night, persons),
    }
  },
}

export type PriceFloor = {
  highest: (roomNo: number, rateNo: number, persons: number) => number
  on: (night: DayNumber, roomNo: number, rateNo: number, persons: number) => number
}

function preparedBy(
  scopes: readonly ScopedTaxes[],
  minorDigits: number,
  change: (tax: Tax) => Tax,
): PreparedTaxes {
  const taxed = scopes.map(({ taxes, ...scope }) => ({
    ...scope,
    taxes: taxes.filter((tax) => isDueEachNight(tax) && !isFormerAmount(tax, minorDigits)).map(change),
  }))
  return prepareTaxes(taxed, minorDigits)
}

function isDueEachNight({ valueType, appliedPer }: Tax): boolean {
  return valueType === '%' || appliedPer === 'per_room_per_night' || appliedPer === 'per_person_per_night'
}

function floorOf(
  taxes: PreparedTaxes,
  roomNo: number,
  rateNo: number,
  night: DayNumber,
  persons: number,
): number {
  return planStay(taxesFor(taxes, roomNo, rateNo), night, 1, persons).kinds[0]?.priceMin ?? 0
}
