import { isDeepStrictEqual } from 'node:util'
import { remarksWithoutCards, withoutCardNumbers } from '../../base/card-number.ts'
import { numberArray, type Database, type Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isInternational } from './reservation-rules.ts'
import type { PersonName, ReservationContent } from '../state.ts'
import { writeGuestWords } from '../guest-words.ts'

/**
 * Goes once through the data stored before card numbers were refused and cards of cancelled bookings were
 * destroyed. Works in small steps, each with its own commit and a stored position: a process that stops
 * resumes where it was, and only one of several processes does the work.
 */

const reservationsAtOnce = 500
/** A million reservations a run; the rest follow in the next run. */
const batchesMax = 2_000
const searchName = 'reservations'

/** Returns the number of reservations from which a card number was removed. */
export async function cleanStoredCards(db: Database): Promise<number> {
  await db.query(
    'insert into stored_card_search (place, after_id, is_done) values ($1, 0, false) on conflict do nothing',
    [searchName],
  )
  let cleaned = 0
  for (let batch = 0; batch < batchesMax; batch++) {
    const { searched, cleanedNow } = await transaction(db, cleanSome)
    if (searched === 0) break
    cleaned += cleanedNow
  }
  return cleaned
}

async function cleanSome(connection: Queryable): Promise<{ searched: number; cleanedNow: number }> {
  const { rows: searches } = await connection.query<{ afterId: number }>(
    `select after_id::float8 as "afterId" from stored_card_search where place = $1 and not is_done
     for update skip locked`,
    [searchName],
  )
  const [at] = searches
  if (!at) return { searched: 0, cleanedNow: 0 }
  const { rows } = await connection.query<{ id: number }>(
    'select id::float8 as id from reservation where id > $1 order by id limit $2',
    [at.afterId, reservationsAtOnce],
  )
  const ids = rows.map(({ id }) => id)
  await shortenCardsOfCancelled(connection, ids)
  const cleaned = new Set([
    ...(await cleanVersions(connection, ids)),
    ...(await cleanAnswers(connection, ids)),
  ])
  await connection.query('update stored_card_search set after_id = $2, is_done = $3 where place = $1', [
    searchName,
    ids.at(-1) ?? at.afterId,
    ids.length < reservationsAtOnce,
  ])
  return { searched: ids.length, cleanedNow: cleaned.size }
}

/** Gives them the expiry that a cancellation sets today; housekeeping destroys expired cards. */
async function shortenCardsOfCancelled(connection: Queryable, ids: readonly number[]): Promise<void> {
  await connection.query(
    `update reservation_card set keep_until = reservation.modified_at + interval '24 hours' from reservation
     where reservation.id = reservation_card.reservation_id and reservation.id = any($1::int8[])
       and reservation.status = 'Cancel' and reservation_card.card is not null
       and keep_until > reservation.modified_at + interval '24 hours'`,
    [numberArray(ids)],
  )
}

async function cleanVersions(connection: Queryable, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await connection.query<{ id: number; version: number; content: ReservationContent }>(
    `select reservation_id::float8 as id, version, content from reservation_version
     where reservation_id = any($1::int8[])`,
    [numberArray(ids)],
  )
  const cleaned = new Set<number>()
  for (const { id, version, content } of rows) {
    const plain = withoutCards(content)
    if (isDeepStrictEqual(plain, content)) continue
    await connection.query(
      'update reservation_version set content = $3 where reservation_id = $1 and version = $2',
      [id, version, JSON.stringify(plain)],
    )
    cleaned.add(id)
  }
  // Rewrites the guest words of all their versions.
  for (const id of cleaned) {
    const { rows: contents } = await connection.query<{ content: ReservationContent }>(
      'select content from reservation_version where reservation_id = $1',
      [id],
    )
    await connection.query('delete from reservation_guest where reservation_id = $1', [id])
    for (const { content } of contents) await writeGuestWords(connection, id, content)
  }
  return cleaned
}

/** Cleans the members that people fill in. */
function withoutCards(content: ReservationContent): ReservationContent {
  const { customer, rooms, payment } = content
  const { email, phone, remarks } = customer
  return {
    ...content,
    rooms: rooms.map((room) => ({ ...room, guest: named(room.guest) })),
    customer: {
      ...customer,
      ...named(customer),
      ...(email === undefined ? {} : { email: withoutCardNumbers(email) }),
      ...(phone === undefined || isInternational(phone) ? {} : { phone: withoutCardNumbers(phone) }),
      ...(remarks === undefined ? {} : { remarks: remarksWithoutCards(remarks) }),
    },
    payment: payment.card
      ? { ...payment, card: { ...payment.card, type: withoutCardNumbers(payment.card.type) } }
      : payment,
  }
}

function named({ firstName, lastName }: PersonName): PersonName {
  return { firstName: withoutCardNumbers(firstName), lastName: withoutCardNumbers(lastName) }
}

/** Cleans suppliers' stored answers. */
async function cleanAnswers(connection: Queryable, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await connection.query<{
    id: number
    deliveryId: string
    attempt: number
    answer: string
  }>(
    `select delivery.reservation_id::float8 as id, delivery_id as "deliveryId", attempt, answer from delivery_attempt
     join delivery on delivery.id = delivery_id
     where delivery.reservation_id = any($1::int8[]) and answer is not null`,
    [numberArray(ids)],
  )
  const cleaned = new Set<number>()
  for (const { id, deliveryId, attempt, answer } of rows) {
    const plain = withoutCardNumbers(answer)
    if (plain === answer) continue
    await connection.query(
      'update delivery_attempt set answer = $3 where delivery_id = $1 and attempt = $2',
      [deliveryId, attempt, plain],
    )
    cleaned.add(id)
  }
  return cleaned
}
