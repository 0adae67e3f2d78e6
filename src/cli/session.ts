import { loadConfig, type Settings } from '../config.ts'
import { claimEnvironment, selectOptionalEnvironment } from '../keys/store.ts'
import { revocationsIn, type Revocations } from '../keys/revocations.ts'
import type { Environment } from '../keys/secret.ts'
import { reachStore, type WhenMissing } from '../open-store.ts'
import { migrate, type Migrated } from '../postgres/migrate.ts'
import type { VaultKeys } from '../cards/card-vault.ts'
import { openDatabase, type Database } from '../postgres/postgres.ts'
import { remark } from './print.ts'

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

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const connectionsMax = 2

export async function withSession(
  work: (session: Session) => Promise<void>,
  whenMissing: WhenMissing = 'refuse',
): Promise<void> {
  const { settings, warnings } = loadConfig()
  for (const warning of warnings) remark(`warning: ${warning}`)
  const store = await reachStore(settings, quiet, whenMissing)
  try {
    const migrated = await migrate(store.address)
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

/** The database records its environment: a missing setting must not create keys for another one. */
async function environmentOf(db: Database, settings: Settings): Promise<Environment> {
  const environment = await selectOptionalEnvironment(db)
  if (environment === undefined) return settings.environment
  if (environment === settings.environment || !settings.environmentIsStated) return environment
  throw new Error(
    `The database belongs to ${environment}, but ARI_ENVIRONMENT is ${settings.environment}: name the other database, or change the setting`,
  )
}
