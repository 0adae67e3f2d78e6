import type { Queryable } from '../../postgres/postgres.ts'
import type { ReservationNote } from './note-contract.ts'

const asJson = `json_build_object(
  'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'operator', operator_name, 'text', text)`

/** The latest note of a reservation as JSON, or null. */
export const lastNoteOf = (reservationId: string): string => `(
  select ${asJson} from reservation_note where reservation_id = ${reservationId} order by id desc limit 1)`

/** Newest first. */
export async function selectNotes(
  db: Queryable,
  reservationId: number,
  limit: number,
): Promise<ReservationNote[]> {
  const { rows } = await db.query<{ note: ReservationNote }>(
    `select ${asJson} as note from reservation_note where reservation_id = $1 order by id desc limit $2`,
    [reservationId, limit],
  )
  return rows.map(({ note }) => note)
}

/** False if there is no such reservation. */
export async function insertNote(
  db: Queryable,
  reservationId: number,
  { at, operator, text }: ReservationNote,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into reservation_note (reservation_id, at, operator_name, text)
     select id, $2::timestamptz, $3, $4 from reservation where id = $1 for key share`,
    [reservationId, at, operator, text],
  )
  return rowCount === 1
}
