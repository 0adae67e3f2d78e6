-- Online. Lists of holds, newest first, of all hotels and in each state.
drop index concurrently if exists hold_by_state;

create index concurrently hold_by_state on hold (state, at, id);
