-- The schema after all migrations in db/migrations, written by "npm run write:schema".
-- For reading, not for running: add a migration for every change. The running service creates the daily partitions.

create type push_kind as enum ('hotels', 'products', 'taxes', 'ari', 'availabilityWebhook', 'pushbookWebhook', 'stopSell', 'undo', 'release');

create type push_outcome as enum ('applied', 'unchanged', 'partial', 'rejected', 'dryRun');

create table access_token (
  hash bytea not null,
  id integer generated always as identity not null,
  role text not null,
  name text not null,
  tail text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  requests_per_minute integer,
  requests_burst integer,
  channel text,
  constraint access_token_pkey PRIMARY KEY (hash),
  constraint access_token_id_key UNIQUE (id),
  constraint access_token_requests_burst_check CHECK ((requests_burst >= 1)),
  constraint access_token_requests_per_minute_check CHECK ((requests_per_minute >= 0)),
  constraint access_token_role_check CHECK ((role = ANY (ARRAY['platform'::text, 'operator'::text])))
);

create table alert_email (
  supplier_id integer not null,
  address text not null,
  code_hash bytea,
  code_sent_at timestamp with time zone,
  wrong_codes integer default 0 not null,
  confirmed_at timestamp with time zone,
  constraint alert_email_pkey PRIMARY KEY (supplier_id, address),
  constraint alert_email_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);

create table alert_message (
  id bigint generated always as identity not null,
  supplier_id integer,
  channel text not null,
  address text not null,
  finding_ids bigint[] not null,
  findings integer not null,
  is_digest boolean not null,
  status text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint alert_message_pkey PRIMARY KEY (id),
  constraint alert_message_channel_check CHECK ((channel = ANY (ARRAY['webhook'::text, 'email'::text, 'operators'::text]))),
  constraint alert_message_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'dead'::text]))),
  constraint alert_message_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
) with (fillfactor=80);
CREATE INDEX alert_message_by_recipient ON public.alert_message USING btree (COALESCE(supplier_id, 0), channel, address, created_at);
CREATE INDEX alert_message_due ON public.alert_message USING btree (due_at) WHERE (status = 'queued'::text);
CREATE INDEX alert_message_settled ON public.alert_message USING btree (created_at) WHERE (status <> 'queued'::text);

create table alert_settings (
  supplier_id integer not null,
  kinds text[],
  webhook text,
  signing_secret text,
  codes_sent integer default 0 not null,
  codes_since timestamp with time zone not null,
  tested_at timestamp with time zone,
  signing_secret_previous text,
  signing_secret_previous_until timestamp with time zone,
  signing_secret_older text,
  signing_secret_older_until timestamp with time zone,
  constraint alert_settings_pkey PRIMARY KEY (supplier_id),
  constraint alert_settings_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);

create table api_key (
  id integer generated always as identity not null,
  supplier_id integer not null,
  channel_manager text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  requests_per_minute integer,
  requests_burst integer,
  body_bytes_max integer,
  ari_items_max integer,
  ari_cells_max integer,
  availability_webhook text,
  pushbook_webhook text,
  signing_secret text,
  availability_webhook_at timestamp with time zone,
  pushbook_webhook_at timestamp with time zone,
  signing_secret_previous text,
  signing_secret_previous_until timestamp with time zone,
  unknown_fields text default 'warn'::text not null,
  echo boolean default false not null,
  last_refused_at timestamp with time zone,
  given_back_at timestamp with time zone,
  signing_secret_older text,
  signing_secret_older_until timestamp with time zone,
  signing_secret_at timestamp with time zone,
  signing_secret_proven_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_ari_cells_max_check CHECK ((ari_cells_max >= 1)),
  constraint api_key_ari_items_max_check CHECK ((ari_items_max >= 1)),
  constraint api_key_body_bytes_max_check CHECK ((body_bytes_max >= 1024)),
  constraint api_key_requests_burst_check CHECK ((requests_burst >= 1)),
  constraint api_key_requests_per_minute_check CHECK ((requests_per_minute >= 0)),
  constraint api_key_unknown_fields_check CHECK ((unknown_fields = ANY (ARRAY['warn'::text, 'reject'::text]))),
  constraint api_key_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX api_key_by_supplier ON public.api_key USING btree (supplier_id);

create table api_key_secret (
  hash bytea not null,
  key_id integer not null,
  tail text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint api_key_secret_pkey PRIMARY KEY (hash),
  constraint api_key_secret_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id)
);
CREATE INDEX api_key_secret_by_key ON public.api_key_secret USING btree (key_id);

create table ari_month (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  month smallint not null,
  written_at timestamp with time zone not null,
  block bytea storage external not null,
  constraint ari_month_pkey PRIMARY KEY (hotel_id, room_no, rate_no, month)
) with (fillfactor=80);

create table audit_log (
  id bigint generated always as identity not null,
  at timestamp with time zone default clock_timestamp() not null,
  operator_id integer,
  operator_name text not null,
  role text,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text,
  refusal_key bytea,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_refusal_key_check CHECK ((octet_length(refusal_key) = 32)),
  constraint audit_log_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text]))),
  constraint audit_log_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id)
);
CREATE INDEX audit_log_by_operator ON public.audit_log USING btree (operator_name, at, id);
CREATE INDEX audit_log_by_time ON public.audit_log USING btree (at, id);
CREATE UNIQUE INDEX audit_log_refusal ON public.audit_log USING btree (refusal_key) WHERE (refusal_key IS NOT NULL);

create table booking_answer (
  token_id integer not null,
  idempotency_key text not null,
  request_hash bytea not null,
  at timestamp with time zone not null,
  status smallint not null,
  answer text not null,
  constraint booking_answer_pkey PRIMARY KEY (token_id, idempotency_key)
);
CREATE INDEX booking_answer_by_time ON public.booking_answer USING btree (at);

create unlogged table booking_call (
  token_id integer not null,
  idempotency_key text not null,
  call uuid not null,
  at timestamp with time zone not null,
  constraint booking_call_pkey PRIMARY KEY (token_id, idempotency_key)
);

create table bulk_hotel (
  job_id uuid not null,
  code text not null,
  constraint bulk_hotel_pkey PRIMARY KEY (job_id, code),
  constraint bulk_hotel_job_id_fkey FOREIGN KEY (job_id) REFERENCES bulk_job(id) ON DELETE CASCADE
);

create table bulk_job (
  id uuid not null,
  supplier_id integer not null,
  key_id integer not null,
  task text not null,
  kind text not null,
  format text not null,
  stops_at_error boolean default false not null,
  is_dry_run boolean default false not null,
  state text not null,
  created_at timestamp with time zone not null,
  touched_at timestamp with time zone not null,
  queued_at timestamp with time zone,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  encoding text,
  bytes bigint default 0 not null,
  bytes_announced bigint,
  parts integer default 0 not null,
  line integer default 0 not null,
  bytes_done bigint default 0 not null,
  applied integer default 0 not null,
  unchanged integer default 0 not null,
  partial integer default 0 not null,
  refused integer default 0 not null,
  hotels integer default 0 not null,
  refused_bytes bigint default 0 not null,
  header bytea,
  failure jsonb,
  leased_by uuid,
  leased_until timestamp with time zone,
  hotel_codes text[],
  after_hotel integer default 0 not null,
  constraint bulk_job_pkey PRIMARY KEY (id),
  constraint bulk_job_encoding_check CHECK ((encoding = ANY (ARRAY['identity'::text, 'gzip'::text, 'zstd'::text]))),
  constraint bulk_job_format_check CHECK ((format = ANY (ARRAY['ndjson'::text, 'csv'::text]))),
  constraint bulk_job_kind_check CHECK ((kind = ANY (ARRAY['hotels'::text, 'products'::text, 'taxes'::text, 'ari'::text]))),
  constraint bulk_job_state_check CHECK ((state = ANY (ARRAY['uploading'::text, 'queued'::text, 'running'::text, 'done'::text, 'stopped'::text, 'cancelled'::text, 'failed'::text]))),
  constraint bulk_job_task_check CHECK ((task = ANY (ARRAY['load'::text, 'export'::text]))),
  constraint bulk_job_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id),
  constraint bulk_job_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX bulk_job_by_supplier ON public.bulk_job USING btree (supplier_id, state);
