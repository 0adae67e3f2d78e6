import { isHoldOver, storedStates } from '../../ari/guard/hold-store.ts'
import type { HoldState } from '../../ari/guard/holds-contract.ts'
import { sqlIsoMillis, type Queryable } from '../../postgres/postgres.ts'
import type { ConsoleHold } from './contract.ts'

/** A hold that is to be discarded at its end counts as expired from then on. */
export const isHoldOpen = (now: string): string => `hold.state = 'open' and not (${isHoldOver(now)})`

export type HoldSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  state: HoldState
  /** Before this one; undefined for the newest. */
  before: { atUs: string; id: string } | undefined
  limit: number
}

type HoldRow = Omit<ConsoleHold, 'holdId'> & { id: string; atUs: string }

/** Newest first. */
export async function searchHoldRows(db: Queryable, search: HoldSearch, nowMs: number): Promise<HoldRow[]> {
  const { supplierId, hotelId, state, before, limit } = search
  const { rows } = await db.query<HoldRow>(
    `select listed.id, supplier_id as "supplierId", supplier, hotel_id as "hotelId", hotel_name as "hotelName", currency,
       reason as rule, cells, request_id as "requestId", ${sqlIsoMillis('at')} as at, ${sqlIsoMillis('expires_at')} as "expiresAt",
       on_expiry as "onExpiry", $3::text as state, ${sqlIsoMillis('resolved_at')} as "resolvedAt", resolved_by as "resolvedBy",
       examples, floor(extract(epoch from at) * 1000000)::text as "atUs"
     from unnest($8::text[]) as stored (state) cross join lateral (
       select hold.*, hotel.name as hotel_name,
         case when hold.currency_revision = hotel.currency_revision then hotel.currency end as currency, supplier.id as supplier_id, supplier.name as supplier
       from hold join hotel on hotel.id = hold.hotel_id join supplier on supplier.id = hotel.supplier_id
       where hold.state = stored.state and ($1::int is null or supplier.id = $1) and ($2::int is null or hotel.id = $2)
         and case when ${isHoldOver('$6')} then 'expired' else hold.state end = $3
         and ($4::text is null or (hold.at, hold.id)
           < (timestamptz 'epoch' + $4::int8 * interval '1 microsecond', $5::uuid))
       order by hold.at desc, hold.id desc limit $7
     ) as listed
     order by listed.at desc, listed.id desc limit $7`,
    [
      supplierId ?? null,
      hotelId ?? null,
      state,
      before?.atUs ?? null,
      before?.id ?? null,
      nowMs,
      limit,
      storedStates(state),
    ],
  )
  return rows
}

export type HoldOwner = { hotelId: number; hotelCode: string; supplierId: number; supplier: string }

/** Whose hold it is. */
export async function selectOptionalHoldOwner(db: Queryable, id: string): Promise<HoldOwner | undefined> {
  const { rows } = await db.query<HoldOwner>(
    `select hotel.id as "hotelId", hotel.code as "hotelCode", supplier.id as "supplierId", supplier.name as supplier
     from hold join hotel on hotel.id = hold.hotel_id join supplier on supplier.id = hotel.supplier_id
     where hold.id = $1`,
    [id],
  )
  return rows[0]
}
