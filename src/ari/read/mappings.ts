import { firstDay, formatNight, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { platformRateId, platformRoomId } from '../../products/store.ts'
import { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { isPushedField } from '../fields.ts'
import type { Mapping } from '../contract.ts'
import { blockKeyText, selectBlocks, type BlockKey } from '../blocks/store.ts'

/** The room-rates of a hotel in the order of their numbers; at most `limit` of them, if given. */
export async function readMappings(db: Queryable, hotelId: number, limit?: number): Promise<Mapping[]> {
  const roomRates = await selectRoomRates(db, hotelId, limit)
  const firsts = await outermostNights(db, hotelId, roomRates, 'first')
  const lasts = await outermostNights(db, hotelId, roomRates, 'last')
  return roomRates.map((roomRate) => mappingOf(hotelId, roomRate, firsts.get(roomRate), lasts.get(roomRate)))
}

type RoomRateRow = {
  roomNo: number
  roomId: string
  roomName: string
  roomType: string
  rateNo: number
  rateId: string
  rateName: string
  mealPlan: string | null
  maxOccupancy: number
  maxAdult: number | null
  maxChild: number | null
  maxInfant: number | null
  isAvailable: boolean
  pricingModel: string | null
  firstMonth: MonthNumber | null
  lastMonth: MonthNumber | null
  writtenAt: Date | null
}

async function selectRoomRates(
  db: Queryable,
  hotelId: number,
  limit: number | undefined,
): Promise<RoomRateRow[]> {
  const { rows } = await db.query<RoomRateRow>(
    `select room_rate.room_no as "roomNo", room.code as "roomId", room.name as "roomName", room.room_type as "roomType",
       room_rate.rate_no as "rateNo", rate.code as "rateId", rate.name as "rateName", meal_plan as "mealPlan",
       max_occupancy as "maxOccupancy", max_adult as "maxAdult", max_child as "maxChild",
       max_infant as "maxInfant",
       is_available as "isAvailable", pricing_model as "pricingModel",
       held.first as "firstMonth", held.last as "lastMonth", held.written_at as "writtenAt"
     from room_rate
       join room on room.hotel_id = $1 and room.room_no = room_rate.room_no
       join rate on rate.hotel_id = $1 and rate.rate_no = room_rate.rate_no
       left join (
         select room_no, rate_no, min(month) as first, max(month) as last, max(written_at) filter (where isfinite(written_at)) as written_at
         from ari_month where hotel_id = $1 group by room_no, rate_no
       ) as held on held.room_no = room_rate.room_no and held.rate_no = room_rate.rate_no
     where room_rate.hotel_id = $1
     order by room_rate.room_no, room_rate.rate_no
     -- Null means no limit.
     limit $2`,
    [hotelId, limit ?? null],
  )
  return rows
}

/**
 * The first or last night on which each room-rate has a value. Reads only the outermost month, or the next
 * one inwards if everything in it was cleared again.
 */
async function outermostNights(
  db: Queryable,
  hotelId: number,
  roomRates: readonly RoomRateRow[],
  end: 'first' | 'last',
): Promise<Map<RoomRateRow, DayNumber>> {
  const found = new Map<RoomRateRow, DayNumber>()
  const step = end === 'first' ? 1 : -1
  let searched = roomRates.flatMap((row) => {
    const { firstMonth, lastMonth } = row
    if (firstMonth === null || lastMonth === null) return []
    return [{ row, month: end === 'first' ? firstMonth : lastMonth, firstMonth, lastMonth }]
  })
  while (searched.length > 0) {
    const keyed = searched.map((one) => ({ one, key: keyOf(hotelId, one.row, one.month) }))
    const blocks = await selectBlocks(
      db,
      keyed.map(({ key }) => key),
    )
    for (const { one, key } of keyed) {
      const bytes = blocks.get(blockKeyText(key))
      const index = bytes && outermostNight(Block.decode(bytes), end)
      if (index !== undefined) found.set(one.row, firstDay(one.month) + index)
    }
    searched = searched
      .filter(({ row }) => !found.has(row))
      .map((one) => ({ ...one, month: one.month + step }))
      .filter(({ month, firstMonth, lastMonth }) => month >= firstMonth && month <= lastMonth)
  }
  return found
}

function keyOf(hotelId: number, { roomNo, rateNo }: RoomRateRow, month: MonthNumber): BlockKey {
  return { hotelId, roomNo, rateNo, month }
}

/** The index of the first or last night of the block on which any pushed field has a value. */
function outermostNight(block: Block, end: 'first' | 'last'): number | undefined {
  const fields = block.fields().filter(isPushedField)
  const nights = fields.flatMap((field) => {
    const values = block.values(field) ?? []
    const hasValue = (value: number) => value !== unset
    const night = end === 'first' ? values.findIndex(hasValue) : values.findLastIndex(hasValue)
    return night === -1 ? [] : [night]
  })
  if (nights.length === 0) return undefined
  return end === 'first' ? Math.min(...nights) : Math.max(...nights)
}

function mappingOf(
  hotelId: number,
  row: RoomRateRow,
  first: DayNumber | undefined,
  last: DayNumber | undefined,
): Mapping {
  const { roomId, roomName, roomType, roomNo, rateId, rateName, rateNo, mealPlan, isAvailable } = row
  const { maxOccupancy, maxAdult, maxChild, maxInfant, pricingModel, writtenAt } = row
  return {
    roomId,
    roomName,
    roomType,
    platformRoomId: platformRoomId(hotelId, roomNo),
    rateId,
    rateName,
    platformRateId: platformRateId(hotelId, rateNo),
    mealPlan,
    occupancy: {
      maxOccupancy,
      ...(maxAdult === null ? {} : { maxAdult }),
      ...(maxChild === null ? {} : { maxChild }),
      ...(maxInfant === null ? {} : { maxInfant }),
    },
    isAvailable,
    pricingModel,
    ariFrom: first === undefined ? null : formatNight(first),
    ariTo: last === undefined ? null : formatNight(last),
    lastAriAt: writtenAt?.toISOString() ?? null,
    status: statusOf(isAvailable, first !== undefined),
  }
}

function statusOf(isAvailable: boolean, hasAri: boolean): Mapping['status'] {
  if (!isAvailable) return 'archived'
  return hasAri ? 'active' : 'no_ari'
}
