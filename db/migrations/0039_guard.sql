-- The guard against mistyped values, and what it holds; decisions/045-guard.md.
alter type push_kind add value 'release';

-- The settings of an account, or of one of its hotels.
create table guard (
  supplier_id int not null references supplier,
  hotel_id int references hotel,
  settings jsonb not null,
  changed_at timestamptz not null,
  unique nulls not distinct (supplier_id, hotel_id)
);
create index guard_by_hotel on guard (hotel_id) where hotel_id is not null;

-- What one push wanted and one reason forbade.
create table hold (
  id uuid primary key,
  hotel_id int not null references hotel,
  key_id int not null,
  request_id text not null,
  reason text not null,
  at timestamptz not null,
  -- By the clock of the account.
  expires_at timestamptz not null,
  on_expiry text not null check (on_expiry in ('discard', 'apply')),
  sequence bigint,
  currency_revision bigint not null,
  cells int not null,
  -- The blocks of ari_month in which it has parts, each as the number that the change feed has for it.
  blocks bigint[] not null,
  -- The held values with those that were stored then; src/ari/guard/hold-codec.ts has the format.
  parts bytea not null,
  examples jsonb not null,
  state text not null default 'open' check (state in ('open', 'released', 'discarded', 'expired', 'replaced')),
  resolved_at timestamptz,
  resolved_by text,
  check ((state = 'open') = (resolved_at is null))
);
alter table hold alter column parts set storage external;
create index hold_open_by_hotel on hold (hotel_id, at, id) where state = 'open';
create index hold_by_hotel on hold (hotel_id, at, id);
create index hold_open_by_expiry on hold (expires_at) where state = 'open';
create index hold_by_end on hold (resolved_at) where state <> 'open';
