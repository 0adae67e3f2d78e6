-- What the change feed tells: one row for all hotels that a statement raised the revision of, written by that statement.
-- Not a row a hotel: that would cost a small push a tenth of what PostgreSQL has to do for it. Housekeeping deletes rows
-- after some days.
create table change (
  -- Rows are read in this order, as soon as no transaction is under way that has a number up to it. Not less than the
  -- writer's own number, so nobody can commit a row where readers have passed; and not less than that of any transaction
  -- that had ended before, as whoever had a hotel's lock before: a hotel's rows stand in the order of its revisions.
  turn bigint not null default greatest(
    pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1
  ),
  id bigint generated always as identity,
  at timestamptz not null default now(),
  kind text not null check (kind in ('hotel', 'products', 'taxes', 'ari', 'reservation', 'stopSell')),
  hotel_ids int[] not null,
  -- Of each hotel the revisions that the statement made, both included: the values of its blocks remember them.
  revisions_from bigint[] not null,
  revisions_to bigint[] not null,
  -- Of each hotel which rows of ari_month were written, as numbers with blanks between: src/ari/store.ts packs them.
  blocks text[],
  primary key (turn, id)
);

-- The last row deleted, and how many hotels it named: whoever read less far has missed something.
create table change_horizon (
  only_row boolean primary key default true check (only_row),
  turn bigint not null,
  id bigint not null,
  hotels int not null
);
insert into change_horizon (turn, id, hotels) values (0, 0, 0);
