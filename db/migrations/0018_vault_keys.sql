-- The vault keys of the store, by name: src/cards/vault-keys.ts. A key that is gone from here seals nothing any
-- more, whoever still has it.
create table vault_key (
  -- Made of the key, and tells nothing of it; 'unknown' for cards that no key opened.
  id text primary key,
  -- The one that seals; others are on their way out.
  is_current boolean not null,
  since timestamptz not null
);
create unique index vault_key_current on vault_key (is_current) where is_current;

alter table reservation_card
  -- Null: sealed before keys had names, and not looked at since.
  add column key_id text references vault_key,
  -- The CVV goes then at the latest.
  add column cvv_until timestamptz,
  add constraint reservation_card_key_check check (card is not null or key_id is null);
create index reservation_card_by_key on reservation_card (key_id, reservation_id) where card is not null;

-- What is kept of cancelled and given up bookings, and for longer than three days, goes now. Few rows have a CVV: it goes
-- with the first delivery.
update reservation_card set cvv_key = null, cvv = null from reservation
where reservation.id = reservation_card.reservation_id and reservation_card.cvv is not null
  and (reservation.status = 'Cancel' or reservation.modified_at < now() - interval '71 hours'
    or not exists (select from delivery where delivery.reservation_id = reservation.id
      and delivery.status in ('queued', 'sending')));
update reservation_card set cvv_until = reservation.modified_at + interval '71 hours' from reservation
where reservation.id = reservation_card.reservation_id and reservation_card.cvv is not null;
alter table reservation_card add constraint reservation_card_cvv_check check ((cvv is null) = (cvv_until is null));
create index reservation_card_by_cvv_time on reservation_card (cvv_until) where cvv is not null;

-- How far the chores have come that go once through what was stored before: src/bookings/stored-cards.ts.
create table stored_card_search (
  place text primary key,
  after_id bigint not null,
  is_done boolean not null
);
