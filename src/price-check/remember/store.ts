import { hotelVersionColumns, type HotelVersions } from '../../offers/stays/stays.ts'
import { insertLiveEvents, toldEnds } from '../../hotels/live-touches.ts'
import { instantOf, formatNight, type DayNumber } from '../../base/calendar.ts'
import { textArray, type Queryable } from '../../postgres/postgres.ts'
import { sweep } from '../../postgres/connections/queryable.ts'

/** The latest answers of a hotel that are remembered. */
const answersPerHotelMax = 200

/** The room-rate, stay and rooms that an answer was about. */
export type AnswerKey = {
  roomNo: number
  rateNo: number
  arrival: DayNumber
  departure: DayNumber
  rooms: readonly string[]
}

/** An answer to be remembered, or one that ends others. */
export type HeardAnswer = AnswerKey & {
  /** Undefined: the stay can be had at the stored price. */
  outcome: 'sold_out' | 'price_changed' | undefined
  /** The amounts before and after tax, by different room and night. */
  prices: (readonly [number, number])[][] | undefined
  atMs: number
  aheadMs: number
  untilMs: number
  told: object
  /** The rooms of older answers about the same stay that it overrules. */
  overruled: readonly (readonly string[])[]
}

/** Locks a hotel; undefined if it was removed. */
export async function lockOptionalVersions(
  connection: Queryable,
  hotelId: number,
): Promise<HotelVersions | undefined> {
  const { rows } = await connection.query<HotelVersions>({
    name: 'lock-hotel-for-answer',
    text: `select ${hotelVersionColumns} from hotel where id = $1 for no key update`,
    values: [hotelId],
  })
  return rows[0]
}

/** Of a range of a hotel's revisions those that no reservation made. */
export async function selectOthersThanReservations(
  connection: Queryable,
  hotelId: number,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const { rows } = await connection.query<{ revision: number }>(
    `select asked.revision from generate_series($2::int8, $3::int8) as asked (revision) where not exists (
       select from reservation_version as made where made.hotel_id = $1 and made.revision = asked.revision)`,
    [hotelId, from, to],
  )
  return rows.map(({ revision }) => revision)
}

/** Remembers an answer about a hotel that the transaction has locked, in place of what it overrules. */
export async function writeAnswer(
  connection: Queryable,
  hotelId: number,
  answer: HeardAnswer,
  nowMs: number,
): Promise<void> {
  await endOverruled(connection, hotelId, answer, nowMs)
  const { outcome, roomNo, rateNo, arrival, departure, rooms, prices, atMs, aheadMs, untilMs } = answer
  if (outcome === undefined) return
  await connection.query({
    name: 'write-live-answer',
    text: `
      with written as (
        insert into live_answer as known (hotel_id, room_no, rate_no, arrival, departure, rooms, outcome, prices, at,
          ahead_ms, until, told)
        values ($1, $2, $3, $4, $5, $6, $7, $8, instant($9), $10, instant($11), $12)
        on conflict (hotel_id, room_no, rate_no, arrival, departure, rooms) do update
          set outcome = excluded.outcome, prices = excluded.prices, at = excluded.at, ahead_ms = excluded.ahead_ms,
            until = excluded.until, told = excluded.told
          where known.at <= excluded.at
        returning hotel_id, told
      ), noted as (
        ${insertLiveEvents("select hotel_id, jsonb_build_object('live', told) as event from written")}
      )
      update hotel set ari_version = ari_version + 1, live_until = greatest(live_until, instant($11))
      where id in (select hotel_id from written)`,
    values: [
      hotelId,
      roomNo,
      rateNo,
      formatNight(arrival),
      formatNight(departure),
      textArray(rooms),
      outcome,
      prices === undefined ? null : JSON.stringify(prices),
      atMs,
      aheadMs,
      untilMs,
      JSON.stringify(answer.told),
    ],
  })
  await connection.query({
    name: 'end-oldest-live-answers',
    text: `
      with ended as (
        delete from live_answer where hotel_id = $1 and (room_no, rate_no, arrival, departure, rooms) in (
          select room_no, rate_no, arrival, departure, rooms from live_answer where hotel_id = $1
          order by until desc offset $4)
        returning hotel_id, until, told
      ), ${toldEnds('$2', '$3')}
      select`,
    values: [hotelId, nowMs, instantOf(nowMs), answersPerHotelMax],
  })
}

async function endOverruled(
  connection: Queryable,
  hotelId: number,
  { roomNo, rateNo, arrival, departure, overruled, atMs }: HeardAnswer,
  nowMs: number,
): Promise<void> {
  if (overruled.length === 0) return
  await connection.query({
    name: 'end-overruled-answers',
    text: `
      with ended as (
        delete from live_answer where hotel_id = $1 and room_no = $2 and rate_no = $3 and arrival = $4 and departure = $5
          and array_to_json(rooms)::text in (select jsonb_array_elements_text($8::jsonb)) and at <= instant($9)
        returning hotel_id, until, told
      ), ${toldEnds('$6', '$7')}
      update hotel set ari_version = ari_version + 1 where id in (select hotel_id from ended)`,
    values: [
      hotelId,
      roomNo,
      rateNo,
      formatNight(arrival),
      formatNight(departure),
      nowMs,
      instantOf(nowMs),
      JSON.stringify(overruled.map((rooms) => JSON.stringify(rooms))),
      atMs,
    ],
  })
}

/** Deletes answers that no longer count, and pauses that are over. Returns how many. */
export async function deletePastAnswers(db: Queryable, beforeMs: number): Promise<number> {
  const answers = await sweep(
    db,
    `delete from live_answer where ctid in (
       select ctid from live_answer where until < instant($1) limit $2 for update skip locked)`,
    beforeMs,
  )
  const pauses = await sweep(
    db,
    `delete from paused_url where ctid in (
       select ctid from paused_url where until < instant($1) limit $2 for update skip locked)`,
    beforeMs,
  )
  return answers + pauses
}
