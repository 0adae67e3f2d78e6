import { formerAmountsExist } from '../../hotels/former-amounts.ts'
import type { DayNumber } from '../../base/calendar.ts'
import { numberArray, type Queryable } from '../../postgres/postgres.ts'
import { roomRateKey } from '../../products/store.ts'
import { formerNights } from '../../taxes/room-rate-taxes.ts'
import { formerTermsOn } from '../../products/policies/arrival-terms.ts'
import { bookingCatalogColumn, bookingCatalogOf, roomRateOf } from './booking-catalog.ts'
import type { BookableRoomRate, BookingCatalog } from './booking-catalog.ts'

/** Nights that can't be sold, whatever their price, because another amount that they need is of a former currency. */

/** Whether what counts for the arrival has no flat penalty or fee of a former currency. */
export function hasKnownAmounts({ policies, taxes }: BookableRoomRate, arrival: DayNumber): boolean {
  return !policies.hasFormerAmounts || formerTermsOn(policies, arrival, taxes.minorDigits).length === 0
}

/** Whether a fixed tax of the night, or the policy for arrivals on it, is of a former currency. */
export function isFormerNight(roomRate: BookableRoomRate, night: DayNumber): boolean {
  const isTaxed = roomRate.taxes.hasFormer && formerNights(roomRate.taxes, night, night + 1).length > 0
  return isTaxed || !hasKnownAmounts(roomRate, night)
}

/** The same by the numbers of a room-rate; a pair that was never pushed has no amounts. */
export type IsFormerNight = (roomNo: number, rateNo: number, night: DayNumber) => boolean

export const neverFormer: IsFormerNight = () => false

export function formerNightsIn(catalog: BookingCatalog): IsFormerNight {
  return (roomNo, rateNo, night) => {
    const roomRate = roomRateOf(catalog, roomRateKey(roomNo, rateNo))
    return roomRate !== undefined && isFormerNight(roomRate, night)
  }
}

/** Of those of the hotels that have such amounts. */
export async function selectFormerNights(
  db: Queryable,
  hotelIds: readonly number[],
): Promise<Map<number, IsFormerNight>> {
  const { rows } = await db.query<{ id: number; catalog: string }>(
    `select id, ${bookingCatalogColumn} as catalog from hotel
     where id = any($1::int[]) and ${formerAmountsExist}`,
    [numberArray(hotelIds)],
  )
  // The catalogs are used at once only, so their versions don't matter.
  return new Map(rows.map(({ id, catalog }) => [id, formerNightsIn(bookingCatalogOf(id, 0, catalog))]))
}
