-- Expand.
-- People of a supplier open its reservations and send its deliveries again; its managers make, rotate and revoke its keys,
-- within limits that operators set; they see the calls of its sandbox (decisions/054-supplier-sessions.md).
alter table supplier
  add column managed_keys_max int not null default 2 check (managed_keys_max between 0 and 100),
  add column managed_key_rate_max int not null default 6000 check (managed_key_rate_max between 1 and 10000000);

do $$
begin
  execute 'alter table delivery_alert enable row level security';
  execute 'create policy own on delivery_alert using (supplier_id = (select session_supplier()))';
  execute 'alter table reservation_guest enable row level security';
  execute 'create policy own on reservation_guest using (exists (select from reservation where id = reservation_id))';
  execute 'alter table sandbox_callback enable row level security';
  execute 'create policy own on sandbox_callback using (key_id in (select id from api_key))';
  -- Not `in`, which reads all deliveries of the supplier for one.
  execute 'alter policy own on delivery_attempt using (exists (select from delivery where id = delivery_id))';
  -- Locking a row takes the right to update it; these rows are locked, never changed.
  execute 'create policy lock_only on reservation as restrictive for update using (true) with check (false)';
  execute 'create policy lock_only on supplier as restrictive for update using (true) with check (false)';
  execute $policy$
    create policy of_own_reservation on delivery as restrictive for insert with check (exists (
      select from reservation
      where reservation.id = delivery.reservation_id and reservation.hotel_id = delivery.hotel_id
        and reservation.version = delivery.version))
  $policy$;
end $$;

-- Grants what supplier sessions need. Where a migration may not create the role, whoever may does, and calls this after it.
create function grant_supplier_sessions() returns void language plpgsql as
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
    push_body_segment, store_epoch, operator, delivery_alert, reservation_guest, sandbox_callback
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
  grant update (status, lane, retries, is_alone, trigger, due_at, not_before, give_up_at) on delivery to ari_supplier;
  grant update (id) on reservation to ari_supplier;
end
$$;

do $$
begin
  if exists (select from pg_roles where rolname = 'ari_supplier') then
    perform grant_supplier_sessions();
  end if;
end $$;
