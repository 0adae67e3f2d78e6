import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { holdDeliveries } from '../deliveries/queue/hold.ts'
import { attachPartitions } from '../push-log/bodies/housekeeping.ts'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { isMigrated, migrate, schemaNames } from '../postgres/schema/migrate.ts'
import { beginEpoch } from '../postgres/connections/store-epoch.ts'
import { listOf, openTransaction, selectTables } from './backup-session.ts'
import { UnusableBackup } from './container.ts'
import { hotelDigests } from './hotel-digests.ts'
import type { BackupEnd, BackupPart, Manifest } from './records.ts'

export type RestoredBackup = { hotels: number; tables: number; skipped: string[] }

/** Whether this program can restore it: a backup of a newer schema needs a newer program. */
export async function refuseNewer({ schema, version }: Manifest): Promise<void> {
  if ((await schemaNames()).includes(schema)) return
  throw new UnusableBackup(
    `The backup was made by version ${version} with schema ${schema}, which this version does not know: restore it with version ${version} or newer`,
  )
}

/**
 * Fills an empty store in one transaction: if anything fails, nothing is in it. The new store begins an epoch
 * of its own, and its deliveries wait until they are released, if there is a reason for it. An older schema is brought up to date afterwards,
 * by whatever uses the store next.
 */
export async function restoreBackup(
  address: PostgresAddress,
  manifest: Manifest,
  parts: AsyncGenerator<BackupPart, undefined>,
  holdReason: string | undefined,
): Promise<RestoredBackup> {
  if (!(await isMigrated(address))) await migrate(address, { upTo: manifest.schema })
  const client = await openTransaction(address, 'isolation level read committed')
  try {
    await refuseUsedStore(client, manifest)
    const references = await dropReferences(client)
    const columnsByTable = new Map((await selectTables(client)).map(({ name, columns }) => [name, columns]))
    const filled = [...columnsByTable.keys()].filter((name) => name !== 'schema_migration')
    await client.query(`truncate ${listOf(filled)}`)
    await attachPartitions(client, manifest.partitions)
    const { end, ...counts } = await load(client, parts, columnsByTable)
    for (const { name, last } of end.sequences)
      await client.query(
        'select setval(format($1, sequencename)::regclass, $2) from pg_sequences where schemaname = current_schema() and sequencename = $3',
        ['%I', last, name],
      )
    for (const { table, name, definition } of references)
      await client.query(`alter table ${table} add constraint ${listOf([name])} ${definition}`)
    await beginEpoch(client)
    if (holdReason !== undefined) await holdDeliveries(client, holdReason)
    await client.query('commit')
    return counts
  } finally {
    await client.end()
  }
}

async function refuseUsedStore(client: pg.Client, manifest: Manifest): Promise<void> {
  // A service that starts now waits, and then finds the restored store.
  await client.query('lock table environment, supplier in access exclusive mode')
  const { rows } = await client.query<{ isUsed: boolean; schema: string }>(
    `select exists (select from environment) or exists (select from supplier) as "isUsed",
       (select max(name) from schema_migration) as schema`,
  )
  const [store] = rows
  if (store?.isUsed !== false)
    throw new Error(
      'There is already a store here, and a restore never overwrites one: set ARI_DATA_DIR to a new folder, or DATABASE_URL to an empty database',
    )
  if (store.schema !== manifest.schema)
    throw new Error(
      `The store is empty, but its schema is ${store.schema} and the backup's is ${manifest.schema}: use a folder or database without a schema`,
    )
}

type Reference = { table: string; name: string; definition: string }

/** They are checked as a whole when they are added again; only a superuser could switch them off. */
async function dropReferences(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace order by 1, 2`,
  )
  for (const { table, name } of rows)
    await client.query(`alter table ${table} drop constraint ${listOf([name])}`)
  return rows
}

/** Tables that an extension or somebody else made beside ours are passed over. */
async function load(
  client: pg.Client,
  parts: AsyncGenerator<BackupPart, undefined>,
  columnsByTable: ReadonlyMap<string, readonly string[]>,
): Promise<RestoredBackup & { end: BackupEnd }> {
  const skipped: string[] = []
  let tables = 0
  let hotels = 0
  for await (const part of parts) {
    if (part.kind === 'end') return { end: part, tables, hotels, skipped }
    if (part.kind === 'hotels') hotels = await compareHotels(client, parts)
    if (part.kind !== 'table') continue
    const columns = columnsByTable.get(part.name)
    if (columns === undefined) {
      skipped.push(part.name)
      for await (const { bytes } of rowsOf(parts)) void bytes
      continue
    }
    const unknown = part.columns.find((column) => !columns.includes(column))
    if (unknown !== undefined)
      throw new UnusableBackup(
        `The backup has a column ${part.name}.${unknown} that its schema does not have`,
      )
    const into = client.query(copyFrom(`copy ${listOf([part.name])} (${listOf(part.columns)}) from stdin`))
    await writeAll(into, rowsOf(parts))
    tables += 1
  }
  throw new UnusableBackup('The end of the backup is missing')
}

/** The rows of the table that has begun, up to its end. */
async function* rowsOf(parts: AsyncGenerator<BackupPart, undefined>): AsyncGenerator<{ bytes: Buffer }> {
  for (;;) {
    const { value } = await parts.next()
    if (value?.kind !== 'rows') return
    yield value
  }
}

async function writeAll(into: Writable, source: AsyncGenerator<{ bytes: Buffer }>): Promise<void> {
  const failed = new Promise<never>((_resolve, reject) => into.once('error', reject))
  const work = async (): Promise<void> => {
    for await (const { bytes } of source) if (!into.write(bytes)) await once(into, 'drain')
    into.end()
    await once(into, 'finish')
  }
  await Promise.race([work(), failed])
}

/** Line by line, so that the hotels that differ can be named. */
async function compareHotels(
  client: pg.Client,
  parts: AsyncGenerator<BackupPart, undefined>,
): Promise<number> {
  const stored = client.query(copyTo(`copy (${hotelDigests}) to stdout`))
  const found = linesOf(stored)
  let count = 0
  for await (const expected of linesOf(bytesOf(rowsOf(parts)))) {
    const next = await found.next()
    if (next.done === true || next.value !== expected)
      throw new Error(
        `The restored hotel ${expected.split('\t').slice(0, 2).join(' ')} differs from the one in the backup: nothing was restored`,
      )
    count += 1
  }
  if ((await found.next()).done !== true)
    throw new Error('There are more restored hotels than in the backup: nothing was restored')
  return count
}

async function* bytesOf(source: AsyncGenerator<{ bytes: Buffer }>): AsyncGenerator<Buffer> {
  for await (const { bytes } of source) yield bytes
}

async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const bytes of source) {
    let all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    for (let at = all.indexOf(10); at >= 0; at = all.indexOf(10)) {
      yield all.subarray(0, at).toString('utf8')
      all = all.subarray(at + 1)
    }
    rest = Buffer.from(all)
  }
}
