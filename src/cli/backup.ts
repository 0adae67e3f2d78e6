import { resolve } from 'node:path'
import { Command } from 'commander'
import { counted } from '../base/counted.ts'
import {
  checkBackupFile,
  readBackupFile,
  writeBackupFile,
  writeBackupToOutput,
} from '../backup/backup-file.ts'
import { openTransaction } from '../backup/backup-session.ts'
import { UnusableBackup } from '../backup/container.ts'
import type { Manifest } from '../backup/records.ts'
import { refuseNewer, restoreBackup } from '../backup/restore-backup.ts'
import { openVault } from '../cards/vault.ts'
import { countCardsByKey } from '../cards/vault-keys.ts'
import type { Settings } from '../settings/config.ts'
import { reachStore, type Store, type WhenMissing } from '../start/open-store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { codeOf } from '../postgres/connections/store-errors.ts'
import { noteBackup } from '../postgres/watch/store-figures.ts'
import { printLine, printOutcome, printTable, remark } from './print.ts'
import { quiet, settingsWithRemarks, withSession } from './session.ts'

type Given = { json?: boolean }

export function backupCommand(version: string): Command {
  const backup = new Command('backup')
    .description('back up the whole store to one file, and restore it')
    .addHelpText(
      'after',
      `
Examples:
  ari backup create --to ari-2027-03-01.backup      also while the service is running
  ari backup create --to - | ssh backup@… 'cat > ari.backup'
  ari backup verify ari-2027-03-01.backup           compares every digest; needs no store
  ari backup restore ari-2027-03-01.backup          into an empty folder or database

With ARI_BACKUP_KEY (32 bytes, for example from: openssl rand -base64 32) the file is encrypted. A backup never contains
ARI_VAULT_KEY: without that key, everything can be restored except payment cards.`,
    )
  addCreate(backup, version)
  addVerify(backup)
  addRestore(backup)
  return backup
}

function addCreate(backup: Command, version: string): void {
  backup
    .command('create')
    .description('write a consistent backup, also while the service is running')
    .requiredOption('--to <file>', 'a new file, or - for standard output')
    .option('--json', 'print JSON')
    .action(async (given: Given & { to: string }) => {
      const settings = settingsWithRemarks()
      await withStore(settings, 'refuse', async ({ address, where }) => {
        const source = { address, version, key: settings.backupKey }
        const isOutput = given.to === '-'
        const { manifest, hotels, rows } = isOutput
          ? await writeBackupToOutput(source)
          : await writeBackupFile(source, resolve(given.to))
        await noteMade(address)
        const isEncrypted = settings.backupKey !== undefined
        const sentence = `Backed up ${where}: ${counted(hotels, 'hotel')}, ${counted(rows, 'row')}, schema ${manifest.schema}, ${isEncrypted ? 'encrypted' : 'not encrypted (ARI_BACKUP_KEY is not set)'}`
        if (isOutput) remark(sentence)
        else printOutcome(given, { ...about(manifest), hotels, rows, isEncrypted }, sentence)
      })
    })
}

function addVerify(backup: Command): void {
  backup
    .command('verify')
    .description('read a whole backup and compare every digest')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action(async (file: string, given: Given) => {
      const { backupKey } = settingsWithRemarks()
      const { manifest, tables, rows, hotels } = await usable(file, () => checkBackupFile(file, backupKey))
      printOutcome(
        given,
        { ...about(manifest), tables, rows, hotels },
        `The backup is complete and unaltered: ${counted(hotels, 'hotel')}, ${tables} tables, ${counted(rows, 'row')}, made on ${manifest.createdAt} by version ${manifest.version}, schema ${manifest.schema}`,
      )
    })
}

function addRestore(backup: Command): void {
  backup
    .command('restore')
    .description('restore a backup into an empty store, compare its digests, and put its deliveries on hold')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action(async (file: string, given: Given) => {
      const settings = settingsWithRemarks()
      // Before anything is made: a file that can't be restored leaves nothing.
      const { manifest } = await usable(file, () => checkBackupFile(file, settings.backupKey))
      await usable(file, () => refuseNewer(manifest))
      refuseOtherEnvironment(settings, manifest)
      await withStore(settings, 'create', async ({ address, where }) => {
        const { hotels, tables, skipped } = await restoreBackup(
          address,
          manifest,
          readBackupFile(file, settings.backupKey),
          `restored from a backup of ${manifest.createdAt}`,
        )
        for (const name of skipped) remark(`Not restored, because it is not a table of the service: ${name}`)
        const outcome = { ...about(manifest), hotels, tables, skipped }
        printOutcome(
          given,
          outcome,
          `Restored into ${where}: ${counted(hotels, 'hotel')} with the digests of the backup, ${tables} tables`,
        )
      })
      if (given.json === true) return
      await withSession(async ({ db, vaultKeys }) => {
        await printUnreadableCards(db, vaultKeys)
        printLine(
          'Deliveries are on hold. Start the service, check it, then resume them: ari deliveries release',
        )
      })
    })
}

/** The backup is good all the same: of a store before its upgrade, or one that takes no writes. */
async function noteMade(address: PostgresAddress): Promise<void> {
  try {
    const client = await openTransaction(address, 'isolation level read committed')
    try {
      await noteBackup(client)
      await client.query('commit')
    } finally {
      await client.end()
    }
  } catch {
    remark('This backup could not be recorded in the store, so ari_backup_age_seconds does not count it')
  }
}

async function printUnreadableCards(
  db: Queryable,
  { present, previous }: { present: Buffer | undefined; previous: readonly Buffer[] },
): Promise<void> {
  const openable: readonly string[] = present ? openVault(present, previous).keyIds : []
  const unreadable = [...(await countCardsByKey(db))].filter(([key]) => !openable.includes(key))
  if (unreadable.length === 0) return
  printLine(
    'Cards that can’t be read without the key that sealed them: set it as ARI_VAULT_KEY, or run: ari vault forget',
  )
  printTable(
    ['KEY', 'CARDS'],
    unreadable.map(([key, cards]) => [key === '' ? 'unnamed' : key, cards]),
  )
}

function refuseOtherEnvironment(settings: Settings, { environment }: Manifest): void {
  if (!settings.environmentIsStated || environment === null || environment === settings.environment) return
  throw new Error(
    `The backup was made in ${environment}, but ARI_ENVIRONMENT is ${settings.environment}: change the setting, or use another backup`,
  )
}

function about({ version, schema, environment, createdAt }: Manifest): object {
  return { version, schema, environment, createdAt }
}

/** Errors about a file name it. */
async function usable<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnusableBackup) throw new UnusableBackup(`${file}: ${error.message}`)
    if (codeOf(error) === 'EISDIR')
      throw new UnusableBackup(`${file} is a folder: name the file of the backup`)
    throw error
  }
}

/** Without migrating it: a backup comes before any upgrade. */
async function withStore(
  settings: Settings,
  whenMissing: WhenMissing,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await reachStore(settings, quiet, whenMissing)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
