-- The push log with shorter rows and fewer bytes in indexes; decisions/038-bodies-of-pushes.md has the figures. All rows are
-- rewritten, and pushes wait meanwhile.
create type push_kind as enum ('hotels', 'products', 'taxes', 'ari', 'availabilityWebhook', 'pushbookWebhook', 'stopSell');
create type push_outcome as enum ('applied', 'unchanged', 'partial', 'rejected', 'dryRun');

-- In the order of alignment: an 8-byte column after a 4-byte one costs 4 more. null takes no space, so it stands for the
-- usual value of a column.
create table push_log_next (
  at timestamptz not null,
  id bigint generated always as identity,
  -- The batch that has the body, the answer or both.
  batch bigint,
  -- The hotel's revision after the push.
  revision bigint,
  supplier_id int not null,
  -- null for a stop-sell.
  key_id int,
  -- null for pushes of no known hotel, and for those of several.
  hotel_id int,
  kind push_kind not null,
  outcome push_outcome not null,
  cells_changed int not null,
  duration_ms int not null,
  body_bytes int not null,
  -- Where the body and the answer begin in the batch, from 0; null if they are not in it.
  body_from int,
  answer_from int,
  answer_length int,
  -- null: 200.
  status smallint,
  -- A request id that is a UUID in lower case; every other is in request_text.
  request_uuid uuid,
  request_text text,
  hotel_code text,
  hotel_ids int[],
  -- Summaries: [how many, their types, the message of the first].
  problems jsonb,
  warnings jsonb,
  -- How to read the bytes below; null: the body is in the batch.
  body_encoding text,
  body bytea,
  -- null: the answer is in the batch, or if it isn't, 'plain.1'.
  answer_encoding text,
  answer bytea,
  constraint push_log_request_check check ((request_uuid is null) <> (request_text is null))
) partition by range (at);
alter table push_log_next alter column body set storage external;
alter table push_log_next alter column answer set storage external;

do $$
declare
  day record;
begin
  for day in
    select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds
    from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'push_log'::regclass
  loop
    create table next_day (like push_log_next including defaults including constraints including storage);
    execute format($move$
      insert into next_day
      select at, id, batch, revision, supplier_id, key_id, hotel_id, kind::push_kind, outcome::push_outcome, cells_changed,
        duration_ms, body_bytes, body_from, answer_from, answer_length, nullif(status, 200),
        case when is_uuid then request_id::uuid end, case when not is_uuid then request_id end,
        hotel_code, hotel_ids,
        case when problems is not null then jsonb_build_array(problems -> 'count', problems -> 'types', problems -> 'message') end,
        case when warnings is not null then jsonb_build_array(warnings -> 'count', warnings -> 'types', warnings -> 'message') end,
        nullif(body_encoding, 'batch'), body,
        case when answer_encoding not in ('batch', 'plain.1') then answer_encoding end, nullif(answer, '')
      from (
        select *, request_id ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' as is_uuid from %I
      ) as before order by id
    $move$, day.name);
    execute format('drop table %I', day.name);
    execute format('alter table next_day rename to %I', day.name);
    execute format('alter table push_log_next attach partition %I %s', day.name, day.bounds);
  end loop;
  perform setval(
    pg_get_serial_sequence('push_log_next', 'id'), last_value, is_called
  ) from push_log_id_seq;
end $$;

drop table push_log;
alter table push_log_next rename to push_log;
alter sequence push_log_next_id_seq rename to push_log_id_seq;

-- Indexes by id >> 14 have 16,384 pushes under one key. PostgreSQL writes equal keys once, so that an entry takes 6 bytes
-- instead of 28, and a page of a list reads and sorts at most one more group than it needs.
create index push_log_by_supplier on push_log (supplier_id, (id >> 14));
create index push_log_by_hotel on push_log (hotel_id, (id >> 14)) where hotel_id is not null;
create index push_log_by_hotels on push_log using gin (hotel_ids) where hotel_ids is not null;
create index push_log_by_request on push_log (request_uuid, (id >> 14)) where request_uuid is not null;
-- Ids of other forms are short and repeated by many suppliers.
create index push_log_by_request_text on push_log (request_text, supplier_id, (id >> 14)) where request_text is not null;
create index push_log_by_time on push_log using brin (at) with (pages_per_range = 32, autosummarize = on);

-- Rows that are few among many have indexes of their own, and the many don't pay for them. Statements repeat the conditions.
create index push_log_refused on push_log (supplier_id, (id >> 14)) where outcome in ('partial', 'rejected', 'dryRun');
create index push_log_refused_of_all on push_log ((id >> 14)) where outcome in ('partial', 'rejected', 'dryRun');
create index push_log_other_by_supplier on push_log (supplier_id, kind, (id >> 14)) where kind <> 'ari';
create index push_log_other_by_hotel on push_log (hotel_id, kind, (id >> 14)) where kind <> 'ari' and hotel_id is not null;
create index push_log_noted on push_log (supplier_id, (id >> 14)) where coalesce(problems, warnings) is not null;
create index push_log_noted_by_hotel on push_log (hotel_id, (id >> 14))
  where hotel_id is not null and coalesce(problems, warnings) is not null;
-- By their types. Entries wait in a list, which takes ten times as much as the index: less of it than by default.
create index push_log_by_problem on push_log using gin ((problems -> 1)) with (gin_pending_list_limit = 256)
  where problems is not null;
create index push_log_by_warning on push_log using gin ((warnings -> 1)) with (gin_pending_list_limit = 256)
  where warnings is not null;
