-- The process that publishes the change feed to NATS, and how far it has published.
create table feed_publisher (
  only_row boolean primary key default true check (only_row),
  -- A name that the process chose at random.
  holder text,
  leased_until timestamptz,
  epoch text,
  turn int8,
  id int8,
  hotels int4,
  -- The number of the last message that the stream acknowledged.
  stream_sequence int8 not null default 0
);
insert into feed_publisher default values;
