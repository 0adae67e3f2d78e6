-- A reservation as it is now: what lists search. Its id is reservation_id towards the supplier.
create table reservation (
  id bigint generated always as identity primary key,
  supplier_id int not null references supplier,
  hotel_id int not null references hotel,
  status text not null check (status in ('Confirm', 'Cancel')),
  version int not null check (version >= 1),
  arrival date not null,
  departure date not null check (departure > arrival),
  rooms int not null check (rooms >= 1),
  currency text not null,
  -- Minor units.
  total_after_tax bigint not null check (total_after_tax >= 0),
  created_at timestamptz not null,
  modified_at timestamptz not null
);
create index reservation_by_hotel on reservation (hotel_id, id);
create index reservation_by_hotel_arrival on reservation (hotel_id, arrival, id);
create index reservation_by_supplier on reservation (supplier_id, modified_at, id);

-- Every state a reservation was in, whole and without the card: answers and deliveries are made of it.
create table reservation_version (
  reservation_id bigint not null references reservation,
  version int not null,
  hotel_id int not null,
  status text not null check (status in ('Confirm', 'Cancel')),
  at timestamptz not null,
  -- The hotel's revision that lowered its inventory; null where none was lowered.
  revision bigint,
  content jsonb not null,
  primary key (reservation_id, version)
);
-- Nothing follows a cancellation, and nothing cancels twice.
create unique index reservation_cancelled_once on reservation_version (reservation_id) where status = 'Cancel';
-- Says which reservation set a night's inventory.
create index reservation_version_by_revision on reservation_version (hotel_id, revision) where revision is not null;

-- Card data, sealed as src/cards/vault.ts says. Without its wrapped key a sealed text can't be read any more:
-- destroying it is setting both to null.
create table reservation_card (
  reservation_id bigint primary key references reservation,
  card_key bytea,
  card bytea,
  -- The CVV has a key of its own, because it goes first.
  cvv_key bytea,
  cvv bytea,
  keep_until timestamptz not null,
  check ((card_key is null) = (card is null)),
  check ((cvv_key is null) = (cvv is null)),
  check (cvv is null or card is not null)
);
create index reservation_card_by_time on reservation_card (keep_until) where card is not null;

-- Answers to bookings that came with an Idempotency-Key, for 24 hours. For a supplier's test bookings token_id is minus
-- the number of its key.
create table booking_answer (
  token_id int not null,
  idempotency_key text not null,
  request_hash bytea not null,
  at timestamptz not null,
  status smallint not null,
  answer text not null,
  primary key (token_id, idempotency_key)
);
create index booking_answer_by_time on booking_answer (at);
