import { numberArray, type Queryable } from '../../postgres/postgres.ts'
import type { PresentDeliveryStatus } from '../delivery-contract.ts'
import type { ReservationStatus } from '../state.ts'
import { asItStands, reservationColumns, withPresentVersion, type StoredReservation } from '../store.ts'

/** Which reservations the platform searches; absent members match all, and all members must match. */
export type ReservationFilter = {
  supplierId: number | undefined
  hotelId: number | undefined
  status: ReservationStatus | undefined
  arrivalFrom: string | undefined
  arrivalTo: string | undefined
  departureFrom: string | undefined
  departureTo: string | undefined
  createdFromMs: number | undefined
  /** Exclusive. */
  createdUntilMs: number | undefined
  modifiedFromMs: number | undefined
  delivery: PresentDeliveryStatus | undefined
  /** Of the booker, in upper or lower case. */
  email: string | undefined
  clientReference: string | undefined
  channel: string | undefined
}

/**
 * In words that the indexes have: a cancellation is the last version of a reservation, and there is an index of them; few
 * deliveries are open, and there is an index of those.
 */
const statusIs: Readonly<Record<ReservationStatus, string>> = {
  Confirm: `and reservation.status = 'Confirm'`,
  Cancel: `and present.status = 'Cancel'`,
}
const deliveryIs = (condition: string): string => `and exists (select from delivery
  where delivery.reservation_id = reservation.id and delivery.version = reservation.version and not delivery.is_repeat
    and ($1::int is null or delivery.supplier_id = $1) and ${condition})`
const isOpen = `delivery.status in ('queued', 'sending', 'dead')`
const deliveryStatusIs: Readonly<Record<PresentDeliveryStatus, string>> = {
  queued: deliveryIs(`${isOpen} and delivery.status = 'queued'`),
  sending: deliveryIs(`${isOpen} and delivery.status = 'sending'`),
  dead: deliveryIs(`${isOpen} and delivery.status = 'dead'`),
  delivered: deliveryIs(`delivery.status = 'delivered'`),
}

/** How many parameters the condition has: the first ones of its statement. */
export const filterParameters = 13

/** SQL: the reservations of a filter, with `present` only where the condition needs it. */
export function reservationsOf(filter: ReservationFilter): string {
  const needsVersion = filter.email !== undefined || filter.status === 'Cancel'
  return `${needsVersion ? withPresentVersion : 'reservation'} where ${matchesFilter(filter)}`
}

/** The statement has no name, so that it is planned with the values: each filter has its index. */
function matchesFilter({ status, delivery, email }: ReservationFilter): string {
  return `($1::int is null or reservation.supplier_id = $1) and ($2::int is null or reservation.hotel_id = $2)
    and ($3::date is null or reservation.arrival >= $3) and ($4::date is null or reservation.arrival <= $4)
    and ($5::date is null or reservation.departure >= $5) and ($6::date is null or reservation.departure <= $6)
    and ($7::float8 is null or reservation.created_at >= instant($7))
    and ($8::float8 is null or reservation.created_at < instant($8))
    and ($9::float8 is null or reservation.modified_at >= instant($9))
    and ($10::text is null or ${email === undefined ? 'true' : `${emailIn('present')} = lower($10)`})
    and ($11::text is null or reservation.client_reference = $11)
    and ($12::text is null or reservation.channel = $12)
    and ($13::int8[] is null or reservation.id = any($13))
    ${status === undefined ? '' : statusIs[status]} ${delivery === undefined ? '' : deliveryStatusIs[delivery]}`
}

/** As the index of addresses has it. */
export const emailIn = (version: string): string => `lower(${version}.content->'customer'->>'email')`

/** `among`: all that can match; undefined if that isn't known. */
export function filterValues(filter: ReservationFilter, among?: readonly number[]): unknown[] {
  return [
    filter.supplierId ?? null,
    filter.hotelId ?? null,
    filter.arrivalFrom ?? null,
    filter.arrivalTo ?? null,
    filter.departureFrom ?? null,
    filter.departureTo ?? null,
    filter.createdFromMs ?? null,
    filter.createdUntilMs ?? null,
    filter.modifiedFromMs ?? null,
    filter.email ?? null,
    filter.clientReference ?? null,
    filter.channel ?? null,
    among ? numberArray(among) : null,
  ]
}

export type ReservationSearch = ReservationFilter & {
  /** Only reservations created before the one with this id. */
  beforeId: number | undefined
  limit: number
}

/** Newest first. `among`: all that can match; undefined if that isn't known. */
export async function selectReservations(
  db: Queryable,
  search: ReservationSearch,
  among: readonly number[] | undefined,
): Promise<StoredReservation[]> {
  const [before, most] = [`$${filterParameters + 1}`, `$${filterParameters + 2}`]
  const { rows } = await db.query<StoredReservation>(
    // The versions are read for the page alone.
    `with page as materialized (
       select reservation.* from ${reservationsOf(search)} and (${before}::int8 is null or reservation.id < ${before})
       order by reservation.id desc limit ${most}
     )
     select ${reservationColumns} from page as reservation join reservation_version as present
       on present.reservation_id = reservation.id and present.version = reservation.version
     order by reservation.id desc`,
    [...filterValues(search, among), search.beforeId ?? null, search.limit],
  )
  return rows.map((row) => asItStands(row))
}
