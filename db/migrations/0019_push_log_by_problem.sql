-- A supplier's pushes that may have a problem or a warning of some type, in the order of their numbers: a page is looked
-- for among the next of them, however many there are. It takes the place of an index by type, which grew with each push.
create index push_log_noted on push_log (supplier_id, id)
  where outcome in ('partial', 'rejected', 'dryRun') or warnings is not null;
drop index push_log_by_warning;
