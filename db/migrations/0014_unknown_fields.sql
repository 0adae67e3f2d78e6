-- Members of requests that are not known.

-- Whether a request with such members is applied and told of them, or refused.
alter table api_key add column unknown_fields text not null default 'warn' check (unknown_fields in ('warn', 'reject'));

-- What was accepted with warnings, in the shape of problems.
alter table push_log add column warnings jsonb;
create index push_log_by_warning on push_log using gin ((warnings -> 'types')) where warnings is not null;
