-- Expand.
-- Codes for cancellation policies that operators add to those that the service ships with.
create table cancel_code (
  code text primary key,
  description text not null,
  cancel_penalties jsonb not null,
  retired_at timestamptz
);