CREATE INDEX bulk_job_by_touch ON public.bulk_job USING btree (touched_at);
CREATE INDEX bulk_job_waiting ON public.bulk_job USING btree (queued_at, id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

create table bulk_part (
  job_id uuid not null,
  part integer not null,
  length integer not null,
  bytes bytea storage external not null,
  constraint bulk_part_pkey PRIMARY KEY (job_id, part),
  constraint bulk_part_job_id_fkey FOREIGN KEY (job_id) REFERENCES bulk_job(id) ON DELETE CASCADE
);

create table bulk_refused (
  job_id uuid not null,
  line integer not null,
  bytes bytea not null,
  problems json not null,
  constraint bulk_refused_pkey PRIMARY KEY (job_id, line),
  constraint bulk_refused_job_id_fkey FOREIGN KEY (job_id) REFERENCES bulk_job(id) ON DELETE CASCADE
);

create table cancel_code (
  code text not null,
  description text not null,
  cancel_penalties jsonb not null,
  retired_at timestamp with time zone,
  constraint cancel_code_pkey PRIMARY KEY (code)
);

create table certification (
  supplier_id integer not null,
  at timestamp with time zone not null,
  is_certified boolean not null,
  seen text[] not null,
  verdicts jsonb not null,
  constraint certification_pkey PRIMARY KEY (supplier_id),
  constraint certification_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);

create table certification_note (
  supplier_id integer not null,
  subject text not null,
  is_good boolean not null,
  at timestamp with time zone not null,
  request_id text,
  detail text not null,
  constraint certification_note_pkey PRIMARY KEY (supplier_id, subject),
  constraint certification_note_subject_check CHECK ((subject = ANY (ARRAY['retryAfter'::text, 'idempotency'::text, 'forgery.availability'::text, 'forgery.pushbook'::text]))),
  constraint certification_note_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);

create table change (
  turn bigint default GREATEST(((pg_current_xact_id())::text)::bigint, (((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint - 1)) not null,
  id bigint generated always as identity not null,
  at timestamp with time zone default now() not null,
  kind text not null,
  hotel_ids integer[] not null,
  revisions_from bigint[] not null,
  revisions_to bigint[] not null,
  blocks text[],
  events jsonb[],
  constraint change_pkey PRIMARY KEY (turn, id),
  constraint change_kind_check CHECK ((kind = ANY (ARRAY['hotel'::text, 'products'::text, 'taxes'::text, 'ari'::text, 'reservation'::text, 'stopSell'::text, 'removed'::text, 'held'::text, 'live'::text, 'delivery'::text, 'report'::text, 'confirmation'::text])))
);

create table change_horizon (
  only_row boolean default true not null,
  turn bigint not null,
  id bigint not null,
  hotels integer not null,
  constraint change_horizon_pkey PRIMARY KEY (only_row),
  constraint change_horizon_only_row_check CHECK (only_row)
);

create table delivery (
  id uuid not null,
  supplier_id integer not null,
  hotel_id integer not null,
  reservation_id bigint not null,
  version integer not null,
  reservation_status text not null,
  status text not null,
  lane text not null,
  endpoint bigint not null,
  due_at timestamp with time zone not null,
  not_before timestamp with time zone,
  leased_until timestamp with time zone,
  attempts integer default 0 not null,
  trigger text not null,
  retries integer default 0 not null,
  is_alone boolean default false not null,
  is_outdated boolean default false not null,
  is_repeat boolean default false not null,
  arrives_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  undelivered_since timestamp with time zone not null,
  give_up_at timestamp with time zone not null,
  first_failed_at timestamp with time zone,
  delivered_at timestamp with time zone,
  alerted_at timestamp with time zone,
  dead_at timestamp with time zone,
  constraint delivery_pkey PRIMARY KEY (id),
  constraint delivery_check CHECK (((status = 'sending'::text) = (leased_until IS NOT NULL))),
  constraint delivery_check1 CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  constraint delivery_lane_check CHECK ((lane = ANY (ARRAY['first'::text, 'retry'::text, 'hourly'::text]))),
  constraint delivery_reservation_status_check CHECK ((reservation_status = ANY (ARRAY['Confirm'::text, 'Cancel'::text]))),
  constraint delivery_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'delivered'::text, 'superseded'::text, 'dead'::text]))),
  constraint delivery_trigger_check CHECK ((trigger = ANY (ARRAY['realtime'::text, 'retry'::text, 'hourly'::text, 'manual'::text, 'again'::text]))),
  constraint delivery_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id),
  constraint delivery_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
) with (fillfactor=80);
CREATE INDEX delivery_by_reservation ON public.delivery USING btree (reservation_id, version);
CREATE INDEX delivery_by_supplier ON public.delivery USING btree (supplier_id, created_at);
CREATE INDEX delivery_dead ON public.delivery USING btree (created_at) WHERE (status = 'dead'::text);
CREATE INDEX delivery_due ON public.delivery USING btree (lane, endpoint, due_at) WITH (deduplicate_items=off) WHERE (status = 'queued'::text);
CREATE INDEX delivery_due_by_hotel ON public.delivery USING btree (lane, endpoint, hotel_id, due_at) WITH (deduplicate_items=off) WHERE (status = 'queued'::text);
CREATE INDEX delivery_due_hourly ON public.delivery USING btree (endpoint, hotel_id, reservation_status, is_alone, reservation_id) WITH (deduplicate_items=off) WHERE ((status = 'queued'::text) AND (lane = 'hourly'::text));
CREATE INDEX delivery_leased ON public.delivery USING btree (leased_until) WHERE (status = 'sending'::text);
CREATE INDEX delivery_nowhere ON public.delivery USING btree (supplier_id, hotel_id) WHERE ((status = 'queued'::text) AND (endpoint = 0));
CREATE INDEX delivery_open ON public.delivery USING btree (supplier_id, reservation_id) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text, 'dead'::text]));
CREATE INDEX delivery_superseded ON public.delivery USING btree (created_at, id) WHERE (status = 'superseded'::text);
CREATE INDEX delivery_unalerted ON public.delivery USING btree (undelivered_since) WHERE ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'dead'::text])) AND (alerted_at IS NULL));
CREATE UNIQUE INDEX delivery_under_way ON public.delivery USING btree (reservation_id) WHERE (leased_until IS NOT NULL);

create table delivery_alert (
  id bigint generated always as identity not null,
  delivery_id uuid not null,
  reservation_id bigint not null,
  supplier_id integer not null,
  hotel_id integer not null,
  reason text not null,
  at timestamp with time zone not null,
  cleared_at timestamp with time zone,
  constraint delivery_alert_pkey PRIMARY KEY (id),
  constraint delivery_alert_reason_check CHECK ((reason = ANY (ARRAY['undelivered'::text, 'arrival_near'::text]))),
  constraint delivery_alert_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id),
  constraint delivery_alert_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX delivery_alert_by_delivery ON public.delivery_alert USING btree (delivery_id);
CREATE INDEX delivery_alert_by_time ON public.delivery_alert USING btree (at);
CREATE INDEX delivery_alert_open ON public.delivery_alert USING btree (reservation_id) WHERE (cleared_at IS NULL);

create table delivery_attempt (
  delivery_id uuid not null,
  attempt integer not null,
  at timestamp with time zone not null,
  trigger text not null,
  message_id text not null,
  duration_ms integer not null,
  outcome text not null,
  http_status smallint,
  answer text,
  is_ordered boolean,
  ignored text,
  constraint delivery_attempt_pkey PRIMARY KEY (delivery_id, attempt),
  constraint delivery_attempt_trigger_check CHECK ((trigger = ANY (ARRAY['realtime'::text, 'retry'::text, 'hourly'::text, 'manual'::text, 'again'::text]))),
  constraint delivery_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id)
);
CREATE INDEX delivery_attempt_by_time ON public.delivery_attempt USING btree (at);

create table delivery_hold (
  only_one boolean default true not null,
  since timestamp with time zone default now() not null,
  reason text not null,
  constraint delivery_hold_pkey PRIMARY KEY (only_one),
  constraint delivery_hold_only_one_check CHECK (only_one)
);

