import { Command } from 'commander'
import { countOtherConnections, type Queryable } from '../platform/postgres.ts'
import { beginEpoch } from '../platform/store-epoch.ts'
import { transaction } from '../platform/transaction.ts'
import { printOutcome } from './print.ts'
import { withSession } from './session.ts'

export function afterRestoreCommand(): Command {
  return new Command('after-restore')
    .description(
      'begin a new epoch of a store that was put back by a copy of its files, before the service starts on it',
    )
    .option('--force', 'also while something is connected to the store')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
What was made after the copy is gone here, but others know it. So that no id is given a second time, all go on far
behind; and all who follow the change feed are told to start anew. After a failover, a recovery to a point in time or
the restore of a dump every program does this by itself; only a copy of the files looks as if nothing had happened.`,
    )
    .action((given: { force?: boolean; json?: boolean }) =>
      withSession(async ({ db }) => {
        const next = await transaction(db, async (connection) => {
          if (given.force !== true) await refuseBesideService(connection)
          await beginEpoch(connection)
          const { rows } = await connection.query<{ reservations: number; hotels: number }>(
            `select
               pg_sequence_last_value(pg_get_serial_sequence('reservation', 'id'))::float8 as reservations,
               pg_sequence_last_value(pg_get_serial_sequence('hotel', 'id'))::float8 as hotels`,
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
