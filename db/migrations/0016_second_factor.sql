-- Second factors of operators: a secret of an authenticator app, with a byte for how it is kept in front (as it is, or sealed), and the
-- last step of time of which a code was used.
alter table operator
  add column totp_secret bytea,
  add column totp_last_step bigint,
  add column totp_since timestamptz,
  add check ((totp_secret is null) = (totp_last_step is null)),
  add check ((totp_secret is null) = (totp_since is null));

-- Whether the second factor was shown; and a secret that no code has confirmed yet.
alter table operator_session
  add column has_second_factor boolean not null default false,
  add column pending_totp bytea;

-- For whoever lost the app: SHA-256 of codes of 80 random bits. A code that was used is deleted.
create table operator_recovery_code (
  hash bytea primary key check (octet_length(hash) = 32),
  operator_id int not null references operator
);
create index operator_recovery_code_by_operator on operator_recovery_code (operator_id);
