import { unset } from '../../ari/blocks/block-codec.ts'
import type { Block } from '../../ari/blocks/block.ts'
import { firstDay, monthOf, type DayNumber } from '../../base/calendar.ts'
import type { RoomRateDays, RowName } from '../stays/room-rate-days.ts'

/**
 * The origin of a value: a revision of the hotel's ARI, with the row, field and day, or a push of the product
 * or the hotel itself.
 */
export type Origin =
  | { kind: 'ari'; revision: number; row: RowName; field: number; day: DayNumber }
  | { kind: 'product' | 'hotel' }

/** The revisions of the hotel that set the values of a room-rate; blocks are decoded on demand. */
export class Revisions {
  readonly #days: RoomRateDays
  readonly #blocks: Partial<Record<RowName, (Block | undefined)[]>> = {}

  constructor(days: RoomRateDays) {
    this.#days = days
  }

  origin(row: RowName, field: number, day: DayNumber): Origin | undefined {
    const revision = this.#revisionOf(row, field, day)
    return revision === unset ? undefined : { kind: 'ari', revision, row, field, day }
  }

  /** The latest revision among several fields. */
  newest(row: RowName, fields: readonly number[], day: DayNumber): Origin | undefined {
    let newest: Origin | undefined
    for (const field of fields) {
      const origin = this.origin(row, field, day)
      if (origin?.kind !== 'ari') continue
      if (newest?.kind !== 'ari' || origin.revision > newest.revision) newest = origin
    }
    return newest
  }

  #revisionOf(row: RowName, field: number, day: DayNumber): number {
    const blocks = (this.#blocks[row] ??= this.#days.blocks(row))
    const month = monthOf(day)
    return blocks[month - this.#days.firstMonth]?.revisions(field)?.[day - firstDay(month)] ?? unset
  }
}
