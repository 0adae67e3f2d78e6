-- When access was given back (an operator enabled or promoted, a key that ends later): a note of a revocation before it, in
-- another machine's file, no longer applies.
alter table api_key add column given_back_at timestamptz;
alter table operator add column given_back_at timestamptz;
