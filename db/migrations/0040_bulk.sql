-- Loads and exports of many lines (decisions/048-bulk.md).
create table bulk_job (
  id uuid primary key,
  supplier_id int not null references supplier,
  key_id int not null references api_key,
  task text not null check (task in ('load', 'export')),
  kind text not null check (kind in ('hotels', 'products', 'taxes', 'ari')),
  format text not null check (format in ('ndjson', 'csv')),
  stops_at_error boolean not null default false,
  is_dry_run boolean not null default false,
  state text not null
    check (state in ('uploading', 'queued', 'running', 'done', 'stopped', 'cancelled', 'failed')),
  created_at timestamptz not null,
  -- The last request or step.
  touched_at timestamptz not null,
  queued_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  -- Of the data, in the bytes that were sent. null before the first part.
  encoding text check (encoding in ('identity', 'gzip', 'zstd')),
  bytes bigint not null default 0,
  bytes_announced bigint,
  parts int not null default 0,
  -- The checkpoint: the last line that is done. Written only in the transaction that did it.
  line int not null default 0,
  bytes_done bigint not null default 0,
  applied int not null default 0,
  unchanged int not null default 0,
  partial int not null default 0,
  refused int not null default 0,
  hotels int not null default 0,
  refused_bytes bigint not null default 0,
  -- The first line of a CSV file.
  header bytea,
  failure jsonb,
  -- The process that works on it.
  leased_by uuid,
  leased_until timestamptz
);
create index bulk_job_waiting on bulk_job (queued_at, id) where state in ('queued', 'running');
create index bulk_job_by_supplier on bulk_job (supplier_id, state);
create index bulk_job_by_touch on bulk_job (touched_at);

-- The data as they came, in parts; without an encoding each part is compressed by itself.
create table bulk_part (
  job_id uuid not null references bulk_job on delete cascade,
  part int not null,
  -- Of the bytes that were sent.
  length int not null,
  bytes bytea not null,
  primary key (job_id, part)
);
alter table bulk_part alter column bytes set storage external;

-- Refused lines as they came, with the reasons.
create table bulk_refused (
  job_id uuid not null references bulk_job on delete cascade,
  line int not null,
  bytes bytea not null,
  problems json not null,
  primary key (job_id, line)
);

-- The hotels that a job named.
create table bulk_hotel (
  job_id uuid not null references bulk_job on delete cascade,
  code text not null,
  primary key (job_id, code)
);
