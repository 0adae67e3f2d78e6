/**
 * SQL: the events of deliveries that reached their suppliers or were given up, for the change feed. `ended` names a query
 * with hotel_id, reservation_id, version and status; `condition` leaves out repeats, which tell nothing new.
 */
export function deliveryEvents(ended: string, condition: string): string {
  return `select hotel_id, jsonb_build_object('reservationId', reservation_id::text, 'version', version,
      'delivery', jsonb_build_object('status', status)) as event
    from ${ended} where ${condition} order by reservation_id, version`
}
