-- What the files of db/migrations give together, written by "node scripts/check-schema.ts --write".
-- Read it, don't run it: a change is a new migration. Days of partitioned tables are made while the service runs.

create table access_token (
  hash bytea not null,
  id integer generated always as identity not null,
  role text not null,
  name text not null,
  tail text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint access_token_pkey PRIMARY KEY (hash),
  constraint access_token_id_key UNIQUE (id),
  constraint access_token_role_check CHECK ((role = ANY (ARRAY['platform'::text, 'operator'::text])))
);

create table api_key (
  id integer generated always as identity not null,
  supplier_id integer not null,
  channel_manager text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  requests_per_minute integer,
  requests_burst integer,
  body_bytes_max integer,
  ari_items_max integer,
  ari_cells_max integer,
  availability_webhook text,
  pushbook_webhook text,
  signing_secret text,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_ari_cells_max_check CHECK ((ari_cells_max >= 1)),
  constraint api_key_ari_items_max_check CHECK ((ari_items_max >= 1)),
  constraint api_key_body_bytes_max_check CHECK ((body_bytes_max >= 1024)),
  constraint api_key_requests_burst_check CHECK ((requests_burst >= 1)),
  constraint api_key_requests_per_minute_check CHECK ((requests_per_minute >= 0)),
  constraint api_key_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX api_key_by_supplier ON public.api_key USING btree (supplier_id);

create table api_key_secret (
  hash bytea not null,
  key_id integer not null,
  tail text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint api_key_secret_pkey PRIMARY KEY (hash),
  constraint api_key_secret_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id)
);
CREATE INDEX api_key_secret_by_key ON public.api_key_secret USING btree (key_id);

create table ari_month (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  month smallint not null,
  written_at timestamp with time zone not null,
  block bytea storage external not null,
  constraint ari_month_pkey PRIMARY KEY (hotel_id, room_no, rate_no, month)
) with (fillfactor=80);

