import { counted } from '../base/counted.ts'
import { formatNight, type DayNumber } from '../base/calendar.ts'
import type { Problem } from '../http/rejected.ts'
import { numberArray, textArray, type Queryable } from '../postgres/postgres.ts'
import type { OpenReservations } from './open-contract.ts'

/**
 * Open reservations: confirmed, and the guests leave after today, by the hotel's day. Whatever takes a hotel, a room or a
 * rate off sale cancels none of them, so it answers how many there are, and from when.
 */

const hints = {
  closed:
    'Closing cancels nothing: expect these guests, or ask the platform to cancel or rebook those whom you cannot take',
  currency:
    'They keep the prices and the currency in which they were booked; what is booked from now on has the new one',
} as const

export function reservationsAffected(
  { reservations, firstArrival }: OpenReservations,
  how: keyof typeof hints,
): Problem & { hint: string } {
  const stand = `${counted(reservations, 'open reservation')} ${reservations === 1 ? 'stands' : 'stand'}`
  return {
    type: 'RESERVATIONS_AFFECTED',
    message: `${stand}, the first arrival on ${firstArrival}`,
    hint: hints[how],
  }
}

/** By hotel; hotels without any are absent. */
export async function selectOpenOfHotels(
  connection: Queryable,
  hotels: readonly { id: number; today: DayNumber }[],
): Promise<Map<number, OpenReservations>> {
  if (hotels.length === 0) return new Map()
  const { rows } = await connection.query<OpenReservations & { hotelId: number }>(
    `select hotel_id as "hotelId", count(*)::int as reservations, min(arrival) as "firstArrival"
     from unnest($1::int[], $2::date[]) as closed (id, today)
       join reservation on hotel_id = closed.id and status = 'Confirm' and departure > today
     group by hotel_id`,
    [numberArray(hotels.map(({ id }) => id)), textArray(hotels.map(({ today }) => formatNight(today)))],
  )
  return new Map(rows.map(({ hotelId, ...open }) => [hotelId, open]))
}

type HotelToday = { hotelId: number; today: DayNumber }

/** The rooms of a hotel's open reservations. */
const openRooms = `
  select reservation.id, arrival, departure, (room -> 'roomNo')::int as room_no, (room -> 'rateNo')::int as rate_no
  from reservation
    join reservation_version as present
      on present.reservation_id = reservation.id and present.version = reservation.version
    cross join jsonb_array_elements(present.content -> 'rooms') as room
  where reservation.hotel_id = $1 and reservation.status = 'Confirm' and departure > $2::date`

/** By `keyOf`, which names a room-rate; those without any are absent. */
export async function selectOpenOfRoomRates(
  connection: Queryable,
  { hotelId, today }: HotelToday,
  keyOf: (roomNo: number, rateNo: number) => number,
): Promise<Map<number, OpenReservations>> {
  const { rows } = await connection.query<OpenReservations & { roomNo: number; rateNo: number }>(
    `select room_no as "roomNo", rate_no as "rateNo", count(distinct id)::int as reservations,
       min(arrival) as "firstArrival"
     from (${openRooms}) as open group by room_no, rate_no`,
    [hotelId, formatNight(today)],
  )
  return new Map(rows.map(({ roomNo, rateNo, ...open }) => [keyOf(roomNo, rateNo), open]))
}

/** Nights of a room, both included; `rateNo` 0: at any rate. */
type RoomNights = { roomNo: number; rateNo: number; from: DayNumber; to: DayNumber }

/** Those with any of the nights; undefined if there are none. */
export async function selectOptionalOpenOfNights(
  connection: Queryable,
  { hotelId, today }: HotelToday,
  nights: readonly RoomNights[],
): Promise<OpenReservations | undefined> {
  const { rows } = await connection.query<{ reservations: number; firstArrival: string | null }>(
    `select count(distinct id)::int as reservations, min(arrival) as "firstArrival"
     from (${openRooms}) as open
     where exists (
       select from unnest($3::int[], $4::int[], $5::date[], $6::date[]) as closed (room_no, rate_no, first, last)
       where closed.room_no = open.room_no and closed.rate_no in (0, open.rate_no)
         and arrival <= closed.last and departure > closed.first)`,
    [
      hotelId,
      formatNight(today),
      numberArray(nights.map(({ roomNo }) => roomNo)),
      numberArray(nights.map(({ rateNo }) => rateNo)),
      textArray(nights.map(({ from }) => formatNight(from))),
      textArray(nights.map(({ to }) => formatNight(to))),
    ],
  )
  const { reservations = 0, firstArrival = null } = rows[0] ?? {}
  return firstArrival === null ? undefined : { reservations, firstArrival }
}
