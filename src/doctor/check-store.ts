import pg from 'pg'
import { StoreClock } from '../base/clock.ts'
import { examineVault } from '../cards/card-vault.ts'
import { counted } from '../base/counted.ts'
import type { Settings } from '../settings/config.ts'
import { selectDeliveryHold } from '../deliveries/queue/hold.ts'
import { selectIdleness } from '../deliveries/worker/idleness.ts'
import { selectOptionalEnvironment } from '../keys/store.ts'
import { reachStore, type Store } from '../start/open-store.ts'
import {
  addressText,
  connectionConfig,
  findHost,
  waitsWith,
  type PostgresAddress,
} from '../postgres/connections/connection-config.ts'
import { checkDatabase } from '../postgres/schema/first-connection.ts'
import { lookAtSchema } from '../postgres/schema/migrate.ts'
import { openDatabase, type Database } from '../postgres/postgres.ts'
import { lacksRole, supplierRole } from '../postgres/supplier-session.ts'
import {
  failed,
  ok,
  runCheck,
  skipped,
  warned,
  wrong,
  type DoctorFinding,
  type CheckOutcome,
} from './findings.ts'

/** The store, by the settings of the service: reached, of a usable kind, and what it contains. */

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const connectionsMax = 2

/** The store if it can be used, and what was found on the way there. */
export type ReachedStore = { findings: DoctorFinding[]; store: Store | undefined; holder: number | undefined }

export async function reach(settings: Settings): Promise<ReachedStore> {
  const unreachable =
    'without its store, the service does not start; one that is running answers every call with 503'
  const { databaseUrl, patience } = settings
  if (databaseUrl === undefined) return reachEmbedded(settings, unreachable)
  const where = addressText({ connectionString: databaseUrl })
  try {
    const address = await checkDatabase({ connectionString: databaseUrl }, patience)
    const store = { address, where, notes: [], close: async () => {} }
    return { findings: [{ check: 'store', ...ok(`the database at ${where}`) }], store, holder: undefined }
  } catch (error) {
    return {
      findings: [{ check: 'database', ...failed(error, unreachable) }],
      store: undefined,
      holder: undefined,
    }
  }
}

async function reachEmbedded(settings: Settings, why: string): Promise<ReachedStore> {
  const { dataDir } = settings
  const { findHolder, holdsData } = await import('../embedded-postgres/embedded-postgres.ts')
  let holder: number | undefined
  try {
    if (!(await holdsData(dataDir))) {
      const found = warned({
        message: `There is no store in ${dataDir}`,
        why: 'either the service has never been started, or this is not its data folder',
        remedy: "Set ARI_DATA_DIR to the service's folder, or create a store: ari serve, or ari migrate",
      })
      return { findings: [{ check: 'store', ...found }], store: undefined, holder }
    }
    holder = (await findHolder(dataDir))?.pid
    const store = await reachStore(settings, quiet, 'refuse')
    const found = ok(
      holder === undefined ? `${dataDir}, not in use` : `${dataDir}, used by process ${holder}`,
    )
    return { findings: [{ check: 'store', ...found }], store, holder }
  } catch (error) {
    return { findings: [{ check: 'store', ...failed(error, why) }], store: undefined, holder }
  }
}

/** Examines an open store; with a schema that doesn't fit, what is in it can't be read. */
export async function checkStore(
  settings: Settings,
  { address }: Store,
  withDatabase: (db: Database) => Promise<DoctorFinding[]>,
): Promise<DoctorFinding[]> {
  const client = new pg.Client(connectionConfig(await findHost(address), waitsWith(settings.patience)))
  client.on('error', () => {})
  await client.connect()
  try {
    const schema = await runCheck('schema', 'the service only starts on a schema that fits it', () =>
      checkSchema(settings, address),
    )
    const findings = [
      ...(await runCheck('database', 'everything is stored there', () => checkServer(client, address))),
      ...(await runCheck('pooler', 'it decides how statements are sent', () => checkPooler(address))),
      ...(await runCheck('rights', 'migrations and housekeeping need them', () =>
        checkRights(client, settings),
      )),
      ...(await runCheck('clock', 'deadlines follow the clock of the database', () => checkClock(client))),
      ...schema,
    ]
    if (!schema.every(({ level }) => level === 'ok')) return findings
    const db = openDatabase(address, quiet, { connectionsMax, patience: settings.patience }).unhurried
    try {
      return [...findings, ...(await checkContents(settings, db)), ...(await withDatabase(db))]
    } finally {
      await db.close()
    }
  } finally {
    await client.end()
  }
}

