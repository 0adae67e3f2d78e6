-- The values before each change of ARI, in the row that the change writes anyway; decisions/041-history.md has the format.
alter table push_log add column before bytea;
alter table push_log alter column before set storage external;

alter table reservation_version add column before bytea;
alter table reservation_version alter column before set storage external;
-- Housekeeping clears the column as soon as the push log of that time is gone.
create index reservation_version_with_before on reservation_version (at) where before is not null;

-- The revision of the last change of ARI. null: the last one was before its values were stored.
alter table hotel add column cells_revision bigint;
alter table hotel alter column cells_revision set default 0;
