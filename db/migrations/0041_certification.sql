-- What an account's traffic proves about its integration; decisions/049-certification.md.
alter table supplier add column requires_certification boolean not null default false;
-- Set by an operator, for an account that is certified whatever its traffic shows.
alter table supplier add column certified_at timestamptz;

-- The verdicts by the traffic so far, a row for each account that was ever judged.
create table certification (
  supplier_id int primary key references supplier,
  at timestamptz not null,
  is_certified boolean not null,
  -- What was ever set and cleared, such as set.minLengthStay.
  seen text[] not null,
  -- Pairs of a check's id and its verdict: only those that are proven or failing.
  verdicts jsonb not null
);

-- The last event of each subject that no log has.
create table certification_note (
  supplier_id int not null references supplier,
  subject text not null check (subject in ('retryAfter', 'idempotency', 'forgery.availability', 'forgery.pushbook')),
  is_good boolean not null,
  at timestamptz not null,
  request_id text,
  detail text not null,
  primary key (supplier_id, subject)
);
