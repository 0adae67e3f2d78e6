import type { DayNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { BeforeValues } from './before-values.ts'
import { Block } from './block.ts'
import { unset } from './block-codec.ts'
import { fieldNumber } from '../fields.ts'
import { countNights, everyWeekday, nightsBetween, type NightMask } from './month.ts'
import { blockKeyText, selectBlocks, type BlockKey, type LockedHotel, type WrittenBlock } from './store.ts'

/** Rate 0 is the room with all its rates. */
export type StoppedRow = { roomNo: number; rateNo: number }

/** Nights of a row, both included. */
export type Stretch = StoppedRow & { from: DayNumber; to: DayNumber }

/** The new blocks, the numbers of nights that changed, and the values before, encoded. */
export type Stopped = {
  written: WrittenBlock[]
  changed: (StoppedRow & { nights: number })[]
  before: Buffer
}

/**
 * Closes nights of rows for the platform, or reopens them: a value separate from those that suppliers push,
 * which no push changes (decision 014). The caller holds the hotel's lock and writes the blocks.
 */
export async function stopSell(
  connection: Queryable,
  hotel: LockedHotel,
  { stretches, isStopped }: { stretches: readonly Stretch[]; isStopped: boolean },
): Promise<Stopped> {
  const nights = nightsOf(hotel.id, stretches)
  const stored = await selectBlocks(
    connection,
    nights.map(({ key }) => key),
  )
  const { currencyRevision } = hotel
  const revision = hotel.revision + 1
  const before = new BeforeValues()
  const stamp = { revision, sequence: undefined, keyId: 0, currencyRevision, before }
  const written: WrittenBlock[] = []
  const changed = nights.map(({ key, mask }) => {
    const text = blockKeyText(key)
    const bytes = stored.get(text)
    const block = bytes ? Block.decode(bytes) : Block.empty()
    before.at(key, key.month)
    const set = block.set(fieldNumber.stopSell, mask, isStopped ? 1 : unset, stamp).changed
    if (block.dirty) written.push({ key, text, bytes: block.encode(), isStored: bytes !== undefined })
    return { roomNo: key.roomNo, rateNo: key.rateNo, nights: countNights(set) }
  })
  return { written, changed, before: before.encode(revision, hotel.cellsRevision) }
}

/** One mask for each row and month, however many stretches it has. */
function nightsOf(hotelId: number, stretches: readonly Stretch[]): { key: BlockKey; mask: NightMask }[] {
  const nights = new Map<string, { key: BlockKey; mask: NightMask }>()
  for (const { roomNo, rateNo, from, to } of stretches) {
    for (const { month, mask } of nightsBetween(from, to, everyWeekday)) {
      const key = { hotelId, roomNo, rateNo, month }
      const text = blockKeyText(key)
      nights.set(text, { key, mask: mask | (nights.get(text)?.mask ?? 0) })
    }
  }
  return [...nights.values()]
}
