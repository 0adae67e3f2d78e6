-- Whether pushes of ARI with the key are answered with readings by default.
alter table api_key add column echo boolean not null default false;
