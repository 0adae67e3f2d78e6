import { firstDay, monthOf } from '../../base/calendar.ts'
import type { Clock } from '../../base/clock.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import type { HotelRow } from '../../hotels/store.ts'
import { numberArray, type Queryable } from '../../postgres/postgres.ts'
import { roomRateKey } from '../../products/store.ts'
import { selectAppliedPushes } from '../../push-log/read/store.ts'
import { Block } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { isPriceField } from '../fields.ts'

type PricedHotel = Pick<HotelRow, 'id' | 'timeZone' | 'aheadMs' | 'currencyRevision'>
type RoomRateNo = { roomNo: number; rateNo: number }

/** For pushes of products: when what comes back on sale was priced. */
export function newestPricesReader(clock: Clock) {
  return async (
    connection: Queryable,
    hotel: PricedHotel,
    roomRates: readonly RoomRateNo[],
  ): Promise<Map<number, string | undefined>> => {
    const revisionByKey = await newestRevisions(connection, hotel, roomRates, clock.now())
    const revisions = [...new Set(revisionByKey.values())]
    const pushes = await selectAppliedPushes(
      connection,
      revisions.map((revision) => ({ hotelId: hotel.id, revision })),
    )
    const atByRevision = new Map(pushes.map(({ revision, at }) => [revision, at]))
    return new Map([...revisionByKey].map(([key, revision]) => [key, atByRevision.get(revision)]))
  }
}

/** The newest revision that set a price of tonight or later in the hotel's present currency, by `roomRateKey`. */
async function newestRevisions(
  connection: Queryable,
  hotel: PricedHotel,
  roomRates: readonly RoomRateNo[],
  nowMs: number,
): Promise<Map<number, number>> {
  const today = todayIn(hotel, nowMs)
  const { rows } = await connection.query<RoomRateNo & { month: number; block: Buffer }>(
    `select held.room_no as "roomNo", held.rate_no as "rateNo", month, block
     from unnest($3::int2[], $4::int2[]) as wanted (room_no, rate_no)
       join ari_month as held on held.hotel_id = $1 and held.room_no = wanted.room_no
         and held.rate_no = wanted.rate_no and held.month >= $2`,
    [
      hotel.id,
      monthOf(today),
      numberArray(roomRates.map(({ roomNo }) => roomNo)),
      numberArray(roomRates.map(({ rateNo }) => rateNo)),
    ],
  )
  const newest = new Map<number, number>()
  for (const { roomNo, rateNo, month, block: bytes } of rows) {
    const block = Block.decode(bytes)
    const key = roomRateKey(roomNo, rateNo)
    for (const field of block.fields().filter(isPriceField)) {
      const revisions = block.revisions(field)
      for (const [night, value] of (block.values(field) ?? []).entries()) {
        const revision = revisions?.[night] ?? 0
        if (value === unset || revision <= hotel.currencyRevision || firstDay(month) + night < today) continue
        newest.set(key, Math.max(revision, newest.get(key) ?? 0))
      }
    }
  }
  return newest
}
