-- Expand.
-- How many infants a product takes in a room; null: as many as its max_occupancy. 0 beside no children is a house for
-- adults alone. A product that the previous version stores keeps the number that it had.
alter table room_rate add column max_infant smallint;