create table environment (
  only_row boolean default true not null,
  name text not null,
  constraint environment_pkey PRIMARY KEY (only_row),
  constraint environment_name_check CHECK ((name = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint environment_only_row_check CHECK (only_row)
);

create table failed_sign_in (
  key bytea not null,
  attempts integer not null,
  last_at timestamp with time zone not null,
  locked_until timestamp with time zone not null,
  constraint failed_sign_in_pkey PRIMARY KEY (key),
  constraint failed_sign_in_attempts_check CHECK ((attempts >= 0)),
  constraint failed_sign_in_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX failed_sign_in_by_age ON public.failed_sign_in USING btree (last_at);

create table feed_publisher (
  only_row boolean default true not null,
  holder text,
  leased_until timestamp with time zone,
  epoch text,
  turn bigint,
  id bigint,
  hotels integer,
  stream_sequence bigint default 0 not null,
  constraint feed_publisher_pkey PRIMARY KEY (only_row),
  constraint feed_publisher_only_row_check CHECK (only_row)
);

create table finding (
  id bigint generated always as identity not null,
  supplier_id integer not null,
  kind text not null,
  key_id integer,
  hotel_id integer,
  subject text not null,
  state text not null,
  count integer not null,
  evidence jsonb not null,
  opened_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  resolved_at timestamp with time zone,
  tell_at timestamp with time zone not null,
  told_at timestamp with time zone,
  told_count integer default 0 not null,
  constraint finding_pkey PRIMARY KEY (id),
  constraint finding_check CHECK (((state = 'resolved'::text) = (resolved_at IS NOT NULL))),
  constraint finding_state_check CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'resolved'::text]))),
  constraint finding_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id) ON DELETE CASCADE,
  constraint finding_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id),
  constraint finding_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
) with (fillfactor=80);
CREATE INDEX finding_by_hotel ON public.finding USING btree (hotel_id) WHERE (hotel_id IS NOT NULL);
CREATE INDEX finding_by_supplier ON public.finding USING btree (supplier_id, opened_at, id);
CREATE UNIQUE INDEX finding_name ON public.finding USING btree (supplier_id, kind, COALESCE(hotel_id, 0), COALESCE(key_id, 0), subject);
CREATE INDEX finding_resolved ON public.finding USING btree (resolved_at) WHERE (state = 'resolved'::text);
CREATE INDEX finding_unresolved ON public.finding USING btree (kind, id) WHERE (state <> 'resolved'::text);
CREATE INDEX finding_untold ON public.finding USING btree (tell_at) WHERE (state = 'open'::text);

create table finding_watch (
  only_row boolean default true not null,
  at timestamp with time zone not null,
  hotel_id integer not null,
  constraint finding_watch_pkey PRIMARY KEY (only_row),
  constraint finding_watch_only_row_check CHECK (only_row)
);

create table guard (
  supplier_id integer not null,
  hotel_id integer,
  settings jsonb not null,
  changed_at timestamp with time zone not null,
  constraint guard_supplier_id_hotel_id_key UNIQUE NULLS NOT DISTINCT (supplier_id, hotel_id),
  constraint guard_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id),
  constraint guard_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX guard_by_hotel ON public.guard USING btree (hotel_id) WHERE (hotel_id IS NOT NULL);

create table guard_default (
  is_only boolean default true not null,
  settings jsonb not null,
  changed_at timestamp with time zone not null,
  constraint guard_default_pkey PRIMARY KEY (is_only),
  constraint guard_default_is_only_check CHECK (is_only)
);

create table hold (
  id uuid not null,
  hotel_id integer not null,
  key_id integer not null,
  request_id text not null,
  reason text not null,
  at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  on_expiry text not null,
  sequence bigint,
  currency_revision bigint not null,
  cells integer not null,
  blocks bigint[] not null,
  parts bytea storage external not null,
  examples jsonb not null,
  state text default 'open'::text not null,
  resolved_at timestamp with time zone,
  resolved_by text,
  constraint hold_pkey PRIMARY KEY (id),
  constraint hold_check CHECK (((state = 'open'::text) = (resolved_at IS NULL))),
  constraint hold_on_expiry_check CHECK ((on_expiry = ANY (ARRAY['discard'::text, 'apply'::text]))),
  constraint hold_state_check CHECK ((state = ANY (ARRAY['open'::text, 'released'::text, 'discarded'::text, 'expired'::text, 'replaced'::text]))),
  constraint hold_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);
CREATE INDEX hold_by_end ON public.hold USING btree (resolved_at) WHERE (state <> 'open'::text);
CREATE INDEX hold_by_hotel ON public.hold USING btree (hotel_id, at, id);
CREATE INDEX hold_by_state ON public.hold USING btree (state, at, id);
CREATE INDEX hold_open_by_expiry ON public.hold USING btree (expires_at) WHERE (state = 'open'::text);
CREATE INDEX hold_open_by_hotel ON public.hold USING btree (hotel_id, at, id) WHERE (state = 'open'::text);

create table hotel (
  id integer generated always as identity not null,
  supplier_id integer not null,
  code text not null,
  name text not null,
  currency text not null,
  is_available boolean not null,
  min_child_age integer not null,
  max_child_age integer not null,
  time_zone text not null,
  pushed jsonb not null,
  city_matched text,
  revision bigint default 0 not null,
  catalog_version bigint default 0 not null,
  currency_revision bigint default 0 not null,
  currency_changed_at timestamp with time zone,
  ari_version bigint default 0 not null,
  ari_at timestamp with time zone,
  numbers_after smallint default 0 not null,
  created_at timestamp with time zone default now() not null,
  key_id integer,
  is_offered boolean default false not null,
  ari_until_month smallint,
  numbers_epoch integer default store_epoch_number() not null,
  clock_ahead_ms bigint default 0 not null,
  ari_day integer default 0 not null,
  cells_revision bigint default 0,
  live_until timestamp with time zone,
  constraint hotel_pkey PRIMARY KEY (id),
  constraint hotel_supplier_id_code_key UNIQUE (supplier_id, code),
  constraint hotel_clock_ahead_ms_check CHECK ((clock_ahead_ms >= 0)),
  constraint hotel_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id),
  constraint hotel_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
) with (fillfactor=70);
CREATE INDEX hotel_by_ari_day ON public.hotel USING btree (ari_day, id);
CREATE INDEX hotel_by_ari_end ON public.hotel USING btree (COALESCE((ari_until_month)::integer, 0), id);
CREATE INDEX hotel_by_country ON public.hotel USING btree (((pushed ->> 'countryCodeISO2'::text)));
CREATE INDEX hotel_by_currency ON public.hotel USING btree (currency);
CREATE INDEX hotel_by_supplier_ari_end ON public.hotel USING btree (supplier_id, COALESCE((ari_until_month)::integer, 0), id);
CREATE INDEX hotel_never_pushed ON public.hotel USING btree (supplier_id, id) WHERE (is_available AND (ari_day = 0));
CREATE INDEX hotel_unavailable ON public.hotel USING btree (id) WHERE (NOT is_available);
CREATE INDEX hotel_watched_by_ari_day ON public.hotel USING btree (ari_day, id) WHERE is_available;
CREATE INDEX hotel_watched_by_ari_end ON public.hotel USING btree (COALESCE((ari_until_month)::integer, 0), id) WHERE is_available;
CREATE INDEX hotel_without_products ON public.hotel USING btree (id) WHERE (NOT is_offered);
CREATE TRIGGER hotel_currency AFTER UPDATE OF currency ON public.hotel FOR EACH ROW WHEN ((old.currency IS DISTINCT FROM new.currency)) EXECUTE FUNCTION note_former_currency();

create table hotel_search (
  hotel_id integer not null,
  supplier_id integer not null,
  name text not null,
  words text not null,
  constraint hotel_search_pkey PRIMARY KEY (hotel_id),
  constraint hotel_search_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id) ON DELETE CASCADE
);
CREATE INDEX hotel_search_by_name ON public.hotel_search USING btree (name, hotel_id) INCLUDE (supplier_id, words);
CREATE INDEX hotel_search_by_part ON public.hotel_search USING gin (search_parts(words));
CREATE INDEX hotel_search_by_supplier ON public.hotel_search USING btree (supplier_id, name, hotel_id) INCLUDE (words);
CREATE INDEX hotel_search_newest ON public.hotel_search USING btree (supplier_id, hotel_id);

create table hourly_run (
  hour timestamp with time zone not null,
  at timestamp with time zone not null,
  deliveries integer not null,
  constraint hourly_run_pkey PRIMARY KEY (hour)
);

create table housekeeping_mark (
  only_row boolean default true not null,
  at timestamp with time zone not null,
  moved_at timestamp with time zone,
  months_removed_before smallint,
  backup_at timestamp with time zone,
  constraint housekeeping_mark_pkey PRIMARY KEY (only_row),
  constraint housekeeping_mark_only_row_check CHECK (only_row)
);

create table idempotency (
  key_id integer not null,
  idempotency_key text not null,
  body_hash bytea not null,
  at timestamp with time zone not null,
  status smallint not null,
  answer bytea not null,
  constraint idempotency_pkey PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX idempotency_by_time ON public.idempotency USING btree (at);

create table live_answer (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  arrival date not null,
  departure date not null,
  rooms text[] not null,
  outcome text not null,
  prices jsonb,
  at timestamp with time zone not null,
  ahead_ms bigint not null,
  until timestamp with time zone not null,
  told json not null,
  constraint live_answer_pkey PRIMARY KEY (hotel_id, room_no, rate_no, arrival, departure, rooms),
  constraint live_answer_outcome_check CHECK ((outcome = ANY (ARRAY['sold_out'::text, 'price_changed'::text]))),
  constraint live_answer_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id) ON DELETE CASCADE
);
CREATE INDEX live_answer_by_until ON public.live_answer USING btree (until);

