-- The watches that raise and resolve findings (decisions/044-findings-and-alerts.md): the last round, and how far it came
-- among the hotels.
create table finding_watch (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null,
  hotel_id int not null
);
insert into finding_watch (at, hotel_id) values ('-infinity', 0);
-- What the last look at a hotel found: the versions tell whether it has to be looked at again.
create table watched_hotel (
  hotel_id int primary key references hotel on delete cascade,
  ari_version bigint not null,
  catalog_version bigint not null,
  day int not null,
  sellable int not null
) with (fillfactor = 80);
