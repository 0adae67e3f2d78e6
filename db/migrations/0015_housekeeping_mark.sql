-- When the mark was last moved: it goes on once an hour, however many processes keep house.
alter table housekeeping_mark add column moved_at timestamptz;
