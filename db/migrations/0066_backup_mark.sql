-- Expand.
-- When the last `ari backup create` was done; null: none ever was.
alter table housekeeping_mark add column backup_at timestamptz;
