-- Short bodies and answers of pushes, which the log's row only points to, so that the row is never written again.

-- At first as they were received, those of one commit together. Soon packed and deleted: the table stays small.
create table push_body_batch (
  batch bigint generated always as identity primary key,
  -- The same for the rows of the log.
  at timestamptz not null,
  bytes bytea not null
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
);
alter table push_body_batch alter column bytes set storage external;

-- Many batches of a day compressed together (zstd), dropped with the day.
create table push_body_segment (
  at timestamptz not null,
  -- The least and the greatest of `batches`; a segment needn't have all numbers between.
  first_batch bigint not null,
  last_batch bigint not null,
  batches bigint[] not null,
  -- Where each batch begins in the bytes once they are decompressed, from 0.
  starts int[] not null,
  bytes bytea not null
) partition by range (at);
alter table push_body_segment alter column bytes set storage external;
create index push_body_segment_by_batch on push_body_segment (last_batch);

-- The batch that has the row's body, its answer or both, and where they begin there, from 0. What is in the batch has the
-- encoding 'batch', and null instead of bytes.
alter table push_log
  add column batch bigint, add column body_from int, add column answer_from int, add column answer_length int,
  alter column answer drop not null;
