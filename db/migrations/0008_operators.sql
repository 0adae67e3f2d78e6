-- People who work in the console. name_key is the name as it is compared (NFKC, lower case), written by the service,
-- because lower() depends on the database's collation.
create table operator (
  id int generated always as identity primary key,
  name text not null,
  name_key text not null unique,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  -- scrypt with its parameters and salt; null: none was chosen yet.
  password_hash text,
  oidc_issuer text,
  oidc_subject text,
  created_at timestamptz not null,
  disabled_at timestamptz,
  last_sign_in_at timestamptz,
  check ((oidc_issuer is null) = (oidc_subject is null)),
  unique (oidc_issuer, oidc_subject)
);

-- Only a SHA-256 of the secret in the cookie is kept. A session that ended is deleted.
create table operator_session (
  hash bytea primary key check (octet_length(hash) = 32),
  operator_id int not null references operator,
  signed_in_by text not null check (signed_in_by in ('password', 'link', 'oidc')),
  created_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index operator_session_by_operator on operator_session (operator_id);

-- One-time sign-in links; of each, too, only a SHA-256. What was used or replaced is deleted.
create table operator_sign_in_link (
  hash bytea primary key check (octet_length(hash) = 32),
  operator_id int not null references operator,
  expires_at timestamptz not null
);
create index operator_sign_in_link_by_operator on operator_sign_in_link (operator_id);

-- Attempts to sign in that did not succeed, counted by the name and by the address they came from. The key is a
-- SHA-256, because people type passwords where the name belongs.
create table failed_sign_in (
  key bytea primary key check (octet_length(key) = 32),
  attempts int not null check (attempts >= 0),
  last_at timestamptz not null,
  locked_until timestamptz not null
);
create index failed_sign_in_by_age on failed_sign_in (last_at);

-- Every change that somebody made in the console or on the command line; kept for ever. Never secrets or card data.
create table audit_log (
  id bigint generated always as identity primary key,
  -- The database's time: one clock for all processes.
  at timestamptz not null default clock_timestamp(),
  -- Null for a token and for the command line, which have a name only.
  operator_id int references operator,
  operator_name text not null,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text
);
create index audit_log_by_time on audit_log (at, id);
create index audit_log_by_operator on audit_log (operator_name, at, id);
