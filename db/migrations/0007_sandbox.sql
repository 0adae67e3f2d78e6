-- Faults that a supplier ordered for the platform's calls of its URLs; only the sandbox ever has any. Rows are few: an
-- order replaces those of the supplier, and housekeeping deletes what is over.
create table sandbox_fault (
  id bigint generated always as identity primary key,
  supplier_id int not null references supplier,
  -- Null: any of its hotels.
  hotel_id int references hotel,
  calls text not null check (calls in ('priceCheck', 'pushBooking')),
  fault text not null check (fault in ('timeout', 'status500', 'lostReply', 'garbage')),
  times_left int not null check (times_left >= 0),
  expires_at timestamptz not null
);
create index sandbox_fault_by_supplier on sandbox_fault (supplier_id, id);
