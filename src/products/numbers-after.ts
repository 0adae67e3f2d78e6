import type { Queryable } from '../postgres/postgres.ts'

/** Per epoch: more rooms or rates than a hotel gets between two backups. Together no more than leaves room for others. */
const numbersSkipped = { anEpoch: 200, max: 20_000 }

/**
 * The number behind which those of new rooms and rates begin, where it is not the highest there is: what was given out
 * in an epoch of the store that is over may have been lost, and is known to others. The hotel must be locked.
 */
export async function settleNumbersAfter(connection: Queryable, hotelId: number): Promise<number> {
  const { rows } = await connection.query<{ after: number }>(
    `with behind as (
       update hotel set numbers_epoch = store_epoch_number(), numbers_after = greatest(numbers_after, least($3,
         (store_epoch_number() - numbers_epoch) * $2 + greatest(numbers_after,
           (select max(room_no) from room where hotel_id = hotel.id),
           (select max(rate_no) from rate where hotel_id = hotel.id))))
       where id = $1 and numbers_epoch < store_epoch_number()
       returning numbers_after
     )
     select coalesce((select numbers_after from behind), numbers_after) as after from hotel where id = $1`,
    [hotelId, numbersSkipped.anEpoch, numbersSkipped.max],
  )
  return rows[0]?.after ?? 0
}
