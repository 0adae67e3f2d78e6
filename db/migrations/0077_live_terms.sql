-- Expand.
-- Meal plan and penalties of price checks, where they differ from what is sold, and what an account does then.
alter table supplier add column on_terms_differ text not null default 'warn' check (on_terms_differ in ('warn', 'reject'));
alter table price_check add column terms_differ jsonb;
alter table price_drift add column meal_plan_differs integer not null default 0;
alter table price_drift add column cancel_policy_differs integer not null default 0;
-- A signing secret that was replaced before the last one, while its overlap lasts.
alter table api_key add column signing_secret_older text;
alter table api_key add column signing_secret_older_until timestamptz;
-- When the secret was made, and when a call signed with it was answered with 2xx.
alter table api_key add column signing_secret_at timestamptz;
alter table api_key add column signing_secret_proven_at timestamptz;
