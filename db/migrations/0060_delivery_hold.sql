-- While this has a row, no delivery is sent: after a restore, until an operator releases them (decisions/058-backup.md).
create table delivery_hold (
  only_one boolean primary key default true check (only_one),
  since timestamptz not null default now(),
  reason text not null
);
