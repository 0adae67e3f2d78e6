-- How often all sessions of an operator were ended: a sign-in that was proved before opens none. src/operators/session-store.ts
alter table operator add column sessions_ended integer not null default 0;
