-- Every price check, with what was held and what the supplier said side by side. Amounts are for one room, a night
-- each, in minor units. Housekeeping deletes the oldest.
create table price_check (
  id bigint generated always as identity primary key,
  check_id uuid not null,
  -- The check whose call it was: its own, or that of the same question asked a moment before. Null: no call was made.
  call_id uuid,
  at timestamptz not null,
  -- No foreign keys: checking them would lock the hotel's row, and wait for whoever is pushing the hotel.
  supplier_id int not null,
  hotel_id int not null,
  room_no smallint not null,
  rate_no smallint not null,
  request_id text not null,
  arrival date not null,
  departure date not null check (departure > arrival),
  room_count smallint not null check (room_count >= 1),
  adults smallint not null,
  child_ages smallint[] not null,
  outcome text not null check (outcome in ('available', 'price_changed', 'sold_out', 'invalid_response', 'timeout',
    'supplier_error', 'circuit_open', 'not_registered')),
  bookable boolean not null,
  duration_ms int not null,
  -- Why there is no live answer.
  reason text,
  message text,
  http_status smallint,
  currency text not null,
  -- The hotel's revision that stored_… are of. Without amounts, there was no price for the party.
  revision bigint not null,
  stored_bookable boolean not null,
  stored_inventory int not null,
  stored_before_tax bigint[],
  stored_after_tax bigint[],
  live_inventory bigint,
  live_before_tax bigint[],
  live_after_tax bigint[],
  -- Live minus stored, over all nights and rooms.
  difference bigint
);
create index price_check_by_supplier on price_check (supplier_id, id);
create index price_check_by_hotel on price_check (hotel_id, id);

-- How live answers differ from what is held, night by night: kept up by whoever writes price_check, so that it can be
-- read at any time without looking at the checks. A night that is over is deleted.
create table price_drift (
  hotel_id int not null,
  room_no smallint not null,
  rate_no smallint not null,
  night date not null,
  -- Another one makes the row begin anew.
  currency text not null,
  -- Live answers: those with another price, and those that said sold out where enough units were held. The prices of
  -- the latter are not compared.
  checks int not null,
  differing int not null,
  sold_out int not null,
  -- Of one room, live minus stored, the one farthest from zero.
  largest bigint not null,
  last_at timestamptz not null,
  -- The last comparison; null before the first. The revision is the hotel's that set the price.
  stored bigint,
  live bigint,
  revision bigint,
  -- Since when every comparison differed; null where the last one did not.
  since_at timestamptz,
  since_revision bigint,
  primary key (hotel_id, room_no, rate_no, night),
  check ((since_at is null) = (since_revision is null))
) with (fillfactor = 80);
create index price_drift_by_night on price_drift (night);
