import { referenceNotFound } from '../offers/stay-request.ts'
import { hotelVersionColumns, type HotelVersions } from '../offers/stays/stays.ts'
import type { HotelClock } from '../hotels/hotel-clock.ts'
import type { PriceContract } from '../keys/price-contract.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { sweep } from '../postgres/connections/queryable.ts'
import { Rejected, reportedValue } from '../http/rejected.ts'
import type { Transaction } from '../postgres/transaction.ts'
import { reservationErrors } from './errors-contract.ts'
import { namesIn, searchableBy } from './guest-words.ts'
import { withoutLetGo } from './stay-standing.ts'
import { confirmationsOf, reportsOf } from './told-store.ts'
import { presentDelivery, type DeliveryStanding } from './delivery-standing.ts'
import type {
  HotelConfirmation,
  ReservationStatus,
  ReservationContent,
  ReservationVersion,
  StayReport,
} from './state.ts'

/** The stored reservations: all SQL, in whole statements. */

/** The hotel lock that a booking keeps while it runs: pushes and other bookings of the hotel wait for it. */
export type LockedHotel = HotelVersions &
  PriceContract & {
    name: string
    supplierId: number
    timeZone: string
    /** The revision of the last change of cells; null if it is from before their former values were stored. */
    cellsRevision: number | null
    /** How far its account's test clock is ahead. */
    aheadMs: number
    deliversCards: boolean
  }

export async function lockHotelForBooking(connection: Queryable, hotelId: number): Promise<LockedHotel> {
  const { rows } = await connection.query<LockedHotel>({
    name: 'lock-hotel-for-booking',
    text: `select ${hotelVersionColumns}, hotel.name, hotel.time_zone as "timeZone", hotel.cells_revision as "cellsRevision", hotel.clock_ahead_ms as "aheadMs", supplier.id as "supplierId", supplier.delivers_cards as "deliversCards",
        supplier.prices_are as "pricesAre", trim_scale(supplier.commission_percent)::text as "commissionPercent"
      from hotel join supplier on supplier.id = hotel.supplier_id
      where hotel.id = $1 for no key update of hotel`,
    values: [hotelId],
  })
  const [hotel] = rows
  // A sandbox reset deleted the hotel in between.
  if (!hotel) throw referenceNotFound({ platformHotelId: String(hotelId) })
  return hotel
}

export async function selectHotelClock(db: Queryable, hotelId: number): Promise<HotelClock> {
  const { rows } = await db.query<HotelClock>(
    'select time_zone as "timeZone", clock_ahead_ms as "aheadMs" from hotel where id = $1',
    [hotelId],
  )
  return rows[0] ?? { timeZone: 'UTC', aheadMs: 0 }
}

export type StoredReservation = {
  id: number
  supplierId: number
  hotelId: number
  status: ReservationStatus
  version: number
  createdAtMs: number
  modifiedAtMs: number
  content: ReservationContent
  /** The same with what its hotel let go of; absent where it has just been made. */
  asTold?: ReservationContent
  /** How far the hotel's test clock is ahead. */
  aheadMs: number
  /** Of the present version. */
  delivery: DeliveryStanding | null
  /** By room; that of the whole reservation first. */
  confirmations: HotelConfirmation[]
  /** Oldest first. */
  reports: StayReport[]
}

export const reservationColumns = `reservation.id, reservation.supplier_id as "supplierId", reservation.hotel_id as "hotelId",
  reservation.status, reservation.version, epoch_ms(reservation.created_at) as "createdAtMs",
  epoch_ms(reservation.modified_at) as "modifiedAtMs", present.content,
  (select clock_ahead_ms from hotel where hotel.id = reservation.hotel_id) as "aheadMs",
  ${presentDelivery} as delivery,
  ${confirmationsOf('reservation.id')} as confirmations, ${reportsOf('reservation.id')} as reports`
export const withPresentVersion = `reservation join reservation_version as present
  on present.reservation_id = reservation.id and present.version = reservation.version`

export async function selectOptionalReservation(
  db: Queryable,
  id: number,
): Promise<StoredReservation | undefined> {
  const { rows } = await db.query<StoredReservation>({
    name: 'select-optional-reservation',
    text: `select ${reservationColumns} from ${withPresentVersion} where reservation.id = $1`,
    values: [id],
  })
  const [row] = rows
  return row && asItStands(row)
}

/** A row of `reservationColumns`, without what its hotel let go of. */
export function asItStands(row: StoredReservation): StoredReservation {
  return { ...row, content: withoutLetGo(row.content, row), asTold: row.content }
}

/** Locks the reservation until the transaction ends. Its hotel must be locked first, to avoid deadlocks. */
export async function lockReservation(connection: Transaction, id: number): Promise<StoredReservation> {
  const [, reservation] = await connection.pipelined(() => [
    connection.query('select from reservation where id = $1 for no key update', [id]),
    selectOptionalReservation(connection, id),
  ])
  if (!reservation) throw new Rejected(404, { ...reservationErrors.notFound, path: 'id', value: String(id) })
  return reservation
}

