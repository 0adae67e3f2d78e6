import { sweep } from '../postgres/connections/queryable.ts'
import { hourMs } from '../base/calendar.ts'
import pg from 'pg'
import { cardErrors } from './contract.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import type { SealedCard } from './vault.ts'

/** Sealed cards as they are stored; vault.ts seals and opens them. */

/** Three days at most: housekeeping runs once an hour. */
export const cvvRetainedMs = 71 * hourMs
/** Fees for a cancelled stay are charged by then. */
const retainedAfterCancelMs = 24 * hourMs

/** Whether the hotel's account receives cards, as committed. */
export async function selectDeliversCards(db: Queryable, hotelId: number): Promise<boolean> {
  const { rows } = await db.query<{ deliversCards: boolean }>(
    `select delivers_cards as "deliversCards" from supplier
     where id = (select supplier_id from hotel where id = $1)`,
    [hotelId],
  )
  return rows[0]?.deliversCards ?? false
}

/** Replaces the stored card; it belongs to this version of the reservation and later ones. */
export async function saveCard(
  connection: Queryable,
  reservationId: number,
  { keyId, cardKey, card, cvvKey, cvv }: SealedCard,
  { version, nowMs, keepUntilMs }: { version: number; nowMs: number; keepUntilMs: number },
): Promise<void> {
  try {
    await connection.query(
      `insert into reservation_card (reservation_id, key_id, card_key, card, cvv_key, cvv, keep_until, cvv_until,
         since_version)
       values ($1, $2, $3, $4, $5, $6, instant($7), instant($8), $9)
       on conflict (reservation_id) do update set key_id = excluded.key_id, card_key = excluded.card_key,
         card = excluded.card, cvv_key = excluded.cvv_key, cvv = excluded.cvv, keep_until = excluded.keep_until,
         cvv_until = excluded.cvv_until, since_version = excluded.since_version`,
      [
        reservationId,
        keyId,
        cardKey,
        card,
        cvvKey,
        cvv,
        keepUntilMs,
        cvv === null ? null : nowMs + cvvRetainedMs,
        version,
      ],
    )
  } catch (cause) {
    // The key was struck out since this process last checked.
    const isStruckOut =
      cause instanceof pg.DatabaseError && cause.constraint === 'reservation_card_key_id_fkey'
    throw isStruckOut ? vaultClosed() : cause
  }
}

export function vaultClosed(): Rejected {
  return new Rejected(
    503,
    { ...cardErrors.vaultClosed, path: '/payment/card' },
    { headers: { 'retry-after': '10' } },
  )
}

/**
 * Part of a statement that settles deliveries, whose table `settled` has `reservation_id` and `version`:
 * destroys the CVV, unless it came with a version that is still to be delivered.
 */
export function forgetCvvsOf(settled: string): string {
  return `update reservation_card set cvv_key = null, cvv = null, cvv_until = null from ${settled}
    where reservation_card.reservation_id = ${settled}.reservation_id and reservation_card.cvv is not null
      and reservation_card.since_version <= ${settled}.version`
}

/** For a reservation whose departure has moved. */
export async function keepCardUntil(
  connection: Queryable,
  reservationId: number,
  keepUntilMs: number,
): Promise<void> {
  await connection.query(
    `update reservation_card set keep_until = instant($2)
     where reservation_id = $1 and card is not null`,
    [reservationId, keepUntilMs],
  )
}

/** Together with the commit of a cancellation: the CVV is destroyed at once, the card a day later. */
export async function forgetCardOfCancelled(
  connection: Queryable,
  reservationId: number,
  nowMs: number,
): Promise<void> {
  await connection.query(
    `update reservation_card set cvv_key = null, cvv = null, cvv_until = null,
       keep_until = least(keep_until, instant($2))
     where reservation_id = $1 and card is not null`,
    [reservationId, nowMs + retainedAfterCancelMs],
  )
}

/** A stored card, with the first version of the reservation that it belongs to. */
export type StoredCard = SealedCard & { sinceVersion: number }

/** The cards still available, by reservation; leaves out expired cards and expired CVVs. */
export async function selectCards(
  db: Queryable,
  reservationIds: readonly number[],
  nowMs: number,
): Promise<Map<number, StoredCard>> {
  const { rows } = await db.query<StoredCard & { reservationId: number }>({
    name: 'select-cards',
    text: `select reservation_id as "reservationId", key_id as "keyId", card_key as "cardKey", card,
        case when cvv_until > instant($2) then cvv_key end as "cvvKey",
        case when cvv_until > instant($2) then cvv end as cvv,
        since_version as "sinceVersion"
      from reservation_card
      where reservation_id = any($1::int8[]) and card is not null and keep_until > instant($2)`,
    values: [numberArray(reservationIds), nowMs],
  })
  return new Map(rows.map(({ reservationId, ...sealed }) => [reservationId, sealed]))
}

/** Destroys expired cards with their CVVs, and CVVs that expire earlier. Returns how many. */
export async function destroyOldCards(db: Queryable, nowMs: number): Promise<number> {
  const cards = await sweep(db, destroyCards, nowMs)
  return cards + (await sweep(db, destroyCvvs, nowMs))
}

const destroyCards = `
  update reservation_card set key_id = null, card_key = null, card = null, cvv_key = null, cvv = null, cvv_until = null
  where reservation_id = any(array(
    select reservation_id from reservation_card
    where card is not null and keep_until <= instant($1) limit $2))`

const destroyCvvs = `
  update reservation_card set cvv_key = null, cvv = null, cvv_until = null
  where reservation_id = any(array(
    select reservation_id from reservation_card
    where cvv is not null and cvv_until <= instant($1) limit $2))`

/**
 * SQL condition on a row of `delivery`: it has to carry a card that none of these keys opens, so the process
 * leaves it to others. `openable` is the parameter with the keys' names, `now` the one with the time in
 * milliseconds.
 */
export function isWithheld(openable: string, now: string): string {
  return `(delivery.reservation_status <> 'Cancel' and not delivery.is_repeat and exists (
    select from reservation_card as held
    where held.reservation_id = delivery.reservation_id and held.card is not null
      and held.keep_until > instant(${now}) and coalesce(held.key_id, '') <> all(${openable}::text[])
      and (select delivers_cards from supplier where supplier.id = delivery.supplier_id)))`
}