create table meal_plan (
  code text not null,
  name text not null,
  description text not null,
  retired_at timestamp with time zone,
  constraint meal_plan_pkey PRIMARY KEY (code)
);

create table oidc_state_used (
  hash bytea not null,
  at timestamp with time zone default clock_timestamp() not null,
  constraint oidc_state_used_pkey PRIMARY KEY (hash),
  constraint oidc_state_used_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX oidc_state_used_by_age ON public.oidc_state_used USING btree (at);

create table operator (
  id integer generated always as identity not null,
  name text not null,
  name_key text not null,
  role text not null,
  password_hash text,
  oidc_issuer text,
  oidc_subject text,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  last_sign_in_at timestamp with time zone,
  totp_secret bytea,
  totp_last_step bigint,
  totp_since timestamp with time zone,
  sessions_ended integer default 0 not null,
  supplier_id integer,
  given_back_at timestamp with time zone,
  disabled_by_platform boolean default false not null,
  constraint operator_pkey PRIMARY KEY (id),
  constraint operator_name_key_key UNIQUE (name_key),
  constraint operator_oidc_issuer_oidc_subject_key UNIQUE (oidc_issuer, oidc_subject),
  constraint operator_check CHECK (((oidc_issuer IS NULL) = (oidc_subject IS NULL))),
  constraint operator_check1 CHECK (((totp_secret IS NULL) = (totp_last_step IS NULL))),
  constraint operator_check2 CHECK (((totp_secret IS NULL) = (totp_since IS NULL))),
  constraint operator_of_supplier_check CHECK (((supplier_id IS NULL) OR (role <> 'admin'::text))),
  constraint operator_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text]))),
  constraint operator_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX operator_by_supplier ON public.operator USING btree (supplier_id) WHERE (supplier_id IS NOT NULL);

create table operator_recovery_code (
  hash bytea not null,
  operator_id integer not null,
  constraint operator_recovery_code_pkey PRIMARY KEY (hash),
  constraint operator_recovery_code_hash_check CHECK ((octet_length(hash) = 32)),
  constraint operator_recovery_code_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id)
);
CREATE INDEX operator_recovery_code_by_operator ON public.operator_recovery_code USING btree (operator_id);

create table operator_session (
  hash bytea not null,
  operator_id integer not null,
  signed_in_by text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  has_second_factor boolean default false not null,
  pending_totp bytea,
  constraint operator_session_pkey PRIMARY KEY (hash),
  constraint operator_session_hash_check CHECK ((octet_length(hash) = 32)),
  constraint operator_session_signed_in_by_check CHECK ((signed_in_by = ANY (ARRAY['password'::text, 'link'::text, 'oidc'::text]))),
  constraint operator_session_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id)
);
CREATE INDEX operator_session_by_operator ON public.operator_session USING btree (operator_id);

create table operator_sign_in_link (
  hash bytea not null,
  operator_id integer not null,
  expires_at timestamp with time zone not null,
  constraint operator_sign_in_link_pkey PRIMARY KEY (hash),
  constraint operator_sign_in_link_hash_check CHECK ((octet_length(hash) = 32)),
  constraint operator_sign_in_link_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id)
);
CREATE INDEX operator_sign_in_link_by_operator ON public.operator_sign_in_link USING btree (operator_id);

create table paused_url (
  url text not null,
  until timestamp with time zone not null,
  constraint paused_url_pkey PRIMARY KEY (url)
);

create table price_check (
  id bigint generated always as identity not null,
  check_id uuid not null,
  call_id uuid,
  at timestamp with time zone not null,
  supplier_id integer not null,
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  request_id text not null,
  arrival date not null,
  departure date not null,
  room_count smallint not null,
  adults smallint not null,
  child_ages smallint[] not null,
  outcome text not null,
  bookable boolean not null,
  duration_ms integer not null,
  reason text,
  message text,
  http_status smallint,
  currency text not null,
  revision bigint not null,
  stored_bookable boolean not null,
  stored_inventory integer not null,
  stored_before_tax bigint[],
  stored_after_tax bigint[],
  live_inventory bigint,
  live_before_tax bigint[],
  live_after_tax bigint[],
  difference bigint,
  terms_differ jsonb,
  is_ordered boolean,
  constraint price_check_pkey PRIMARY KEY (id),
  constraint price_check_check CHECK ((departure > arrival)),
  constraint price_check_outcome_check CHECK ((outcome = ANY (ARRAY['available'::text, 'price_changed'::text, 'sold_out'::text, 'invalid_response'::text, 'timeout'::text, 'supplier_error'::text, 'circuit_open'::text, 'not_registered'::text]))),
  constraint price_check_room_count_check CHECK ((room_count >= 1))
);
CREATE INDEX price_check_by_hotel ON public.price_check USING btree (hotel_id, id);
CREATE INDEX price_check_by_supplier ON public.price_check USING btree (supplier_id, id);
CREATE INDEX price_check_by_supplier_time ON public.price_check USING btree (supplier_id, at, id) INCLUDE (outcome, duration_ms);

create table price_drift (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  night date not null,
  currency text not null,
  checks integer not null,
  differing integer not null,
  sold_out integer not null,
  largest bigint not null,
  last_at timestamp with time zone not null,
  stored bigint,
  live bigint,
  revision bigint,
  since_at timestamp with time zone,
  since_revision bigint,
  meal_plan_differs integer default 0 not null,
  cancel_policy_differs integer default 0 not null,
  constraint price_drift_pkey PRIMARY KEY (hotel_id, room_no, rate_no, night),
  constraint price_drift_check CHECK (((since_at IS NULL) = (since_revision IS NULL)))
) with (fillfactor=80);
CREATE INDEX price_drift_by_night ON public.price_drift USING btree (night);
CREATE INDEX price_drift_differing ON public.price_drift USING btree ((((abs((live - stored)))::double precision / (GREATEST(stored, (1)::bigint))::double precision)), hotel_id, room_no, rate_no, night) WHERE (since_at IS NOT NULL);

create table push_body_batch (
  batch bigint generated always as identity not null,
  at timestamp with time zone not null,
  bytes bytea storage external not null,
  constraint push_body_batch_pkey PRIMARY KEY (batch)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=100000);

create table push_body_segment (
  at timestamp with time zone not null,
  first_batch bigint not null,
  last_batch bigint not null,
  batches bigint[] not null,
  starts integer[] not null,
  bytes bytea storage external,
  object text,
  object_from integer,
  object_length integer,
  constraint push_body_segment_bytes_check CHECK (((bytes IS NULL) = (object IS NOT NULL)))
) partition by RANGE (at);
CREATE INDEX push_body_segment_by_batch ON ONLY public.push_body_segment USING btree (last_batch);
CREATE INDEX push_body_segment_stored ON ONLY public.push_body_segment USING btree (at) WHERE (object IS NULL);

