-- One row, written by whoever wants to know whether anything can be committed.
create table write_probe (
  is_only boolean primary key default true check (is_only),
  at timestamptz not null
) with (fillfactor = 50);
