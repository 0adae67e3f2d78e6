-- Online. Hotels on sale that never got ARI, by supplier: there are few, except during a first load.
drop index concurrently if exists hotel_never_pushed;

create index concurrently hotel_never_pushed on hotel (supplier_id, id) where is_available and ari_day = 0;
