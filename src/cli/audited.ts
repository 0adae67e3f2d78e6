import { userInfo } from 'node:os'
import { sudoUser } from '../config.ts'
import { audit, type AuditEntry } from '../operators/audit.ts'
import { commandLine } from '../operators/manage.ts'
import type { Operator } from '../http/call.ts'
import type { Database } from '../postgres/postgres.ts'
import { transaction, type Transaction } from '../postgres/transaction.ts'

/**
 * A change on the command line and its line in the audit log, which names the user of the operating system.
 */

type Changed<Result> = { result: Result } & Omit<AuditEntry, 'operator' | 'requestId'>

/** Writes both in one transaction. */
export function audited<Result>(
  db: Database,
  work: (connection: Transaction) => Promise<Changed<Result>>,
): Promise<Result> {
  return transaction(db, async (connection) => {
    const { result, ...entry } = await work(connection)
    await audit(connection, { operator: whoRuns(), requestId: undefined, ...entry })
    return result
  })
}

export function whoRuns(): Operator {
  return commandLine(userName())
}

function userName(): string {
  const uid = process.getuid?.() ?? -1
  const name = nameOfUser() ?? `uid ${uid}`
  // Trust SUDO_USER only if the process runs as root.
  const person = uid === 0 ? sudoUser() : undefined
  return person === undefined ? name : `${name}, by sudo of ${person}`
}

/** Containers run as users without a name. */
function nameOfUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
