import { asAdmin } from '../../test/stage/postgres.ts'
import { type Stage } from './stage.ts'
import { hashSecret } from '../../src/keys/secret.ts'

/**
 * Copies the service's stored nights of the first hotels from its own tables into those of the usual stack.
 */
export async function addUsualOffers(stage: Stage, hotels: number): Promise<void> {
  await asAdmin(stage.address, tables)
  await stage.db.query(`insert into usual_token values ($1, 'platform')`, [hashSecret(stage.token)])
  await asAdmin(stage.address, contents(hotels))
  await asAdmin(stage.address, 'vacuum analyze')
}

const tables = `
  create table usual_token (hash text primary key, role text not null);
  create table usual_offer_hotel (id int primary key, supplier text not null, code text not null, currency text not null,
    is_available boolean not null, min_child_age smallint not null, max_child_age smallint not null);
  create table usual_offer_tax (id serial primary key, hotel_id int not null, type text not null, rate int, amount int,
    pay_now boolean not null);
  create index on usual_offer_tax (hotel_id);
  create table usual_offer_product (id serial primary key, hotel_id int not null, room_id int not null,
    room_code text not null, room_name text not null, rate_code text not null, rate_name text not null, meal_plan text,
    is_available boolean not null, max_occupancy smallint not null, max_adult smallint not null,
    max_child smallint not null);
  create index on usual_offer_product (hotel_id);
  create table usual_offer_room_night (hotel_id int not null, night date not null, room_id int not null, inventory int,
    closed boolean not null, primary key (hotel_id, night, room_id));
  create table usual_offer_rate_night (hotel_id int not null, night date not null, product_id int not null,
    room_id int not null, inventory int, closed boolean not null, closed_to_arrival boolean not null,
    closed_to_departure boolean not null, min_length_stay smallint, max_length_stay smallint, min_stay_arrival smallint,
    max_stay_arrival smallint, min_advance_days smallint, max_advance_days smallint, adult_prices bigint[],
    child_prices bigint[], infant_prices bigint[], primary key (hotel_id, night, product_id));`

/** Rows in key order, so that a stay's nights are stored next to each other. */
const contents = (hotels: number): string => `
  insert into usual_offer_hotel select hotel.id, supplier.name, code, currency, is_available, min_child_age, max_child_age
    from hotel join supplier on supplier.id = supplier_id order by hotel.id limit ${hotels};
  insert into usual_offer_tax (hotel_id, type, rate, amount, pay_now)
    select hotel_id, type, case when value_type = '%' then value * 100 end, case when value_type <> '%' then value * 100 end,
      pay_now
    from tax join usual_offer_hotel on usual_offer_hotel.id = hotel_id order by hotel_id, position;
  insert into usual_offer_product (hotel_id, room_id, room_code, room_name, rate_code, rate_name, meal_plan, is_available,
      max_occupancy, max_adult, max_child)
    select hotel_id, room_no, room.code, room.name, rate.code, rate.name, meal_plan, room_rate.is_available, max_occupancy,
      coalesce(max_adult, max_occupancy), coalesce(max_child, max_occupancy)
    from room_rate join room using (hotel_id, room_no) join rate using (hotel_id, rate_no)
      join usual_offer_hotel on usual_offer_hotel.id = hotel_id
    order by hotel_id, room_no, rate_no;
  insert into usual_offer_room_night select hotel_id, night, room_no, inventory, closed
    from ari_night join usual_offer_hotel on usual_offer_hotel.id = hotel_id where rate_no = 0 order by 1, 2, 3;
  insert into usual_offer_rate_night
    select hotel_id, night, product.id, room_no, inventory, closed, closed_to_arrival, closed_to_departure, min_length_stay,
      max_length_stay, min_stay_arrival, max_stay_arrival, min_advance_days, max_advance_days,
      ${pricesOf('adult')}, ${pricesOf('child')}, ${pricesOf('infant')}
    from ari_night join rate using (hotel_id, rate_no) join usual_offer_product as product using (hotel_id)
    where product.room_id = room_no and product.rate_code = rate.code order by 1, 2, 3;`

function pricesOf(category: string): string {
  return `array(select (guest_prices -> '${category}' ->> guests::text)::bigint from generate_series(1, 4) guests order by guests)`
}
