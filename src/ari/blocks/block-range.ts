import { setImmediate as breathe } from 'node:timers/promises'
import { Rejected } from '../../http/rejected.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Block } from './block.ts'
import type { BlockKey } from './store.ts'

/** The most nights stored: from the day before yesterday to the last that can be pushed, and a few more. */
export const rangeNightsMax = 800

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

type BlockRow = { roomNo: number; rateNo: number; month: number; block: Buffer }
/** The blocks of a room or room-rate. */
export type BlocksOfRow = { key: BlockKey; block: Block }[]

const blocksAtOnce = 500

/** All blocks of a hotel, a room or room-rate at a time. `connection` is in one snapshot. */
export async function* blocksByRow(
  connection: Queryable,
  hotelId: number,
  { fromMonth, toMonth }: Pick<BlockRange, 'fromMonth' | 'toMonth'>,
): AsyncGenerator<BlocksOfRow> {
  let row: BlocksOfRow = []
  let last: Omit<BlockRow, 'block'> = { roomNo: 0, rateNo: 0, month: 0 }
  for (;;) {
    const { rows } = await connection.query<BlockRow>({
      name: 'select-blocks-by-row',
      text: `select room_no as "roomNo", rate_no as "rateNo", month, block from ari_month
        where hotel_id = $1 and month between $2 and $3 and (room_no, rate_no, month) > ($4, $5, $6)
        order by room_no, rate_no, month limit ${blocksAtOnce}`,
      values: [hotelId, fromMonth, toMonth, last.roomNo, last.rateNo, last.month],
    })
    for (const { roomNo, rateNo, month, block } of rows) {
      if (row.length > 0 && (roomNo !== last.roomNo || rateNo !== last.rateNo)) {
        yield row
        row = []
      }
      row.push({ key: { hotelId, roomNo, rateNo, month }, block: Block.decode(block) })
      last = { roomNo, rateNo, month }
    }
    if (rows.length < blocksAtOnce) break
    await breathe()
  }
  if (row.length > 0) yield row
}
