import { Command } from 'commander'
import { countOtherConnections, type Queryable } from '../postgres/postgres.ts'
import { beginEpoch } from '../postgres/connections/store-epoch.ts'
import { audited, withSession } from './session.ts'
import { printLine, printOutcome, printTable, remark } from './print.ts'

export function afterRestoreCommand(): Command {
  return new Command('after-restore')
    .description(
      'run this after restoring a store by copying its files back, before the service starts on it',
    )
    .option('--force', 'even while something is connected to the store')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The store has lost everything that was created after the copy was made, but suppliers and the platform may still know
those ids. So that none is used twice, this command skips far ahead with all ids; it also makes every follower of the
change feed start over. After a failover, a point-in-time recovery or the restore of a dump, the service does this by
itself; only when the files were copied back can't it tell that something happened.`,
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
        const sentence = `Ids continue after ${next?.reservations} (reservations) and ${next?.hotels} (hotels); followers of the change feed start over`
        if (unreadable > 0)
          remark(
            `Lines of ARI_REVOCATIONS_FILE that can't be read: ${unreadable}. Their revocations are not applied again`,
          )
        printOutcome(given, { idsAfter: next, revokedAgain, valid }, sentence)
        if (given.json !== true) {
          const { keys, tokens, operators, roles, passwords, ends, signingSecrets } = revokedAgain
          printLine(
            `All sessions and sign-in links have ended. Applied again from ARI_REVOCATIONS_FILE: revoked keys ${keys}, revoked tokens ${tokens}, disabled operators ${operators}, lowered roles ${roles}, removed passwords ${passwords}, earlier ends of keys and of replaced secrets ${ends}`,
          )
          if (signingSecrets > 0)
            printLine(
              `Keys that sign with an outdated secret: ${signingSecrets}. Their suppliers only have the newer one. Run for each: ari key rotate-signing-secret`,
            )
          printLine(
            'These are valid now. Revoke those that were revoked after the backup, unless the file has already done so:',
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
    `A service or another command is using this store (${count} connections): stop it first. If none is running, and a connection pooler keeps them open, add --force`,
  )
}
