-- Expand.
-- Names for things: the platform's own reference and channel of a reservation, and the hotel's own number of it.
alter table access_token add column channel text;
alter table reservation add column client_reference text, add column channel text;

create table reservation_confirmation (
  reservation_id bigint not null references reservation (id),
  -- 0: of the whole reservation.
  room_number int not null,
  confirmation_number text not null,
  at timestamptz not null,
  primary key (reservation_id, room_number)
);

-- What of an answer's confirmations was not taken, and why: a list in JSON.
alter table delivery_attempt add column ignored text;

-- What hotels tell about stays, oldest first by id. Either a key of the supplier or an operator reported it.
create table reservation_report (
  id bigint generated always as identity primary key,
  reservation_id bigint not null references reservation (id),
  -- 0: of the whole reservation.
  room_number int not null,
  report text not null check (report in ('arrived', 'no_show', 'stay_changed', 'card_invalid', 'waived')),
  waives_penalty boolean not null,
  departure_date date,
  note text,
  -- Of the reservation, when it was reported: what it let go of is owed anew by later ones only.
  version int not null,
  at timestamptz not null,
  key_id int,
  operator_name text,
  check ((key_id is null) <> (operator_name is null))
);
create index reservation_report_by_reservation on reservation_report (reservation_id, id);

do $$
begin
  execute 'alter table reservation_confirmation enable row level security';
  execute 'create policy own on reservation_confirmation using (exists (select from reservation where id = reservation_id))';
  execute 'alter table reservation_report enable row level security';
  execute 'create policy own on reservation_report using (exists (select from reservation where id = reservation_id))';
end $$;

create or replace function grant_supplier_sessions() returns void language plpgsql as
$$
begin
  -- Superusers may take every role.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    begin
      execute format('grant ari_supplier to %I', current_user);
    exception
      when insufficient_privilege then
        -- Somebody else's role: whoever made it may have granted it already.
        if not pg_has_role(current_user, 'ari_supplier', 'member') then
          raise warning 'supplier sessions need: grant ari_supplier to %', current_user;
        end if;
    end;
  end if;
  grant usage on schema public to ari_supplier;
  grant select on supplier, hotel, hotel_search, api_key, reservation, delivery, delivery_attempt, push_log, price_check,
    certification, certification_note, sandbox_fault, room, rate, room_rate, tax, ari_month, price_drift,
    reservation_version, reservation_note, stop_sell, stop_sell_order, hold, room_type, meal_plan, push_body_batch,
    push_body_segment, store_epoch, operator, delivery_alert, reservation_guest, sandbox_callback,
    reservation_confirmation, reservation_report, cancel_code, live_answer
    to ari_supplier;
  -- Its hash too, which the file of revocations notes.
  grant select, insert (hash, key_id, tail), update (expires_at) on api_key_secret to ari_supplier;
  grant insert (supplier_id, channel_manager, expires_at, requests_per_minute, requests_burst, body_bytes_max,
    ari_items_max, ari_cells_max, unknown_fields, echo), update (revoked_at) on api_key to ari_supplier;
  grant update (id) on supplier to ari_supplier;
  grant insert, update on operator to ari_supplier;
  grant select, insert, delete on operator_session, operator_sign_in_link to ari_supplier;
  grant insert on audit_log to ari_supplier;
  grant insert on delivery to ari_supplier;
  grant update (status, lane, retries, is_alone, trigger, due_at, not_before, give_up_at, dead_at) on delivery to ari_supplier;
  grant update (id) on reservation to ari_supplier;
end
$$;

do $$
begin
  if exists (select from pg_roles where rolname = 'ari_supplier') then
    perform grant_supplier_sessions();
  end if;
end $$;
