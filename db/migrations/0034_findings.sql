-- What the service noticed by itself (decisions/044-findings-and-alerts.md).
create table finding (
  id bigint generated always as identity primary key,
  supplier_id int not null references supplier,
  kind text not null,
  key_id int references api_key,
  hotel_id int references hotel on delete cascade,
  subject text not null,
  state text not null check (state in ('open', 'acknowledged', 'resolved')),
  count int not null,
  evidence jsonb not null,
  opened_at timestamptz not null,
  last_seen_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  resolved_at timestamptz,
  -- When it is to be told; infinity: not again, unless it grows or comes back.
  tell_at timestamptz not null,
  told_at timestamptz,
  told_count int not null default 0,
  check ((state = 'resolved') = (resolved_at is not null))
) with (fillfactor = 80);
-- One row each.
create unique index finding_name on finding (supplier_id, kind, coalesce(hotel_id, 0), coalesce(key_id, 0), subject);
create index finding_by_supplier on finding (supplier_id, opened_at, id);
create index finding_by_hotel on finding (hotel_id) where hotel_id is not null;
create index finding_unresolved on finding (kind, id) where state <> 'resolved';
create index finding_untold on finding (tell_at) where state = 'open';
create index finding_resolved on finding (resolved_at) where state = 'resolved';
