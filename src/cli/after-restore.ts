import { Command } from 'commander'
import { countOtherConnections, type Queryable } from '../postgres/postgres.ts'
import { beginEpoch } from '../postgres/connections/store-epoch.ts'
import { audited, withSession } from './session.ts'
import { printLine, printOutcome, printTable, remark } from './print.ts'

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
behind; and every follower of the change feed is told to start over. After a failover, a recovery to a point in time or
the restore of a dump every program does this by itself; only a copy of the files looks as if nothing had happened.`,
    )
    .action((given: { force?: boolean; json?: boolean }) =>
      withSession(async ({ db, nowMs, revocations }) => {
        const next = await audited(db, async (connection) => {
          if (given.force !== true) await refuseBesideService(connection)
          await beginEpoch(connection)
          const { rows } = await connection.query<{ reservations: number; hotels: number }>(
            `select
               pg_sequence_last_value(pg_get_serial_sequence('reservation', 'id'))::float8 as reservations,
               pg_sequence_last_value(pg_get_serial_sequence('hotel', 'id'))::float8 as hotels`,
          )
          const [after] = rows
          return { result: after, action: 'store.after-restore', subject: 'store', after }
        })
        const { enforced: revokedAgain, unreadable } = await revocations.enforce(db)
        const valid = await selectValid(db, nowMs)
        const sentence = `Ids go on behind ${next?.reservations} (reservations) and ${next?.hotels} (hotels); who follows the change feed starts anew`
        if (unreadable > 0)
          remark(
            `Lines of ARI_REVOCATIONS_FILE that can't be read: ${unreadable}. What they took away is not taken away again`,
          )
        printOutcome(given, { idsAfter: next, revokedAgain, valid }, sentence)
        if (given.json !== true) {
          const { keys, tokens, operators, roles, passwords, ends, signingSecrets } = revokedAgain
          printLine(
            `Sessions and sign-in links ended. By ARI_REVOCATIONS_FILE revoked again: keys ${keys}, tokens ${tokens}, operators ${operators}; lowered again: roles ${roles}; forgotten again: passwords ${passwords}; ended again: keys and their replaced secrets ${ends}`,
          )
          if (signingSecrets > 0)
            printLine(
              `Keys that sign with a secret that was replaced: ${signingSecrets}. Suppliers know the newer one alone: ari key rotate-signing-secret`,
            )
          printLine(
            'Valid from now on; revoke what was revoked since the backup, if the file does not have it:',
          )
          printTable(
            ['WHAT', 'ID', 'NAME'],
            valid.map(({ what, id, name }) => [what, id, name]),
          )
        }
      }),
    )
}

/** Every valid key, token and operator. Only people know which ones were revoked since the backup. */
async function selectValid(
  db: Queryable,
  nowMs: number,
): Promise<{ what: 'key' | 'token' | 'operator'; id: string; name: string }[]> {
  const { rows } = await db.query<{ what: 'key' | 'token' | 'operator'; id: string; name: string }>(
    `select 'key' as what, k.id::text as id, s.name || ' (' || k.channel_manager || ')' as name
     from api_key k join supplier s on s.id = k.supplier_id
     where k.revoked_at is null and (k.expires_at is null or k.expires_at > instant($1))
     union all
     select 'token', id::text, name || ' (' || role || ')' from access_token
     where revoked_at is null and (expires_at is null or expires_at > instant($1))
     union all
     select 'operator', id::text, name || ' (' || role || ')' from operator where disabled_at is null
     order by what, name`,
    [nowMs],
  )
  return rows
}

/** A running service would keep data from before the restore in memory, and has sent some to others. */
async function refuseBesideService(connection: Queryable): Promise<void> {
  const count = await countOtherConnections(connection)
  if (count === 0) return
  throw new Error(
    `A service or another command works on this store (${count} connections): stop it first. If none runs, and a connection pooler keeps them open, add --force`,
  )
}
