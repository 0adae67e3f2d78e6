-- Who is told of findings, and the messages on their way (decisions/044-findings-and-alerts.md).
create table alert_settings (
  supplier_id int primary key references supplier,
  -- Null: all kinds.
  kinds text[],
  webhook text,
  signing_secret text,
  codes_sent int not null default 0,
  codes_since timestamptz not null,
  tested_at timestamptz
);
create table alert_email (
  supplier_id int not null references supplier,
  address text not null,
  code_hash bytea,
  code_sent_at timestamptz,
  wrong_codes int not null default 0,
  confirmed_at timestamptz,
  primary key (supplier_id, address)
);
create table alert_message (
  id bigint generated always as identity primary key,
  -- Null: for the operators.
  supplier_id int references supplier,
  channel text not null check (channel in ('webhook', 'email', 'operators')),
  address text not null,
  -- The first of them; a digest counts all.
  finding_ids bigint[] not null,
  findings int not null,
  is_digest bool not null,
  status text not null check (status in ('queued', 'sent', 'dead')),
  attempts int not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null
) with (fillfactor = 80);
create index alert_message_due on alert_message (due_at) where status = 'queued';
create index alert_message_by_recipient on alert_message (coalesce(supplier_id, 0), channel, address, created_at);
create index alert_message_settled on alert_message (created_at) where status <> 'queued';
