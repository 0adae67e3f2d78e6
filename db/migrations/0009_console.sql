-- What the console adds.

-- Operators who closed nights of rooms and rates for the platform, or opened them again: who made a revision of a hotel.
-- Not only in the push log, because a closure may hold for longer than the log keeps its days.
create table stop_sell (
  hotel_id int not null references hotel,
  revision bigint not null,
  at timestamptz not null,
  operator text not null,
  request_id text not null,
  primary key (hotel_id, revision)
);

-- Reservations, price checks and drift in the order in which the console lists them.
create index reservation_by_supplier_id on reservation (supplier_id, id);
create index reservation_by_arrival on reservation (arrival, id);
create index reservation_by_created on reservation (created_at);
create index delivery_superseded on delivery (created_at, id) where status = 'superseded';
-- With what the summary is made of, so that it is read from the index alone.
create index price_check_by_supplier_time on price_check (supplier_id, at, id) include (outcome, duration_ms);
-- Nights whose last comparison differed, by the share of the stored price that it differed by.
create index price_drift_differing on price_drift
  ((abs(live - stored)::float8 / greatest(stored, 1)), hotel_id, room_no, rate_no, night) where since_at is not null;

-- Who uses a room type or a meal plan, before it is retired.
create index room_by_type on room (room_type, hotel_id);
create index room_rate_by_meal_plan on room_rate (meal_plan, hotel_id) where meal_plan is not null;

-- The newest calls of suppliers' URLs, with what was sent and answered, for those who watch them arrive; only the
-- sandbox keeps any. Card data are hidden before they come here, and only the newest thousands stay.
create table sandbox_callback (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  key_id int not null,
  calls text not null check (calls in ('ping', 'priceCheck', 'pushBooking')),
  url text not null,
  request_id text not null,
  webhook_id text not null,
  request text not null,
  -- How the platform took it: answered, or why there is no answer.
  outcome text not null,
  http_status smallint,
  answer text,
  duration_ms int not null
);
create index sandbox_callback_by_key on sandbox_callback (key_id, id);

-- What a search compares: letters and digits without case, accents and punctuation, a blank between words. Of what
-- PostgreSQL itself brings along, because extensions are not to be had everywhere.
create function search_text(given text) returns text language sql immutable strict parallel safe
return regexp_replace(
  replace(replace(replace(replace(
    translate(lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g')), 'øłđðħıəς', 'olddhiaσ'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  '[^[:alnum:]]+', ' ', 'g'
);

-- The words of every name under which a reservation was ever made, so that people find it by its guest.
create table reservation_guest (
  reservation_id bigint not null references reservation,
  -- In the order of its characters, so that an index finds beginnings.
  word text collate "C" not null,
  primary key (reservation_id, word)
);
create index reservation_guest_by_word on reservation_guest (word, reservation_id);

-- What operators tell each other of a reservation. Notes are neither changed nor removed.
create table reservation_note (
  id bigint generated always as identity primary key,
  reservation_id bigint not null references reservation,
  at timestamptz not null,
  operator_name text not null,
  text text not null
);
create index reservation_note_by_reservation on reservation_note (reservation_id, id);

-- All by which a hotel is found; a blank stands before every word, the first too. Cut, because an index holds it.
create function hotel_words(name text, code text, city_matched text, pushed jsonb)
  returns text language sql immutable parallel safe
return left(
  ' ' || search_text(concat_ws(' ', code, pushed ->> 'countryCodeISO2', city_matched, pushed ->> 'city', name)), 400
);

-- The names of hotels, apart from their rows: pushes of ARI, which write the hotel's row, carry nothing more, and a search
-- that must look at every name reads a fifth of the pages. decisions/012-hotel-search.md has the figures.
create table hotel_search (
  hotel_id int primary key references hotel on delete cascade,
  supplier_id int not null,
  -- What lists sort by: cut likewise.
  name text not null,
  words text not null
);
-- Holds the words too, so that names are looked through in order without the table, and only until a page is full.
create index hotel_search_by_name on hotel_search (name, hotel_id) include (supplier_id, words);
insert into hotel_search
select id, supplier_id, left(search_text(name), 100), hotel_words(name, code, city_matched, pushed) from hotel;

alter table hotel
  -- Whether a room-rate is available.
  add column is_offered boolean not null default false,
  -- The last month of which suppliers have set anything; null: none.
  add column ari_until_month smallint;
update hotel set
  is_offered = exists (select from room_rate where hotel_id = hotel.id and is_available),
  ari_until_month = (select max(month) from ari_month where hotel_id = hotel.id);

-- Pushes that were refused or only tried, and those of other kinds than ARI, are few among many: they are found without reading the
-- others, and the many don't pay for it.
create index push_log_refused on push_log (supplier_id, id) where outcome in ('partial', 'rejected', 'dryRun');
create index push_log_other_by_supplier on push_log (supplier_id, kind, id) where kind <> 'ari';
create index push_log_other_by_hotel on push_log (hotel_id, kind, id) where kind <> 'ari' and hotel_id is not null;
-- By the types of their problems: only what was refused pays for it.
create index push_log_by_problem on push_log using gin ((problems -> 'types')) where problems is not null;
-- A request id alone finds its pushes too, and new ids lie side by side, whosoever they are.
drop index push_log_by_request;
create index push_log_by_request on push_log (request_id, supplier_id, id);

-- How many pushes there were is counted by time. A page range an entry costs a push nothing, as an index row would.
create index push_log_by_time on push_log using brin (at) with (pages_per_range = 32, autosummarize = on);
