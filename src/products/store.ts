import type { Queryable } from '../postgres/postgres.ts'
import type { Product } from './contract.ts'

export type RoomRate = {
  roomNo: number
  rateNo: number
  /** false means archived. */
  isAvailable: boolean
  maxOccupancy: number
  maxAdult: number | null
  maxChild: number | null
  maxInfant: number | null
  /** null until the first price is pushed. */
  pricingModel: 'unit' | 'guest' | null
}

/** A hotel's rooms, rates and room-rates by the supplier's codes, as of the hotel's catalog_version. */
export type Catalog = {
  roomNoByCode: ReadonlyMap<string, number>
  rateNoByCode: ReadonlyMap<string, number>
  /** By `roomRateKey`. */
  roomRateByKey: ReadonlyMap<number, RoomRate>
}

const numbersPerHotel = 32_768

export function roomRateKey(roomNo: number, rateNo: number): number {
  return roomNo * numbersPerHotel + rateNo
}

/** The room and the rate of a `roomRateKey`. */
export function numbersOfKey(key: number): { roomNo: number; rateNo: number } {
  return { roomNo: Math.floor(key / numbersPerHotel), rateNo: key % numbersPerHotel }
}

type RoomRateTuple = [
  roomNo: number,
  rateNo: number,
  isAvailable: boolean,
  maxOccupancy: number,
  maxAdult: number | null,
  maxChild: number | null,
  maxInfant: number | null,
  pricingModel: 'unit' | 'guest' | null,
]

export type CatalogLists = {
  rooms: [string, number][]
  rates: [string, number][]
  roomRates: RoomRateTuple[]
}

/** Each list as one JSON value, so that a catalog is one row; `hotelId` is SQL, a column or a parameter. */
export function catalogLists(hotelId: string): Record<keyof CatalogLists, string> {
  return {
    rooms: `(select coalesce(json_agg(json_build_array(code, room_no)), '[]') from room where hotel_id = ${hotelId})`,
    rates: `(select coalesce(json_agg(json_build_array(code, rate_no)), '[]') from rate where hotel_id = ${hotelId})`,
    roomRates: `(select coalesce(json_agg(json_build_array(room_no, rate_no, is_available, max_occupancy, max_adult,
       max_child, max_infant, pricing_model)), '[]') from room_rate where hotel_id = ${hotelId})`,
  }
}

export async function selectCatalog(db: Queryable, hotelId: number): Promise<Catalog> {
  const { rooms, rates, roomRates } = catalogLists('$1')
  const { rows } = await db.query<CatalogLists>({
    name: 'select-catalog',
    text: `select ${rooms} as rooms, ${rates} as rates, ${roomRates} as "roomRates"`,
    values: [hotelId],
  })
  return catalogOf(rows[0] ?? { rooms: [], rates: [], roomRates: [] })
}

export function catalogOf({ rooms, rates, roomRates }: CatalogLists): Catalog {
  const roomRateByKey = new Map<number, RoomRate>()
  for (const [roomNo, rateNo, isAvailable, maxOccupancy, maxAdult, maxChild, maxInfant, model] of roomRates) {
    const occupancy = { maxOccupancy, maxAdult, maxChild, maxInfant }
    const roomRate = { roomNo, rateNo, isAvailable, ...occupancy, pricingModel: model }
    roomRateByKey.set(roomRateKey(roomNo, rateNo), roomRate)
  }
  return { roomNoByCode: new Map(rooms), rateNoByCode: new Map(rates), roomRateByKey }
}

export type Room = { no: number; code: string; name: string; roomType: string }
export type Rate = { no: number; code: string; name: string }

/** Rooms by code. */
export async function selectRooms(db: Queryable, hotelId: number): Promise<Map<string, Room>> {
  const { rows } = await db.query<Room>(
    'select room_no as no, code, name, room_type as "roomType" from room where hotel_id = $1',
    [hotelId],
  )
  return new Map(rows.map((room) => [room.code, room]))
}

