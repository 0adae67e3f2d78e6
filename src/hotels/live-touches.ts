import { instantOf, type DayNumber } from '../base/calendar.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'

/** What a supplier said about a room-rate when it was asked ends once it says something itself. */

/** Nights, both included, of a room-rate, or of a room with all its rates (`rateNo` 0). */
export type TouchedNights = {
  hotelId: number
  roomNo: number
  rateNo: number
  from: DayNumber
  to: DayNumber
}

/** Every night that can be sold. */
export const everyNight = { from: 0, to: 1_000_000 } as const

/**
 * Ends the live answers about these nights, and tells so in the change feed, in the transaction that changes them. The
 * hotels must be locked. What is cached of a hotel whose answers ended is outdated.
 */
export async function endLiveAnswers(
  connection: Queryable,
  touched: readonly TouchedNights[],
  nowMs: number,
): Promise<void> {
  if (touched.length === 0) return
  const numbers = (read: (nights: TouchedNights) => number): string => numberArray(touched.map(read))
  await connection.query({
    name: 'end-live-answers',
    text: `
      with ended as (
        delete from live_answer using unnest($1::int[], $2::int2[], $3::int2[], $4::int[], $5::int[])
          as touched (hotel, room, rate, first_day, last_day)
        where hotel_id = hotel and room_no = room and rate in (0, rate_no)
          and arrival <= '1970-01-01'::date + last_day and departure > '1970-01-01'::date + first_day
        returning hotel_id, until, told
      ), ${toldEnds('$6', '$7')}
      update hotel set ari_version = ari_version + 1 where id in (select hotel_id from ended)`,
    values: [
      numbers(({ hotelId }) => hotelId),
      numbers(({ roomNo }) => roomNo),
      numbers(({ rateNo }) => rateNo),
      numbers(({ from }) => from),
      numbers(({ to }) => to),
      nowMs,
      instantOf(nowMs),
    ],
  })
}

/**
 * Tells of the answers in `ended` (`hotel_id`, `until`, `told`) that would have lasted longer: when the others end, followers
 * know. `nowMs` and `now` are parameters with the present time, as milliseconds and as text.
 */
export function toldEnds(nowMs: string, now: string): string {
  const live = `(told::jsonb - '{total,until}'::text[]) || jsonb_build_object('outcome', 'ended', 'at', ${now}::text)`
  return `noted as (
    ${insertLiveEvents(`select hotel_id, jsonb_build_object('live', ${live}) as event
      from ended where until > instant(${nowMs})`)}
  )`
}

/** SQL: the events of kind `live`, as changes/write-events.ts has those of others; that one is out of the reach of hotels. */
export function insertLiveEvents(happened: string): string {
  return `insert into change (kind, hotel_ids, revisions_from, revisions_to, events)
    select 'live', array_agg(hotel_id), array_agg(0::int8), array_agg(0::int8), array_agg(event)
    from (${happened}) as happened having count(*) > 0`
}
