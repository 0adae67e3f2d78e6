-- Expand.
-- Suppliers' developers who made themselves an account of the sandbox (decisions/062-sandbox-sign-up.md).
alter table supplier add column hotels_max int not null default 0 check (hotels_max between 0 and 10000000);

create table sign_up (
  id int generated always as identity primary key,
  -- In lower case.
  email text not null unique,
  company text not null,
  -- Whose address it came from: the SHA-256 of the network.
  network bytea not null,
  -- Of the link in the last mail; null once it is used.
  token_hash bytea unique,
  expires_at timestamptz not null,
  -- Mails within the day that began with the first of them.
  mails int not null,
  mails_since timestamptz not null,
  mailed_at timestamptz not null,
  -- The account's first manager; null until the address is confirmed.
  operator_id int unique references operator,
  confirmed_at timestamptz,
  -- The account was abandoned.
  ended_at timestamptz
);
create index sign_up_by_mail on sign_up (mailed_at);
