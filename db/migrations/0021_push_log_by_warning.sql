-- The console finds pushes of all suppliers by the type of a warning.
create index push_log_by_warning on push_log using gin ((warnings -> 'types')) where warnings is not null;
