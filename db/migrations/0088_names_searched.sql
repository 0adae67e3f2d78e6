-- Online.
-- Expand.
-- Reservations are searched by the platform's own names for them.
drop index concurrently if exists reservation_by_client_reference;

create index concurrently reservation_by_client_reference on reservation (client_reference, id) where client_reference is not null;

drop index concurrently if exists reservation_by_channel;

create index concurrently reservation_by_channel on reservation (channel, id) where channel is not null;
