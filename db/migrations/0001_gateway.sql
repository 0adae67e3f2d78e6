-- One database is one environment; its name is written at the first start and compared at every later one.
create table environment (
  only_row boolean primary key default true check (only_row),
  name text not null check (name in ('sandbox', 'production'))
);

create table supplier (
  id int generated always as identity primary key,
  name text not null unique,
  created_at timestamptz not null default now()
);

-- The key record: what a supplier's channel manager is allowed, and where it wants to be called back. The secrets
-- that open it live in api_key_secret, so that a rotation changes nothing here.
create table api_key (
  id int generated always as identity primary key,
  supplier_id int not null references supplier,
  channel_manager text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- Limits; null takes the service's default, 0 for the rate means none.
  requests_per_minute int check (requests_per_minute >= 0),
  requests_burst int check (requests_burst >= 1),
  body_bytes_max int check (body_bytes_max >= 1024),
  ari_items_max int check (ari_items_max >= 1),
  ari_cells_max int check (ari_cells_max >= 1),
  availability_webhook text,
  pushbook_webhook text,
  signing_secret text
);
create index api_key_by_supplier on api_key (supplier_id);

-- Only a SHA-256 of the secret is kept. Old and new are valid together until the old one's expires_at.
create table api_key_secret (
  hash bytea primary key,
  key_id int not null references api_key,
  tail text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index api_key_secret_by_key on api_key_secret (key_id);

create table access_token (
  hash bytea primary key,
  id int generated always as identity unique,
  role text not null check (role in ('platform', 'operator')),
  name text not null,
  tail text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

-- Reference data that operators may edit. A retired entry stays valid where it is used, but not in new pushes.
create table room_type (
  name text primary key,
  description text not null,
  retired_at timestamptz
);
create table meal_plan (
  code text primary key,
  name text not null,
  description text not null,
  retired_at timestamptz
);

create table hotel (
  id int generated always as identity primary key,
  supplier_id int not null references supplier,
  code text not null,
  name text not null,
  currency text not null,
  is_available boolean not null,
  min_child_age int not null,
  max_child_age int not null,
  time_zone text not null,
  -- The members of the push that are kept as they came and take no part in any rule, with those above.
  pushed jsonb not null,
  city_matched text,
  -- Rises with every push that changed something of the hotel: the version that offers and caches name.
  revision bigint not null default 0,
  -- Rises with every change of the hotel's rooms, rates and their rules; cached catalogs compare it.
  catalog_version bigint not null default 0,
  -- Prices set at this revision or before it are in a former currency and can't be sold.
  currency_revision bigint not null default 0,
  -- When that was; null: never. Rows of ari_month written before can't hold a price of the present currency.
  currency_changed_at timestamptz,
  -- Rises with every transaction that writes one of the hotel's ari_month rows; cached blocks compare it.
  ari_version bigint not null default 0,
  ari_at timestamptz,
  -- Numbers of rooms and rates up to this may have been given out by a store that was restored to an earlier state.
  numbers_after smallint not null default 0,
  created_at timestamptz not null default now(),
  unique (supplier_id, code)
) with (fillfactor = 70);

-- Rooms and rates are numbered within their hotel, from 1; 0 in ari_month and tax means "the room itself", "any".
create table room (
  hotel_id int not null references hotel,
  room_no smallint not null,
  code text not null,
  name text not null,
  room_type text not null,
  primary key (hotel_id, room_no),
  unique (hotel_id, code)
);

create table rate (
  hotel_id int not null references hotel,
  rate_no smallint not null,
  code text not null,
  name text not null,
  primary key (hotel_id, rate_no),
  unique (hotel_id, code)
);

create table room_rate (
  hotel_id int not null,
  room_no smallint not null,
  rate_no smallint not null,
  is_available boolean not null,
  max_occupancy smallint not null,
  max_adult smallint,
  max_child smallint,
  meal_plan text,
  cancel_policies jsonb not null default '[]',
  -- 'unit' or 'guest': the model of the last push that set a price; null before the first.
  pricing_model text check (pricing_model in ('unit', 'guest')),
  primary key (hotel_id, room_no, rate_no),
  foreign key (hotel_id, room_no) references room,
  foreign key (hotel_id, rate_no) references rate
);

-- Taxes by scope: (0, 0) the property, (room, 0) a room with any rate, (0, rate) a rate with any room, else the pair.
create table tax (
  hotel_id int not null references hotel,
  room_no smallint not null,
  rate_no smallint not null,
  position smallint not null,
  type text not null,
  value_type text not null,
  value numeric not null,
  applied_on text not null,
  applied_per text not null,
  included boolean not null,
  pay_now boolean not null,
  start_date date,
  end_date date,
  primary key (hotel_id, room_no, rate_no, position)
);

-- ARI: one row a room-rate and month (rate_no 0: the room's own inventory and closure), its nights packed into one
-- block by src/ari/block.ts. View ari_night shows it one row a night.
create table ari_month (
  hotel_id int not null,
  room_no smallint not null,
  rate_no smallint not null,
  month smallint not null,
  written_at timestamptz not null,
  block bytea not null,
  primary key (hotel_id, room_no, rate_no, month)
) with (fillfactor = 80);
-- Blocks are a few hundred bytes and already packed: trying to compress them again costs time and gains nothing.
alter table ari_month alter column block set storage external;

-- Every push, accepted or refused. Partitions are days (UTC), made ahead and dropped by housekeeping.
create table push_log (
  at timestamptz not null,
  id bigint generated always as identity,
  supplier_id int not null,
  -- Of a stop-sell there is none.
  key_id int,
  request_id text not null,
  kind text not null,
  hotel_id int,
  -- Of a push of several hotels; hotel_id is then null.
  hotel_ids int[],
  hotel_code text,
  -- applied, unchanged, partial, rejected, dryRun
  outcome text not null,
  -- What was wrong, in short: how many problems, their types, the message of the first.
  problems jsonb,
  status smallint not null,
  -- The hotel's revision after the push.
  revision bigint,
  cells_changed int not null default 0,
  duration_ms int not null default 0,
  body_bytes int not null,
  -- Bodies and answers are kept as bytes; 'zstd' or 'identity' says how to read them.
  body_encoding text not null,
  body bytea,
  answer_encoding text not null,
  answer bytea not null
) partition by range (at);
alter table push_log alter column body set storage external;
alter table push_log alter column answer set storage external;
create index push_log_by_supplier on push_log (supplier_id, id);
create index push_log_by_hotel on push_log (hotel_id, id) where hotel_id is not null;
create index push_log_by_hotels on push_log using gin (hotel_ids) where hotel_ids is not null;
create index push_log_by_request on push_log (supplier_id, request_id, id);

-- Answers to pushes that came with an Idempotency-Key, for 24 hours.
create table idempotency (
  key_id int not null,
  idempotency_key text not null,
  body_hash bytea not null,
  at timestamptz not null,
  status smallint not null,
  answer bytea not null,
  primary key (key_id, idempotency_key)
);
create index idempotency_by_time on idempotency (at);

-- The cells of a block: field and kind as in src/ari/fields.ts and src/ari/block.ts, night 0 = the 1st of the month.
-- For people and reports; the service reads blocks itself.
create function ari_block_cells(block bytea)
  returns table (field int, kind int, key_id int, night int, value bigint)
  language plpgsql immutable strict parallel safe
as $$
declare
  at int := 1;
  column_end int;
  tag bigint;
  length bigint;
  run int;
  nights int;
  folded bigint;
  scale bigint;
  byte int;
begin
  if get_byte(block, 0) <> 1 then
    raise exception 'ARI block of unknown version %', get_byte(block, 0);
  end if;
  while at < octet_length(block) loop
    tag := 0; scale := 1;
    loop
      byte := get_byte(block, at); at := at + 1;
      tag := tag + (byte & 127) * scale; scale := scale * 128;
      exit when byte < 128;
    end loop;
    length := 0; scale := 1;
    loop
      byte := get_byte(block, at); at := at + 1;
      length := length + (byte & 127) * scale; scale := scale * 128;
      exit when byte < 128;
    end loop;
    column_end := at + length;
    key_id := tag / 65536;
    field := (tag % 65536) / 4;
    kind := tag % 4;
    night := 0;
    value := 0;
    while at < column_end loop
      run := get_byte(block, at); at := at + 1;
      nights := (run & 31) + 1;
      if run & 96 = 32 then
        night := night + nights;
        continue;
      end if;
      for i in 1..nights loop
        if i = 1 or run & 96 = 64 then
          folded := 0; scale := 1;
          loop
            byte := get_byte(block, at); at := at + 1;
            folded := folded + (byte & 127) * scale; scale := scale * 128;
            exit when byte < 128;
          end loop;
          value := value + case when folded % 2 = 1 then -(folded + 1) / 2 else folded / 2 end;
        end if;
        return next;
        night := night + 1;
      end loop;
    end loop;
  end loop;
end
$$;

-- One row a night. Amounts are in minor units; guest_prices is {"adult": {"2": 11000}, …}. revision is the hotel's at
-- the last change of the night: push_log tells which push that was.
create view ari_night as
select
  month.hotel_id,
  month.room_no,
  month.rate_no,
  make_date(month.month / 12, month.month % 12 + 1, 1) + cell.night as night,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 0) as inventory,
  coalesce(bool_or(cell.kind = 0 and cell.field = 1), false) as closed,
  coalesce(bool_or(cell.kind = 0 and cell.field = 2), false) as closed_to_arrival,
  coalesce(bool_or(cell.kind = 0 and cell.field = 3), false) as closed_to_departure,
  coalesce(bool_or(cell.kind = 0 and cell.field = 12), false) as stop_sell,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 4) as min_length_stay,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 5) as max_length_stay,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 6) as min_stay_arrival,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 7) as max_stay_arrival,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 8) as min_advance_days,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 9) as max_advance_days,
  max(cell.value) filter (where cell.kind = 0 and cell.field = 10) as unit_price,
  jsonb_strip_nulls(jsonb_build_object(
    'adult', jsonb_object_agg(cell.field - 100, cell.value) filter (where cell.kind = 0 and cell.field between 101 and 199),
    'child', jsonb_object_agg(cell.field - 200, cell.value) filter (where cell.kind = 0 and cell.field between 201 and 299),
    'infant', jsonb_object_agg(cell.field - 300, cell.value) filter (where cell.kind = 0 and cell.field between 301 and 399)
  )) as guest_prices,
  max(cell.value) filter (where cell.kind = 1) as revision
from ari_month as month
cross join lateral ari_block_cells(month.block) as cell
where cell.kind in (0, 1)
group by month.hotel_id, month.room_no, month.rate_no, month.month, cell.night
having bool_or(cell.kind = 0);
