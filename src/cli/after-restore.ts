import { Command } from 'commander'
import { countOtherConnections, type Queryable } from '../platform/postgres.ts'
import { transaction } from '../platform/transaction.ts'
import { printOutcome } from './print.ts'
import { withSession } from './session.ts'

/** More than a service gives out between two backups. */
const idsSkipped = { reservations: 1_000_000, hotels: 100_000, roomsAndRatesOfHotel: 200 }

export function afterRestoreCommand(): Command {
  return new Command('after-restore')
    .description('make a store that was restored from a backup ready, before the service starts on it')
    .option('--force', 'also while something is connected to the store')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
What was made after the backup is gone here, but others know it. So that no id is given a second time, those of
reservations, hotels, rooms and rates go on far behind; and all who follow the change feed are told to start anew.`,
    )
    .action((given: { force?: boolean; json?: boolean }) =>
      withSession(async ({ db }) => {
        const next = await transaction(db, async (connection) => {
          if (given.force !== true) await refuseBesideService(connection)
          await connection.query('delete from change')
          // The feed counts by the server's transactions, and another server's are other numbers.
          await connection.query(
            `update change_horizon
             set turn = pg_snapshot_xmax(pg_current_snapshot())::text::bigint, id = 0, hotels = 0`,
          )
          await connection.query(
            `update hotel set numbers_after = $1 + greatest(numbers_after,
               (select max(room_no) from room where hotel_id = hotel.id),
               (select max(rate_no) from rate where hotel_id = hotel.id))`,
            [idsSkipped.roomsAndRatesOfHotel],
          )
          const { rows } = await connection.query<{ reservations: number; hotels: number }>(
            `select
               setval(pg_get_serial_sequence('reservation', 'id'),
                 nextval(pg_get_serial_sequence('reservation', 'id')) + $1)::float8 as reservations,
               setval(pg_get_serial_sequence('hotel', 'id'),
                 nextval(pg_get_serial_sequence('hotel', 'id')) + $2)::float8 as hotels`,
            [idsSkipped.reservations, idsSkipped.hotels],
          )
          return rows[0]
        })
        const sentence = `Ids go on behind ${next?.reservations} (reservations) and ${next?.hotels} (hotels); who follows the change feed starts anew`
        printOutcome(given, { idsAfter: next }, sentence)
      }),
    )
}

/** What a running service has in memory, and has told others, would be of the time before. */
async function refuseBesideService(connection: Queryable): Promise<void> {
  const count = await countOtherConnections(connection)
  if (count === 0) return
  throw new Error(
    `A service or another command works on this store (${count} connections): stop it first. If none runs, and a connection pooler keeps them open, add --force`,
  )
}