/** The revision of the hotel that lowered the inventory, and the inventory before it, encoded. */
export type Lowered = { revision: number; before: Buffer }

/** A version to write. */
export type NewVersion = {
  status: ReservationStatus
  content: ReservationContent
  /** Undefined if no inventory was lowered. */
  lowered: Lowered | undefined
  /** By the account's clock. */
  atMs: number
}

/** The id of the reservation about to be created. */
export async function takeReservationId(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ id: number }>({
    name: 'take-reservation-id',
    text: `select nextval('reservation_id_seq') as id`,
  })
  const [taken] = rows
  if (!taken) throw new Error('a sequence has a next value')
  return taken.id
}

export async function insertReservation(
  connection: Queryable,
  { id, supplierId, hotelId }: { id: number; supplierId: number; hotelId: number },
  first: NewVersion,
): Promise<void> {
  await writeVersion(connection, { id, version: 1, hotelId }, first, {
    name: 'insert-reservation',
    row: `insert into reservation (id, supplier_id, hotel_id, status, version, arrival, departure, rooms, currency,
          total_after_tax, client_reference, channel, created_at, modified_at) overriding system value
        values ($1, $17, $3, $4, $2, $5, $6, $7, $8, $9, $15, $16, instant($10), instant($10))`,
    values: [supplierId],
  })
}

/** Inserts the version after the present one, which must be locked. */
export async function insertVersion(
  connection: Queryable,
  { id, version, hotelId }: Pick<StoredReservation, 'id' | 'version' | 'hotelId'>,
  next: NewVersion,
): Promise<void> {
  await writeVersion(connection, { id, version: version + 1, hotelId }, next, {
    name: 'insert-reservation-version',
    row: `update reservation set status = $4, version = $2, arrival = $5, departure = $6, rooms = $7, currency = $8,
          total_after_tax = $9, client_reference = $15, channel = $16, modified_at = instant($10)
        where id = $1`,
    values: [],
  })
}

/** Writes a version, with the statement `row` for the reservation itself. */
async function writeVersion(
  connection: Queryable,
  { id, version, hotelId }: Pick<StoredReservation, 'id' | 'version' | 'hotelId'>,
  { status, content, lowered, atMs }: NewVersion,
  { name, row, values }: { name: string; row: string; values: readonly unknown[] },
): Promise<void> {
  await connection.query({
    name,
    text: `with written as (
        ${row}
      ), ${searchableBy('$1', '$13')}
      insert into reservation_version (reservation_id, version, hotel_id, status, at, revision, content, before)
      values ($1, $2, $3, $4, instant($10), $11, $12, $14)`,
    values: [
      id,
      version,
      hotelId,
      status,
      content.checkin,
      content.checkout,
      content.rooms.length,
      content.currency,
      content.total.afterTax,
      atMs,
      lowered?.revision ?? null,
      JSON.stringify(content),
      namesIn(content),
      lowered?.before ?? null,
      content.clientReference ?? null,
      content.channel ?? null,
      ...values,
    ],
  })
}

/** Clears the values before bookings of before a time: history reaches back as far as the push log. */
export function clearOldBefore(db: Queryable, untilMs: number): Promise<number> {
  return sweep(
    db,
    `update reservation_version set before = null where ctid in (
       select ctid from reservation_version where before is not null and at < instant($1) limit $2
       for no key update skip locked)`,
    untilMs,
  )
}

/** All versions of a reservation, oldest first. */
export async function selectHistory(
  db: Queryable,
  id: number,
): Promise<Pick<ReservationVersion, 'version' | 'status' | 'modifiedAtMs' | 'content'>[]> {
  const { rows } = await db.query<
    Pick<ReservationVersion, 'version' | 'status' | 'modifiedAtMs' | 'content'>
  >(
    `select version, status, epoch_ms(at) as "modifiedAtMs", content from reservation_version
     where reservation_id = $1 order by version`,
    [id],
  )
  return rows
}

/** Finds a reservation by the id as sent; throws 404 if the text is not a known id. */
export async function reservationOf(db: Queryable, text: string): Promise<StoredReservation> {
  const id = readReservationId(text)
  const reservation = id === undefined ? undefined : await selectOptionalReservation(db, id)
  if (reservation) return reservation
  throw reservationNotFound(text)
}

/** Below 2^53, like every id. */
const idText = /^[1-9]\d{0,14}$/

/**
 * Parses reservation_id as suppliers and the platform write it; undefined if it cannot be one of our ids.
 */
export function readReservationId(text: string): number | undefined {
  return idText.test(text) ? Number(text) : undefined
}

export function reservationNotFound(id: string): Rejected {
  return new Rejected(404, { ...reservationErrors.notFound, path: 'id', value: reportedValue(id) })
}