const newestVersion = 18

async function checkServer(client: pg.Client, address: PostgresAddress): Promise<CheckOutcome> {
  const { rows } = await client.query<{ version: string; number: number; bytes: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       pg_size_pretty(pg_database_size(current_database())) as bytes`,
  )
  const [server] = rows
  if (!server) throw new Error('PostgreSQL reported no version')
  const message = `PostgreSQL ${server.version} at ${addressText(address)} accepts writes; ${server.bytes}`
  return Math.floor(server.number / 10_000) <= newestVersion
    ? ok(message)
    : warned({
        message,
        why: `this version was tested with PostgreSQL 15 to ${newestVersion}`,
        remedy: 'Upgrade the gateway, or use one of those versions',
      })
}

function checkPooler({ pooler }: PostgresAddress): CheckOutcome {
  if (!pooler) return ok('no pooler between here and PostgreSQL')
  return pooler.keeps === 'prepared statements'
    ? ok('a pooler that keeps prepared statements')
    : warned({
        message: 'a pooler that does not keep prepared statements',
        why: 'PostgreSQL plans every statement anew, which costs more than running most of them',
        remedy: 'With PgBouncer 1.21 or newer, set max_prepared_statements = 200',
      })
}

async function checkRights(client: pg.Client, { roles }: Settings): Promise<CheckOutcome> {
  const { rows } = await client.query<{ user: string; owners: string | null }>(
    `select current_user as user, string_agg(distinct pg_get_userbyid(relowner), ', ') as owners
     from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'S')
       and not pg_has_role(relowner, 'usage')`,
  )
  const { user = '', owners = null } = rows[0] ?? {}
  if (owners !== null) {
    return wrong({
      message: `some tables belong to ${owners}, and ${user} may not change them`,
      why: 'only their owner can migrate them, and create the daily partitions of the push log',
      remedy: `As a superuser: reassign owned by ${owners} to ${user}`,
    })
  }
  if (!roles.includes('console')) return ok(`${user} owns the tables`)
  const missing = await refusalOfSupplierRole(client)
  return missing === undefined
    ? ok(`${user} owns the tables, and may take the role ${supplierRole}`)
    : wrong({
        message: `${user} may not take the role ${supplierRole} (${missing})`,
        why: "suppliers' people see nothing in the console",
        remedy: `As a superuser: create role ${supplierRole} nologin (if there is none); grant ${supplierRole} to ${user}; then as ${user}: select grant_supplier_sessions()`,
      })
}

async function refusalOfSupplierRole(client: pg.Client): Promise<string | undefined> {
  await client.query('begin')
  try {
    await client.query(`set local role ${supplierRole}`)
    return undefined
  } catch (error) {
    if (lacksRole(error)) return error.message
    throw error
  } finally {
    await client.query('rollback')
  }
}

async function checkClock(client: pg.Client): Promise<CheckOutcome> {
  const clock = new StoreClock()
  const sentMs = performance.now()
  const { rows } = await client.query<{ nowMs: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"',
  )
  clock.measured(rows[0]?.nowMs ?? 0, { sentMs, receivedMs: performance.now() })
  if (!clock.isSkewed()) return ok(`${Math.abs(Math.round(clock.aheadMs()))} ms from the database's clock`)
  const [message = ''] = clock.skewText().split(':')
  return wrong({
    message,
    why: 'one of the two is wrong; until they agree, this machine deletes no old data',
    remedy:
      'Correct the wrong one: compare timedatectl status on both machines, and run a time service such as chrony',
  })
}

