-- What operators did about a piece of the work queue (decisions/051-work-queue.md). The pieces themselves are findings,
-- hotels, stop-sells and refused pushes: a row is only there once somebody took, noted, put off or finished one.
create table work_item (
  key text primary key,
  taken_by text,
  taken_at timestamptz,
  note text,
  note_by text,
  note_at timestamptz,
  snoozed_until timestamptz,
  done_at timestamptz,
  done_by text,
  -- How many of it there were then: if there are more, it is work again.
  done_count int,
  changed_at timestamptz not null
);
create index work_item_changed on work_item (changed_at);
