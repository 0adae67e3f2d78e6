-- The second wall around supplier sessions: their transactions run with the role ari_supplier, to which these policies show
-- the rows of one supplier. The owner of the tables, with whom everything else runs, is not subject to them.
create function session_supplier() returns int language sql stable parallel safe as
$$ select nullif(current_setting('ari.supplier', true), '')::int $$;

do $$
declare
  named text;
begin
  execute 'alter table supplier enable row level security';
  execute 'create policy own on supplier using (id = (select session_supplier()))';
  foreach named in array array[
    'hotel', 'hotel_search', 'api_key', 'reservation', 'delivery', 'push_log', 'price_check', 'certification',
    'certification_note', 'sandbox_fault', 'operator'
  ] loop
    execute format('alter table %I enable row level security', named);
    execute format('create policy own on %I using (supplier_id = (select session_supplier()))', named);
  end loop;
  -- The hotels that the role sees are its own.
  foreach named in array array[
    'room', 'rate', 'room_rate', 'tax', 'ari_month', 'price_drift', 'reservation_version', 'stop_sell', 'stop_sell_order',
    'hold'
  ] loop
    execute format('alter table %I enable row level security', named);
    execute format('create policy own on %I using (hotel_id in (select id from hotel))', named);
  end loop;
  -- A manager makes and changes accounts, which are theirs.
  foreach named in array array['operator_session', 'operator_sign_in_link', 'operator_recovery_code'] loop
    execute format('alter table %I enable row level security', named);
    execute format('create policy own on %I using (operator_id in (select id from operator))', named);
  end loop;
  -- The audit log is written, never read.
  execute 'alter table audit_log enable row level security';
  execute 'create policy own on audit_log for insert with check (operator_id in (select id from operator))';
  -- What operators write each other is not for suppliers.
  execute 'alter table reservation_note enable row level security';
  execute 'create policy own on reservation_note using (false)';
  execute 'alter table api_key_secret enable row level security';
  execute 'create policy own on api_key_secret using (key_id in (select id from api_key))';
  execute 'alter table delivery_attempt enable row level security';
  execute 'create policy own on delivery_attempt using (delivery_id in (select id from delivery))';
end $$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'ari_supplier') then
    begin
      create role ari_supplier nologin;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise warning 'supplier sessions need the role ari_supplier, which % may not create', current_user;
    end;
  end if;
end $$;
