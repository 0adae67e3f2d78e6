-- Online. The overview's hotels without recent ARI or whose ARI ends soon, among the bookable ones only: hotels that were
-- closed long ago are the first in the indexes of all.
drop index concurrently if exists hotel_watched_by_ari_day;

create index concurrently hotel_watched_by_ari_day on hotel (ari_day, id) where is_available;

drop index concurrently if exists hotel_watched_by_ari_end;

create index concurrently hotel_watched_by_ari_end on hotel (coalesce(ari_until_month, 0), id) where is_available;
