-- The guard that new accounts begin with (decisions/045-guard.md): one row, or none if it is off.
create table guard_default (
  is_only boolean primary key default true check (is_only),
  settings jsonb not null,
  changed_at timestamptz not null
);
