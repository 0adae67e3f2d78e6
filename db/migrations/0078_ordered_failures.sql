-- Expand.
-- Whether the service itself made a call fail because the supplier had ordered that in the sandbox
-- (webhooks/callback-faults.ts). Null: written by a version that told it by the text of the answer.
alter table delivery_attempt add column is_ordered boolean;
alter table price_check add column is_ordered boolean;
