import type { Queryable } from '../postgres/postgres.ts'
import type { ReservationStatus, ReservationVersion } from '../bookings/state.ts'
import type { PageAsked } from './page-query.ts'

/** Reservations in their present state, filtered by a supplier's query. */
type SupplierSearch = PageAsked<number> & {
  reservationId: number | undefined
  status: ReservationStatus | undefined
  /** Whether the present version is delivered. */
  isDelivered: boolean | undefined
}

export type Retrieved = ReservationVersion

/** In the order of their last change. */
export async function selectForSupplier(
  db: Queryable,
  supplierId: number,
  search: SupplierSearch,
): Promise<Retrieved[]> {
  const { hotelId, reservationId, sinceMs, untilMs, status, isDelivered, after, limit } = search
  const isOpen = `exists (select from delivery where delivery.supplier_id = $1
    and delivery.reservation_id = reservation.id and delivery.status in ('queued', 'sending', 'dead')
    and delivery.version = reservation.version and not delivery.is_repeat)`
  const delivered = { true: `and not ${isOpen}`, false: `and ${isOpen}` }
  const { rows } = await db.query<Retrieved>(
    `select reservation.id::text as id, reservation.hotel_id as "hotelId", reservation.version, reservation.status,
       epoch_ms(reservation.created_at) as "createdAtMs",
       epoch_ms(reservation.modified_at) as "modifiedAtMs", present.content
     from reservation join reservation_version as present
       on present.reservation_id = reservation.id and present.version = reservation.version
     where reservation.supplier_id = $1 and ($2::int is null or reservation.hotel_id = $2)
       and ($3::int8 is null or reservation.id = $3)
       and ($4::float8 is null or reservation.modified_at >= instant($4))
       and ($5::float8 is null or reservation.modified_at < instant($5))
       and ($6::text is null or reservation.status = $6)
       and ($7::float8 is null or (reservation.modified_at, reservation.id) > (instant($7), $8::int8))
       ${isDelivered === undefined ? '' : delivered[`${isDelivered}`]}
     order by reservation.modified_at, reservation.id limit $9`,
    [
      supplierId,
      hotelId ?? null,
      reservationId ?? null,
      sinceMs ?? null,
      untilMs ?? null,
      status ?? null,
      after?.atMs ?? null,
      after?.id ?? null,
      limit,
    ],
  )
  return rows
}
