-- Online. Lists of hotels are read by indexes, however many hotels there are. decisions/012-hotel-search.md has the figures.
do $$
declare
  after_id int := 0;
  until_id int;
begin
  loop
    select max(id) into until_id from (select id from hotel where id > after_id order by id limit 1000) as few;
    exit when until_id is null;
    update hotel set ari_day = floor((extract(epoch from ari_at) * 1000 - clock_ahead_ms) / 86400000)
    where id > after_id and id <= until_id and ari_at is not null and ari_day = 0;
    commit;
    after_id := until_id;
  end loop;
end $$;

drop index concurrently if exists hotel_by_ari_day;

create index concurrently hotel_by_ari_day on hotel (ari_day, id);

drop index concurrently if exists hotel_by_ari_end;

create index concurrently hotel_by_ari_end on hotel (coalesce(ari_until_month, 0), id);

drop index concurrently if exists hotel_by_currency;

create index concurrently hotel_by_currency on hotel (currency);

drop index concurrently if exists hotel_by_country;

create index concurrently hotel_by_country on hotel ((pushed ->> 'countryCodeISO2'));

drop index concurrently if exists hotel_without_products;

create index concurrently hotel_without_products on hotel (id) where not is_offered;

drop index concurrently if exists hotel_unavailable;

create index concurrently hotel_unavailable on hotel (id) where not is_available;

drop index concurrently if exists hotel_search_by_supplier;

create index concurrently hotel_search_by_supplier on hotel_search (supplier_id, name, hotel_id) include (words);

drop index concurrently if exists hotel_search_newest;

create index concurrently hotel_search_newest on hotel_search (supplier_id, hotel_id);

analyze hotel;
