import { numberArray, type Queryable } from '../platform/postgres.ts'
import type { SealedCard } from './vault.ts'

/** Sealed cards as they are stored; vault.ts seals and opens them. */

/** Takes the place of the card that was kept before. */
export async function saveCard(
  connection: Queryable,
  reservationId: number,
  { cardKey, card, cvvKey, cvv }: SealedCard,
  keepUntilMs: number,
): Promise<void> {
  await connection.query(
    `insert into reservation_card (reservation_id, card_key, card, cvv_key, cvv, keep_until)
     values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000))
     on conflict (reservation_id) do update set card_key = excluded.card_key, card = excluded.card,
       cvv_key = excluded.cvv_key, cvv = excluded.cvv, keep_until = excluded.keep_until`,
    [reservationId, cardKey, card, cvvKey, cvv, keepUntilMs],
  )
}

/** For a reservation whose departure has moved. */
export async function keepCardUntil(
  connection: Queryable,
  reservationId: number,
  keepUntilMs: number,
): Promise<void> {
  await connection.query(
    `update reservation_card set keep_until = to_timestamp($2::float8 / 1000)
     where reservation_id = $1 and card is not null`,
    [reservationId, keepUntilMs],
  )
}

/** The cards that are still to be had, by reservation; those whose time is over are not among them. */
export async function selectCards(
  db: Queryable,
  reservationIds: readonly number[],
  nowMs: number,
): Promise<Map<number, SealedCard>> {
  const { rows } = await db.query<SealedCard & { reservationId: number }>({
    name: 'select-cards',
    text: `select reservation_id as "reservationId", card_key as "cardKey", card, cvv_key as "cvvKey", cvv
      from reservation_card
      where reservation_id = any($1::int8[]) and card is not null and keep_until > to_timestamp($2::float8 / 1000)`,
    values: [numberArray(reservationIds), nowMs],
  })
  return new Map(rows.map(({ reservationId, ...sealed }) => [reservationId, sealed]))
}

const cardsDestroyedAtOnce = 1_000

/** Cards whose time is over, CVVs with them. Returns how many. */
export async function destroyOldCards(db: Queryable, nowMs: number): Promise<number> {
  let destroyed = 0
  for (;;) {
    const { rowCount } = await db.query(
      `update reservation_card set card_key = null, card = null, cvv_key = null, cvv = null
       where reservation_id = any(array(
         select reservation_id from reservation_card
         where card is not null and keep_until <= to_timestamp($1::float8 / 1000) limit $2))`,
      [nowMs, cardsDestroyedAtOnce],
    )
    destroyed += rowCount ?? 0
    if ((rowCount ?? 0) < cardsDestroyedAtOnce) return destroyed
  }
}
