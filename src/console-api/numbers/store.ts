import type { Queryable } from '../../postgres/postgres.ts'
import type { NumbersBy, NumbersRow } from './contract.ts'

export type NumbersSearch = {
  by: NumbersBy
  /** First day of the month, and of the next one. */
  from: string
  until: string
  supplierId: number | undefined
  limit: number
}

export type StoredNumbers = {
  rows: (Omit<NumbersRow, 'afterTax'> & {
    /** Minor units as text: a month's sum may be beyond 2^53. */
    afterTaxMinor: string
    minorDigits: number
  })[]
  firstMonth: string | null
}

/** Each has an index, so that a month's reservations alone are read. */
const columnBy: Readonly<Record<NumbersBy, { time: string; zone: string }>> = {
  booked: { time: 'created_at', zone: "at time zone 'UTC'" },
  arrival: { time: 'arrival', zone: '' },
}

export async function selectNumbers(
  db: Queryable,
  { by, from, until, supplierId, limit }: NumbersSearch,
): Promise<StoredNumbers> {
  const { time, zone } = columnBy[by]
  const { rows } = await db.query<StoredNumbers>(
    `with counted as (
       select supplier_id, currency, count(*) filter (where status = 'Confirm') as bookings,
         count(*) filter (where status = 'Cancel') as cancelled,
         coalesce(sum(rooms * (departure - arrival)) filter (where status = 'Confirm'), 0) as room_nights,
         coalesce(sum(total_after_tax) filter (where status = 'Confirm'), 0) as after_tax, max(id) as newest_id
       from reservation
       where ${time} >= $1::date::timestamp ${zone} and ${time} < $2::date::timestamp ${zone}
         and ($3::int is null or supplier_id = $3)
       group by supplier_id, currency
     ), listed as (
       -- The digits are stored with each reservation.
       select counted.*, supplier.name, (present.content->>'minorDigits')::int as minor_digits
       from counted join supplier on supplier.id = counted.supplier_id
         join reservation on reservation.id = newest_id
         join reservation_version as present
           on present.reservation_id = newest_id and present.version = reservation.version
       order by supplier.name, counted.currency limit $4
     )
     select coalesce(json_agg(json_build_object('supplierId', supplier_id, 'supplier', name, 'currency', currency,
         'bookings', bookings, 'cancelled', cancelled, 'roomNights', room_nights,
         'afterTaxMinor', after_tax::text, 'minorDigits', minor_digits) order by name, currency), '[]') as rows,
       case when count(*) = 0 then (
         select to_char(min(${time}) ${zone}, 'YYYY-MM') from reservation
         where $3::int is null or supplier_id = $3
       ) end as "firstMonth"
     from listed`,
    [from, until, supplierId ?? null, limit],
  )
  return rows[0] ?? { rows: [], firstMonth: null }
}
