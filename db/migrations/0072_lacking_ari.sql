-- Online. A supplier's hotels whose ARI has ended or never came, without passing by those of all others.
drop index concurrently if exists hotel_by_supplier_ari_end;

create index concurrently hotel_by_supplier_ari_end on hotel (supplier_id, coalesce(ari_until_month, 0), id);
