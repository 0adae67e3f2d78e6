-- Expand.
-- Many deliveries may be due at the same instant. An entry that stands for several of them is only removed when all of them
-- have been claimed; until then every claim reads all of it.
alter index delivery_due set (deduplicate_items = off);
alter index delivery_due_by_hotel set (deduplicate_items = off);
alter index delivery_due_hourly set (deduplicate_items = off);
