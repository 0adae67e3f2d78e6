-- The test clock of an account of the sandbox: how far its time is ahead of the database's. A hotel's row says it too, so that
-- whoever holds a hotel knows its time; only the transaction that advances the clock writes either.
alter table supplier add column clock_ahead_ms bigint not null default 0 check (clock_ahead_ms >= 0);
alter table hotel add column clock_ahead_ms bigint not null default 0 check (clock_ahead_ms >= 0);

-- Hotels that a reset of the sandbox removed. Pushed again, a hotel has its id again, and its numbers go on: what any process
-- remembers of it is older then, never another hotel's, and the change feed can name it.
create table removed_hotel (
  supplier_id int not null references supplier,
  code text not null,
  id int not null unique,
  revision bigint not null,
  catalog_version bigint not null,
  ari_version bigint not null,
  numbers_after smallint not null,
  numbers_epoch int not null,
  primary key (supplier_id, code)
);

alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check
  check (kind in ('hotel', 'products', 'taxes', 'ari', 'reservation', 'stopSell', 'removed'));

-- A delivery belongs to its reservation, and by it to the hotel. Without indexes that nothing else needs, each hotel and each
-- reservation that is removed would have all deliveries and alerts looked through.
alter table delivery drop constraint delivery_hotel_id_fkey;
alter table delivery_alert drop constraint delivery_alert_hotel_id_fkey;
alter table delivery_alert drop constraint delivery_alert_reservation_id_fkey;
create index delivery_alert_by_delivery on delivery_alert (delivery_id);
