-- What is owed to suppliers: a row for each version of a reservation, written by the transaction that made the version.
-- src/deliveries/store.ts claims, settles and counts them.
create table delivery (
  -- The webhook-id of its calls, after dlv_.
  id uuid primary key,
  supplier_id int not null references supplier,
  hotel_id int not null references hotel,
  reservation_id bigint not null references reservation,
  version int not null,
  reservation_status text not null check (reservation_status in ('Confirm', 'Cancel')),
  -- queued: due at due_at. sending: a process has it until leased_until. superseded: a newer version took its place.
  status text not null check (status in ('queued', 'sending', 'delivered', 'superseded', 'dead')),
  lane text not null check (lane in ('first', 'retry', 'hourly')),
  -- The URL to call, as a number made of it: what is capped. 0: none was registered.
  endpoint bigint not null,
  -- 'infinity': with the next hourly run.
  due_at timestamptz not null,
  -- Asked for by the supplier (Retry-After); binds the hourly run as well.
  not_before timestamptz,
  leased_until timestamptz,
  -- Counted when they begin, so that each has a number of its own; a process settles only the attempt it began.
  attempts int not null default 0,
  -- What caused the attempt under way.
  trigger text not null check (trigger in ('realtime', 'retry', 'hourly', 'manual', 'again')),
  -- Steps of the retry schedule that are used up.
  retries int not null default 0,
  -- A body with others was refused: it goes by itself.
  is_alone boolean not null default false,
  -- There is a newer version: whatever becomes of this attempt, it is not tried again.
  is_outdated boolean not null default false,
  -- Sent again after it was delivered: without card, and nobody is alarmed for it.
  is_repeat boolean not null default false,
  -- Midnight of the arrival at the hotel.
  arrives_at timestamptz not null,
  created_at timestamptz not null,
  -- Since when the supplier doesn't know the state of the reservation: of the first version not delivered.
  undelivered_since timestamptz not null,
  give_up_at timestamptz not null,
  first_failed_at timestamptz,
  delivered_at timestamptz,
  alerted_at timestamptz,
  check ((status = 'sending') = (leased_until is not null)),
  check ((status = 'delivered') = (delivered_at is not null))
) with (fillfactor = 80);
-- The claim reads one endpoint's beginning of it; the poll hops from endpoint to endpoint.
create index delivery_due on delivery (lane, endpoint, due_at) where status = 'queued';
create index delivery_due_hourly on delivery (endpoint, hotel_id, reservation_status, is_alone, reservation_id)
  where status = 'queued' and lane = 'hourly';
create index delivery_leased on delivery (leased_until) where status = 'sending';
-- At most one call of a reservation is under way.
create unique index delivery_under_way on delivery (reservation_id) where leased_until is not null;
create index delivery_by_reservation on delivery (reservation_id, version);
create index delivery_unalerted on delivery (undelivered_since)
  where status in ('queued', 'sending', 'dead') and alerted_at is null;
create index delivery_by_supplier on delivery (supplier_id, created_at);
create index delivery_open on delivery (supplier_id, reservation_id) where status in ('queued', 'sending', 'dead');
create index delivery_dead on delivery (created_at) where status = 'dead';

create table delivery_attempt (
  delivery_id uuid not null references delivery,
  attempt int not null,
  at timestamptz not null,
  trigger text not null check (trigger in ('realtime', 'retry', 'hourly', 'manual', 'again')),
  -- The webhook-id: of the delivery, or of a body with several.
  message_id text not null,
  duration_ms int not null,
  -- accepted, refused, unavailable, or why there was no answer
  outcome text not null,
  http_status smallint,
  -- The first 2 KB, without what could be a card.
  answer text,
  primary key (delivery_id, attempt)
);
create index delivery_attempt_by_time on delivery_attempt (at);

-- Deliveries for which somebody should be called; the console lists them.
create table delivery_alert (
  id bigint generated always as identity primary key,
  delivery_id uuid not null references delivery,
  reservation_id bigint not null references reservation,
  supplier_id int not null references supplier,
  hotel_id int not null references hotel,
  -- undelivered: for half an hour. arrival_near: an attempt failed, and the guests come within two days.
  reason text not null check (reason in ('undelivered', 'arrival_near')),
  at timestamptz not null,
  -- When a version of the reservation was delivered after all.
  cleared_at timestamptz
);
create index delivery_alert_open on delivery_alert (reservation_id) where cleared_at is null;
create index delivery_alert_by_time on delivery_alert (at);

-- Each full hour (UTC) once: who writes its row makes the run, in the same transaction.
create table hourly_run (
  hour timestamptz primary key,
  at timestamptz not null,
  -- Deliveries that became due. Of several hours made up for at once, those of the last.
  deliveries int not null
);
