import { firstDay } from '../../base/calendar.ts'
import type { TouchedNights } from '../../hotels/live-touches.ts'
import { decodeBefore } from '../blocks/before-values.ts'
import { nightsIn, type MonthNights } from '../blocks/month.ts'
import type { LockedHotel } from '../blocks/store.ts'
import type { PushRecord } from '../../push-log/keep/keep.ts'
import type { ReadyPush } from '../judge/plan.ts'
import type { ItemResult } from './apply.ts'

/** The nights about which a push says something: the live answers about them end. */

/** The record of a push, which ends the live answers about the nights that it changed or named. */
export function touching(
  touched: TouchedNights[],
  { id, liveUntilMs }: LockedHotel,
  nowMs: number,
  record: PushRecord,
  named: () => readonly TouchedNights[] = () => [],
): PushRecord {
  if (liveUntilMs !== null && liveUntilMs > nowMs)
    touched.push(...nightsChanged(id, record.kept.before), ...named())
  return record
}

/**
 * Those of its items that were applied or changed nothing: also a value that is stored already says that the supplier has it.
 * What the guard holds, or a newer push superseded, counts as far as it changed something.
 */
export function nightsNamed(
  { catalog, plan, body }: ReadyPush,
  results: readonly ItemResult[],
): TouchedNights[] {
  if (body.dryRun === true) return []
  const { hotelId } = catalog
  return results.flatMap(({ index, status, warnings }) => {
    const isWhole = status === 'applied' || status === 'unchanged' || status === 'partial'
    if (!isWhole || warnings?.some(({ type }) => type === 'SUPERSEDED')) return []
    const rows = plan.items[index]?.rows ?? []
    return rows.flatMap(({ roomNo, rateNo, months }) =>
      months.flatMap((nights) => stretchesOf(nights).map((days) => ({ hotelId, roomNo, rateNo, ...days }))),
    )
  })
}

/** Those whose values changed. */
function nightsChanged(hotelId: number, before: Buffer | undefined): TouchedNights[] {
  if (!before) return []
  return decodeBefore(before).blocks.flatMap(({ roomNo, rateNo, month, fields }) => {
    let mask = 0
    for (const field of fields) mask |= field.mask
    return stretchesOf({ month, mask }).map((days) => ({ hotelId, roomNo, rateNo, ...days }))
  })
}

function stretchesOf({ month, mask }: MonthNights): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = []
  const first = firstDay(month)
  for (const night of nightsIn(mask)) {
    const last = stretches.at(-1)
    if (last?.to === first + night - 1) last.to++
    else stretches.push({ from: first + night, to: first + night })
  }
  return stretches
}
