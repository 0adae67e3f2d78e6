import pg from 'pg'
import { bareConfig, findHost, type PostgresAddress } from '../postgres/connections/connection-config.ts'

/** The texts of COPY and of rows are the same with these settings, whatever the server's are. */
const settings = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0;
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local client_encoding = 'UTF8';
  set local row_security = off; set local synchronous_commit = on`

type Mode = 'isolation level repeatable read, read only' | 'isolation level read committed'

/** A transaction on a connection of its own, because COPY takes as long as it takes; ending it without a commit undoes it. */
export async function openTransaction(address: PostgresAddress, mode: Mode): Promise<pg.Client> {
  const client = new pg.Client(bareConfig(await findHost(address)))
  // The statement in progress reports a broken connection; unhandled, the event would end the process.
  client.on('error', () => {})
  await client.connect()
  await client.query(`begin transaction ${mode}`)
  await client.query(settings)
  return client
}

type TableRow = { name: string; columns: string[] }

/** The tables of the store with the columns that are stored, in their order; not the partitions of a table. */
export async function selectTables(client: pg.Client): Promise<TableRow[]> {
  const { rows } = await client.query<TableRow>(
    `select relname as name,
       array_agg(attname::text order by attnum) filter (where attname is not null) as columns
     from pg_class left join pg_attribute
       on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
     group by relname order by relname collate "C"`,
  )
  return rows
}

/** Written by the migrations themselves, or ended by every restore, as calls under way are and answers of the last minutes. */
export const tablesNotStored: readonly string[] = [
  'schema_migration',
  'change',
  'operator_session',
  'operator_sign_in_link',
  'delivery_hold',
  'booking_call',
  'live_answer',
  'paused_url',
]

export const listOf = (names: readonly string[]): string => names.map(pg.escapeIdentifier).join(', ')