create table environment (
  only_row boolean default true not null,
  name text not null,
  constraint environment_pkey PRIMARY KEY (only_row),
  constraint environment_name_check CHECK ((name = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint environment_only_row_check CHECK (only_row)
);

create table hotel (
  id integer generated always as identity not null,
  supplier_id integer not null,
  code text not null,
  name text not null,
  currency text not null,
  is_available boolean not null,
  min_child_age integer not null,
  max_child_age integer not null,
  time_zone text not null,
  pushed jsonb not null,
  city_matched text,
  revision bigint default 0 not null,
  catalog_version bigint default 0 not null,
  currency_revision bigint default 0 not null,
  ari_version bigint default 0 not null,
  ari_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint hotel_pkey PRIMARY KEY (id),
  constraint hotel_supplier_id_code_key UNIQUE (supplier_id, code),
  constraint hotel_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
) with (fillfactor=70);

create table idempotency (
  key_id integer not null,
  idempotency_key text not null,
  body_hash bytea not null,
  at timestamp with time zone not null,
  status smallint not null,
  answer bytea not null,
  constraint idempotency_pkey PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX idempotency_by_time ON public.idempotency USING btree (at);

create table meal_plan (
  code text not null,
  name text not null,
  description text not null,
  retired_at timestamp with time zone,
  constraint meal_plan_pkey PRIMARY KEY (code)
);

create table push_log (
  at timestamp with time zone not null,
  id bigint generated always as identity not null,
  supplier_id integer not null,
  key_id integer not null,
  request_id text not null,
  kind text not null,
  hotel_id integer,
  hotel_ids integer[],
  hotel_code text,
  outcome text not null,
  status smallint not null,
  revision bigint,
  cells_changed integer default 0 not null,
  duration_ms integer default 0 not null,
  body_bytes integer not null,
  body_encoding text not null,
  body bytea storage external,
  answer_encoding text not null,
  answer bytea storage external not null
) partition by RANGE (at);
CREATE INDEX push_log_by_hotel ON ONLY public.push_log USING btree (hotel_id, id) WHERE (hotel_id IS NOT NULL);
CREATE INDEX push_log_by_hotels ON ONLY public.push_log USING gin (hotel_ids) WHERE (hotel_ids IS NOT NULL);
CREATE INDEX push_log_by_request ON ONLY public.push_log USING btree (supplier_id, request_id, id);
CREATE INDEX push_log_by_supplier ON ONLY public.push_log USING btree (supplier_id, id);

create table rate (
  hotel_id integer not null,
  rate_no smallint not null,
  code text not null,
  name text not null,
  constraint rate_pkey PRIMARY KEY (hotel_id, rate_no),
  constraint rate_hotel_id_code_key UNIQUE (hotel_id, code),
  constraint rate_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);

create table room (
  hotel_id integer not null,
  room_no smallint not null,
  code text not null,
  name text not null,
  room_type text not null,
  constraint room_pkey PRIMARY KEY (hotel_id, room_no),
  constraint room_hotel_id_code_key UNIQUE (hotel_id, code),
  constraint room_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);

create table room_rate (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  is_available boolean not null,
  max_occupancy smallint not null,
  max_adult smallint,
  max_child smallint,
  meal_plan text,
  cancel_policies jsonb default '[]'::jsonb not null,
  pricing_model text,
  constraint room_rate_pkey PRIMARY KEY (hotel_id, room_no, rate_no),
  constraint room_rate_pricing_model_check CHECK ((pricing_model = ANY (ARRAY['unit'::text, 'guest'::text]))),
  constraint room_rate_hotel_id_rate_no_fkey FOREIGN KEY (hotel_id, rate_no) REFERENCES rate(hotel_id, rate_no),
  constraint room_rate_hotel_id_room_no_fkey FOREIGN KEY (hotel_id, room_no) REFERENCES room(hotel_id, room_no)
);

create table room_type (
  name text not null,
  description text not null,
  retired_at timestamp with time zone,
  constraint room_type_pkey PRIMARY KEY (name)
);

create table schema_migration (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table supplier (
  id integer generated always as identity not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  constraint supplier_pkey PRIMARY KEY (id),
  constraint supplier_name_key UNIQUE (name)
);

create table tax (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  "position" smallint not null,
  type text not null,
  value_type text not null,
  value numeric not null,
  applied_on text not null,
  applied_per text not null,
  included boolean not null,
  pay_now boolean not null,
  start_date date,
  end_date date,
  constraint tax_pkey PRIMARY KEY (hotel_id, room_no, rate_no, "position"),
  constraint tax_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);

create view ari_night as
 SELECT month.hotel_id,
    month.room_no,
    month.rate_no,
    make_date(month.month / 12, month.month::integer % 12 + 1, 1) + cell.night AS night,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 0) AS inventory,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 1), false) AS closed,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 2), false) AS closed_to_arrival,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 3), false) AS closed_to_departure,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 4) AS min_length_stay,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 5) AS max_length_stay,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 6) AS min_stay_arrival,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 7) AS max_stay_arrival,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 8) AS min_advance_days,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 9) AS max_advance_days,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 10) AS unit_price,
    jsonb_strip_nulls(jsonb_build_object('adult', jsonb_object_agg(cell.field - 100, cell.value) FILTER (WHERE cell.kind = 0 AND cell.field >= 101 AND cell.field <= 199), 'child', jsonb_object_agg(cell.field - 200, cell.value) FILTER (WHERE cell.kind = 0 AND cell.field >= 201 AND cell.field <= 299), 'infant', jsonb_object_agg(cell.field - 300, cell.value) FILTER (WHERE cell.kind = 0 AND cell.field >= 301 AND cell.field <= 399))) AS guest_prices,
    max(cell.value) FILTER (WHERE cell.kind = 1) AS revision
   FROM ari_month month
     CROSS JOIN LATERAL ari_block_cells(month.block) cell(field, kind, key_id, night, value)
  WHERE cell.kind = ANY (ARRAY[0, 1])
  GROUP BY month.hotel_id, month.room_no, month.rate_no, month.month, cell.night
 HAVING bool_or(cell.kind = 0);

CREATE OR REPLACE FUNCTION public.ari_block_cells(block bytea)
 RETURNS TABLE(field integer, kind integer, key_id integer, night integer, value bigint)
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
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
$function$;
