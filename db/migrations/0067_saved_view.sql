-- Expand.
-- Filters of the console's lists that people keep under a name.
create table saved_view (
  operator_id int not null references operator,
  -- Of the list, below the console's own.
  path text not null,
  name text not null,
  -- The filters, as in the address.
  query text not null,
  saved_at timestamptz not null,
  primary key (operator_id, path, name)
);
