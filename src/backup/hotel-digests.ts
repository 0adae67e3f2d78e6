/** What a hotel's digest covers: its own row, and its rows in these tables. */
const tables = ['room', 'rate', 'room_rate', 'tax', 'ari_month', 'stop_sell', 'guard', 'reservation'] as const

/**
 * SQL: a line for each hotel, with its id, its code and the digest of all that is stored of it. The same rows have the
 * same digest in any database with the same schema.
 */
export const hotelDigests = `
  select hotel.id, hotel.code, encode(sha256(convert_to(concat_ws(E'\\n', hotel::text${tables
    .map(
      (table) =>
        `, '${table}', (select string_agg(t::text, E'\\n' order by t::text collate "C") from ${table} t where t.hotel_id = hotel.id)`,
    )
    .join('')}), 'UTF8')), 'hex')
  from hotel order by hotel.id`
