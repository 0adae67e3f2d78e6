import { formerSteps, type FormerSteps } from '../../hotels/former-amounts.ts'
import { hotelColumns, type HotelRow } from '../../hotels/store.ts'
import { readId } from '../../http/calls/query.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { CancelPolicy } from '../../products/policies/contract.ts'
import { searchWordsMax, type HotelNeighbours } from './contract.ts'
import type { SearchWord } from './hotel-conditions.ts'
import type { BookableRoomRate, BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { HotelStay, StayRange, StayReader } from '../../offers/stays/stays.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'

/** The search words, normalized like stored names; words beyond the limit are dropped. */
export async function selectSearchWords(db: Queryable, typed: string): Promise<SearchWord[]> {
  const { rows } = await db.query<SearchWord>(
    `select word as text, array(
       select id from supplier where search_text(name) like '%' || word || '%' order by id
     ) as "supplierIds"
     from string_to_table(search_text($1), ' ') with ordinality as typed (word, position)
     where word <> '' order by position limit ${searchWordsMax}`,
    [typed],
  )
  return rows
}

const exactMax = 20

/** The hotels whose id or code is the typed text, id matches first. */
export async function selectNamedHotels(db: Queryable, typed: string): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from (
       select id, 0 as position from hotel where id = $2
       union all
       -- Codes have an index by supplier.
       select named.id, 1 from supplier cross join lateral (
         select id from hotel where supplier_id = supplier.id and code = $1 offset 0
       ) as named
     ) as named group by id order by min(position), id limit ${exactMax}`,
    [typed, readId(typed) ?? null],
  )
  return rows.map(({ id }) => id)
}

type HotelDetails = HotelRow &
  FormerSteps & {
    pushed: Record<string, unknown>
    cityMatched: string | null
    createdAt: Date
    ariAt: Date | null
    channelManager: string | null
    productCount: number
    hasAvailableProduct: boolean
    hasTaxes: boolean
  }

/** Details for the page of a hotel, beyond the list. */
export async function selectOptionalHotelDetails(
  db: Queryable,
  hotelId: number,
): Promise<HotelDetails | undefined> {
  const { rows } = await db.query<HotelDetails>(
    `select ${hotelColumns}, pushed, city_matched as "cityMatched", created_at as "createdAt", ari_at as "ariAt",
       (select channel_manager from api_key where id = hotel.key_id) as "channelManager",
       (select count(*)::int from room_rate where hotel_id = hotel.id) as "productCount",
       is_offered as "hasAvailableProduct", exists (select from tax where hotel_id = hotel.id) as "hasTaxes",
       ${formerSteps}
     from hotel where id = $1`,
    [hotelId],
  )
  return rows[0]
}

/** The number of the supplier that has the hotel. */
export async function selectOptionalOwner(db: Queryable, hotelId: number): Promise<number | undefined> {
  const { rows } = await db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from hotel where id = $1',
    [hotelId],
  )
  return rows[0]?.supplierId
}

/** The supplier's hotels before and after this one, as a list by name has them. */
export async function selectOptionalNeighbours(
  db: Queryable,
  hotelId: number,
): Promise<(Omit<HotelNeighbours, 'now'> & { aheadMs: number }) | undefined> {
  const beside = (direction: '<' | '>', order: 'asc' | 'desc'): string => `
    (select json_build_object('hotelId', hotel.id, 'name', hotel.name) from (
       select s.hotel_id from hotel_search s
       where s.supplier_id = here.supplier_id and (s.name, s.hotel_id) ${direction} (here.name, here.hotel_id)
       order by s.name ${order}, s.hotel_id ${order} limit 1
     ) as found join hotel on hotel.id = found.hotel_id)`
  const { rows } = await db.query<Omit<HotelNeighbours, 'now'> & { aheadMs: number }>(
    `select here.supplier_id as "supplierId", ${beside('<', 'desc')} as previous, ${beside('>', 'asc')} as next,
       itself.clock_ahead_ms as "aheadMs"
     from hotel_search here join hotel itself on itself.id = here.hotel_id where here.hotel_id = $1`,
    [hotelId],
  )
  return rows[0]
}

/** For room-rates, ordered by number. */
export async function selectCancelPolicies(
  db: Queryable,
  hotelId: number,
  limit: number,
): Promise<CancelPolicy[][]> {
  const { rows } = await db.query<{ policies: CancelPolicy[] }>(
    `select cancel_policies as policies from room_rate where hotel_id = $1 order by room_no, rate_no limit $2`,
    [hotelId, limit],
  )
  return rows.map(({ policies }) => policies)
}

/** A hotel by its platformHotelId, with everything needed to evaluate stays; throws 404 if there is none. */
export async function readHotelStay(
  stays: StayReader,
  hotelId: string,
  range: StayRange,
): Promise<HotelStay> {
  const id = readId(hotelId)
  const stay = id === undefined ? undefined : (await stays.read([id], range)).get(id)
  if (!stay) throw hotelNotFound(hotelId)
  return stay
}

export function hotelNotFound(hotelId: string): Rejected {
  return new Rejected(404, {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel not found',
    path: 'hotelId',
    value: reportedValue(hotelId),
    hint: 'Send a platformHotelId',
  })
}

/** The room-rate of two codes, or any rate of the room if none is named; throws 404 if there is none. */
export function roomRateNamed(
  { roomRates }: BookingCatalog,
  { roomId, rateId }: { roomId: string; rateId: string | undefined },
  roomPath: string,
  ratePath: string,
): BookableRoomRate {
  const ofRoom = roomRates.filter(({ room }) => room.code === roomId)
  const [first] = ofRoom
  if (!first) throw notOfHotel('ROOM_NOT_FOUND', 'Room not found', roomPath, roomId)
  if (rateId === undefined) return first
  const roomRate = ofRoom.find(({ rate }) => rate.code === rateId)
  if (!roomRate) throw notOfHotel('RATE_NOT_FOUND', 'Rate not found', ratePath, rateId)
  return roomRate
}

function notOfHotel(type: string, message: string, path: string, value: string): Rejected {
  return new Rejected(404, {
    type,
    message,
    path,
    value: reportedValue(value),
    hint: 'Send a code of the hotel',
  })
}
