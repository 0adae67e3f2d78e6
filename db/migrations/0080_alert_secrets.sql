-- Expand.
-- A supplier renews the secret with which alerts are signed. The one before, and the one before that, go on signing until the
-- end of the overlap, as those of keys do.
alter table alert_settings add column signing_secret_previous text;
alter table alert_settings add column signing_secret_previous_until timestamptz;
alter table alert_settings add column signing_secret_older text;
alter table alert_settings add column signing_secret_older_until timestamptz;
