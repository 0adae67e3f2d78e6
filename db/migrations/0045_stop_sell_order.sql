-- Operators' stop-sells as they were ordered (decisions/014-stop-sell.md): which nights of which rows, why, by whom and
-- until when. A night is stopped as long as an order that hasn't ended claims it; the closure itself is in the blocks.
create table stop_sell_order (
  id bigint generated always as identity primary key,
  hotel_id int not null references hotel,
  at timestamptz not null,
  operator text not null,
  request_id text not null,
  -- Null: ordered before reasons were required.
  reason text,
  -- [[room_no, rate_no, first, last], …]: days since 1970-01-01, both included; rate 0 is the room with all its rates.
  -- Nights that were resumed leave it, except the last of them, which end the order.
  claims jsonb not null,
  last_night date not null,
  -- Null: until somebody resumes sales.
  until_at timestamptz,
  ended_at timestamptz,
  -- Null: it ended by itself.
  ended_by text
);
create index stop_sell_order_active on stop_sell_order (hotel_id, id) where ended_at is null;
create index stop_sell_order_due on stop_sell_order (until_at) where ended_at is null and until_at is not null;
create index stop_sell_order_by_hotel on stop_sell_order (hotel_id, id);

-- The stop-sells in force: of each, the nights that are still stopped.
insert into stop_sell_order (hotel_id, at, operator, request_id, claims, last_night)
select stop_sell.hotel_id, stop_sell.at, stop_sell.operator, stop_sell.request_id,
  jsonb_agg(jsonb_build_array(room_no, rate_no, first, last) order by room_no, rate_no, first),
  date '1970-01-01' + max(last)
from (
  select hotel_id, revision, room_no, rate_no, min(night) as first, max(night) as last
  from (
    select *, night - row_number() over (partition by hotel_id, revision, room_no, rate_no order by night) as run
    from (
      select month.hotel_id, month.room_no, month.rate_no, cell.revision,
        (make_date(month.month / 12, month.month % 12 + 1, 1) - date '1970-01-01') + cell.night as night
      from ari_month as month
        cross join lateral (
          select night, max(value) filter (where kind = 1) as revision from ari_block_cells(month.block)
          where field = 12 and kind in (0, 1) group by night having bool_or(kind = 0)
        ) as cell
      where month.hotel_id in (select hotel_id from stop_sell)
    ) as nights
  ) as runs
  group by hotel_id, revision, room_no, rate_no, run
) as claimed join stop_sell on stop_sell.hotel_id = claimed.hotel_id and stop_sell.revision = claimed.revision
group by stop_sell.hotel_id, stop_sell.revision, stop_sell.at, stop_sell.operator, stop_sell.request_id
order by stop_sell.at;
