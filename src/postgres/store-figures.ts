import type { Needs, Queryable } from './postgres.ts'

/** What only the store knows, for the metrics. */

const readEveryMs = 15_000

type Figures = { backupSeconds: number; lagSeconds: number }

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
    'How far the slowest standby is behind the database; 0 without one, or without the right to see it',
    () => figures.lagSeconds,
    'max',
  )
  let reading: Promise<void> | undefined
  const read = (): void => {
    reading ??= selectFigures(db.signIn)
      .then((now) => {
        figures = now
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

async function selectFigures(db: Queryable): Promise<Figures> {
  const { rows } = await db.query<Figures>({
    name: 'select-store-figures',
    text: `
      select coalesce((select greatest(extract(epoch from now() - backup_at), 1) from housekeeping_mark), 0)::float8 as "backupSeconds",
        coalesce((select max(extract(epoch from replay_lag)) from pg_stat_replication), 0)::float8 as "lagSeconds"`,
  })
  return rows[0] ?? { backupSeconds: 0, lagSeconds: 0 }
}

/** For AriBackupOld: a copy made by other means is not known here. */
export async function noteBackup(db: Queryable): Promise<void> {
  await db.query('update housekeeping_mark set backup_at = now()')
}
