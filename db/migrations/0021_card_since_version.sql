-- With which version of the reservation a card came: an earlier one, when it is delivered, carried another, and leaves
-- the CVV of this one. 0: from before this was kept.
alter table reservation_card add column since_version integer not null default 0;
