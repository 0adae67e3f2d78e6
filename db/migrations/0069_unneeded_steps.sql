-- Expand.
-- Steps of the go-live checklist that the supplier's contract doesn't need, by an operator's word: a live price check, or
-- reservations by HTTP. By the step's name: reason, operator, at. They hold for all hotels of the supplier.
alter table supplier add column unneeded_steps jsonb not null default '{}';
