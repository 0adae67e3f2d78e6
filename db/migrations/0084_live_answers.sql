-- Expand.
-- What suppliers last said when they were asked for a price, for as long as searches heed it.
create table live_answer (
  hotel_id int not null references hotel (id) on delete cascade,
  room_no smallint not null,
  rate_no smallint not null,
  arrival date not null,
  departure date not null,
  -- The guests of all rooms asked, each as "2:5,9", in order.
  rooms text[] not null,
  outcome text not null check (outcome in ('sold_out', 'price_changed')),
  -- By different room, in order: the amounts before and after tax of its nights, in minor units. Null: sold out.
  prices jsonb,
  at timestamptz not null,
  -- How far the account's clock was ahead then.
  ahead_ms bigint not null,
  until timestamptz not null,
  -- As the change feed told it.
  told json not null,
  primary key (hotel_id, room_no, rate_no, arrival, departure, rooms)
);
create index live_answer_by_until on live_answer (until);
alter table live_answer enable row level security;
create policy own on live_answer using (hotel_id in (select id from hotel));

-- Until when a hotel may have such answers: a push looks for them before that time only.
alter table hotel add column live_until timestamptz;

-- URLs of price checks that some process does not call for a while, because they failed repeatedly.
create table paused_url (
  url text primary key,
  until timestamptz not null
);
