import { sqlIsoMillis, type Queryable } from '../../postgres/postgres.ts'
import type { ListedReservation } from './contract.ts'
import type { ReservationStatus } from '../../bookings/state.ts'
import type { DeliveryState, ReservationNote } from '../deliveries/contract.ts'
import { stateOf } from '../../deliveries/queue/store.ts'

/** The SQL of the reservations that operators search. */

/** Of the version marked `present`. */
export const customerName = `concat_ws(' ', nullif(present.content->'customer'->>'firstName', ''), present.content->'customer'->>'lastName')`

export type ReservationSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  reservationId: number | undefined
  status: ReservationStatus | undefined
  arrivalFrom: string | undefined
  arrivalTo: string | undefined
  /** Words of names, or their beginnings, as typed; all must match. */
  guest: string | undefined
  clientReference: string | undefined
  channel: string | undefined
  createdSinceMs: number | undefined
  /** Exclusive. */
  createdUntilMs: number | undefined
  isUndelivered: boolean
  /** Only reservations created before this one. */
  beforeId: number | undefined
  limit: number
}

export type ReservationRow = Omit<
  ListedReservation,
  'reservationId' | 'createdAt' | 'modifiedAt' | 'afterTax' | 'delivery' | 'attempts'
> & {
  id: number
  createdAtMs: number
  modifiedAtMs: number
  /** Minor units. */
  afterTax: number
  minorDigits: number
  state: DeliveryState | null
  attempts: number | null
}

/** Newest first. */
export async function selectReservationRows(
  db: Queryable,
  search: ReservationSearch,
): Promise<ReservationRow[]> {
  const { supplierId, hotelId, reservationId, status, arrivalFrom, arrivalTo, guest } = search
  const words = guest === undefined ? [] : await selectGuestWords(db, guest)
  // Few among all: found by the index of open deliveries.
  const undelivered = `and reservation.id in (select reservation_id from delivery
    where delivery.status in ('queued', 'sending', 'dead') and not is_repeat and not is_outdated
      and ($1::int is null or delivery.supplier_id = $1))`
  // Unnamed, so that it is planned with the actual values: each filter has its own index.
  const { rows } = await db.query<ReservationRow>(
    `select reservation.id, reservation.version, reservation.status, reservation.supplier_id as "supplierId",
       supplier.name as supplier, reservation.hotel_id as "hotelId", hotel.code as "hotelCode",
       hotel.name as "hotelName", hotel.time_zone as "timeZone", arrival as checkin, departure as checkout, rooms,
       reservation.currency, total_after_tax as "afterTax", (present.content->>'minorDigits')::int as "minorDigits",
       ${customerName} as customer, client_reference as "clientReference", reservation.channel,
       epoch_ms(reservation.created_at) as "createdAtMs", epoch_ms(modified_at) as "modifiedAtMs",
       last.state, last.attempts,
       exists (select from delivery_alert where reservation_id = reservation.id and cleared_at is null) as "isAlerted",
       ${lastNoteOf('reservation.id')} as "lastNote"
     from reservation join reservation_version as present
         on present.reservation_id = reservation.id and present.version = reservation.version
       join supplier on supplier.id = reservation.supplier_id join hotel on hotel.id = reservation.hotel_id
       left join lateral (
         select ${stateOf('delivery')} as state, attempts from delivery
         where delivery.reservation_id = reservation.id and delivery.version = reservation.version
         order by delivery.created_at desc limit 1
       ) as last on true
     where ($1::int is null or reservation.supplier_id = $1) and ($2::int is null or reservation.hotel_id = $2)
       and ($3::int8 is null or reservation.id = $3) and ($4::text is null or reservation.status = $4)
       and ($5::date is null or arrival >= $5) and ($6::date is null or arrival <= $6)
       and ($7::float8 is null or reservation.created_at >= instant($7))
       and ($8::int8 is null or reservation.id < $8)
       and ($10::float8 is null or reservation.created_at < instant($10))
       and ($11::text is null or client_reference = $11) and ($12::text is null or reservation.channel = $12)
       ${search.isUndelivered ? undelivered : ''}
       ${words.map((_, index) => `and ${hasGuest(`$${index + 13}`)}`).join(' ')}
     order by reservation.id desc limit $9`,
    [
      supplierId ?? null,
      hotelId ?? null,
      reservationId ?? null,
      status ?? null,
      arrivalFrom ?? null,
      arrivalTo ?? null,
      search.createdSinceMs ?? null,
      search.beforeId ?? null,
      search.limit,
      search.createdUntilMs ?? null,
      search.clientReference ?? null,
      search.channel ?? null,
      ...words,
    ],
  )
  return rows
}

const guestWordsMax = 5

/** The search term, normalized like stored names. */
export async function selectGuestWords(db: Queryable, typed: string): Promise<string[]> {
  const { rows } = await db.query<{ word: string }>(
    `select word from string_to_table(search_text($1), ' ') with ordinality as typed (word, place)
     where word <> '' order by place limit ${guestWordsMax}`,
    [typed],
  )
  return rows.map(({ word }) => word)
}

/** Whether any guest name of the reservation has a word that begins with the parameter. */
export function hasGuest(beginning: string): string {
  return `reservation.id in (select reservation_id from reservation_guest where word ^@ ${beginning}::text)`
}

export async function selectOptionalReservationOwner(db: Queryable, id: number): Promise<number | undefined> {
  const { rows } = await db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from reservation where id = $1',
    [id],
  )
  return rows[0]?.supplierId
}

type HotelOfReservation = { supplier: string; hotelCode: string; hotelName: string; timeZone: string }

/** Their current names; undefined if the hotel was removed with its reservations. */
export async function selectOptionalHotelOfReservation(
  db: Queryable,
  hotelId: number,
): Promise<HotelOfReservation | undefined> {
  const { rows } = await db.query<HotelOfReservation>(
    `select supplier.name as supplier, hotel.code as "hotelCode", hotel.name as "hotelName",
       hotel.time_zone as "timeZone"
     from hotel join supplier on supplier.id = hotel.supplier_id where hotel.id = $1`,
    [hotelId],
  )
  return rows[0]
}

/** Whether a card is stored, and until when; never the card itself. */
export async function selectOptionalCardTerms(
  db: Queryable,
  reservationId: number,
  nowMs: number,
): Promise<{ keptUntilMs: number; isCvvKept: boolean } | undefined> {
  const { rows } = await db.query<{ keptUntilMs: number; isCvvKept: boolean }>(
    `select epoch_ms(keep_until) as "keptUntilMs", cvv is not null as "isCvvKept" from reservation_card
     where reservation_id = $1 and card is not null and keep_until > instant($2)`,
    [reservationId, nowMs],
  )
  return rows[0]
}

type AlertRow = {
  deliveryId: string
  reason: 'undelivered' | 'arrival_near'
  atMs: number
  clearedAtMs: number | null
}

/** Newest first. */
export async function selectAlerts(db: Queryable, deliveryIds: readonly string[]): Promise<AlertRow[]> {
  const { rows } = await db.query<AlertRow>(
    `select delivery_id as "deliveryId", reason, epoch_ms(at) as "atMs", epoch_ms(cleared_at) as "clearedAtMs"
     from delivery_alert where delivery_id = any($1::uuid[]) order by delivery_alert.id desc`,
    [deliveryIds],
  )
  return rows
}

const asJson = `json_build_object(
  'at', ${sqlIsoMillis('at')}, 'operator', operator_name, 'text', text)`

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