create table push_log (
  at timestamp with time zone not null,
  id bigint generated always as identity not null,
  batch bigint,
  revision bigint,
  supplier_id integer not null,
  key_id integer,
  hotel_id integer,
  kind push_kind not null,
  outcome push_outcome not null,
  cells_changed integer not null,
  duration_ms integer not null,
  body_bytes integer not null,
  body_from integer,
  answer_from integer,
  answer_length integer,
  status smallint,
  request_uuid uuid,
  request_text text,
  hotel_code text,
  hotel_ids integer[],
  problems jsonb,
  warnings jsonb,
  body_encoding text,
  body bytea storage external,
  answer_encoding text,
  answer bytea storage external,
  before bytea storage external,
  constraint push_log_request_check CHECK (((request_uuid IS NULL) <> (request_text IS NULL)))
) partition by RANGE (at);
CREATE INDEX push_log_by_hotel ON ONLY public.push_log USING btree (hotel_id, ((id >> 14))) WHERE (hotel_id IS NOT NULL);
CREATE INDEX push_log_by_hotels ON ONLY public.push_log USING gin (hotel_ids) WHERE (hotel_ids IS NOT NULL);
CREATE INDEX push_log_by_problem ON ONLY public.push_log USING gin (((problems -> 1))) WITH (gin_pending_list_limit='256') WHERE (problems IS NOT NULL);
CREATE INDEX push_log_by_request ON ONLY public.push_log USING btree (request_key(request_uuid), ((id >> 14))) WHERE (request_uuid IS NOT NULL);
CREATE INDEX push_log_by_request_text ON ONLY public.push_log USING btree (request_text, supplier_id, ((id >> 14))) WHERE (request_text IS NOT NULL);
CREATE INDEX push_log_by_supplier ON ONLY public.push_log USING btree (supplier_id, ((id >> 14)));
CREATE INDEX push_log_by_time ON ONLY public.push_log USING brin (at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX push_log_by_warning ON ONLY public.push_log USING gin (((warnings -> 1))) WITH (gin_pending_list_limit='256') WHERE (warnings IS NOT NULL);
CREATE INDEX push_log_noted ON ONLY public.push_log USING btree (supplier_id, ((id >> 14))) WHERE (COALESCE(problems, warnings) IS NOT NULL);
CREATE INDEX push_log_noted_by_hotel ON ONLY public.push_log USING btree (hotel_id, ((id >> 14))) WHERE ((hotel_id IS NOT NULL) AND (COALESCE(problems, warnings) IS NOT NULL));
CREATE INDEX push_log_other_by_hotel ON ONLY public.push_log USING btree (hotel_id, kind, ((id >> 14))) WHERE ((kind <> 'ari'::push_kind) AND (hotel_id IS NOT NULL));
CREATE INDEX push_log_other_by_supplier ON ONLY public.push_log USING btree (supplier_id, kind, ((id >> 14))) WHERE (kind <> 'ari'::push_kind);
CREATE INDEX push_log_refused ON ONLY public.push_log USING btree (supplier_id, ((id >> 14))) WHERE (outcome = ANY (ARRAY['partial'::push_outcome, 'rejected'::push_outcome, 'dryRun'::push_outcome]));
CREATE INDEX push_log_refused_of_all ON ONLY public.push_log USING btree (((id >> 14))) WHERE (outcome = ANY (ARRAY['partial'::push_outcome, 'rejected'::push_outcome, 'dryRun'::push_outcome]));

create table rate (
  hotel_id integer not null,
  rate_no smallint not null,
  code text not null,
  name text not null,
  constraint rate_pkey PRIMARY KEY (hotel_id, rate_no),
  constraint rate_hotel_id_code_key UNIQUE (hotel_id, code),
  constraint rate_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);

create table removed_hotel (
  supplier_id integer not null,
  code text not null,
  id integer not null,
  revision bigint not null,
  catalog_version bigint not null,
  ari_version bigint not null,
  numbers_after smallint not null,
  numbers_epoch integer not null,
  constraint removed_hotel_pkey PRIMARY KEY (supplier_id, code),
  constraint removed_hotel_id_key UNIQUE (id),
  constraint removed_hotel_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);

create table reservation (
  id bigint generated always as identity not null,
  supplier_id integer not null,
  hotel_id integer not null,
  status text not null,
  version integer not null,
  arrival date not null,
  departure date not null,
  rooms integer not null,
  currency text not null,
  total_after_tax bigint not null,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  client_reference text,
  channel text,
  constraint reservation_pkey PRIMARY KEY (id),
  constraint reservation_check CHECK ((departure > arrival)),
  constraint reservation_rooms_check CHECK ((rooms >= 1)),
  constraint reservation_status_check CHECK ((status = ANY (ARRAY['Confirm'::text, 'Cancel'::text]))),
  constraint reservation_total_after_tax_check CHECK ((total_after_tax >= 0)),
  constraint reservation_version_check CHECK ((version >= 1)),
  constraint reservation_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id),
  constraint reservation_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX reservation_by_arrival ON public.reservation USING btree (arrival, id);
CREATE INDEX reservation_by_channel ON public.reservation USING btree (channel, id) WHERE (channel IS NOT NULL);
CREATE INDEX reservation_by_client_reference ON public.reservation USING btree (client_reference, id) WHERE (client_reference IS NOT NULL);
CREATE INDEX reservation_by_created ON public.reservation USING btree (created_at);
CREATE INDEX reservation_by_departure ON public.reservation USING btree (departure, id);
CREATE INDEX reservation_by_hotel ON public.reservation USING btree (hotel_id, id);
CREATE INDEX reservation_by_hotel_arrival ON public.reservation USING btree (hotel_id, arrival, id);
CREATE INDEX reservation_by_modified ON public.reservation USING btree (modified_at, id);
CREATE INDEX reservation_by_supplier ON public.reservation USING btree (supplier_id, modified_at, id);
CREATE INDEX reservation_by_supplier_id ON public.reservation USING btree (supplier_id, id);

create table reservation_card (
  reservation_id bigint not null,
  card_key bytea,
  card bytea,
  cvv_key bytea,
  cvv bytea,
  keep_until timestamp with time zone not null,
  key_id text,
  cvv_until timestamp with time zone,
  since_version integer default 0 not null,
  constraint reservation_card_pkey PRIMARY KEY (reservation_id),
  constraint reservation_card_check CHECK (((card_key IS NULL) = (card IS NULL))),
  constraint reservation_card_check1 CHECK (((cvv_key IS NULL) = (cvv IS NULL))),
  constraint reservation_card_check2 CHECK (((cvv IS NULL) OR (card IS NOT NULL))),
  constraint reservation_card_cvv_check CHECK (((cvv IS NULL) = (cvv_until IS NULL))),
  constraint reservation_card_key_check CHECK (((card IS NOT NULL) OR (key_id IS NULL))),
  constraint reservation_card_key_id_fkey FOREIGN KEY (key_id) REFERENCES vault_key(id),
  constraint reservation_card_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id)
);
CREATE INDEX reservation_card_by_cvv_time ON public.reservation_card USING btree (cvv_until) WHERE (cvv IS NOT NULL);
CREATE INDEX reservation_card_by_key ON public.reservation_card USING btree (key_id, reservation_id) WHERE (card IS NOT NULL);
CREATE INDEX reservation_card_by_time ON public.reservation_card USING btree (keep_until) WHERE (card IS NOT NULL);

create table reservation_confirmation (
  reservation_id bigint not null,
  room_number integer not null,
  confirmation_number text not null,
  at timestamp with time zone not null,
  constraint reservation_confirmation_pkey PRIMARY KEY (reservation_id, room_number),
  constraint reservation_confirmation_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id)
);

create table reservation_guest (
  reservation_id bigint not null,
  word text not null,
  constraint reservation_guest_pkey PRIMARY KEY (reservation_id, word),
  constraint reservation_guest_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id)
);
CREATE INDEX reservation_guest_by_word ON public.reservation_guest USING btree (word, reservation_id);

create table reservation_note (
  id bigint generated always as identity not null,
  reservation_id bigint not null,
  at timestamp with time zone not null,
  operator_name text not null,
  text text not null,
  constraint reservation_note_pkey PRIMARY KEY (id),
  constraint reservation_note_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id)
);
CREATE INDEX reservation_note_by_reservation ON public.reservation_note USING btree (reservation_id, id);

create table reservation_report (
  id bigint generated always as identity not null,
  reservation_id bigint not null,
  room_number integer not null,
  report text not null,
  waives_penalty boolean not null,
  departure_date date,
  note text,
  version integer not null,
  at timestamp with time zone not null,
  key_id integer,
  operator_name text,
  constraint reservation_report_pkey PRIMARY KEY (id),
  constraint reservation_report_check CHECK (((key_id IS NULL) <> (operator_name IS NULL))),
  constraint reservation_report_report_check CHECK ((report = ANY (ARRAY['arrived'::text, 'no_show'::text, 'stay_changed'::text, 'card_invalid'::text, 'waived'::text]))),
  constraint reservation_report_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id)
);
CREATE INDEX reservation_report_by_reservation ON public.reservation_report USING btree (reservation_id, id);

create table reservation_version (
  reservation_id bigint not null,
  version integer not null,
  hotel_id integer not null,
  status text not null,
  at timestamp with time zone not null,
  revision bigint,
  content jsonb not null,
  before bytea storage external,
  constraint reservation_version_pkey PRIMARY KEY (reservation_id, version),
  constraint reservation_version_status_check CHECK ((status = ANY (ARRAY['Confirm'::text, 'Cancel'::text]))),
  constraint reservation_version_reservation_id_fkey FOREIGN KEY (reservation_id) REFERENCES reservation(id)
);
CREATE UNIQUE INDEX reservation_cancelled_once ON public.reservation_version USING btree (reservation_id) WHERE (status = 'Cancel'::text);
CREATE INDEX reservation_version_by_email ON public.reservation_version USING btree (lower(((content -> 'customer'::text) ->> 'email'::text))) WHERE (lower(((content -> 'customer'::text) ->> 'email'::text)) IS NOT NULL);
CREATE INDEX reservation_version_by_revision ON public.reservation_version USING btree (hotel_id, revision) WHERE (revision IS NOT NULL);
CREATE INDEX reservation_version_with_before ON public.reservation_version USING btree (at) WHERE (before IS NOT NULL);

