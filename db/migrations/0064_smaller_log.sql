-- Fewer bytes a push in the log (decisions/038-bodies-of-pushes.md).

-- The first half of a UUID, which in version 7 is its time and twelve more bits: nearly unique, and entries that are made
-- one after the other are beside each other, so that pages of the index are full. UUIDs with the same first digit keep
-- their order.
create function request_key(uuid) returns bigint language sql immutable strict parallel safe
  return ('x' || encode(substr(uuid_send($1), 1, 8), 'hex'))::bit(64)::bigint;

drop index push_log_by_request;
create index push_log_by_request on push_log (request_key(request_uuid), (id >> 14)) where request_uuid is not null;

-- The values before a change have another form: history begins anew.
update push_log set before = null where before is not null;
update reservation_version set before = null where before is not null;
update hotel set cells_revision = null where cells_revision is not null;
