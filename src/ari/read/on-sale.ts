import { setImmediate as breathe } from 'node:timers/promises'
import type { HotelRow } from '../../hotels/store.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { firstDay, monthOf, type DayNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber, guestBucket, isGuestPriceField } from '../fields.ts'

type RequestedHotel = Pick<HotelRow, 'id' | 'timeZone' | 'aheadMs' | 'currencyRevision'>

/** The position at which the search in a hotel continues: after this row of ari_month. */
type Searched = RequestedHotel & {
  today: DayNumber
  after: { roomNo: number; rateNo: number; month: number }
}

type CandidateRow = {
  hotelId: number
  roomNo: number
  rateNo: number
  month: number
  block: Buffer
  maxOccupancy: number
  maxAdult: number | null
}

/** The first block nearly always decides, so it is read alone; later blocks are read many at a time. */
const blocksOfRound = { first: 1, later: 100 }
/** Limit per call, whatever its hotels contain; only hotels whose prices were cleared again come near it. */
const blocksReadMax = 20_000
const blocksAtOnce = 200

/**
 * The hotels that have a price that can be sold: of an available product, for today's night or a later one,
 * in the hotel's current currency and for a party that the product accepts. Reads block by block, and stops
 * at the first such price.
 */
export async function selectHotelsOnSale(
  db: Queryable,
  hotels: readonly RequestedHotel[],
  nowMs: number,
): Promise<Set<number>> {
  const onSale = new Set<number>()
  const nowhere = { roomNo: 0, rateNo: 0, month: 0 }
  let searched: Searched[] = hotels.map((hotel) => ({
    ...hotel,
    today: todayIn(hotel, nowMs),
    after: nowhere,
  }))
  let blocksOfHotel = blocksOfRound.first
  let blocksRead = 0
  while (searched.length > 0 && blocksRead < blocksReadMax) {
    const hotelById = new Map(searched.map((hotel) => [hotel.id, hotel]))
    const rows = await selectCandidates(db, searched, blocksOfHotel)
    const unfinished = new Map<number, Searched>()
    for (const [index, row] of rows.entries()) {
      if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
      const hotel = hotelById.get(row.hotelId)
      if (!hotel || onSale.has(hotel.id)) continue
      if (hasPrice(row, hotel)) onSale.add(hotel.id)
      else unfinished.set(hotel.id, { ...hotel, after: row })
    }
    blocksRead += rows.length
    blocksOfHotel = blocksOfRound.later
    searched = [...unfinished.values()].filter(({ id }) => !onSale.has(id))
  }
  return onSale
}

async function selectCandidates(
  db: Queryable,
  searched: readonly Searched[],
  blocksOfHotel: number,
): Promise<CandidateRow[]> {
  const { rows } = await db.query<CandidateRow>({
    name: 'select-sale-candidates',
    // Ordered by the primary key, so that only each hotel's few rows are read from its index. Prices written
    // before the currency changed are in the former currency. The extra minute allows for differing clocks of
    // processes.
    text: `select hotel.id as "hotelId", candidate.*
      from unnest($1::int[], $2::int2[], $3::int2[], $4::int2[], $5::int2[])
        as searched (hotel_id, from_month, after_room, after_rate, after_month)
      join hotel on hotel.id = searched.hotel_id
        and (currency_changed_at is null or ari_at >= currency_changed_at - interval '1 minute')
      cross join lateral (
        select held.room_no as "roomNo", held.rate_no as "rateNo", month, block,
          max_occupancy as "maxOccupancy", max_adult as "maxAdult"
        from ari_month as held
          join room_rate on room_rate.hotel_id = held.hotel_id and room_rate.room_no = held.room_no
            and room_rate.rate_no = held.rate_no
        where held.hotel_id = hotel.id and month >= from_month
          and (held.room_no, held.rate_no, held.month) > (after_room, after_rate, after_month)
          and room_rate.is_available and pricing_model is not null
          and (currency_changed_at is null or written_at >= currency_changed_at - interval '1 minute')
        order by held.room_no, held.rate_no, held.month
        limit $6
      ) as candidate`,
    values: [
      searched.map(({ id }) => id),
      searched.map(({ today }) => monthOf(today)),
      searched.map(({ after }) => after.roomNo),
      searched.map(({ after }) => after.rateNo),
      searched.map(({ after }) => after.month),
      blocksOfHotel,
    ],
  })
  return rows
}

/** Without a price for adults nobody can stay, whatever the price for children. */
function hasPrice(row: CandidateRow, { today, currencyRevision }: Searched): boolean {
  const block = Block.decode(row.block)
  const adultsMax = guestsMaxOf(row).adult
  const firstNight = today - firstDay(row.month)
  return block.fields().some((field) => {
    if (!isPriceOfStay(field, adultsMax)) return false
    const revisions = block.revisions(field)
    return block
      .values(field)
      ?.some(
        (value, night) =>
          night >= firstNight && value !== unset && (revisions?.[night] ?? 0) > currencyRevision,
      )
  })
}

export function isPriceOfStay(field: number, adultsMax: number): boolean {
  if (field === fieldNumber.unitPrice) return true
  if (!isGuestPriceField(field)) return false
  const { ageCategory, guests } = guestBucket(field)
  return ageCategory === 'adult' && guests <= adultsMax
}
