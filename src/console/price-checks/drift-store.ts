import type { Queryable } from '../../postgres/postgres.ts'

/** The SQL of the drift of all suppliers. */

export type DriftSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  after: DriftPlace | undefined
  limit: number
}

export type DriftPlace = { share: number; hotelId: number; roomNo: number; rateNo: number; night: string }

export type DriftingRow = {
  place: DriftPlace
  supplierId: number
  supplier: string
  hotelId: number
  hotelName: string
  timeZone: string
  roomId: string
  roomName: string
  rateId: string
  rateName: string
  currency: string
  checks: number
  differing: number
  soldOut: number
  /** Minor units. */
  largest: number
  stored: number | null
  live: number | null
  lastAtMs: number
  sinceAtMs: number | null
  sinceRevision: number | null
}

/** The expression of the index price_drift_differing. */
const share = '(abs(live - stored)::float8 / greatest(stored, 1))'

/** Nights whose latest comparison differed, largest share of the stored price first. */
export async function selectDrift(
  db: Queryable,
  { supplierId, hotelId, after, limit }: DriftSearch,
): Promise<DriftingRow[]> {
  const { rows } = await db.query<DriftingRow>(
    `select json_build_object('share', ${share}, 'hotelId', d.hotel_id, 'roomNo', d.room_no, 'rateNo', d.rate_no,
         'night', d.night) as place,
       hotel.supplier_id as "supplierId", supplier.name as supplier, d.hotel_id as "hotelId",
       hotel.name as "hotelName", hotel.time_zone as "timeZone", room.code as "roomId",
       room.name as "roomName", rate.code as "rateId", rate.name as "rateName",
       d.currency, checks, differing, sold_out as "soldOut", largest, stored, live,
       epoch_ms(last_at) as "lastAtMs",
       epoch_ms(since_at) as "sinceAtMs", since_revision as "sinceRevision"
     from price_drift d join hotel on hotel.id = d.hotel_id and hotel.currency = d.currency
       join supplier on supplier.id = hotel.supplier_id
       join room on room.hotel_id = d.hotel_id and room.room_no = d.room_no
       join rate on rate.hotel_id = d.hotel_id and rate.rate_no = d.rate_no
     where since_at is not null and ($1::int is null or hotel.supplier_id = $1)
       and ($2::int is null or d.hotel_id = $2)
       and ($3::float8 is null or (${share}, d.hotel_id, d.room_no, d.rate_no, d.night)
         < ($3, $4::int, $5::smallint, $6::smallint, $7::date))
     order by ${share} desc, d.hotel_id desc, d.room_no desc, d.rate_no desc, d.night desc limit $8`,
    [
      supplierId ?? null,
      hotelId ?? null,
      after?.share ?? null,
      after?.hotelId ?? null,
      after?.roomNo ?? null,
      after?.rateNo ?? null,
      after?.night ?? null,
      limit,
    ],
  )
  return rows
}
