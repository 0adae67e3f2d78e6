import { monthOf, weekdays } from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { HotelOfSupplier } from '../../products/hotel-catalogs.ts'
import type { CatalogNeeds } from '../catalog/catalog.ts'
import type { Block } from '../blocks/block.ts'
import { selectHotelBlocks } from '../blocks/block-range.ts'
import { selectHotelPast } from '../history/changes-back.ts'
import { guestBucket, isGuestPriceField, isPriceField } from '../fields.ts'
import { daysAheadMax } from '../item-contract.ts'
import { namesOf } from '../catalog/row-names.ts'
import { guardLimits, type ShownBounds } from './contract.ts'
import { futurePrices } from './future-prices.ts'
import { learnBounds } from './rules/learned.ts'

/** The learned bounds of a hotel as a push would be judged by them now. */
export async function learnedBoundsOf(
  connection: Queryable,
  { catalogs, clock }: Pick<CatalogNeeds, 'catalogs' | 'clock'>,
  hotel: HotelOfSupplier,
): Promise<ShownBounds[]> {
  const catalog = await catalogs.current(connection, hotel)
  if (!catalog) return []
  const today = todayIn(catalog, clock.now())
  const { currencyRevision } = await selectHotelPast(connection, catalog.hotelId)
  const blocks = await selectHotelBlocks(connection, catalog.hotelId, {
    fromMonth: monthOf(today),
    toMonth: monthOf(today + daysAheadMax),
    roomNos: undefined,
    rateNos: undefined,
  })
  const names = namesOf(catalog)
  const shown: ShownBounds[] = []
  const byRow = Map.groupBy(blocks, ({ key }) => `${key.roomNo}/${key.rateNo}`)
  for (const ofRow of byRow.values()) {
    const [first] = ofRow
    if (!first || first.key.rateNo === 0) continue
    for (const field of priceFields(ofRow.map(({ block }) => block))) {
      if (shown.length === guardLimits.learnedListedMax) return shown
      const learned = learnBounds(
        ofRow.flatMap(({ key, block }) =>
          futurePrices(block, field, { month: key.month, today, currencyRevision }),
        ),
      )
      if (!learned) continue
      shown.push({
        roomId: names.roomCode(first.key.roomNo),
        rateId: names.rateCode(first.key.rateNo),
        ...(isGuestPriceField(field) ? guestBucket(field) : {}),
        prices: learned.prices,
        weekdays: weekdays.flatMap((day, index) => {
          const bound = learned.byWeekday[index]
          if (!bound) return []
          const { lowest, highest } = bound
          return [
            {
              day,
              lowest: fromMinor(lowest, names.minorDigits),
              highest: fromMinor(highest, names.minorDigits),
            },
          ]
        }),
      })
    }
  }
  return shown
}

function priceFields(blocks: readonly Block[]): number[] {
  return [...new Set(blocks.flatMap((block) => block.fields()))].filter(isPriceField).sort((a, b) => a - b)
}
