import { Rejected } from '../http/rejected.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Block } from './block.ts'
import type { BlockKey } from './store.ts'

/** A larger read-back is refused, because it would keep all other requests waiting. */
export const blocksReadMax = 6_000

export function readTooLarge(): Rejected {
  return new Rejected(400, {
    type: 'READ_TOO_LARGE',
    message: `More than ${blocksReadMax} months of rooms and rates are requested`,
    path: '/roomIds',
    hint: 'Request fewer roomIds or rateIds, or a shorter range, and read the rest with more requests',
  })
}

/** Rows of a hotel: months, both included, and the named rooms and rates (all, if none are named). */
export type BlockRange = {
  fromMonth: number
  toMonth: number
  roomNos: readonly number[] | undefined
  rateNos: readonly number[] | undefined
}

export function isIn({ fromMonth, toMonth, roomNos, rateNos }: BlockRange) {
  const rooms = roomNos && new Set(roomNos)
  const rates = rateNos && new Set(rateNos)
  return ({ roomNo, rateNo, month }: Omit<BlockKey, 'hotelId'>): boolean =>
    month >= fromMonth && month <= toMonth && rooms?.has(roomNo) !== false && rates?.has(rateNo) !== false
}

/** A hotel's blocks of the range. */
export async function selectHotelBlocks(
  db: Queryable,
  hotelId: number,
  range: BlockRange,
): Promise<{ key: BlockKey; block: Block }[]> {
  const { rows } = await db.query<{ room_no: number; rate_no: number; month: number; block: Buffer }>(
    `select room_no, rate_no, month, block from ari_month
     where hotel_id = $1 and month between $2 and $3
       and ($4::int[] is null or room_no = any($4)) and ($5::int[] is null or rate_no = any($5))
     order by room_no, rate_no, month limit ${blocksReadMax + 1}`,
    [hotelId, range.fromMonth, range.toMonth, range.roomNos ?? null, range.rateNos ?? null],
  )
  return rows.map((row) => ({
    key: { hotelId, roomNo: row.room_no, rateNo: row.rate_no, month: row.month },
    block: Block.decode(row.block),
  }))
}
