-- What an account's contract says of price checks, cards and the booking endpoints.
alter table supplier
  add column on_failure text not null default 'reject' check (on_failure in ('reject', 'use_stored')),
  -- By how many per cent of the stored total the live one may differ.
  add column price_tolerance numeric(5, 2) not null default 0 check (price_tolerance between 0 and 100),
  add column delivers_cards boolean not null default false,
  add column may_push_on_demand boolean not null default true,
  add column may_retrieve boolean not null default true;

alter table api_key
  -- When each URL was last registered: of several keys the latest counts.
  add column availability_webhook_at timestamptz,
  add column pushbook_webhook_at timestamptz,
  -- Signs beside the present secret until then.
  add column signing_secret_previous text,
  add column signing_secret_previous_until timestamptz;

-- The key that last pushed the hotel itself: its URLs are called for it.
alter table hotel add column key_id int references api_key;
