-- Online.
-- Expand.
-- The platform's search of reservations: each filter has an index.
alter table change validate constraint change_kind_check;

drop index concurrently if exists reservation_by_departure;

create index concurrently reservation_by_departure on reservation (departure, id);

drop index concurrently if exists reservation_by_modified;

create index concurrently reservation_by_modified on reservation (modified_at, id);

-- Of the booker. A former version's address is found too, and passed by.
drop index concurrently if exists reservation_version_by_email;

create index concurrently reservation_version_by_email on reservation_version (lower(content->'customer'->>'email'))
  where lower(content->'customer'->>'email') is not null;
