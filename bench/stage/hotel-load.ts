import pg from 'pg'
import type { TestAddress } from '../../test/stage/postgres.ts'

/**
 * Hotels as a platform has them, written by SQL: pushing a million would take hours. Names, cities and values are
 * drawn by a hash, so that they don't depend on each other, as in real data.
 */

export type HotelLoad = {
  hotels: number
  /** Rows of ari_month in total, about; copied from the blocks of the hotel `H0`, which are then a prerequisite. */
  months: number
}

export const suppliersLoaded = 400
/** Each supplier's name is `Supplier` and its number; hotels have the codes H1, H2, … */
export const supplierName = (number: number): string => `Supplier ${number}`

/** Hotels of one statement, so that progress is visible and no transaction is long. */
const hotelsAtOnce = 50_000

/** The month of bench/stage/stage.ts, in which all ARI begins. */
const firstMonth = 2027 * 12 + 2

/** A fifth of the hotels belong to the first supplier, and the last 200 suppliers have five each. */
const supplierOf = `case when n <= $1::int / 5 then 1
  when n <= $1::int - 1000 then 2 + floor(198 * pow(share, 3))::int
  else 201 + n % 200 end`

const insertHotels = `
  insert into hotel (supplier_id, key_id, code, name, currency, is_available, min_child_age, max_child_age, time_zone,
    pushed, city_matched, revision, catalog_version, is_offered, ari_at, ari_day, ari_until_month)
  select supplier.id, (select min(id) from api_key where supplier_id = supplier.id), 'H' || n,
    (array['Hotel', 'Hôtel', 'Residence', 'Inn', 'Grand Hotel', 'Resort', 'Villa', 'Palace'])[1 + n % 8] || ' '
      || (array['Bellevue', 'Zur Post', 'Étoile', 'Sonne', 'Riva', 'Østerbro', 'Meridian', 'Alameda', 'Kyoto'])[1 + n / 8 % 9]
      || ' ' || substr(md5(n::text), 1, 6),
    case when drawn % 5000 = 0 then 'ISK' else (array['EUR', 'USD', 'JPY'])[1 + drawn % 3] end, drawn % 50 <> 0, 2, 12,
    'Europe/Paris',
    jsonb_build_object('city', city, 'countryCodeISO2',
      case when drawn % 5000 = 0 then 'IS' else (array['FR', 'GB', 'BR', 'JP', 'CH'])[1 + drawn % 5] end,
      'email', 'desk@hotel.example', 'address', jsonb_build_array('1 Long Street', '75000 ' || city),
      'timezone', 'Europe/Paris', 'latitude', 48.85, 'longitude', 2.35),
    city, 10, 1, drawn % 11 <> 0,
    case when drawn % 200 <> 0 then timestamptz '2027-03-01 00:00:00+00' - drawn % 1000 * interval '1 hour' end,
    case when drawn % 200 <> 0 then floor(date '2027-03-01' - date '1970-01-01' - drawn % 1000 / 24.0) else 0 end,
    case when drawn % 200 <> 0 then ${firstMonth} + drawn % 24 end
  from generate_series($2::int, least($1::int, $3::int)) as n
    cross join lateral (select abs(hashint4(n)::bigint), hashint4(n + 1000000000)::bigint & 65535) as hashed (drawn, low)
    cross join lateral (select low / 65536.0::float8) as spread (share)
    join supplier on supplier.name = 'Supplier ' || ${supplierOf}
    cross join lateral (
      select (array['Paris', 'London', 'São Paulo', 'Tokyo', 'Zürich'])[1 + drawn % 5] as city
    ) as place
  order by n`

const range = 'hotel.id > $1::int and hotel.id <= $2::int'

/** Two of ten hotels have two rooms and two rates, the others one of each. */
const isLarge = `hotel.id % 5 = 0`

