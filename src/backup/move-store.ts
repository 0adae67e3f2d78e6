import type pg from 'pg'
import { selectDeliveryHold } from '../deliveries/queue/hold.ts'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { listOf, openTransaction, selectTables, tablesNotStored } from './backup-session.ts'
import { backupRecords } from './create-backup.ts'
import { readRecords } from './records.ts'
import { refuseNewer, restoreBackup, type RestoredBackup } from './restore-backup.ts'

export type MovedStore = RestoredBackup & { rows: number }

/** A new epoch of the store rewrites them. */
const tablesOfEpoch: readonly string[] = ['change_horizon', 'store_epoch']

/**
 * Copies a store, on which nobody works, into an empty database of another server, and compares both: every hotel by its digest,
 * every table by the number and the digest of its rows. As after a restore a new epoch begins, because the change feed is
 * ordered by the old server's transactions; but deliveries go on, unless they were held.
 */
export async function moveStore(
  from: PostgresAddress,
  to: PostgresAddress,
  version: string,
): Promise<MovedStore> {
  const held = await reading(from, selectDeliveryHold)
  const parts = readRecords(backupRecords(from, version, () => {}))
  const { value: manifest } = await parts.next()
  if (manifest?.kind !== 'manifest') throw new Error('The store says nothing about itself')
  await refuseNewer(manifest)
  const restored = await restoreBackup(to, manifest, parts, held?.reason)
  const rows = await compareTables(from, to, restored.skipped)
  return { ...restored, rows }
}

async function compareTables(
  from: PostgresAddress,
  to: PostgresAddress,
  skipped: readonly string[],
): Promise<number> {
  const [old, made] = await Promise.all([reading(from, tableDigests), reading(to, tableDigests)])
  let count = 0
  for (const [name, { rows, digest }] of old) {
    if (skipped.includes(name)) continue
    const copy = made.get(name)
    if (copy?.rows !== rows || copy.digest !== digest)
      throw new Error(
        `The copy of the table ${name} (${copy?.rows ?? 'no'} rows) differs from the original (${rows} rows)`,
      )
    count += rows
  }
  return count
}

type TableDigest = { rows: number; digest: string }

/** In no order, because each server has its own. */
async function tableDigests(client: pg.Client): Promise<Map<string, TableDigest>> {
  const digests = new Map<string, TableDigest>()
  for (const { name, columns } of await selectTables(client)) {
    if (tablesNotStored.includes(name) || tablesOfEpoch.includes(name)) continue
    const { rows } = await client.query<TableDigest>(
      `select count(*)::float8 as rows, coalesce(sum(hashtextextended(t::text collate "C", 0)), 0)::text as digest
       from (select ${listOf(columns)} from ${listOf([name])}) as t`,
    )
    for (const row of rows) digests.set(name, row)
  }
  return digests
}

async function reading<Result>(
  address: PostgresAddress,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openTransaction(address, 'isolation level repeatable read, read only')
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
