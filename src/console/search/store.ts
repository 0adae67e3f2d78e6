import type { Queryable } from '../../postgres/postgres.ts'
import { customerName, hasGuest } from '../bookings/store.ts'
import type { SearchResult } from './contract.ts'

/** The SQL of search results other than hotels: by indexed columns, or among the suppliers, of whom there are hundreds. */

type OfKind<Kind extends SearchResult['kind']> = Extract<SearchResult, { kind: Kind }>

export async function selectFoundReservation(
  db: Queryable,
  reservationId: number,
): Promise<OfKind<'reservation'>[]> {
  return selectFound(db, 'reservation.id = $2', 1, [reservationId])
}

/** The newest reservations with a guest name that has all the words, or words that begin with them. */
export async function selectFoundGuests(
  db: Queryable,
  words: readonly string[],
  limit: number,
): Promise<OfKind<'reservation'>[]> {
  return selectFound(db, words.map((_, index) => hasGuest(`$${index + 2}`)).join(' and '), limit, words)
}

async function selectFound(
  db: Queryable,
  condition: string,
  limit: number,
  values: readonly unknown[],
): Promise<OfKind<'reservation'>[]> {
  const { rows } = await db.query<OfKind<'reservation'>>(
    `select 'reservation' as kind, found.id as "reservationId", hotel.name as "hotelName", supplier.name as supplier,
       found.arrival, found.status,
       ${customerName} as guest
     from (select * from reservation where ${condition} order by id desc limit $1) as found
       join hotel on hotel.id = found.hotel_id join supplier on supplier.id = found.supplier_id
       join reservation_version as present on present.reservation_id = found.id and present.version = found.version
     order by found.id desc`,
    [limit, ...values],
  )
  return rows
}

/** The newest pushes whose request id begins with the text. */
export async function selectFoundPushes(
  db: Queryable,
  beginning: string,
  limit: number,
): Promise<OfKind<'push'>[]> {
  const { rows } = await db.query<Omit<OfKind<'push'>, 'at'> & { atMs: number }>(
    // A range instead of a pattern, because the index serves it in every collation.
    `select 'push' as kind, found.id as "pushId", found.request_id as "requestId",
       epoch_ms(found.at) as "atMs", supplier.name as supplier,
       found.kind as "pushKind", found.outcome
     from (
       select * from push_log where request_id between $1 and $1 || '~' and starts_with(request_id, $1)
       order by id desc limit $2
     ) as found join supplier on supplier.id = found.supplier_id
     order by found.id desc`,
    [beginning, limit],
  )
  return rows.map(({ atMs, ...row }) => ({ ...row, at: new Date(atMs).toISOString() }))
}

export async function selectFoundSuppliers(
  db: Queryable,
  typed: string,
  limit: number,
): Promise<OfKind<'supplier'>[]> {
  const { rows } = await db.query<OfKind<'supplier'>>(
    `select 'supplier' as kind, id as "supplierId", name from supplier, btrim(search_text($1)) as words
     where id::text = $1 or (words <> '' and strpos(search_text(name), words) > 0)
     order by id::text = $1 desc, name limit $2`,
    [typed, limit],
  )
  return rows
}