create table room (
  hotel_id integer not null,
  room_no smallint not null,
  code text not null,
  name text not null,
  room_type text not null,
  constraint room_pkey PRIMARY KEY (hotel_id, room_no),
  constraint room_hotel_id_code_key UNIQUE (hotel_id, code),
  constraint room_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);
CREATE INDEX room_by_type ON public.room USING btree (room_type, hotel_id);

create table room_rate (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  is_available boolean not null,
  max_occupancy smallint not null,
  max_adult smallint,
  max_child smallint,
  meal_plan text,
  cancel_policies jsonb default '[]'::jsonb not null,
  pricing_model text,
  max_infant smallint,
  constraint room_rate_pkey PRIMARY KEY (hotel_id, room_no, rate_no),
  constraint room_rate_pricing_model_check CHECK ((pricing_model = ANY (ARRAY['unit'::text, 'guest'::text]))),
  constraint room_rate_hotel_id_rate_no_fkey FOREIGN KEY (hotel_id, rate_no) REFERENCES rate(hotel_id, rate_no),
  constraint room_rate_hotel_id_room_no_fkey FOREIGN KEY (hotel_id, room_no) REFERENCES room(hotel_id, room_no)
);
CREATE INDEX room_rate_by_meal_plan ON public.room_rate USING btree (meal_plan, hotel_id) WHERE (meal_plan IS NOT NULL);

create table room_type (
  name text not null,
  description text not null,
  retired_at timestamp with time zone,
  constraint room_type_pkey PRIMARY KEY (name)
);

create table sandbox_callback (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  key_id integer not null,
  calls text not null,
  url text not null,
  request_id text not null,
  webhook_id text not null,
  request text not null,
  outcome text not null,
  http_status smallint,
  answer text,
  duration_ms integer not null,
  constraint sandbox_callback_pkey PRIMARY KEY (id),
  constraint sandbox_callback_calls_check CHECK ((calls = ANY (ARRAY['ping'::text, 'priceCheck'::text, 'pushBooking'::text])))
);
CREATE INDEX sandbox_callback_by_key ON public.sandbox_callback USING btree (key_id, id);

create table sandbox_fault (
  id bigint generated always as identity not null,
  supplier_id integer not null,
  hotel_id integer,
  calls text not null,
  fault text not null,
  times_left integer not null,
  expires_at timestamp with time zone not null,
  constraint sandbox_fault_pkey PRIMARY KEY (id),
  constraint sandbox_fault_calls_check CHECK ((calls = ANY (ARRAY['priceCheck'::text, 'pushBooking'::text]))),
  constraint sandbox_fault_fault_check CHECK ((fault = ANY (ARRAY['timeout'::text, 'status500'::text, 'lostReply'::text, 'garbage'::text]))),
  constraint sandbox_fault_times_left_check CHECK ((times_left >= 0)),
  constraint sandbox_fault_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id),
  constraint sandbox_fault_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES supplier(id)
);
CREATE INDEX sandbox_fault_by_supplier ON public.sandbox_fault USING btree (supplier_id, id);

create table saved_view (
  operator_id integer not null,
  path text not null,
  name text not null,
  query text not null,
  saved_at timestamp with time zone not null,
  constraint saved_view_pkey PRIMARY KEY (operator_id, path, name),
  constraint saved_view_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id)
);

create table schema_migration (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  expands boolean default false not null,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table sign_up (
  id integer generated always as identity not null,
  email text not null,
  company text not null,
  network bytea not null,
  token_hash bytea,
  expires_at timestamp with time zone not null,
  mails integer not null,
  mails_since timestamp with time zone not null,
  mailed_at timestamp with time zone not null,
  operator_id integer,
  confirmed_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint sign_up_pkey PRIMARY KEY (id),
  constraint sign_up_email_key UNIQUE (email),
  constraint sign_up_operator_id_key UNIQUE (operator_id),
  constraint sign_up_token_hash_key UNIQUE (token_hash),
  constraint sign_up_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operator(id)
);
CREATE INDEX sign_up_by_mail ON public.sign_up USING btree (mailed_at);

create table stop_sell (
  hotel_id integer not null,
  revision bigint not null,
  at timestamp with time zone not null,
  operator text not null,
  request_id text not null,
  constraint stop_sell_pkey PRIMARY KEY (hotel_id, revision),
  constraint stop_sell_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);

create table stop_sell_order (
  id bigint generated always as identity not null,
  hotel_id integer not null,
  at timestamp with time zone not null,
  operator text not null,
  request_id text not null,
  reason text,
  claims jsonb not null,
  last_night date not null,
  until_at timestamp with time zone,
  ended_at timestamp with time zone,
  ended_by text,
  constraint stop_sell_order_pkey PRIMARY KEY (id),
  constraint stop_sell_order_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);
CREATE INDEX stop_sell_order_active ON public.stop_sell_order USING btree (hotel_id, id) WHERE (ended_at IS NULL);
CREATE INDEX stop_sell_order_by_hotel ON public.stop_sell_order USING btree (hotel_id, id);
CREATE INDEX stop_sell_order_due ON public.stop_sell_order USING btree (until_at) WHERE ((ended_at IS NULL) AND (until_at IS NOT NULL));

create table store_beat (
  only_row boolean default true not null,
  beat bigint not null,
  constraint store_beat_pkey PRIMARY KEY (only_row),
  constraint store_beat_only_row_check CHECK (only_row)
);

create table store_epoch (
  only_row boolean default true not null,
  id text not null,
  number integer not null,
  began_at timestamp with time zone not null,
  system_identifier text,
  timeline text,
  database_oid bigint,
  table_oid bigint,
  constraint store_epoch_pkey PRIMARY KEY (only_row),
  constraint store_epoch_only_row_check CHECK (only_row)
);

create table stored_card_search (
  place text not null,
  after_id bigint not null,
  is_done boolean not null,
  constraint stored_card_search_pkey PRIMARY KEY (place)
);

create table supplier (
  id integer generated always as identity not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  on_failure text default 'reject'::text not null,
  price_tolerance numeric(5,2) default 0 not null,
  delivers_cards boolean default false not null,
  may_push_on_demand boolean default true not null,
  may_retrieve boolean default true not null,
  clock_ahead_ms bigint default 0 not null,
  requires_certification boolean default false not null,
  certified_at timestamp with time zone,
  managed_keys_max integer default 2 not null,
  managed_key_rate_max integer default 6000 not null,
  hotels_max integer default 0 not null,
  unneeded_steps jsonb default '{}'::jsonb not null,
  on_terms_differ text default 'warn'::text not null,
  prices_are text default 'sell'::text not null,
  commission_percent numeric default 0 not null,
  constraint supplier_pkey PRIMARY KEY (id),
  constraint supplier_name_key UNIQUE (name),
  constraint supplier_clock_ahead_ms_check CHECK ((clock_ahead_ms >= 0)),
  constraint supplier_commission_percent_check CHECK (((commission_percent >= (0)::numeric) AND (commission_percent <= (100)::numeric))),
  constraint supplier_hotels_max_check CHECK (((hotels_max >= 0) AND (hotels_max <= 10000000))),
  constraint supplier_managed_key_rate_max_check CHECK (((managed_key_rate_max >= 1) AND (managed_key_rate_max <= 10000000))),
  constraint supplier_managed_keys_max_check CHECK (((managed_keys_max >= 0) AND (managed_keys_max <= 100))),
  constraint supplier_on_failure_check CHECK ((on_failure = ANY (ARRAY['reject'::text, 'use_stored'::text]))),
  constraint supplier_on_terms_differ_check CHECK ((on_terms_differ = ANY (ARRAY['warn'::text, 'reject'::text]))),
  constraint supplier_price_tolerance_check CHECK (((price_tolerance >= (0)::numeric) AND (price_tolerance <= (100)::numeric))),
  constraint supplier_prices_are_check CHECK ((prices_are = ANY (ARRAY['sell'::text, 'net'::text])))
);

create table tax (
  hotel_id integer not null,
  room_no smallint not null,
  rate_no smallint not null,
  "position" smallint not null,
  type text not null,
  value_type text not null,
  value numeric not null,
  applied_on text not null,
  applied_per text not null,
  included boolean not null,
  pay_now boolean not null,
  start_date date,
  end_date date,
  former_currency text,
  constraint tax_pkey PRIMARY KEY (hotel_id, room_no, rate_no, "position"),
  constraint tax_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id)
);

