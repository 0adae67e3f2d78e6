import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { readBackupFile } from '../../src/backup/backup-file.ts'
import type { Manifest } from '../../src/backup/records.ts'
import { restoreBackup } from '../../src/backup/restore-backup.ts'
import type { OutboundRules } from '../../src/outbound/vet-url.ts'
import { migrate } from '../../src/postgres/schema/migrate.ts'
import { root } from '../stage/files.ts'
import { startGatewayOn, type TestGateway } from '../stage/harness.ts'
import { asAdmin, newTestDatabase, type TestAddress } from '../stage/postgres.ts'
import { ask, differences, type Recorded } from './answers.ts'
import { endsAt, vaultKey } from './scenario.ts'

/** The data of a release, brought up to the present version, and what became of them. */

const folder = join(root, 'test', 'releases')

export const versions: readonly string[] = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

export function recordedOf(version: string): Recorded {
  return JSON.parse(gunzipSync(readFileSync(join(folder, version, 'answers.json.gz'))).toString())
}

export type Upgraded = {
  address: TestAddress
  rowsByTable: ReadonlyMap<string, number>
  drop: () => Promise<void>
}

export async function upgradeOf(version: string): Promise<Upgraded> {
  const { address, drop } = await newTestDatabase()
  const rowsByTable = await restored(join(folder, version), address)
  await migrate(address)
  return { address, rowsByTable, drop }
}

/** Into an empty database, as the release left it; the number of rows of each table. */
async function restored(of: string, address: TestAddress): Promise<Map<string, number>> {
  const file = join(of, 'store.backup')
  const rows = new Map<string, number>()
  let table: string | undefined
  let manifest: Manifest | undefined
  for await (const part of readBackupFile(file, undefined)) {
    if (part.kind === 'manifest') manifest = part
    if (part.kind === 'table') table = part.name
    if (part.kind === 'hotels') table = undefined
    if (part.kind === 'tableEnd' && table !== undefined) rows.set(table, part.rows)
  }
  assert.ok(manifest)
  await restoreBackup(address, manifest, readBackupFile(file, undefined), 'restored by a test')
  return rows
}

/** A table that was replaced needs a line in the test that compares what became of its rows. */
export async function lostRows({
  address,
  rowsByTable,
}: Pick<Upgraded, 'address' | 'rowsByTable'>): Promise<string[]> {
  const lost: string[] = []
  for (const [table, rows] of rowsByTable) {
    const found = await count(address, table)
    if (found !== rows) lost.push(`${table}: ${rows} rows became ${found ?? 'no table'}`)
  }
  return lost
}

async function count(address: TestAddress, table: string): Promise<number | undefined> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number | null }>(
      `select case when to_regclass($1) is not null then (xpath('/row/count/text()',
         query_to_xml(format('select count(*) from %I', $1), false, true, '')))[1]::text::int end as count`,
      [table],
    )
    return rows[0]?.count ?? undefined
  } finally {
    await client.end()
  }
}

/** After so many changes the rest is not asked. */
export async function changedAnswers(
  address: TestAddress,
  { callers, answers }: Recorded,
  changesMax = Infinity,
): Promise<string[]> {
  const gateway = await open(address)
  try {
    const changed: string[] = []
    for (const { question, answer } of answers) {
      const now = await ask(gateway.url, callers, question)
      const found = differences(answer, now)
      changed.push(
        ...found.map((one) => `${question.as} ${question.path} ${JSON.stringify(question.body)} ${one}`),
      )
      if (changed.length >= changesMax) break
    }
    return changed
  } finally {
    await gateway.stop()
  }
}

export function open(address: TestAddress): Promise<TestGateway> {
  const outbound = { reach: (to: Parameters<Reach>[0]) => to }
  return startGatewayOn(address, { now: endsAt, vaultKey, allowPrivate: true, outbound })
}

type Reach = NonNullable<OutboundRules['reach']>

export async function copyOf(of: TestAddress): Promise<TestAddress> {
  const name = `copy_${randomBytes(8).toString('hex')}`
  await asAdmin(beside(of), `create database ${name} template ${of.database}`)
  return { ...of, database: name }
}

/** A database of the same server that is in nobody's way. */
export const beside = (address: TestAddress): TestAddress => ({ ...address, database: 'template1' })
