import { loadConfig, type Settings, sudoUser } from '../settings/config.ts'
import { claimEnvironment, selectOptionalEnvironment } from '../keys/store.ts'
import { revocationsIn, type Revocations } from '../keys/revocations.ts'
import type { Environment } from '../keys/secret.ts'
import { reachStore, type WhenMissing } from '../start/open-store.ts'
import { migrateAs, type Migrated } from '../postgres/schema/migrate.ts'
import type { VaultKeys } from '../cards/card-vault.ts'
import { openDatabase, type Database } from '../postgres/postgres.ts'
import { remark } from './print.ts'
import { userInfo } from 'node:os'
import { audit, type AuditEntry } from '../operators/accounts/audit.ts'
import { commandLine } from '../operators/accounts/manage.ts'
import type { Operator } from '../http/calls/call.ts'
import { transaction, type Transaction } from '../postgres/transaction.ts'

/** The context of a command: the migrated store of the settings, and the store's environment. */
export type Session = {
  db: Database
  /** The environment for which keys are created; a new database belongs to it from then on. */
  environment: () => Promise<Environment>
  nowMs: number
  revocations: Revocations
  /** From the settings. */
  vaultKeys: VaultKeys
  migrated: Migrated
  where: string
}

export const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const connectionsMax = 2

export async function withSession(
  work: (session: Session) => Promise<void>,
  whenMissing: WhenMissing = 'refuse',
): Promise<void> {
  const settings = settingsWithRemarks()
  const store = await reachStore(settings, quiet, whenMissing)
  try {
    // `ari migrate` migrates whatever services do at their start.
    const choice = whenMissing === 'create' ? 'auto' : settings.migrate
    const migrated = await migrateAs(choice, store.address)
    // A person is waiting, who prefers a late answer to none.
    const { unhurried: db } = openDatabase(store.address, quiet, { connectionsMax })
    try {
      const environment = await environmentOf(db, settings)
      await work({
        db,
        environment: () => claimEnvironment(db, environment),
        nowMs: db.clock.now(),
        revocations: revocationsIn(settings.revocationsFile),
        vaultKeys: { present: settings.vaultKey, previous: settings.vaultKeysPrevious },
        migrated,
        where: store.where,
      })
    } finally {
      await db.close()
    }
  } finally {
    await store.close()
  }
}

/** The settings, with their warnings told to the person. */
export function settingsWithRemarks(): Settings {
  const { settings, warnings } = loadConfig()
  for (const warning of warnings) remark(`warning: ${warning}`)
  return settings
}

/** The database records its environment: a missing setting must not create keys for another one. */
async function environmentOf(db: Database, settings: Settings): Promise<Environment> {
  const environment = await selectOptionalEnvironment(db)
  if (environment === undefined) return settings.environment
  if (environment === settings.environment || !settings.environmentIsStated) return environment
  throw new Error(
    `The database belongs to ${environment}, but ARI_ENVIRONMENT is ${settings.environment}: name the other database, or change the setting`,
  )
}

type Changed<Result> = { result: Result } & Omit<AuditEntry, 'operator' | 'requestId'>

/**
 * Writes a change and its line in the audit log, which names the user of the operating system, in one
 * transaction.
 */
export function audited<Result>(
  db: Database,
  work: (connection: Transaction) => Promise<Changed<Result>>,
): Promise<Result> {
  return transaction(db, async (connection) => {
    const { result, ...entry } = await work(connection)
    await audit(connection, { operator: commandLineUser(), requestId: undefined, ...entry })
    return result
  })
}

export function commandLineUser(): Operator {
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
