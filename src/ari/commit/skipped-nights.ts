import { firstDay, formatNight, type DayNumber } from '../../base/calendar.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { namesOf } from '../catalog/row-names.ts'
import { guestBucket, isGuestPriceField } from '../fields.ts'
import { guardLimits } from '../guard/contract.ts'
import { holdIdOf } from '../guard/hold-id.ts'
import type { SkippedCells } from '../guard/holds-contract.ts'
import { historyFieldOf } from '../history/replaced-values.ts'
import type { Skipped } from './releasable.ts'

/** What a release left out, in ranges of nights. */
export function listedSkipped(skipped: readonly Skipped[], catalog: HotelCatalog) {
  const names = namesOf(catalog)
  const listed: SkippedCells[] = []
  let more = 0
  for (const { hold, part, nights, reason } of skipped) {
    const first = firstDay(part.month)
    let from: DayNumber | undefined
    for (let night = 0; night <= 31; night++) {
      const isSkipped = night < 31 && ((nights >>> night) & 1) === 1
      if (isSkipped) from ??= first + night
      if (isSkipped || from === undefined) continue
      if (listed.length < guardLimits.skippedListedMax)
        listed.push({
          holdId: holdIdOf(hold.id),
          roomId: names.roomCode(part.roomNo),
          rateId: part.rateNo === 0 ? null : names.rateCode(part.rateNo),
          startDate: formatNight(from),
          endDate: formatNight(first + night - 1),
          field: historyFieldOf(part.field),
          ...(isGuestPriceField(part.field) ? guestBucket(part.field) : {}),
          reason,
        })
      else more++
      from = undefined
    }
  }
  return { skipped: listed, ...(more > 0 ? { moreSkipped: more } : {}) }
}
