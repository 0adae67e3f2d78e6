-- Expand.
-- When a request came with a secret of the key that no longer works: revoked, expired, or replaced.
alter table api_key add column last_refused_at timestamptz;
