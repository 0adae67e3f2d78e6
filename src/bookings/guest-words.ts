import type { Queryable } from '../postgres/postgres.ts'
import type { ReservationContent } from './state.ts'

/** Makes a reservation searchable by its guests, in the statement that writes its version. */
export function searchableBy(id: string, names: string): string {
  return `named as (
        insert into reservation_guest (reservation_id, word)
        select distinct ${id}::int8, left(word, ${guestWordMax})
        from string_to_table(search_text(${names}::text), ' ') as word where word <> ''
        on conflict do nothing
      )`
}

/** Does the same for an existing version. */
export async function writeGuestWords(
  connection: Queryable,
  id: number,
  content: ReservationContent,
): Promise<void> {
  await connection.query(`with ${searchableBy('$1', '$2')} select`, [id, namesIn(content)])
}

/** An index covers these words, which limits their length. */
const guestWordMax = 100

export function namesIn({ customer, rooms }: ReservationContent): string {
  const people = [customer, ...rooms.map(({ guest }) => guest)]
  return people.map(({ firstName, lastName }) => `${firstName} ${lastName}`).join(' ')
}
