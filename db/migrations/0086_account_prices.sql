-- Expand.
-- What the prices are that an account pushes, and the platform's commission of those that are sell prices.
alter table supplier add column prices_are text not null default 'sell' check (prices_are in ('sell', 'net'));
alter table supplier add column commission_percent numeric not null default 0 check (commission_percent between 0 and 100);
