-- An epoch is a stretch of the store's history that lost nothing: it ends with a failover, a restore or another database
-- behind the same address. Whatever is kept outside the database (caches, cursors, ids that were told) is of one epoch.
create table store_epoch (
  only_row boolean primary key default true check (only_row),
  id text not null,
  number int not null,
  began_at timestamptz not null,
  -- Where the epoch began (store_place()); a part is null where PostgreSQL does not tell it, and all are before the first
  -- program opened the store.
  system_identifier text,
  timeline text,
  database_oid bigint,
  table_oid bigint
);
insert into store_epoch (id, number, began_at)
values (substr(replace(gen_random_uuid()::text, '-', ''), 1, 12), 1, clock_timestamp());

-- Rises every few seconds while a service runs, each value on disk before anybody reads it: a program that has read a
-- higher one than there is now has seen a store that is gone. A table of its own, so that reading the epoch stays cheap.
create table store_beat (
  only_row boolean primary key default true check (only_row),
  beat bigint not null
);
insert into store_beat (beat) values (0);

-- How far housekeeping has got: it goes on by a day a run at most, whatever the clock says.
create table housekeeping_mark (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null
);
insert into housekeeping_mark (at) values (clock_timestamp());

-- What differs once the store is another one: a promotion or a recovery to a point in time makes a timeline, initdb and
-- pg_upgrade a system identifier, a restored dump new tables. Rented PostgreSQLs may forbid some: null then.
create function store_place(out system_identifier text, out timeline text, out database_oid bigint, out table_oid bigint)
language plpgsql stable as $$
begin
  begin
    select control.system_identifier::text into system_identifier from pg_control_system() as control;
  exception when others then system_identifier := null;
  end;
  begin
    -- Not pg_control_checkpoint(), which says the former one until the checkpoint after a promotion is done.
    if not pg_is_in_recovery() then timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8); end if;
  exception when others then timeline := null;
  end;
  select oid::bigint into database_oid from pg_database where datname = current_database();
  table_oid := 'store_epoch'::regclass::oid::bigint;
end $$;

-- The epoch in which a hotel's numbers_after was set: in each one since then, numbers of rooms and rates may have been
-- given out and lost. Set when numbers are next given out, so that an epoch begins at once however many hotels there are.
create function store_epoch_number() returns int language sql stable as 'select number from store_epoch';
alter table hotel add column numbers_epoch int not null default 1;
alter table hotel alter column numbers_epoch set default store_epoch_number();

-- What ends with an epoch of what lets people and programs in: nothing yet.
create function end_access_of_former_epoch() returns void language sql as '';

-- Begins an epoch. The caller holds the row of store_epoch.
create function begin_store_epoch(known_number int) returns void language plpgsql as $$
declare
  sequence record;
begin
  -- More than a service gives out between two backups, or while a replica lags.
  for sequence in
    select format('%I.%I', schemaname, sequencename)::regclass as name,
      case data_type when 'bigint'::regtype then 1000000 else 100000 end as skipped
    from pg_sequences where schemaname = current_schema()
  loop
    perform setval(sequence.name, nextval(sequence.name) + sequence.skipped);
  end loop;
  -- Nobody has a cursor of the new epoch yet, and turns are numbers of the server's transactions: another server's differ.
  truncate change;
  update change_horizon set turn = pg_snapshot_xmax(pg_current_snapshot())::text::bigint, id = 0, hotels = 0;
  perform end_access_of_former_epoch();
  update store_epoch set
    id = substr(replace(gen_random_uuid()::text, '-', ''), 1, 12),
    number = greatest(number, known_number) + 1,
    began_at = clock_timestamp(),
    (system_identifier, timeline, database_oid, table_oid) = (select place.* from store_place() as place);
end $$;

-- What every connection asks first. Begins an epoch where the store is another one than the row says, or an older one
-- than the caller has seen (`known`: the epoch and the beat that it read last; null before it has read any).
create function enter_store(
  known_id text, known_number int, known_beat bigint,
  out id text, out number int, out beat bigint, out has_begun boolean
) language plpgsql as $$
declare
  held store_epoch;
  place record;
  is_other boolean;
begin
  has_begun := false;
  for attempt in 1..2 loop
    select * into held from store_epoch;
    select store_beat.beat into beat from store_beat;
    select * into place from store_place();
    is_other := held.system_identifier <> place.system_identifier or held.timeline <> place.timeline
      or held.database_oid <> place.database_oid or held.table_oid <> place.table_oid;
    is_other := coalesce(is_other, false)
      or case when held.id = known_id then beat < known_beat else held.number <= known_number end;
    is_other := coalesce(is_other, false);
    exit when pg_is_in_recovery() or (not is_other and held.database_oid is not null);
    -- One begins it; those who come meanwhile wait here, and find it begun.
    if attempt = 1 then
      perform from store_epoch for update;
    elsif is_other then
      perform begin_store_epoch(known_number);
      has_begun := true;
    else
      -- The first program ever: nothing came before it.
      update store_epoch set
        (system_identifier, timeline, database_oid, table_oid) = (place.system_identifier, place.timeline,
          place.database_oid, place.table_oid);
    end if;
  end loop;
  select * into held from store_epoch;
  id := held.id;
  number := held.number;
end $$;
