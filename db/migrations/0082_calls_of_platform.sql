-- Expand.
-- When a delivery was given up, by the account's clock. Null: not yet, or by a version that didn't store it.
alter table delivery add column dead_at timestamptz;

-- Limits of a token, as keys have them. Null: the default.
alter table access_token add column requests_per_minute int check (requests_per_minute >= 0);
alter table access_token add column requests_burst int check (requests_burst >= 1);

-- What happened without a change of revision (changes/event-contract.ts), one for each of hotel_ids. The hotel 0 is none: the
-- event is its supplier's.
alter table change add column events jsonb[];
alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check
  check (kind in ('hotel', 'products', 'taxes', 'ari', 'reservation', 'stopSell', 'removed',
    'held', 'live', 'delivery', 'report', 'confirmation')) not valid;
