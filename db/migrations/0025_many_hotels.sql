-- Lists of hotels are read by indexes, however many hotels there are. decisions/012-hotel-search.md has the figures.
update hotel set ari_day = floor((extract(epoch from ari_at) * 1000 - clock_ahead_ms) / 86400000) where ari_at is not null;
create index hotel_by_ari_day on hotel (ari_day, id);
create index hotel_by_ari_end on hotel (coalesce(ari_until_month, 0), id);
create index hotel_by_currency on hotel (currency);
create index hotel_by_country on hotel ((pushed ->> 'countryCodeISO2'));
create index hotel_without_products on hotel (id) where not is_offered;
create index hotel_unavailable on hotel (id) where not is_available;

create index hotel_search_by_supplier on hotel_search (supplier_id, name, hotel_id) include (words);
create index hotel_search_newest on hotel_search (supplier_id, hotel_id);
analyze hotel;
