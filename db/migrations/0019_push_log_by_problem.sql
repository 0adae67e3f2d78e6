-- A supplier's and a hotel's pushes with a problem or a warning in the order of their numbers: a page of those with some
-- type is looked for among the next of them, however many others there are. Only they pay for it. Written so, because
-- `problems is not null or …` lets the planner read the indexes by type as a whole, and join them.
create index push_log_noted on push_log (supplier_id, id) where coalesce(problems, warnings) is not null;
create index push_log_noted_by_hotel on push_log (hotel_id, id)
  where hotel_id is not null and coalesce(problems, warnings) is not null;
