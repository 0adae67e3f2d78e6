import type { Queryable } from '../../postgres/postgres.ts'
import type { BulkEncoding } from '../limits.ts'

/** The data of jobs, in parts. */

/**
 * Starts the data again; false if the job takes none. Until the job is started, `leased_by` is the request that sends its
 * data, so that of two requests at once only the later one can go on.
 */
export async function clearData(
  connection: Queryable,
  id: string,
  data: { by: string; encoding: BulkEncoding; announced: number | null; nowMs: number },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update bulk_job set bytes = 0, parts = 0, encoding = $2, bytes_announced = $3, touched_at = instant($4), leased_by = $5
     where id = $1 and state = 'uploading'`,
    [id, data.encoding, data.announced, data.nowMs, data.by],
  )
  if (rowCount === 0) return false
  await connection.query('delete from bulk_part where job_id = $1', [id])
  return true
}

/** Goes on with the data at an offset; false if the job takes none, or has other bytes. */
export async function continueData(
  db: Queryable,
  id: string,
  { by, offset, nowMs }: { by: string; offset: number; nowMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update bulk_job set leased_by = $2, touched_at = instant($4) where id = $1 and state = 'uploading' and bytes = $3`,
    [id, by, offset, nowMs],
  )
  return rowCount === 1
}

export type DataPart = { length: number; stored: Buffer }

/**
 * Appends a part at its offset; with the last one, the request no longer has the job. Returns false if the job takes no
 * data, or another request sends it.
 */
export async function appendPart(
  db: Queryable,
  id: string,
  at: {
    by: string
    offset: number
    isLast: boolean
    encoding: BulkEncoding
    announced: number | null
    nowMs: number
  },
  { length, stored }: DataPart,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with job as (
       update bulk_job set bytes = bytes + $3, parts = parts + 1, encoding = $6, touched_at = instant($5),
         bytes_announced = coalesce($7, bytes_announced), leased_by = case when not $9 then leased_by end
       where id = $1 and state = 'uploading' and bytes = $2 and leased_by = $8 returning parts
     )
     insert into bulk_part (job_id, part, length, bytes) select $1, parts, $3, $4 from job`,
    [id, at.offset, length, stored, at.nowMs, at.encoding, at.announced, at.by, at.isLast],
  )
  return rowCount === 1
}

/** The bytes of all other open loads of the account. */
export async function selectOtherBytes(
  db: Queryable,
  { id, supplierId }: { id: string; supplierId: number },
): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    `select coalesce(sum(bytes), 0)::float8 as bytes from bulk_job
     where supplier_id = $2 and id <> $1 and task = 'load' and state in ('uploading', 'queued', 'running')`,
    [id, supplierId],
  )
  return rows[0]?.bytes ?? 0
}

export async function selectOptionalPart(
  db: Queryable,
  id: string,
  part: number,
): Promise<{ length: number; bytes: Buffer } | undefined> {
  const { rows } = await db.query<{ length: number; bytes: Buffer }>(
    'select length, bytes from bulk_part where job_id = $1 and part = $2',
    [id, part],
  )
  return rows[0]
}

/** What is of no use when a load has ended: its data, and the names of its hotels, which are counted. */
export async function deleteData(db: Queryable, id: string): Promise<void> {
  await db.query('delete from bulk_part where job_id = $1', [id])
  await db.query('delete from bulk_hotel where job_id = $1', [id])
}
