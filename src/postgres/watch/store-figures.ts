import type { Needs, Queryable } from '../postgres.ts'

/** What only the store knows, for the metrics. */

const readEveryMs = 15_000

type Figures = { backupSeconds: number; lagSeconds: number }

/** Positions are bytes of the log that PostgreSQL has written since it was created. */
type Stored = {
  backupSeconds: number
  /** As the standbys report it; 0 without any that follows. */
  reportedLagSeconds: number
  writtenTo: number | null
  /** Of the slowest standby: one that follows, or one that is gone while a slot keeps what it lacks. Null without any. */
  standbyAt: number | null
}

export function startStoreFigures({ db, telemetry }: Needs): { close: () => Promise<void> } {
  let figures: Figures = { backupSeconds: 0, lagSeconds: 0 }
  telemetry.gauge(
    'ari_backup_age_seconds',
    'Time since the last backup by ari backup create; 0 if there never was one',
    () => figures.backupSeconds,
    'max',
  )
  telemetry.gauge(
    'ari_replica_lag_seconds',
    'How far the slowest standby is behind the database, one with a slot also when it is gone; 0 without one, or without the right to see it',
    () => figures.lagSeconds,
    'max',
  )
  const written = new WrittenLog()
  let reading: Promise<void> | undefined
  const read = (): void => {
    reading ??= selectStored(db.signIn)
      .then(({ backupSeconds, reportedLagSeconds, writtenTo, standbyAt }) => {
        const lagSeconds = Math.max(reportedLagSeconds, written.lagSeconds(writtenTo, standbyAt))
        figures = { backupSeconds, lagSeconds }
      })
      // Requests that need the store report that it is away.
      .catch(() => {})
      .finally(() => (reading = undefined))
  }
  read()
  const timer = setInterval(read, readEveryMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await reading
    },
  }
}

const momentsMax = 10_000

/** When the database had written how much: the lag of a standby that is gone, which reports none. */
export class WrittenLog {
  #moments: { writtenTo: number; atMs: number }[] = []

  /** Since the first moment whose writes the standby lacks. */
  lagSeconds(writtenTo: number | null, standbyAt: number | null): number {
    if (writtenTo === null || standbyAt === null) {
      this.#moments = []
      return 0
    }
    // The log of another server begins elsewhere: after a failover or a restore.
    if (writtenTo < (this.#moments.at(-1)?.writtenTo ?? 0)) this.#moments = []
    const nowMs = performance.now()
    this.#moments.push({ writtenTo, atMs: nowMs })
    this.#moments = this.#moments.filter((moment) => moment.writtenTo > standbyAt)
    // The oldest one counts; of days of them, some in between may go.
    if (this.#moments.length > momentsMax) this.#moments.splice(1, 1)
    const [first] = this.#moments
    return first ? (nowMs - first.atMs) / 1_000 : 0
  }
}

async function selectStored(db: Queryable): Promise<Stored> {
  const { rows } = await db.query<Stored>({
    name: 'select-store-figures',
    text: `
      select coalesce((select greatest(extract(epoch from now() - backup_at), 1) from housekeeping_mark), 0)::float8 as "backupSeconds",
        coalesce((select max(extract(epoch from replay_lag)) from pg_stat_replication), 0)::float8 as "reportedLagSeconds",
        case when not pg_is_in_recovery() then (pg_current_wal_lsn() - '0/0')::float8 end as "writtenTo",
        (select min(at - '0/0')::float8 from (
           select replay_lsn as at from pg_stat_replication where state = 'streaming'
           union all
           select restart_lsn from pg_replication_slots where slot_type = 'physical' and not active
         ) as standby) as "standbyAt"`,
  })
  const [row] = rows
  if (!row) throw new Error('the figures of the store have no row')
  return row
}

/** For AriBackupOld: a copy made by other means is not known here. */
export async function noteBackup(db: Queryable): Promise<void> {
  await db.query('update housekeeping_mark set backup_at = now()')
}
