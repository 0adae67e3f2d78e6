-- The UTC day of the last push of ARI, by the service's clock; 0: none. It changes once a day, so that only the first push
-- of a day writes the indexes of the hotel: indexes on ari_at would cost every push. In a file of its own, because it locks
-- the hotels for a moment.
alter table hotel add column ari_day int not null default 0;

-- The first month that housekeeping kept when it last went through all hotels.
alter table housekeeping_mark add column months_removed_before smallint;
