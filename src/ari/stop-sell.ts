import type { DayNumber } from '../base/calendar.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { BeforeValues } from './before-values.ts'
import { Block, type NightMask } from './block.ts'
import { unset } from './block-codec.ts'
import { fieldNumber } from './fields.ts'
import { countNights, everyWeekday, nightsBetween } from './month.ts'
import { blockKeyText, selectBlocks, type BlockKey, type LockedHotel, type WrittenBlock } from './store.ts'

/** Rate 0 is the room with all its rates. */
export type StoppedRow = { roomNo: number; rateNo: number }

export type StopSell = { rows: readonly StoppedRow[]; from: DayNumber; to: DayNumber; isStopped: boolean }

/** The new blocks, for each row the number of nights that changed, and the values before, encoded. */
export type Stopped = { written: WrittenBlock[]; changedOf: number[]; before: Buffer }

/**
 * Closes nights of rows for the platform, or reopens them: a value separate from those that suppliers push,
 * which no push changes (decision 014). The caller holds the hotel's lock and writes the blocks.
 */
export async function stopSell(
  connection: Queryable,
  hotel: LockedHotel,
  { rows, from, to, isStopped }: StopSell,
): Promise<Stopped> {
  const months = nightsBetween(from, to, everyWeekday)
  const keys = rows.flatMap((row) =>
    months.map(({ month }): BlockKey => ({ hotelId: hotel.id, ...row, month })),
  )
  const stored = await selectBlocks(connection, keys)
  const { currencyRevision } = hotel
  const revision = hotel.revision + 1
  const before = new BeforeValues()
  const stamp = { revision, sequence: undefined, keyId: 0, currencyRevision, before }
  const written: WrittenBlock[] = []
  const changedOf = rows.map((row) => {
    let changed = 0
    for (const { month, mask } of months) {
      const key = { hotelId: hotel.id, ...row, month }
      const text = blockKeyText(key)
      const bytes = stored.get(text)
      const block = bytes ? Block.decode(bytes) : Block.empty()
      before.at(row, month)
      changed += countNights(changedNights(block, mask, isStopped, stamp))
      if (block.dirty) written.push({ key, text, bytes: block.encode(), isStored: bytes !== undefined })
    }
    return changed
  })
  return { written, changedOf, before: before.encode(revision, hotel.cellsRevision) }
}

function changedNights(
  block: Block,
  mask: NightMask,
  isStopped: boolean,
  stamp: Parameters<Block['set']>[3],
): NightMask {
  return block.set(fieldNumber.stopSell, mask, isStopped ? 1 : unset, stamp).changed
}
