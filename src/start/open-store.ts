import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '../settings/config.ts'
import { addressText, type PostgresAddress } from '../postgres/connections/connection-config.ts'
import { checkDatabase } from '../postgres/schema/first-connection.ts'
import { isMigrated } from '../postgres/schema/migrate.ts'

/** The PostgreSQL that a program works on, according to its settings. */
export type Store = {
  address: PostgresAddress
  /** Human-readable. */
  where: string
  /** Facts that might surprise an operator, one sentence each. */
  notes: readonly string[]
  /** Stops only what was started for this program. */
  close: () => Promise<void>
}

type StoreSettings = Pick<Settings, 'databaseUrl' | 'dataDir' | 'processes' | 'postgresBinDir' | 'patience'>

type StoreLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>

/** At most (docs/operating.md). */
const connectionsPerProcess = 30

/**
 * For the service: the database of DATABASE_URL, or an embedded PostgreSQL of its own. `onLaunch` is called once or more, when
 * there is nothing to do but to wait.
 */
export async function openStore(
  settings: StoreSettings,
  log: StoreLog,
  onLaunch?: () => void,
): Promise<Store> {
  if (settings.databaseUrl !== undefined) {
    onLaunch?.()
    return given(settings.databaseUrl, settings.patience)
  }
  // Imported only when needed, because most of the start's time is loading modules.
  const { startEmbeddedPostgres } = await import('../embedded-postgres/embedded-postgres.ts')
  const { dataDir, postgresBinDir: binDir, processes } = settings
  const connectionsMax = 100 + (processes - 1) * connectionsPerProcess
  const started = await startEmbeddedPostgres({ dataDir, binDir, connectionsMax, onLaunch, log })
  return {
    address: started.connection,
    where: started.dataDir,
    notes: started.notes,
    close: started.stop,
  }
}

const makeOne = 'create a store with: ari serve, or: ari migrate'
const startOfOtherMs = 10_000
const pollMs = 50

/**
 * The reaction to a folder without a store: a mistyped one must not become a second store that nobody uses.
 */
export type WhenMissing = 'refuse' | 'create'

/**
 * For programs beside the service: its PostgreSQL while it runs; otherwise one that is started temporarily.
 */
export async function reachStore(
  settings: StoreSettings,
  log: StoreLog,
  whenMissing: WhenMissing,
): Promise<Store> {
  if (settings.databaseUrl !== undefined) {
    const store = await given(settings.databaseUrl, settings.patience)
    if (whenMissing === 'create' || (await isMigrated(store.address))) return store
    throw new Error(`There is no store in ${store.where}: set DATABASE_URL to the service's, or ${makeOne}`)
  }
  const { DataFolderInUse, findRunningPostgres, holdsData } =
    await import('../embedded-postgres/embedded-postgres.ts')
  const untilMs = performance.now() + startOfOtherMs
  for (;;) {
    const running = await findRunningPostgres(settings.dataDir)
    if (running) {
      return { address: running, where: settings.dataDir, notes: [], close: async () => {} }
    }
    if (whenMissing === 'refuse' && !(await holdsData(settings.dataDir))) {
      throw new Error(
        `There is no store in ${settings.dataDir}: set ARI_DATA_DIR to the service's data folder, or ${makeOne}`,
      )
    }
    try {
      return await openStore(settings, log)
    } catch (error) {
      // Another process took the folder in between and is about to run a server on it.
      if (!(error instanceof DataFolderInUse) || performance.now() > untilMs) throw error
      await wait(pollMs)
    }
  }
}

async function given(connectionString: string, patience: number): Promise<Store> {
  return {
    address: await checkDatabase({ connectionString }, patience),
    where: `the database at ${addressText({ connectionString })}`,
    notes: [],
    close: async () => {},
  }
}
