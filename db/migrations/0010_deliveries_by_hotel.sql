-- Hotels of one endpoint are served in turn: the claim hops from hotel to hotel.
create index delivery_due_by_hotel on delivery (lane, endpoint, hotel_id, due_at) where status = 'queued';
-- What waits for want of a URL, by who may register one.
create index delivery_nowhere on delivery (supplier_id, hotel_id) where status = 'queued' and endpoint = 0;