/** Rates by code. */
export async function selectRates(db: Queryable, hotelId: number): Promise<Map<string, Rate>> {
  const { rows } = await db.query<Rate>('select rate_no as no, code, name from rate where hotel_id = $1', [
    hotelId,
  ])
  return new Map(rows.map((rate) => [rate.code, rate]))
}

export type NamesInUse = {
  roomTypes: { roomId: string; roomType: string }[]
  mealPlans: { roomId: string; rateId: string; mealPlan: string }[]
}

/** Rooms that have any of the room types, and room-rates that have any of the meal plans. */
export async function selectNamesInUse(
  db: Queryable,
  hotelId: number,
  roomTypes: readonly string[],
  mealPlans: readonly string[],
): Promise<NamesInUse> {
  const { rows } = await db.query<{ roomId: string; rateId: string | null; name: string }>(
    `select code as "roomId", null as "rateId", room_type as name from room
     where hotel_id = $1 and room_type = any($2::text[])
     union all
     select room.code, rate.code, meal_plan from room_rate
       join room using (hotel_id, room_no) join rate using (hotel_id, rate_no)
     where hotel_id = $1 and meal_plan = any($3::text[])`,
    [hotelId, roomTypes, mealPlans],
  )
  return {
    roomTypes: rows.flatMap(({ roomId, rateId, name }) =>
      rateId === null ? [{ roomId, roomType: name }] : [],
    ),
    mealPlans: rows.flatMap(({ roomId, rateId, name }) =>
      rateId === null ? [] : [{ roomId, rateId, mealPlan: name }],
    ),
  }
}

export async function upsertRooms(
  connection: Queryable,
  hotelId: number,
  rooms: readonly Room[],
): Promise<void> {
  await connection.query(
    `insert into room (hotel_id, room_no, code, name, room_type)
     select $1, * from unnest($2::int2[], $3::text[], $4::text[], $5::text[])
     on conflict (hotel_id, room_no) do update set name = excluded.name, room_type = excluded.room_type`,
    [
      hotelId,
      rooms.map(({ no }) => no),
      rooms.map(({ code }) => code),
      rooms.map(({ name }) => name),
      rooms.map(({ roomType }) => roomType),
    ],
  )
}

export async function upsertRates(
  connection: Queryable,
  hotelId: number,
  rates: readonly Rate[],
): Promise<void> {
  await connection.query(
    `insert into rate (hotel_id, rate_no, code, name)
     select $1, * from unnest($2::int2[], $3::text[], $4::text[])
     on conflict (hotel_id, rate_no) do update set name = excluded.name`,
    [hotelId, rates.map(({ no }) => no), rates.map(({ code }) => code), rates.map(({ name }) => name)],
  )
}

export type RoomRateToSave = Pick<Product, 'isAvailable' | 'mealPlan' | 'occupancy'> & {
  roomNo: number
  rateNo: number
  cancelPoliciesJson: string
}

export type StoredRoomRate = Pick<
  RoomRate,
  'isAvailable' | 'maxOccupancy' | 'maxAdult' | 'maxChild' | 'maxInfant' | 'pricingModel'
> & {
  mealPlan: string | null
  hasPolicies: boolean
}

/** The room-rates among these that already exist, by `roomRateKey`. */
export async function selectStoredRoomRates(
  connection: Queryable,
  hotelId: number,
  roomRates: readonly RoomRateToSave[],
): Promise<Map<number, StoredRoomRate>> {
  const { rows } = await connection.query<StoredRoomRate & { roomNo: number; rateNo: number }>(
    `select room_no as "roomNo", rate_no as "rateNo", is_available as "isAvailable", max_occupancy as "maxOccupancy",
       max_adult as "maxAdult", max_child as "maxChild", max_infant as "maxInfant", meal_plan as "mealPlan",
       pricing_model as "pricingModel",
       cancel_policies <> '[]' as "hasPolicies"
     from room_rate
     where hotel_id = $1 and (room_no, rate_no) in (select * from unnest($2::int2[], $3::int2[]))`,
    [hotelId, roomRates.map(({ roomNo }) => roomNo), roomRates.map(({ rateNo }) => rateNo)],
  )
  return new Map(rows.map((row) => [roomRateKey(row.roomNo, row.rateNo), row]))
}