create table vault_key (
  id text not null,
  is_current boolean not null,
  since timestamp with time zone not null,
  constraint vault_key_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX vault_key_current ON public.vault_key USING btree (is_current) WHERE is_current;

create table watched_hotel (
  hotel_id integer not null,
  ari_version bigint not null,
  catalog_version bigint not null,
  day integer not null,
  sellable integer not null,
  constraint watched_hotel_pkey PRIMARY KEY (hotel_id),
  constraint watched_hotel_hotel_id_fkey FOREIGN KEY (hotel_id) REFERENCES hotel(id) ON DELETE CASCADE
) with (fillfactor=80);

create table work_item (
  key text not null,
  taken_by text,
  taken_at timestamp with time zone,
  note text,
  note_by text,
  note_at timestamp with time zone,
  snoozed_until timestamp with time zone,
  done_at timestamp with time zone,
  done_by text,
  done_count integer,
  changed_at timestamp with time zone not null,
  constraint work_item_pkey PRIMARY KEY (key)
);
CREATE INDEX work_item_changed ON public.work_item USING btree (changed_at);

create table write_probe (
  is_only boolean default true not null,
  at timestamp with time zone not null,
  constraint write_probe_pkey PRIMARY KEY (is_only),
  constraint write_probe_is_only_check CHECK (is_only)
) with (fillfactor=50);

create view ari_night as
 SELECT month.hotel_id,
    month.room_no,
    month.rate_no,
    make_date(month.month / 12, month.month::integer % 12 + 1, 1) + cell.night AS night,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 0) AS inventory,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 1), false) AS closed,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 2), false) AS closed_to_arrival,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 3), false) AS closed_to_departure,
    COALESCE(bool_or(cell.kind = 0 AND cell.field = 12), false) AS stop_sell,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 4) AS min_length_stay,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 5) AS max_length_stay,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 6) AS min_stay_arrival,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 7) AS max_stay_arrival,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 8) AS min_advance_days,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 9) AS max_advance_days,
    max(cell.value) FILTER (WHERE cell.kind = 0 AND cell.field = 10) AS unit_price,
    jsonb_strip_nulls(jsonb_build_object('adult', jsonb_object_agg(cell.field - 100, cell.value) FILTER (WHERE cell.kind = 0 AND cell.field >= 101 AND cell.field <= 199), 'child', jsonb_object_agg(cell.field - 200, cell.value) FILTER (WHERE cell.kind = 0 AND cell.field >= 201 AND cell.field <= 299), 'infant', jsonb_object_agg(cell.field - 300, cell.value) FILTER (WHERE cell.kind = 0 AND cell.field >= 301 AND cell.field <= 399))) AS guest_prices,
    max(cell.value) FILTER (WHERE cell.kind = 1) AS revision
   FROM ari_month month
     CROSS JOIN LATERAL ari_block_cells(month.block) cell(field, kind, key_id, night, value)
  WHERE cell.kind = ANY (ARRAY[0, 1])
  GROUP BY month.hotel_id, month.room_no, month.rate_no, month.month, cell.night
 HAVING bool_or(cell.kind = 0);

CREATE OR REPLACE FUNCTION public.ari_block_cells(block bytea)
 RETURNS TABLE(field integer, kind integer, key_id integer, night integer, value bigint)
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  at int := 1;
  column_end int;
  tag bigint;
  length bigint;
  run int;
  nights int;
  folded bigint;
  scale bigint;
  byte int;
