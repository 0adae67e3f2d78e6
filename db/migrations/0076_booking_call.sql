-- Expand.
-- Bookings under an Idempotency-Key that have no answer yet: a repeat is not judged beside the first call. Of interest for a
-- minute at most, so a crash may lose them.
create unlogged table booking_call (
  -- As in booking_answer.
  token_id int not null,
  idempotency_key text not null,
  call uuid not null,
  at timestamptz not null,
  primary key (token_id, idempotency_key)
);