export async function countRoomRates(connection: Queryable, hotelId: number): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    'select count(*)::int as count from room_rate where hotel_id = $1',
    [hotelId],
  )
  return rows[0]?.count ?? 0
}

/** Returns the keys (`roomRateKey`) of new or different room-rates; the others are not written. */
export async function upsertRoomRates(
  connection: Queryable,
  hotelId: number,
  roomRates: readonly RoomRateToSave[],
): Promise<Set<number>> {
  const { rows } = await connection.query<{ roomNo: number; rateNo: number }>(
    // The pricing model is not listed: it is set with the prices and stays.
    `insert into room_rate as held (hotel_id, room_no, rate_no, is_available, max_occupancy, max_adult, max_child,
       max_infant, meal_plan, cancel_policies)
     select $1, * from unnest($2::int2[], $3::int2[], $4::boolean[], $5::int2[], $6::int2[], $7::int2[], $8::int2[],
       $9::text[], $10::jsonb[])
     on conflict (hotel_id, room_no, rate_no) do update
       set is_available = excluded.is_available, max_occupancy = excluded.max_occupancy,
         max_adult = excluded.max_adult, max_child = excluded.max_child, max_infant = excluded.max_infant,
         meal_plan = excluded.meal_plan, cancel_policies = excluded.cancel_policies
       where (held.is_available, held.max_occupancy, held.max_adult, held.max_child, held.max_infant, held.meal_plan,
           held.cancel_policies)
         is distinct from (excluded.is_available, excluded.max_occupancy, excluded.max_adult, excluded.max_child,
           excluded.max_infant, excluded.meal_plan, excluded.cancel_policies)
     returning room_no as "roomNo", rate_no as "rateNo"`,
    [
      hotelId,
      roomRates.map(({ roomNo }) => roomNo),
      roomRates.map(({ rateNo }) => rateNo),
      roomRates.map(({ isAvailable }) => isAvailable),
      roomRates.map(({ occupancy }) => occupancy.maxOccupancy),
      roomRates.map(({ occupancy }) => occupancy.maxAdult ?? null),
      roomRates.map(({ occupancy }) => occupancy.maxChild ?? null),
      roomRates.map(({ occupancy }) => occupancy.maxInfant ?? null),
      roomRates.map(({ mealPlan }) => mealPlan ?? null),
      roomRates.map(({ cancelPoliciesJson }) => cancelPoliciesJson),
    ],
  )
  return new Set(rows.map(({ roomNo, rateNo }) => roomRateKey(roomNo, rateNo)))
}

/** How many guests a product accepts; an unset limit defaults to `maxOccupancy`. */
export type Occupancy = {
  maxOccupancy: number
  maxAdult?: number | null | undefined
  maxChild?: number | null | undefined
  maxInfant?: number | null | undefined
}

export type GuestsMax = Readonly<Record<'adult' | 'child' | 'infant', number>>

/** The most guests of each age category that a party of the product can have. */
export function guestsMaxOf({ maxOccupancy, maxAdult, maxChild, maxInfant }: Occupancy): GuestsMax {
  return {
    adult: Math.min(maxAdult ?? maxOccupancy, maxOccupancy),
    child: Math.min(maxChild ?? maxOccupancy, maxOccupancy),
    infant: Math.min(maxInfant ?? maxOccupancy, maxOccupancy),
  }
}

/** The platform's ids of rooms and rates: opaque to suppliers, stable because numbers are never reused. */
export function platformRoomId(hotelId: number, roomNo: number): string {
  return `${hotelId}-R${roomNo}`
}

export function platformRateId(hotelId: number, rateNo: number): string {
  return `${hotelId}-P${rateNo}`
}
