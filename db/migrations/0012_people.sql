-- What was refused (sign-ins, roles) is in the audit log too: one line an hour for the same refusal of the same caller, counted in it,
-- and so many lines an hour, so that nobody can fill the log. Its key is a SHA-256 of what is the same.
alter table audit_log add column refusal_key bytea check (octet_length(refusal_key) = 32);
-- Nobody has a role when a name is unknown.
alter table audit_log alter column role drop not null;
create unique index audit_log_refusal on audit_log (refusal_key) where refusal_key is not null;

-- States of sign-ins by OpenID that succeeded: the cookie that holds one counts once.
create table oidc_state_used (
  hash bytea primary key check (octet_length(hash) = 32),
  at timestamptz not null default clock_timestamp()
);
create index oidc_state_used_by_age on oidc_state_used (at);