async function checkSchema({ migrate }: Settings, address: PostgresAddress): Promise<CheckOutcome> {
  const { missing, version, isEmpty } = await lookAtSchema(address)
  if (missing.length === 0) return ok(`the schema is at ${version}`)
  const trouble = {
    message: isEmpty
      ? 'the database has no store yet'
      : `${counted(missing.length, 'migration')} pending: ${missing.join(', ')}`,
    why:
      migrate === 'auto'
        ? `the next start of this version ${isEmpty ? 'creates it' : 'applies them'}`
        : `a service of this version does not start, because ARI_MIGRATE is ${migrate}`,
    remedy: isEmpty ? 'Run: ari migrate, or: ari serve' : 'Back up the store, then run: ari migrate',
  }
  return migrate === 'auto' ? warned(trouble) : wrong(trouble)
}

async function checkContents(settings: Settings, db: Database): Promise<DoctorFinding[]> {
  return [
    ...(await runCheck('environment', 'keys of one environment are not valid in the other', () =>
      checkEnvironment(settings, db),
    )),
    ...(await runCheck('writes', 'every push and booking needs a commit', () => checkWrites(db))),
    ...(await runCheck('vault', 'bookings with a card need it', () => checkVault(settings, db))),
    ...(await runCheck('deliveries', 'hotels must learn about their guests', () => checkDeliveries(db))),
  ]
}

async function checkEnvironment({ environment }: Settings, db: Database): Promise<CheckOutcome> {
  const stored = await selectOptionalEnvironment(db)
  if (stored === undefined || stored === environment) return ok(environment)
  return wrong({
    message: `The database belongs to ${stored}, but ARI_ENVIRONMENT is ${environment}`,
    why: 'a service with these settings does not start on it',
    remedy: `Set ARI_ENVIRONMENT=${stored}, or name another database`,
  })
}

async function checkWrites(db: Database): Promise<CheckOutcome> {
  const problem = await db.writeProblem()
  return problem === undefined
    ? ok('a test commit reached the disk')
    : wrong({
        message: problem,
        why: 'every push and booking is answered with 503',
        remedy: "Check the database's disk, its log, and its standbys (synchronous_standby_names)",
      })
}

async function checkVault(
  { environment, roles, vaultKey: present, vaultKeysPrevious: previous }: Settings,
  db: Database,
): Promise<CheckOutcome> {
  if (!roles.includes('gateway') && !roles.includes('worker')) return skipped('this role stores no cards')
  const { state, fault } = await examineVault(db, { present, previous })
  if (fault) {
    const { what, consequence, remedy } = fault
    return wrong({ message: what, why: consequence, remedy })
  }
  if (state === 'taken over') return ok("the next start makes ARI_VAULT_KEY the store's key")
  if (state !== 'unused') return ok('ARI_VAULT_KEY is the key of this store')
  if (environment === 'sandbox') return ok('no key and no cards')
  return warned({
    message: 'ARI_VAULT_KEY is not set',
    why: 'bookings with a payment card are refused',
    remedy:
      'If suppliers receive cards, create one with openssl rand -base64 32, and keep it outside the store and its backups',
  })
}

/** The hourly run and retries never leave a due delivery alone for longer, while a worker runs. */
const idleMaxSeconds = 300

async function checkDeliveries(db: Database): Promise<CheckOutcome> {
  const hold = await selectDeliveryHold(db)
  if (hold) {
    return warned({
      message: `no reservation has been delivered since ${hold.since}`,
      why: `deliveries are on hold: ${hold.reason}`,
      remedy: 'Check the reservations, then run: ari deliveries release',
    })
  }
  const { dueSeconds, attemptSeconds } = await selectIdleness(db)
  const lastAttempt =
    attemptSeconds === undefined
      ? 'none has ever been attempted'
      : `the last attempt was ${Math.round(attemptSeconds)} s ago`
  if (dueSeconds === undefined || Math.min(dueSeconds, attemptSeconds ?? Infinity) < idleMaxSeconds)
    return ok(
      dueSeconds === undefined ? 'no delivery is due' : `due deliveries are attempted: ${lastAttempt}`,
    )
  return wrong({
    message: `reservations have been due for ${Math.round(dueSeconds / 60)} minutes, and ${lastAttempt}`,
    why: 'no worker is running, so hotels do not learn about their guests',
    remedy: 'Start a service whose ARI_ROLES include worker, and look at its log',
  })
}
