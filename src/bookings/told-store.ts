import { insertEvents } from '../changes/write-events.ts'
import { numberArray, textArray, type Queryable } from '../postgres/postgres.ts'
import type { HotelConfirmation, StayReport } from './state.ts'

/** What hotels tell about reservations: all SQL, in whole statements. */

/** SQL: a reservation's confirmations as JSON. */
export const confirmationsOf = (reservationId: string): string => `(
  select coalesce(json_agg(json_build_object('roomNumber', room_number, 'confirmationNumber', confirmation_number,
    'atMs', epoch_ms(at)) order by room_number), '[]')
  from reservation_confirmation where reservation_id = ${reservationId})`

/** SQL: the reports about a reservation as JSON. */
export const reportsOf = (reservationId: string): string => `(
  select coalesce(json_agg(json_build_object('roomNumber', room_number, 'report', report,
    'waivesPenalty', waives_penalty, 'departureDate', departure_date, 'note', note, 'version', version,
    'atMs', epoch_ms(at),
    'keyId', key_id) order by id), '[]')
  from reservation_report where reservation_id = ${reservationId})`

/** A number of a reservation or, with `roomNumber` above 0, of one of its rooms. */
export type NewConfirmation = HotelConfirmation & { reservationId: number }

/** SQL: the events of `told`, a query with reservation_id, for the change feed. */
const eventsOf = (told: string, more = ''): string => `
  select hotel_id, jsonb_build_object('reservationId', reservation.id::text${more}) as event
  from ${told} join reservation on reservation.id = told.reservation_id order by reservation.id`

/** A number that is known already changes nothing, and the platform isn't told again. */
export async function writeConfirmations(db: Queryable, said: readonly NewConfirmation[]): Promise<void> {
  // The last one for a room counts.
  const byRoom = new Map(said.map((one) => [`${one.reservationId} ${one.roomNumber}`, one]))
  const all = [...byRoom.values()]
  if (all.length === 0) return
  await db.query({
    name: 'write-confirmations',
    text: `
      with written as (
        insert into reservation_confirmation as present (reservation_id, room_number, confirmation_number, at)
        select reservation_id, room_number, number, instant(at)
        from unnest($1::int8[], $2::int[], $3::text[], $4::float8[]) as said (reservation_id, room_number, number, at)
        -- A sandbox reset may have removed it.
        where exists (select from reservation where id = said.reservation_id)
        -- In a fixed order, so that two writers cannot deadlock.
        order by reservation_id, room_number
        on conflict (reservation_id, room_number) do update
          set confirmation_number = excluded.confirmation_number, at = excluded.at
          where present.confirmation_number <> excluded.confirmation_number
        returning reservation_id
      )
      ${insertEvents('confirmation', eventsOf('(select distinct reservation_id from written) as told'))}`,
    values: [
      numberArray(all.map(({ reservationId }) => reservationId)),
      numberArray(all.map(({ roomNumber }) => roomNumber)),
      textArray(all.map(({ confirmationNumber }) => confirmationNumber)),
      numberArray(all.map(({ atMs }) => atMs)),
    ],
  })
}

/** Adds a report, and tells the platform. The reservation must be locked. */
export async function insertReport(
  connection: Queryable,
  reservationId: number,
  told: StayReport & { operatorName: string | null },
): Promise<void> {
  const { roomNumber, report, waivesPenalty, departureDate, note, version, atMs, keyId, operatorName } = told
  await connection.query({
    name: 'insert-report',
    text: `
      with written as (
        insert into reservation_report (reservation_id, room_number, report, waives_penalty, departure_date, note, at,
          key_id, operator_name, version)
        values ($1, $2, $3, $4, $5, $6, instant($7), $8, $9, $10)
        returning reservation_id, report
      )
      ${insertEvents('report', eventsOf('written as told', ", 'report', told.report"))}`,
    values: [
      reservationId,
      roomNumber,
      report,
      waivesPenalty,
      departureDate,
      note,
      atMs,
      keyId,
      operatorName,
      version,
    ],
  })
}
