import { setImmediate as breathe } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { firstDay, monthOf } from '../../base/calendar.ts'
import { blocksByRow, rangeNightsMax } from '../blocks/block-range.ts'
import type { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import type { PriceFloor } from '../catalog/catalog.ts'
import { fieldNumber, guestBucket, isGuestPriceField } from '../fields.ts'
import type { HotelRow } from '../../hotels/store.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import type { Queryable } from '../../postgres/postgres.ts'

/** Blocks read for one count: those of a hotel with 800 room-rates and two years of ARI. */
const blocksReadMax = 20_000

type CountedHotel = Pick<HotelRow, 'id' | 'timeZone' | 'aheadMs' | 'currencyRevision'>
type Floors = { before: PriceFloor | undefined; after: PriceFloor }
type NightCount = { count: number; isWhole: boolean }

/** For pushes of taxes. */
export function nightsBelowCounter(clock: Clock) {
  return (connection: Queryable, hotel: CountedHotel, floors: Floors): Promise<NightCount> =>
    countNightsBelow(connection, hotel, floors, clock.now())
}

/**
 * The nights of room-rates, from today on, that have a price below the floor after a change of taxes but not before it:
 * that price can't be sold any more. `isWhole` is false if the hotel has more nights than are counted.
 */
async function countNightsBelow(
  connection: Queryable,
  hotel: CountedHotel,
  floors: Floors,
  nowMs: number,
): Promise<NightCount> {
  const today = todayIn(hotel, nowMs)
  const months = { fromMonth: monthOf(today), toMonth: monthOf(today + rangeNightsMax) }
  let [count, read] = [0, 0]
  for await (const row of blocksByRow(connection, hotel.id, months)) {
    for (const { key, block } of row) {
      if (key.rateNo === 0) continue
      const nights = nightsBelow(block, floors, { ...key, currencyRevision: hotel.currencyRevision })
      for (const night of nights) if (firstDay(key.month) + night >= today) count++
    }
    read += row.length
    if (read >= blocksReadMax) return { count, isWhole: false }
    await breathe()
  }
  return { count, isWhole: true }
}

/** As pushes of ARI judge prices: a unit as if one guest stayed, adults as many as the line is for; others not. */
function nightsBelow(
  block: Block,
  { before, after }: Floors,
  row: { roomNo: number; rateNo: number; month: number; currencyRevision: number },
): Set<number> {
  const { roomNo, rateNo, month, currencyRevision } = row
  const first = firstDay(month)
  const nights = new Set<number>()
  for (const field of block.fields()) {
    const guests = adultsOf(field)
    if (guests === undefined) continue
    const highest = after.highest(roomNo, rateNo, guests)
    const revisions = block.revisions(field)
    for (const [night, price] of (block.values(field) ?? []).entries()) {
      if (price === unset || price >= highest || (revisions?.[night] ?? 0) <= currencyRevision) continue
      const isBelow = (floor: PriceFloor | undefined): boolean =>
        floor !== undefined && price < floor.on(first + night, roomNo, rateNo, guests)
      if (isBelow(after) && !isBelow(before)) nights.add(night)
    }
  }
  return nights
}

function adultsOf(field: number): number | undefined {
  if (field === fieldNumber.unitPrice) return 1
  if (!isGuestPriceField(field)) return undefined
  const { ageCategory, guests } = guestBucket(field)
  return ageCategory === 'adult' ? guests : undefined
}