begin
  if get_byte(block, 0) <> 1 then
    raise exception 'ARI block of unknown version %', get_byte(block, 0);
  end if;
  while at < octet_length(block) loop
    tag := 0; scale := 1;
    loop
      byte := get_byte(block, at); at := at + 1;
      tag := tag + (byte & 127) * scale; scale := scale * 128;
      exit when byte < 128;
    end loop;
    length := 0; scale := 1;
    loop
      byte := get_byte(block, at); at := at + 1;
      length := length + (byte & 127) * scale; scale := scale * 128;
      exit when byte < 128;
    end loop;
    column_end := at + length;
    key_id := tag / 65536;
    field := (tag % 65536) / 4;
    kind := tag % 4;
    night := 0;
    value := 0;
    while at < column_end loop
      run := get_byte(block, at); at := at + 1;
      nights := (run & 31) + 1;
      if run & 96 = 32 then
        night := night + nights;
        continue;
      end if;
      for i in 1..nights loop
        if i = 1 or run & 96 = 64 then
          folded := 0; scale := 1;
          loop
            byte := get_byte(block, at); at := at + 1;
            folded := folded + (byte & 127) * scale; scale := scale * 128;
            exit when byte < 128;
          end loop;
          value := value + case when folded % 2 = 1 then -(folded + 1) / 2 else folded / 2 end;
        end if;
        return next;
        night := night + 1;
      end loop;
    end loop;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION public.begin_store_epoch(known_number integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  sequence record;
begin
  -- More than a service gives out between two backups, or while a replica lags.
  for sequence in
    select format('%I.%I', schemaname, sequencename)::regclass as name,
      case data_type when 'bigint'::regtype then 1000000 else 100000 end as skipped
    from pg_sequences where schemaname = current_schema()
  loop
    perform setval(sequence.name, nextval(sequence.name) + sequence.skipped);
  end loop;
  -- Nobody has a cursor of the new epoch yet, and turns are numbers of the server's transactions: another server's differ.
  truncate change;
  update change_horizon set turn = pg_snapshot_xmax(pg_current_snapshot())::text::bigint, id = 0, hotels = 0;
  perform end_access_of_former_epoch();
  update store_epoch set
    id = substr(replace(gen_random_uuid()::text, '-', ''), 1, 12),
    number = greatest(number, known_number) + 1,
    began_at = clock_timestamp(),
    (system_identifier, timeline, database_oid, table_oid) = (select place.* from store_place() as place);
end $function$;

CREATE OR REPLACE FUNCTION public.end_access_of_former_epoch()
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from operator_session;
  delete from operator_sign_in_link;
$function$;

CREATE OR REPLACE FUNCTION public.enter_store(known_id text, known_number integer, known_beat bigint, OUT id text, OUT number integer, OUT beat bigint, OUT has_begun boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  held store_epoch;
  place record;
  is_other boolean;
begin
  has_begun := false;
  for attempt in 1..2 loop
    select * into held from store_epoch;
    select store_beat.beat into beat from store_beat;
    select * into place from store_place();
    is_other := held.system_identifier <> place.system_identifier or held.timeline <> place.timeline
      or held.database_oid <> place.database_oid or held.table_oid <> place.table_oid;
    is_other := coalesce(is_other, false)
      or case when held.id = known_id then beat < known_beat else held.number <= known_number end;
    is_other := coalesce(is_other, false);
    exit when pg_is_in_recovery() or (not is_other and held.database_oid is not null);
    -- One begins it; those who come meanwhile wait here, and find it begun.
    if attempt = 1 then
      perform from store_epoch for update;
    elsif is_other then
      perform begin_store_epoch(known_number);
      has_begun := true;
    else
      -- The first program ever: nothing came before it.
      update store_epoch set
        (system_identifier, timeline, database_oid, table_oid) = (place.system_identifier, place.timeline,
          place.database_oid, place.table_oid);
    end if;
  end loop;
  select * into held from store_epoch;
  id := held.id;
  number := held.number;
end $function$;

CREATE OR REPLACE FUNCTION public.epoch_ms(at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (round((EXTRACT(epoch FROM at) * (1000)::numeric)))::double precision;

CREATE OR REPLACE FUNCTION public.grant_supplier_sessions()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- Superusers may take every role.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    begin
      execute format('grant ari_supplier to %I', current_user);
    exception
      when insufficient_privilege then
        -- Somebody else's role: whoever made it may have granted it already.
        if not pg_has_role(current_user, 'ari_supplier', 'member') then
          raise warning 'supplier sessions need: grant ari_supplier to %', current_user;
        end if;
    end;
  end if;
  grant usage on schema public to ari_supplier;
  grant select on supplier, hotel, hotel_search, api_key, reservation, delivery, delivery_attempt, push_log, price_check,
    certification, certification_note, sandbox_fault, room, rate, room_rate, tax, ari_month, price_drift,
    reservation_version, reservation_note, stop_sell, stop_sell_order, hold, room_type, meal_plan, push_body_batch,
    push_body_segment, store_epoch, operator, delivery_alert, reservation_guest, sandbox_callback,
    reservation_confirmation, reservation_report, cancel_code, live_answer
    to ari_supplier;
  -- Its hash too, which the file of revocations notes.
  grant select, insert (hash, key_id, tail), update (expires_at) on api_key_secret to ari_supplier;
  grant insert (supplier_id, channel_manager, expires_at, requests_per_minute, requests_burst, body_bytes_max,
    ari_items_max, ari_cells_max, unknown_fields, echo), update (revoked_at) on api_key to ari_supplier;
  grant update (id) on supplier to ari_supplier;
  grant insert, update on operator to ari_supplier;
  grant select, insert, delete on operator_session, operator_sign_in_link to ari_supplier;
  grant insert on audit_log to ari_supplier;
  grant insert on delivery to ari_supplier;
  grant update (status, lane, retries, is_alone, trigger, due_at, not_before, give_up_at, dead_at) on delivery to ari_supplier;
  grant update (id) on reservation to ari_supplier;
end
$function$;

CREATE OR REPLACE FUNCTION public.hotel_words(name text, code text, city_matched text, pushed jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"((' '::text || search_text(concat_ws(' '::text, code, (pushed ->> 'countryCodeISO2'::text), city_matched, (pushed ->> 'city'::text), name))), 400);

CREATE OR REPLACE FUNCTION public.in_former_currency(policies jsonb, currency text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(jsonb_agg(
    policy
      || case when policy ? 'cancelPenalties' then jsonb_build_object('cancelPenalties', (
           select coalesce(jsonb_agg(
             case when coalesce((penalty #>> '{penaltyCharge,amount}')::numeric, 0) <> 0
                 and not penalty -> 'penaltyCharge' ? 'formerCurrency'
               then jsonb_set(penalty, '{penaltyCharge,formerCurrency}', to_jsonb(currency)) else penalty end
             order by place), '[]')
           from jsonb_array_elements(policy -> 'cancelPenalties') with ordinality as listed (penalty, place)))
         else '{}' end
      || case when policy ? 'fees' then jsonb_build_object('fees', (
           select coalesce(jsonb_agg(
             case when fee ->> 'valueType' = 'fixed' and (fee ->> 'value')::numeric <> 0 and not fee ? 'formerCurrency'
               then fee || jsonb_build_object('formerCurrency', currency) else fee end
             order by place), '[]')
           from jsonb_array_elements(policy -> 'fees') with ordinality as listed (fee, place)))
         else '{}' end
    order by place), '[]')
  from jsonb_array_elements(policies) with ordinality as listed (policy, place)
$function$;

CREATE OR REPLACE FUNCTION public.instant(ms double precision)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN to_timestamp((ms / (1000)::double precision));

CREATE OR REPLACE FUNCTION public.note_former_currency()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update tax set former_currency = old.currency
  where hotel_id = new.id and value_type = 'fixed' and value <> 0 and former_currency is null;
  update room_rate set cancel_policies = in_former_currency(cancel_policies, old.currency)
  where hotel_id = new.id and cancel_policies <> in_former_currency(cancel_policies, old.currency);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.request_key(uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((('x'::text || encode(substr(uuid_send($1), 1, 8), 'hex'::text)))::bit(64))::bigint;

CREATE OR REPLACE FUNCTION public.search_parts(words text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT COST 10000
RETURN ARRAY(SELECT DISTINCT parts.part FROM (UNNEST(string_to_array(search_parts.words, NULL::text), (string_to_array(search_parts.words, NULL::text))[2:], (string_to_array(search_parts.words, NULL::text))[3:]) letter(first, second, third) CROSS JOIN LATERAL (VALUES (letter.first), ((letter.first || letter.second)), (((letter.first || letter.second) || letter.third))) parts(part)) WHERE (strpos(parts.part, ' '::text) = 0));

CREATE OR REPLACE FUNCTION public.search_text(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(replace(replace(replace(replace(translate(lower(regexp_replace(NORMALIZE(given, NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text)), 'øłđðħıəς'::text, 'olddhiaσ'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'þ'::text, 'th'::text), '[^[:alnum:]]+'::text, ' '::text, 'g'::text);

CREATE OR REPLACE FUNCTION public.session_supplier()
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select nullif(current_setting('ari.supplier', true), '')::int $function$;

CREATE OR REPLACE FUNCTION public.store_epoch_number()
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$select number from store_epoch$function$;

CREATE OR REPLACE FUNCTION public.store_place(OUT system_identifier text, OUT timeline text, OUT database_oid bigint, OUT table_oid bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  begin
    select control.system_identifier::text into system_identifier from pg_control_system() as control;
  exception when others then system_identifier := null;
  end;
  begin
    -- Not pg_control_checkpoint(), which says the former one until the checkpoint after a promotion is done.
    if not pg_is_in_recovery() then timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8); end if;
  exception when others then timeline := null;
  end;
  select oid::bigint into database_oid from pg_database where datname = current_database();
  table_oid := 'store_epoch'::regclass::oid::bigint;
end $function$;

alter table api_key enable row level security;
create policy own on api_key using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table api_key_secret enable row level security;
create policy own on api_key_secret using ((key_id IN ( SELECT api_key.id
   FROM api_key)));

alter table ari_month enable row level security;
create policy own on ari_month using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table audit_log enable row level security;
create policy own on audit_log for insert with check ((operator_id IN ( SELECT operator.id
   FROM operator)));

alter table certification enable row level security;
create policy own on certification using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table certification_note enable row level security;
create policy own on certification_note using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table delivery enable row level security;
create policy of_own_reservation on delivery as restrictive for insert with check ((EXISTS ( SELECT
   FROM reservation
  WHERE ((reservation.id = delivery.reservation_id) AND (reservation.hotel_id = delivery.hotel_id) AND (reservation.version = delivery.version)))));

alter table delivery enable row level security;
create policy own on delivery using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table delivery_alert enable row level security;
create policy own on delivery_alert using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table delivery_attempt enable row level security;
create policy own on delivery_attempt using ((EXISTS ( SELECT
   FROM delivery
  WHERE (delivery.id = delivery_attempt.delivery_id))));

alter table hold enable row level security;
create policy own on hold using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table hotel enable row level security;
create policy own on hotel using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table hotel_search enable row level security;
create policy own on hotel_search using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table live_answer enable row level security;
create policy own on live_answer using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table operator enable row level security;
create policy own on operator using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table operator_recovery_code enable row level security;
create policy own on operator_recovery_code using ((operator_id IN ( SELECT operator.id
   FROM operator)));

alter table operator_session enable row level security;
create policy own on operator_session using ((operator_id IN ( SELECT operator.id
   FROM operator)));

alter table operator_sign_in_link enable row level security;
create policy own on operator_sign_in_link using ((operator_id IN ( SELECT operator.id
   FROM operator)));

alter table price_check enable row level security;
create policy own on price_check using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table price_drift enable row level security;
create policy own on price_drift using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table push_log enable row level security;
create policy own on push_log using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table rate enable row level security;
create policy own on rate using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table reservation enable row level security;
create policy lock_only on reservation as restrictive for update using (true) with check (false);

alter table reservation enable row level security;
create policy own on reservation using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table reservation_confirmation enable row level security;
create policy own on reservation_confirmation using ((EXISTS ( SELECT
   FROM reservation
  WHERE (reservation.id = reservation_confirmation.reservation_id))));

alter table reservation_guest enable row level security;
create policy own on reservation_guest using ((EXISTS ( SELECT
   FROM reservation
  WHERE (reservation.id = reservation_guest.reservation_id))));

alter table reservation_note enable row level security;
create policy own on reservation_note using (false);

alter table reservation_report enable row level security;
create policy own on reservation_report using ((EXISTS ( SELECT
   FROM reservation
  WHERE (reservation.id = reservation_report.reservation_id))));

alter table reservation_version enable row level security;
create policy own on reservation_version using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table room enable row level security;
create policy own on room using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table room_rate enable row level security;
create policy own on room_rate using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table sandbox_callback enable row level security;
create policy own on sandbox_callback using ((key_id IN ( SELECT api_key.id
   FROM api_key)));

alter table sandbox_fault enable row level security;
create policy own on sandbox_fault using ((supplier_id = ( SELECT session_supplier() AS session_supplier)));

alter table stop_sell enable row level security;
create policy own on stop_sell using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table stop_sell_order enable row level security;
create policy own on stop_sell_order using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));

alter table supplier enable row level security;
create policy lock_only on supplier as restrictive for update using (true) with check (false);

alter table supplier enable row level security;
create policy own on supplier using ((id = ( SELECT session_supplier() AS session_supplier)));

alter table tax enable row level security;
create policy own on tax using ((hotel_id IN ( SELECT hotel.id
   FROM hotel)));
