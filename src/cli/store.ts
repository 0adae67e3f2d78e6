import { resolve } from 'node:path'
import { Command } from 'commander'
import { counted } from '../base/counted.ts'
import { holdsData } from '../embedded-postgres/embedded-postgres.ts'
import { printOutcome, remark } from './print.ts'
import { quiet, settingsWithRemarks } from './session.ts'

type Given = { fromBinaries?: string; json?: boolean }

export function storeCommand(version: string): Command {
  const store = new Command('store').description('upgrade the embedded PostgreSQL of the data folder')
  store
    .command('upgrade')
    .description('move the data to the PostgreSQL that comes with this version, and keep the old data')
    .option('--from-binaries <dir>', 'bin folder of the PostgreSQL that wrote the data')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Stop the service first. The data is copied to a new folder, compared with the old data, and put in its place. The old data
is kept next to it, so there must be free disk space for a second copy. If the command is interrupted, run it again.`,
    )
    .action((given: Given) => upgrade(given, version))
  return store
}

async function upgrade(given: Given, version: string): Promise<void> {
  const { dataDir, databaseUrl, postgresBinDir: binDir } = settingsWithRemarks()
  if (databaseUrl !== undefined)
    throw new Error(
      'DATABASE_URL names a PostgreSQL of your own: upgrade it with pg_upgrade, or with a backup and restore',
    )
  if (!(await holdsData(dataDir)))
    throw new Error(`There is no store in ${dataDir}: set ARI_DATA_DIR to the service's data folder`)
  // Loaded by this command alone.
  const [{ moveStore }, { upgradeCluster }] = await Promise.all([
    import('../backup/move-store.ts'),
    import('../embedded-postgres/upgrade-cluster.ts'),
  ])
  const upgraded = await upgradeCluster({
    dataDir,
    binDir,
    fromBinDir: given.fromBinaries === undefined ? undefined : resolve(given.fromBinaries),
    copy: (from, to) => moveStore(from, to, version),
    onStep: (step, { from, to }) => {
      if (step === 'opened') remark(`Copying the data from PostgreSQL ${from} to PostgreSQL ${to} …`)
      if (step === 'copied') remark('The copy is complete and identical')
    },
    log: quiet,
  })
  if (upgraded === undefined) {
    printOutcome(
      given,
      { upgraded: false },
      'Nothing to do: the data was written by the PostgreSQL of this version',
    )
    return
  }
  const { fromVersion, toVersion, keptDir, copied } = upgraded
  for (const name of copied.skipped) remark(`Not copied, because it is not a table of the service: ${name}`)
  const { hotels, tables, rows } = copied
  printOutcome(
    given,
    { upgraded: true, fromVersion, toVersion, hotels, tables, rows, skipped: copied.skipped, keptDir },
    `Moved from PostgreSQL ${fromVersion} to ${toVersion}: ${counted(hotels, 'hotel')}, ${tables} tables, ${counted(rows, 'row')}, all identical. The old data is in ${keptDir}: remove it once the service runs well`,
  )
}
