import { parseNight, type DayNumber } from '../base/calendar.ts'
import { counted } from '../base/counted.ts'
import { todayIn } from '../hotels/hotel-clock.ts'
import { reservationsAffected, selectOpenOfRoomRates } from '../hotels/open-reservations.ts'
import type { HotelRow } from '../hotels/store.ts'
import { problemsListedMax, type Problem } from '../http/rejected.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { productWarnings } from './contract.ts'
import type { SavedProduct } from './push-warnings.ts'
import { roomRateKey } from './store.ts'

/** Warnings about products that a push takes off sale, or puts back on sale. */

type RoomRateNo = { roomNo: number; rateNo: number }

export type ProductNeeds = Needs & {
  /**
   * When the newest price of each of these room-rates, of those for tonight or later, was pushed, by `roomRateKey`: an
   * instant, or undefined where the push log no longer knows. Those without a price are absent. Prices belong to ARI, which
   * products don't depend on.
   */
  newestPrices: (
    connection: Queryable,
    hotel: HotelRow,
    roomRates: readonly RoomRateNo[],
  ) => Promise<ReadonlyMap<number, string | undefined>>
}

/** `saved`: in the order of the push. The hotel is locked. */
export async function saleWarnings(
  { newestPrices, clock }: Pick<ProductNeeds, 'newestPrices' | 'clock'>,
  connection: Queryable,
  hotel: HotelRow,
  saved: readonly SavedProduct[],
): Promise<Problem[]> {
  const today = todayIn(hotel, clock.now())
  const moved = saved.flatMap(({ sale, roomNo, rateNo }, index) =>
    sale === 'asBefore' ? [] : [{ sale, roomNo, rateNo, key: roomRateKey(roomNo, rateNo), index }],
  )
  const archived = moved.filter(({ sale }) => sale === 'archived')
  // No answer lists more.
  const back = moved.filter(({ sale }) => sale === 'back').slice(0, problemsListedMax)
  const openByKey =
    archived.length === 0
      ? undefined
      : await selectOpenOfRoomRates(connection, { hotelId: hotel.id, today }, roomRateKey)
  const pricedByKey = back.length === 0 ? undefined : await newestPrices(connection, hotel, back)
  const at = (index: number, value: boolean) => ({ path: `/products/${index}/isAvailable`, value })
  return [
    ...archived.flatMap(({ key, index }) => {
      const open = openByKey?.get(key)
      return open ? [{ ...reservationsAffected(open, 'closed'), ...at(index, false) }] : []
    }),
    ...back.flatMap(({ key, index }) =>
      pricedByKey?.has(key)
        ? [{ ...productWarnings.pricesOld(ageText(pricedByKey.get(key), today)), ...at(index, true) }]
        : [],
    ),
  ]
}

/** `on 2027-02-18, 11 days ago`. */
function ageText(pushedAt: string | undefined, today: DayNumber): string {
  if (pushedAt === undefined) return 'longer ago than the push log goes back'
  const date = pushedAt.slice(0, 10)
  const days = Math.max(0, today - (parseNight(date) ?? today))
  return `on ${date}, ${days === 0 ? 'today' : `${counted(days, 'day')} ago`}`
}
