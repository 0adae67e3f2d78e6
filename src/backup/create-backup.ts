import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { sqlIsoSeconds } from '../postgres/postgres.ts'
import { listOf, openTransaction, selectTables, tablesNotStored } from './backup-session.ts'
import { hotelDigests } from './hotel-digests.ts'
import { RecordWriter, type Manifest } from './records.ts'

export type Written = { manifest: Manifest; hotels: number; rows: number }

/** One consistent moment of the store, which goes on working meanwhile. */
export async function* backupRecords(
  address: PostgresAddress,
  version: string,
  onDone: (written: Written) => void,
): AsyncGenerator<Buffer> {
  const names = await tableNames(address)
  const client = await openTransaction(address, 'isolation level repeatable read, read only')
  try {
    // The moment begins with the first query, so no table can be changed between it and its copy.
    await client.query(`lock table ${listOf(names)} in access share mode`)
    const writer = new RecordWriter()
    const manifest = await manifestOf(client, version)
    yield writer.note(manifest)
    let rows = 0
    for (const { name, columns } of await selectTables(client)) {
      if (tablesNotStored.includes(name)) continue
      yield writer.note({ kind: 'table', name, columns })
      for await (const bytes of copied(client, `select ${listOf(columns)} from ${listOf([name])}`))
        yield writer.rows(bytes)
      rows += writer.rowCount
      yield writer.endOfTable()
    }
    yield writer.note({ kind: 'hotels' })
    for await (const bytes of copied(client, hotelDigests)) yield writer.rows(bytes)
    const hotels = writer.rowCount
    yield writer.endOfTable()
    yield writer.end(await selectSequences(client))
    onDone({ manifest, hotels, rows })
  } finally {
    await client.end()
  }
}

function copied(client: pg.Client, sql: string): AsyncIterable<Buffer> {
  return client.query(copyTo(`copy (${sql}) to stdout`))
}

/** In a transaction of their own, because asking for them would begin the moment of the backup. */
async function tableNames(address: PostgresAddress): Promise<string[]> {
  const client = await openTransaction(address, 'isolation level read committed')
  try {
    const names = (await selectTables(client)).map(({ name }) => name)
    if (names.includes('schema_migration')) return names
    throw new Error('There is no store to back up: set ARI_DATA_DIR or DATABASE_URL to the service’s')
  } finally {
    await client.end()
  }
}

async function manifestOf(client: pg.Client, version: string): Promise<Manifest> {
  const { rows } = await client.query<Omit<Manifest, 'kind' | 'version'>>(
    `select (select max(name) from schema_migration) as schema, (select name::text from environment) as environment,
       ${sqlIsoSeconds('now()')} as "createdAt",
       array(select child.relname::text from pg_inherits join pg_class child on child.oid = inhrelid
         where child.relkind = 'r' and child.relnamespace = current_schema()::regnamespace order by 1) as partitions`,
  )
  const [row] = rows
  if (!row) throw new Error('The store says nothing about itself')
  return { kind: 'manifest', version, ...row }
}

async function selectSequences(client: pg.Client): Promise<{ name: string; last: number }[]> {
  const { rows } = await client.query<{ name: string; last: number }>(
    `select sequencename::text as name, last_value::float8 as last from pg_sequences
     where schemaname = current_schema() and last_value is not null order by 1`,
  )
  return rows
}