const insertProducts = [
  `insert into room select hotel.id, no, 'R' || no - 1, 'Room ' || no, names[1 + hotel.id % cardinality(names)]
   from hotel cross join generate_series(1, case when ${isLarge} then 2 else 1 end) as no
     cross join (select array_agg(name order by name) from room_type) as types (names) where ${range} order by 1, 2`,
  `insert into rate select hotel.id, no, 'P' || no - 1, 'Rate ' || no
   from hotel, generate_series(1, case when ${isLarge} then 2 else 1 end) as no where ${range} order by 1, 2`,
  `insert into room_rate (hotel_id, room_no, rate_no, is_available, max_occupancy, pricing_model)
   select hotel.id, room_no, rate_no, hotel.is_offered, 4, 'guest'
   from hotel join room on room.hotel_id = hotel.id join rate on rate.hotel_id = hotel.id where ${range} order by 1, 2, 3`,
  `insert into hotel_search
   select id, supplier_id, left(search_text(name), 100), hotel_words(name, code, city_matched, pushed) from hotel
   where ${range}`,
]

/** Rows of a month: two of a small hotel (its room's and its room-rate's), six of a large one. */
const rowsPerMonth = (2 * 4 + 6) / 5

const selectModel = "select * from ari_month where hotel_id = (select id from hotel where code = 'H0')"

/** The model is read once: looked up for each hotel, it might be searched in the very table that grows. */
const insertMonths = `
  with model as materialized (${selectModel})
  insert into ari_month (hotel_id, room_no, rate_no, month, written_at, block)
  select hotel.id, model.room_no, model.rate_no, model.month, model.written_at, model.block
  from hotel join model
    on model.month < ${firstMonth} + floor($3::float8 + (hashint4(hotel.id) & 65535) / 65536.0)
      and (${isLarge} or (model.room_no = 1 and model.rate_no <= 1))
  where ${range} order by 1, 2, 3, 4`

/**
 * Adds the suppliers, each with a key and URLs (two of three without the one for reservations), and their hotels.
 * `report` hears of each part that is done.
 */
export async function loadHotels(
  address: TestAddress,
  { hotels, months }: HotelLoad,
  report: (what: string) => void = () => {},
): Promise<void> {
  const [client, ofMonths] = [await loadingClient(address), await loadingClient(address)]
  try {
    await client.query(
      `insert into supplier (name) select 'Supplier ' || n from generate_series(1, ${suppliersLoaded}) as n`,
    )
    await client.query(
      `insert into api_key (supplier_id, channel_manager, availability_webhook, pushbook_webhook)
       select id, name, 'https://a.example', case when id % 3 = 0 then 'https://b.example' end
       from supplier where name like 'Supplier %'`,
    )
    const monthsPerHotel = months / hotels / rowsPerMonth
    const { rowCount: isCopied } = await client.query(`${selectModel} limit 1`)
    if (months > 0 && !isCopied) throw new Error('The hotel H0 has no months to copy')
    const { rows } = await client.query<{ last: number }>('select coalesce(max(id), 0) as last from hotel')
    const before = rows[0]?.last ?? 0
    const insertPart = async (first: number, last: number): Promise<void> => {
      await client.query(insertHotels, [hotels, first, last])
      for (const insert of insertProducts) await client.query(insert, [before + first - 1, before + last])
      report(`${last} hotels`)
    }
    const insertMonthsOf = async (first: number, last: number): Promise<void> => {
      if (months > 0) await ofMonths.query(insertMonths, [before + first - 1, before + last, monthsPerHotel])
    }
    // The months of a part beside the hotels of the next one.
    for (let first = 1; first <= hotels + hotelsAtOnce; first += hotelsAtOnce) {
      const isBeyond = first > hotels
      await Promise.all([
        isBeyond ? undefined : insertPart(first, Math.min(hotels, first + hotelsAtOnce - 1)),
        first === 1 ? undefined : insertMonthsOf(first - hotelsAtOnce, Math.min(hotels, first - 1)),
      ])
    }
    report('months')
    await client.query('vacuum analyze')
    // Gigabytes that are still being written to the disk would make every commit after the load slower.
    await client.query('checkpoint')
    report('vacuumed')
  } finally {
    await client.end()
    await ofMonths.end()
  }
}

async function loadingClient(address: TestAddress): Promise<pg.Client> {
  const client = new pg.Client(address)
  await client.connect()
  // The rows fit together, and checking each reference would take longer than all the rest.
  await client.query(
    "set session_replication_role = replica; set synchronous_commit = off; set work_mem = '64MB'",
  )
  return client
}
