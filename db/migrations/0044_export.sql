-- Exports (decisions/048-bulk.md): the hotels requested (null: all), and the last one whose lines are stored.
alter table bulk_job add column hotel_codes text[], add column after_hotel int not null default 0;
